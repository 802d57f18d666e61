//! Parts of a report: the blocks around a name, and repeated elements drawn as one.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use super::subscripts::{pattern, ranges};
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

/// The report with blocks that differ in subscripts alone as one, `element[2..99].v`.
pub fn folded(report: &AnalyzeReport) -> AnalyzeReport {
    let mut groups: Vec<Vec<usize>> = Vec::new();
    let mut known: BTreeMap<String, usize> = BTreeMap::new();
    let mut group_of: Vec<usize> = Vec::with_capacity(report.blocks.len());
    for (at, block) in report.blocks.iter().enumerate() {
        let group = *known.entry(pattern(&whole_text(block))).or_insert(groups.len());
        match groups.get_mut(group) {
            Some(members) => members.push(at),
            None => groups.push(vec![at]),
        }
        group_of.push(group);
    }
    let together = |texts: Vec<&str>| ranges(&texts);
    let item = |group: &[usize], of: &dyn Fn(&BlockReport) -> &str| {
        together(group.iter().map(|&at| of(&report.blocks[at])).collect())
    };
    let fold = |(id, group): (usize, &Vec<usize>)| {
        let first = &report.blocks[group[0]];
        let read =
            |at: usize| ItemWhen { name: item(group, &|it| it.reads[at].name.as_str()), ..first.reads[at].clone() };
        BlockReport {
            id,
            when: item(group, &|it| it.when.as_str()),
            equations: (0..first.equations.len()).map(|at| item(group, &|it| it.equations[at].as_str())).collect(),
            reads: (0..first.reads.len()).map(read).collect(),
            writes: (0..first.writes.len()).map(|at| item(group, &|it| it.writes[at].as_str())).collect(),
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
    let dependencies = dependencies.into_values().filter(|it| it.from != it.to).collect();
    AnalyzeReport { blocks, dependencies, ..report.clone() }
}

/// Everything that a card shows.
fn whole_text(block: &BlockReport) -> String {
    let reads = block.reads.iter().map(|read| read.name.as_str());
    let parts = [block.when.as_str()].into_iter().chain(block.equations.iter().map(String::as_str));
    parts
        .chain(["reads"])
        .chain(reads)
        .chain(["writes"])
        .chain(block.writes.iter().map(String::as_str))
        .collect::<Vec<_>>()
        .join(" ")
}
