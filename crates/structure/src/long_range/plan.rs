//! The steps of a sweep, in forms that repeat.
//!
//! A step handles one item: its vertices that are new enter the boundary, then those that no later item has leave it, and
//! likewise mode variables. A *form* is a step with vertices and mode variables replaced by their places in the boundary, by
//! age: entering ones are appended in the item's own order, gaps of leaving ones are closed. So the steps of a model that
//! repeats itself have few forms, and what is computed for a form is computed once. (Places that are filled again, lowest
//! first, would rotate, and hardly a form would repeat.)

use modeshift_modes::{ModeSet, ModeSpace, ModeVariable};
use rustc_hash::FxHashMap;

use super::NotSwept;
use super::order::{elimination_order, tree_order};
use crate::locality::lists::Lists;

/// With fewer summaries per cut than about so many, no other order is looked for.
const CHEAP: f64 = 6_561.0; // eight variables
/// Summaries grow exponentially with the boundary; beyond this they would be too many in any but the simplest models.
const WIDEST_BOUNDARY: usize = 20;
/// Truth tables of guards are 64 bits.
const MOST_LOCAL_MODES: usize = 6;

/// Something that is swept over: its modes, and its vertices with the modes of each.
pub(super) struct Item {
    pub(super) guard: ModeSet,
    pub(super) edges: Vec<(u32, ModeSet)>,
    /// The first so many of the vertices are equations: from one of them the item leads to one of the others, or it is left out.
    pub(super) sources: usize,
    /// What edges weigh; nothing where all weigh nothing, or weights do not matter.
    pub(super) orders: Vec<u8>,
}

/// What a sweep is planned for: items, and the modes in which each vertex is there.
pub(super) struct Graph {
    pub(super) items: Vec<Item>,
    pub(super) vertices: Vec<ModeSet>,
}

/// In which valuations of the local mode variables something holds: bit `m` is for the valuation `m`.
pub(super) type TruthTable = u64;

/// A step without names. Places of vertices, and of mode variables, are by age: those before the step, then entering ones.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Form {
    /// Vertices in the boundary before.
    pub(super) before: u8,
    /// Entering vertices, with the modes in which they are there.
    pub(super) entering: Vec<TruthTable>,
    /// Local mode variables before, and entering.
    pub(super) modes_before: u8,
    pub(super) entering_modes: u8,
    /// When the item is there.
    pub(super) guard: TruthTable,
    /// The item's vertices with their modes.
    pub(super) edges: Vec<(u8, TruthTable)>,
    /// How many of the first of these are equations that the item leads from.
    pub(super) sources: u8,
    /// What they weigh, where that matters.
    pub(super) orders: Vec<u8>,
    /// Places of leaving vertices, highest first, with the modes in which they are there.
    pub(super) leaving: Vec<(u8, TruthTable)>,
    /// Places of leaving mode variables, highest first.
    pub(super) leaving_modes: Vec<u8>,
}

impl Form {
    /// The places of the edges that are there, as a set of bits.
    pub(super) fn neighbours(&self, local: usize) -> u32 {
        let there = self.edges.iter().filter(|(_, table)| holds(*table, local));
        there.fold(0, |set, &(place, _)| set | 1 << place)
    }

    /// The places of the equations that the item leads from.
    pub(super) fn source_places(&self) -> u32 {
        self.edges[..usize::from(self.sources)].iter().fold(0, |set, &(place, _)| set | 1 << place)
    }

    /// The values of the mode variables that stay.
    pub(super) fn staying_modes(&self, local: usize) -> usize {
        self.leaving_modes.iter().fold(local, |values, &place| without_bit(values as u32, place) as usize)
    }
}

/// Whether a truth table has this valuation.
pub(super) fn holds(table: TruthTable, local: usize) -> bool {
    table >> local & 1 == 1
}

/// The bits above a place moved down onto it.
pub(super) fn without_bit(bits: u32, place: u8) -> u32 {
    let below = (1u32 << place) - 1;
    bits & below | bits >> 1 & !below
}

/// The bits from a place on moved up by one: the inverse of [`without_bit`] where the bit was not set.
pub(super) fn with_gap(bits: u32, place: u8) -> u32 {
    let below = (1u32 << place) - 1;
    bits & below | (bits & !below) << 1
}

/// One step of a plan.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    pub(super) item: u32,
    pub(super) form: u32,
}

/// A sweep over a graph.
#[derive(Debug)]
pub(super) struct Plan {
    pub(super) forms: Vec<Form>,
    pub(super) steps: Vec<Step>,
    /// By step: the mode variables that enter.
    pub(super) entering_modes: Lists<ModeVariable>,
    /// By step: the vertices that enter.
    pub(super) entering_vertices: Lists<u32>,
    /// Vertices at the widest cut, the step's own included.
    pub(super) widest: usize,
}

impl Plan {
    /// The steps for a graph whose sets of modes are from `space`.
    pub(super) fn new(space: &ModeSpace, graph: &Graph) -> Result<Plan, NotSwept> {
        Ordered::new(space, graph)?.plan(space, graph)
    }

    /// The steps for the graph that is swept most cheaply, of several with the same verdict.
    pub(super) fn cheapest(space: &ModeSpace, graphs: &[Graph]) -> Result<Plan, NotSwept> {
        let mut reason = NotSwept::WideBoundary(WIDEST_BOUNDARY);
        let mut cheapest: Option<(Ordered, &Graph)> = None;
        for graph in graphs {
            match Ordered::new(space, graph) {
                Ok(ordered) if cheapest.as_ref().is_none_or(|it| ordered.cost < it.0.cost) => {
                    cheapest = Some((ordered, graph));
                }
                Ok(_) => {}
                Err(why) => reason = why,
            }
        }
        let (ordered, graph) = cheapest.ok_or(reason)?;
        ordered.plan(space, graph)
    }

    /// The mode variables in the order in which the sweep meets them, each followed by those that an invariant relates to it and
    /// that no item has: guards speak of one state of a machine where the other is its opposite. Then the others.
    pub(super) fn order_of_modes(&self, count: usize, related: &[Vec<ModeVariable>]) -> Vec<ModeVariable> {
        let mut of_variable: Vec<Vec<usize>> = vec![Vec::new(); count];
        for (number, group) in related.iter().enumerate() {
            group.iter().for_each(|variable| of_variable[variable.index()].push(number));
        }
        let mut is_swept = vec![false; count];
        let entering = || (0..self.steps.len()).flat_map(|step| self.entering_modes.of(step)).copied();
        entering().for_each(|variable| is_swept[variable.index()] = true);
        let mut met = vec![false; count];
        let mut order = Vec::with_capacity(count);
        for variable in entering().chain((0..count as u32).map(ModeVariable)) {
            if !std::mem::replace(&mut met[variable.index()], true) {
                order.push(variable);
            }
            for other in of_variable[variable.index()].iter().flat_map(|&group| &related[group]) {
                if !is_swept[other.index()] && !std::mem::replace(&mut met[other.index()], true) {
                    order.push(*other);
                }
            }
        }
        order
    }

    /// By step: the values of the local mode variables in one mode.
    pub(super) fn local_values(&self, value: impl Fn(ModeVariable) -> bool) -> Vec<usize> {
        let mut values = 0;
        let mut local = Vec::with_capacity(self.steps.len());
        for (at, step) in self.steps.iter().enumerate() {
            let form = &self.forms[step.form as usize];
            for (place, &variable) in self.entering_modes.of(at).iter().enumerate() {
                values |= usize::from(value(variable)) << (form.modes_before as usize + place);
            }
            local.push(values);
            values = form.staying_modes(values);
        }
        local
    }
}

/// The items of a graph in a good order.
struct Ordered {
    links: Lists<u32>,
    order: Vec<u32>,
    cost: f64,
}

impl Ordered {
    /// An error where every order that was tried is too wide. No order is looked for where one item alone has too many modes: all of
    /// them are there in its step.
    fn new(space: &ModeSpace, graph: &Graph) -> Result<Ordered, NotSwept> {
        let supports = supports(space, graph);
        if supports.iter().any(|modes| modes.len() > MOST_LOCAL_MODES) {
            return Err(NotSwept::ManyModes(MOST_LOCAL_MODES));
        }
        let links = links(graph, &supports);
        let count = graph.vertices.len() + space.variable_count();
        let best = best_order(&links, graph.vertices.len(), count);
        let (cost, order) = best.ok_or(NotSwept::WideBoundary(WIDEST_BOUNDARY))?;
        Ok(Ordered { links, order, cost })
    }

    fn plan(&self, space: &ModeSpace, graph: &Graph) -> Result<Plan, NotSwept> {
        let Ordered { links, order, .. } = &self;
        let count = graph.vertices.len() + space.variable_count();
        let mut last = vec![0; count];
        for (position, &item) in order.iter().enumerate() {
            links.of(item as usize).iter().for_each(|&link| last[link as usize] = position);
        }
        let mut planner = Planner {
            space,
            graph,
            links,
            last,
            entered: vec![false; count],
            boundary: Vec::new(),
            modes: Vec::new(),
            known: FxHashMap::default(),
            plan: Plan {
                forms: Vec::new(),
                steps: Vec::with_capacity(order.len()),
                entering_modes: Lists::new(),
                entering_vertices: Lists::new(),
                widest: 0,
            },
        };
        for (position, &item) in order.iter().enumerate() {
            planner.step(position, item)?;
        }
        Ok(planner.plan)
    }
}

/// The cheapest of some orders: greedy ones, with mode variables in the boundary and without, and the order of the items, which is that
/// of a model as it was written, with its cost. Which is best depends on the model, by factors of ten in summaries, and all are quickly made.
/// Where all of them are wide, the model may branch like a tree.
fn best_order(links: &Lists<u32>, vertices: usize, count: usize) -> Option<(f64, Vec<u32>)> {
    let widest = WIDEST_BOUNDARY + MOST_LOCAL_MODES;
    let mut of_vertices = Lists::new();
    for item in 0..links.len() {
        links.of(item).iter().filter(|&&link| (link as usize) < vertices).for_each(|&link| of_vertices.push_item(link));
        of_vertices.end_list();
    }
    let greedy = [elimination_order(links, count, widest), elimination_order(&of_vertices, vertices, WIDEST_BOUNDARY)];
    let written: Vec<u32> = (0..links.len() as u32).collect();
    let rated = |order: Vec<u32>| Some((cost(links, &order, vertices, count)?, order));
    let cheapest = |orders: &mut dyn Iterator<Item = (f64, Vec<u32>)>| orders.min_by(|a, b| a.0.total_cmp(&b.0));
    let best = cheapest(&mut greedy.into_iter().flatten().chain([written]).filter_map(rated));
    match best {
        Some((cost, order)) if cost <= CHEAP * links.len() as f64 => Some((cost, order)),
        best => {
            let branching = tree_order(&of_vertices, vertices).and_then(rated);
            cheapest(&mut best.into_iter().chain(branching))
        }
    }
}

/// About how many summaries there are at all cuts of an order; nothing where it is too wide.
fn cost(links: &Lists<u32>, order: &[u32], vertices: usize, count: usize) -> Option<f64> {
    let mut remaining = vec![0u32; count];
    order.iter().flat_map(|&item| links.of(item as usize)).for_each(|&link| remaining[link as usize] += 1);
    let mut entered = vec![false; count];
    let (mut widths, mut cost) = ([0i32; 2], 0.0);
    for &item in order {
        for &link in links.of(item as usize) {
            widths[usize::from(link as usize >= vertices)] +=
                i32::from(!std::mem::replace(&mut entered[link as usize], true));
        }
        if widths[0] > WIDEST_BOUNDARY as i32 || widths[1] > MOST_LOCAL_MODES as i32 {
            return None;
        }
        // Each variable more multiplies summaries by two to four, each mode variable by two.
        cost += 3f64.powi(widths[0]) * 2f64.powi(widths[1]);
        for &link in links.of(item as usize) {
            remaining[link as usize] -= 1;
            widths[usize::from(link as usize >= vertices)] -= i32::from(remaining[link as usize] == 0);
        }
    }
    Some(cost)
}

/// The mode variables of each item.
fn supports(space: &ModeSpace, graph: &Graph) -> Vec<Vec<ModeVariable>> {
    let sets_of = |item: &Item| -> Vec<ModeSet> {
        let edges = item.edges.iter().flat_map(|&(vertex, modes)| [modes, graph.vertices[vertex as usize]]);
        edges.chain([item.guard]).filter(|set| !set.is_all()).collect()
    };
    graph.items.iter().map(|item| space.support_of_all(&sets_of(item))).collect()
}

/// The vertices of each item, then its mode variables, numbered after the vertices.
fn links(graph: &Graph, supports: &[Vec<ModeVariable>]) -> Lists<u32> {
    let mut links = Lists::new();
    for (item, support) in graph.items.iter().zip(supports) {
        item.edges.iter().for_each(|&(vertex, _)| links.push_item(vertex));
        support.iter().for_each(|mode| links.push_item(graph.vertices.len() as u32 + mode.0));
        links.end_list();
    }
    links
}

struct Planner<'a> {
    space: &'a ModeSpace,
    graph: &'a Graph,
    links: &'a Lists<u32>,
    /// By vertex and mode variable: the last step that has it.
    last: Vec<usize>,
    entered: Vec<bool>,
    boundary: Vec<u32>,
    modes: Vec<ModeVariable>,
    known: FxHashMap<Form, u32>,
    plan: Plan,
}

impl Planner<'_> {
    fn step(&mut self, position: usize, number: u32) -> Result<(), NotSwept> {
        let item = &self.graph.items[number as usize];
        let (before, modes_before) = (self.boundary.len(), self.modes.len());
        self.enter(number);
        if self.boundary.len() > WIDEST_BOUNDARY {
            return Err(NotSwept::WideBoundary(WIDEST_BOUNDARY));
        }
        if self.modes.len() > MOST_LOCAL_MODES {
            return Err(NotSwept::ManyModes(MOST_LOCAL_MODES));
        }
        self.plan.widest = self.plan.widest.max(self.boundary.len());
        let place = |vertex: u32| self.boundary.iter().position(|&it| it == vertex).expect("in the boundary") as u8;
        let presence = |vertex: u32| self.truth_table(self.graph.vertices[vertex as usize]);
        let leaves = |&place: &usize| self.last[self.boundary[place] as usize] == position;
        let leaves_mode = |&place: &usize| self.last[self.graph.vertices.len() + self.modes[place].index()] == position;
        let form = Form {
            before: before as u8,
            entering: self.boundary[before..].iter().map(|&vertex| presence(vertex)).collect(),
            modes_before: modes_before as u8,
            entering_modes: (self.modes.len() - modes_before) as u8,
            guard: self.truth_table(item.guard),
            edges: item.edges.iter().map(|&(vertex, modes)| (place(vertex), self.truth_table(modes))).collect(),
            sources: item.sources as u8,
            orders: item.orders.clone(),
            leaving: (0..self.boundary.len())
                .rev()
                .filter(leaves)
                .map(|place| (place as u8, presence(self.boundary[place])))
                .collect(),
            leaving_modes: (0..self.modes.len()).rev().filter(leaves_mode).map(|place| place as u8).collect(),
        };
        for &(place, _) in &form.leaving {
            self.boundary.remove(place as usize);
        }
        for &place in &form.leaving_modes {
            self.modes.remove(place as usize);
        }
        let form = self.number(form);
        self.plan.steps.push(Step { item: number, form });
        Ok(())
    }

    fn enter(&mut self, item: u32) {
        for &link in self.links.of(item as usize) {
            if std::mem::replace(&mut self.entered[link as usize], true) {
                continue;
            }
            match link.checked_sub(self.graph.vertices.len() as u32) {
                None => {
                    self.boundary.push(link);
                    self.plan.entering_vertices.push_item(link);
                }
                Some(mode) => {
                    self.modes.push(ModeVariable(mode));
                    self.plan.entering_modes.push_item(ModeVariable(mode));
                }
            }
        }
        self.plan.entering_vertices.end_list();
        self.plan.entering_modes.end_list();
    }

    /// A set of modes that depends on local mode variables only.
    fn truth_table(&self, modes: ModeSet) -> TruthTable {
        let valuations = 1 << self.modes.len();
        if modes.is_all() {
            return if valuations == 64 { u64::MAX } else { (1 << valuations) - 1 };
        }
        let place = |variable| self.modes.iter().position(|&it| it == variable).expect("a local mode variable");
        let is_in = |local: &usize| self.space.evaluate(modes, |variable| local >> place(variable) & 1 == 1);
        if modes.is_empty() { 0 } else { (0..valuations).filter(is_in).fold(0, |table, local| table | 1 << local) }
    }

    fn number(&mut self, form: Form) -> u32 {
        if let Some(&number) = self.known.get(&form) {
            return number;
        }
        let number = self.plan.forms.len() as u32;
        self.plan.forms.push(form.clone());
        self.known.insert(form, number);
        number
    }
}
