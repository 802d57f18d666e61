//! Where the vertices and edges of a directed graph go: each connected component by itself, then packed in rows.

use super::coordinates::{Rows, place_rows};
use super::order::reduce_crossings;
use super::ranks::{acyclic_edges, ranks, wrapped};

/// Width and height.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
#[allow(missing_docs)]
pub struct Size {
    pub width: f64,
    pub height: f64,
}

/// A point; `y` grows downwards.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
#[allow(missing_docs)]
pub struct Point {
    pub x: f64,
    pub y: f64,
}

/// An arrow between vertices of a [`Graph`].
#[derive(Clone, Copy, Debug)]
pub struct Edge {
    /// Where it starts.
    pub from: usize,
    /// Where it ends.
    pub to: usize,
    /// The space that its label needs.
    pub label: Option<Size>,
}

/// What is to be laid out: vertices by their sizes, and arrows between them.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    /// One per vertex.
    pub sizes: Vec<Size>,
    /// The arrows; those from a vertex to itself are left out of the layout.
    pub edges: Vec<Edge>,
}

/// The way of an arrow.
#[derive(Clone, Debug, Default)]
pub struct Route {
    /// From the border of one vertex to that of the other; empty for an arrow from a vertex to itself.
    pub points: Vec<Point>,
    /// The centre of the label.
    pub label: Option<Point>,
}

/// Where everything goes.
#[derive(Clone, Debug, Default)]
pub struct Layout {
    /// The whole.
    pub size: Size,
    /// The centres of the vertices.
    pub vertices: Vec<Point>,
    /// The ways of the arrows.
    pub routes: Vec<Route>,
}

/// Space between components.
const COMPONENT_GAP: f64 = 36.0;

/// Lays a graph out; vertices of one rank that need more space than `row` are put into several rows.
pub fn lay_out(graph: &Graph, row: f64) -> Layout {
    let mut layout = Layout {
        size: Size::default(),
        vertices: vec![Point::default(); graph.sizes.len()],
        routes: vec![Route::default(); graph.edges.len()],
    };
    let drawn: Vec<Component> = components(graph).iter().map(|part| lay_out_component(graph, part, row)).collect();
    let row_width = preferred_width(&drawn);
    let mut corner = Point::default();
    let mut row_height: f64 = 0.0;
    for component in drawn {
        if corner.x > 0.0 && corner.x + component.size.width > row_width {
            corner = Point { x: 0.0, y: corner.y + row_height + COMPONENT_GAP };
            row_height = 0.0;
        }
        component.copy_into(&mut layout, corner);
        row_height = row_height.max(component.size.height);
        layout.size.width = layout.size.width.max(corner.x + component.size.width);
        layout.size.height = layout.size.height.max(corner.y + component.size.height);
        corner.x += component.size.width + COMPONENT_GAP;
    }
    layout
}

/// A connected part, laid out with its upper left corner at the origin.
struct Component {
    size: Size,
    vertices: Vec<(usize, Point)>,
    routes: Vec<(usize, Route)>,
}

impl Component {
    fn copy_into(&self, layout: &mut Layout, corner: Point) {
        let moved = |point: &Point| Point { x: point.x + corner.x, y: point.y + corner.y };
        for (vertex, centre) in &self.vertices {
            layout.vertices[*vertex] = moved(centre);
        }
        for (edge, route) in &self.routes {
            layout.routes[*edge] =
                Route { points: route.points.iter().map(moved).collect(), label: route.label.as_ref().map(moved) };
        }
    }
}

/// Rows about as wide as the widest component, or such that the whole is about four to three.
fn preferred_width(components: &[Component]) -> f64 {
    let widest = components.iter().map(|component| component.size.width).fold(0.0, f64::max);
    let padded = |size: &Size| (size.width + COMPONENT_GAP) * (size.height + COMPONENT_GAP);
    let area: f64 = components.iter().map(|component| padded(&component.size)).sum();
    widest.max((area * 4.0 / 3.0).sqrt())
}

/// The vertices and edges of a connected component, both ascending.
#[derive(Default)]
struct Part {
    vertices: Vec<usize>,
    edges: Vec<usize>,
}

/// The connected components, large ones first, then by first vertex.
fn components(graph: &Graph) -> Vec<Part> {
    let component = component_numbers(graph);
    let count = component.iter().max().map_or(0, |last| last + 1);
    let mut parts: Vec<Part> = std::iter::repeat_with(Part::default).take(count).collect();
    for (vertex, &number) in component.iter().enumerate() {
        parts[number].vertices.push(vertex);
    }
    for (id, edge) in graph.edges.iter().enumerate().filter(|(_, edge)| edge.from != edge.to) {
        parts[component[edge.from]].edges.push(id);
    }
    parts.sort_by_key(|part| std::cmp::Reverse(part.vertices.len()));
    parts
}

/// The number of each vertex's component, by first vertex.
fn component_numbers(graph: &Graph) -> Vec<usize> {
    let mut neighbours = vec![Vec::new(); graph.sizes.len()];
    for edge in &graph.edges {
        neighbours[edge.from].push(edge.to);
        neighbours[edge.to].push(edge.from);
    }
    let mut numbers: Vec<Option<usize>> = vec![None; graph.sizes.len()];
    let mut next = 0;
    for start in 0..graph.sizes.len() {
        if numbers[start].is_some() {
            continue;
        }
        let mut pending = vec![start];
        while let Some(vertex) = pending.pop() {
            if numbers[vertex].replace(next).is_none() {
                pending.extend(&neighbours[vertex]);
            }
        }
        next += 1;
    }
    numbers.into_iter().flatten().collect()
}

fn lay_out_component(graph: &Graph, part: &Part, row: f64) -> Component {
    let local = |vertex: usize| part.vertices.partition_point(|&other| other < vertex);
    let ends = |&id: &usize| (local(graph.edges[id].from), local(graph.edges[id].to));
    let edges: Vec<(usize, usize)> = part.edges.iter().map(ends).collect();
    let downward = acyclic_edges(part.vertices.len(), &edges);
    let width = |vertex: usize| graph.sizes[part.vertices[vertex]].width + COMPONENT_GAP;
    let ranks = wrapped(&ranks(part.vertices.len(), &downward), width, row);
    let sizes = part.vertices.iter().map(|&vertex| graph.sizes[vertex]).collect();
    let labels: Vec<Option<Size>> = part.edges.iter().map(|&id| graph.edges[id].label).collect();
    let mut rows = Rows::new(sizes, &ranks, &downward, &labels);
    reduce_crossings(&mut rows);
    let placed = place_rows(&rows);
    let route = |(at, &id): (usize, &usize)| (id, placed.route(&rows, at, downward[at] != edges[at]));
    Component {
        size: placed.size,
        routes: part.edges.iter().enumerate().map(route).collect(),
        vertices: part.vertices.iter().copied().zip(placed.centres.iter().copied()).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graph(vertices: usize, edges: &[(usize, usize)]) -> Graph {
        let size = Size { width: 50.0, height: 20.0 };
        let edges = edges.iter().map(|&(from, to)| Edge { from, to, label: Some(size) }).collect();
        Graph { sizes: vec![size; vertices], edges }
    }

    /// No two vertices and no two labels cover each other, and everything is inside the whole.
    fn check_disjoint(graph: &Graph) {
        let layout = lay_out(graph, f64::INFINITY);
        let labels = layout.routes.iter().filter_map(|route| route.label);
        let boxes: Vec<Point> = layout.vertices.iter().copied().chain(labels).collect();
        for (at, one) in boxes.iter().enumerate() {
            assert!(one.x >= 25.0 && one.x + 25.0 <= layout.size.width + 1e-6, "{one:?} in {:?}", layout.size);
            assert!(one.y >= 10.0 && one.y + 10.0 <= layout.size.height + 1e-6, "{one:?} in {:?}", layout.size);
            for other in &boxes[..at] {
                let apart = (one.x - other.x).abs() >= 50.0 - 1e-6 || (one.y - other.y).abs() >= 20.0 - 1e-6;
                assert!(apart, "{one:?} covers {other:?}");
            }
        }
    }

    #[test]
    fn nothing_covers_anything() {
        check_disjoint(&graph(0, &[]));
        check_disjoint(&graph(7, &[]));
        check_disjoint(&graph(4, &[(0, 1), (0, 2), (1, 3), (2, 3), (0, 3)]));
        let everything: Vec<_> = (0..8).flat_map(|from| (0..8).map(move |to| (from, to))).collect();
        check_disjoint(&graph(8, &everything));
    }

    #[test]
    fn arrows_point_downwards_where_there_is_no_cycle() {
        let graph = graph(5, &[(4, 2), (2, 0), (4, 0), (0, 3), (1, 3)]);
        let layout = lay_out(&graph, f64::INFINITY);
        for edge in &graph.edges {
            assert!(layout.vertices[edge.from].y < layout.vertices[edge.to].y);
        }
    }

    #[test]
    fn a_cycle_is_drawn_with_one_arrow_upwards() {
        let graph = graph(3, &[(0, 1), (1, 2), (2, 0)]);
        let layout = lay_out(&graph, f64::INFINITY);
        let upward = |route: &&Route| route.points[0].y > route.points[route.points.len() - 1].y;
        assert_eq!(layout.routes.iter().filter(upward).count(), 1);
    }

    #[test]
    fn a_narrow_picture_has_more_rows() {
        let graph = graph(9, &(1..9).map(|to| (0, to)).collect::<Vec<_>>());
        let (wide, narrow) = (lay_out(&graph, f64::INFINITY).size, lay_out(&graph, 200.0).size);
        assert!(narrow.width < wide.width && narrow.height > wide.height, "{narrow:?} {wide:?}");
    }

    #[test]
    fn long_chains_do_not_recurse() {
        let edges: Vec<_> = (1..20_000).map(|to| (to - 1, to)).collect();
        assert_eq!(lay_out(&graph(20_000, &edges), f64::INFINITY).vertices.len(), 20_000);
    }
}
