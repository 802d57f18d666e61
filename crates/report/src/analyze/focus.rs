//! Parts of a report: the blocks around a name, and repeated elements drawn as one.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use super::subscripts::{alike, ranges, terms};
use super::{AnalyzeReport, BlockReport, DependencyReport};
use crate::json::ItemWhen;

/// The blocks that have to do with an equation, a variable or a component, and those at most `depth` dependencies away.
/// Nothing where no block has.
pub fn focused(report: &AnalyzeReport, name: &str, depth: usize) -> Option<AnalyzeReport> {
    let inside = format!("{name}.");
    let element = format!("{name}[");
    let is_meant = |item: &str| {
        let item = item.trim_end_matches('\'');
        item == name || item.starts_with(&inside) || item.starts_with(&element)
    };
    let names = |block: &BlockReport| block.equations.iter().chain(&block.writes).any(|item| is_meant(item));
    let mut distance: FxHashMap<usize, usize> = FxHashMap::default();
    let mut front: Vec<usize> = (0..report.blocks.len()).filter(|&at| names(&report.blocks[at])).collect();
    distance.extend(front.iter().map(|&at| (at, 0)));
    let mut neighbours: Vec<Vec<usize>> = vec![Vec::new(); report.blocks.len()];
    for DependencyReport { from, to, .. } in &report.dependencies {
        if let (Some(_), Some(_)) = (report.blocks.get(*from), report.blocks.get(*to)) {
            neighbours[*from].push(*to);
            neighbours[*to].push(*from);
        }
    }
    for step in 1..=depth {
        let reached: Vec<usize> = front.iter().flat_map(|&at| neighbours[at].iter().copied()).collect();
        front = reached.into_iter().filter(|at| distance.insert_if_new(*at, step)).collect();
    }
    if distance.is_empty() {
        return None;
    }
    let kept: Vec<usize> = (0..report.blocks.len()).filter(|at| distance.contains_key(at)).collect();
    let number: FxHashMap<usize, usize> = kept.iter().enumerate().map(|(new, &old)| (old, new)).collect();
    let blocks: Vec<BlockReport> =
        kept.iter().enumerate().map(|(id, &old)| BlockReport { id, ..report.blocks[old].clone() }).collect();
    let dependencies = report.dependencies.iter().filter_map(|it| {
        Some(DependencyReport { from: *number.get(&it.from)?, to: *number.get(&it.to)?, ..it.clone() })
    });
    let is_there = |item: &str, of: fn(&BlockReport) -> &Vec<String>| {
        blocks.iter().any(|block| of(block).iter().any(|it| it.trim_end_matches('\'') == item))
    };
    let equations = report.equations.iter().filter(|it| is_there(&it.name, |block| &block.equations)).cloned();
    let variables = report.variables.iter().filter(|it| is_there(&it.name, |block| &block.writes)).cloned();
    Some(AnalyzeReport {
        equations: equations.collect(),
        variables: variables.collect(),
        dependencies: dependencies.collect(),
        block_count: blocks.len(),
        blocks: blocks.clone(),
        ..report.clone()
    })
}

trait InsertIfNew {
    fn insert_if_new(&mut self, key: usize, value: usize) -> bool;
}

impl InsertIfNew for FxHashMap<usize, usize> {
    fn insert_if_new(&mut self, key: usize, value: usize) -> bool {
        let is_new = !self.contains_key(&key);
        if is_new {
            self.insert(key, value);
        }
        is_new
    }
}

/// What a card shows, in parts that differ in subscripts alone when blocks are repeated: the terms of its guard, its
/// equations, what it reads and what it writes.
struct Shape<'a>([Vec<(String, Vec<&'a str>)>; 4]);

impl<'a> Shape<'a> {
    fn of(block: &'a BlockReport) -> Self {
        Shape([
            terms(&block.when),
            alike(block.equations.iter().map(String::as_str)),
            alike(block.reads.iter().map(|read| read.name.as_str())),
            alike(block.writes.iter().map(String::as_str)),
        ])
    }

    /// The same for blocks that are repetitions of each other, however long the runs of elements in them are.
    fn key(&self) -> String {
        let part = |parts: &Vec<(String, Vec<&str>)>| {
            parts.iter().map(|(pattern, _)| pattern.as_str()).collect::<Vec<_>>().join("\n")
        };
        self.0.each_ref().map(part).join("\n\n")
    }
}

/// A list of all shapes of a group as one, with the ranges of subscripts.
fn together(group: &[&Shape<'_>], part: usize) -> Vec<String> {
    let all_at = |at: usize| group.iter().flat_map(|it| it.0[part][at].1.iter().copied()).collect::<Vec<_>>();
    (0..group[0].0[part].len()).map(|at| ranges(&all_at(at))).collect()
}

/// The guard of a group: its terms with the words between them.
fn together_when(group: &[&Shape<'_>]) -> String {
    let word = |pattern: &str| [" and ", " or "].into_iter().find(|word| pattern.starts_with(word)).unwrap_or("");
    let terms = group[0].0[0].iter().map(|(pattern, _)| word(pattern)).zip(together(group, 0));
    terms.map(|(word, term)| format!("{word}{term}")).collect()
}

/// The report with blocks that differ in subscripts alone as one, `element[2..99].v`, and those with longer runs of
/// such elements in them too.
pub fn folded(report: &AnalyzeReport) -> AnalyzeReport {
    let shapes: Vec<Shape<'_>> = report.blocks.iter().map(Shape::of).collect();
    let mut groups: Vec<Vec<&Shape<'_>>> = Vec::new();
    let mut known: BTreeMap<String, usize> = BTreeMap::new();
    let mut group_of: Vec<usize> = Vec::with_capacity(report.blocks.len());
    for shape in &shapes {
        let group = *known.entry(shape.key()).or_insert(groups.len());
        match groups.get_mut(group) {
            Some(members) => members.push(shape),
            None => groups.push(vec![shape]),
        }
        group_of.push(group);
    }
    let fold = |(id, group): (usize, &Vec<&Shape<'_>>)| {
        let read = |name| ItemWhen { name, when: None };
        BlockReport {
            id,
            when: together_when(group),
            equations: together(group, 1),
            reads: together(group, 2).into_iter().map(read).collect(),
            writes: together(group, 3),
        }
    };
    let mut dependencies: BTreeMap<(usize, usize), DependencyReport> = BTreeMap::new();
    for it in &report.dependencies {
        let (Some(&from), Some(&to)) = (group_of.get(it.from), group_of.get(it.to)) else { continue };
        let folded = dependencies.entry((from, to)).or_insert_with(|| DependencyReport { from, to, ..it.clone() });
        if folded.when != it.when {
            folded.when = ranges(&[folded.when.as_str(), it.when.as_str()]);
            folded.narrower = false;
        }
    }
    let blocks: Vec<BlockReport> = groups.iter().enumerate().map(fold).collect();
    let mut dependencies: Vec<_> = dependencies.into_values().filter(|it| it.from != it.to).collect();
    for it in &mut dependencies {
        // an arrow of many is drawn in the colour of where it leads
        if groups[it.to].len() > 1 {
            it.when.clone_from(&blocks[it.to].when);
        }
    }
    AnalyzeReport { blocks, dependencies, ..report.clone() }
}
