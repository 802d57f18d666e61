//! The conditional dependency graph as a picture.

use std::collections::BTreeSet;

use modeshift_drawing::shortened;
use rustc_hash::FxHashSet;

use crate::picture::{Card, Drawing, Emphasis, Line, Link, draw};

use super::focus::folded;
use super::{AnalyzeReport, BlockReport, mode_count_text};

/// A picture shows at most this many blocks; nobody reads more, and the layout would take long.
pub const LARGEST_PICTURE: usize = 400;
/// Repeated elements are drawn as one from here on.
const MOST_UNFOLDED: usize = 40;
/// And at most this many arrows.
const MOST_ARROWS: usize = 4000;
/// Lines of the caption are cut at this length.
const LONGEST_CAPTION: usize = 160;
/// Lines of cards and labels of arrows are cut at this length.
const LONGEST_LINE: usize = 60;
/// Equations of one block that are listed on its card.
const EQUATIONS_ON_A_CARD: usize = 12;
/// Names in one line of a card.
const NAMES_IN_A_LINE: usize = 6;

/// The picture as SVG. Of more than [`LARGEST_PICTURE`] blocks the first are drawn, and the picture says so.
pub fn to_svg(report: &AnalyzeReport) -> String {
    if report.blocks.len() > MOST_UNFOLDED {
        let folded = folded(report);
        if folded.blocks.len() < report.blocks.len() {
            return picture(&folded, report.blocks.len());
        }
    }
    picture(report, report.blocks.len())
}

fn picture(report: &AnalyzeReport, unfolded: usize) -> String {
    let shown = report.blocks.len().min(LARGEST_PICTURE);
    let inside = |edge: &&super::DependencyReport| edge.from < shown && edge.to < shown;
    let edges: Vec<&super::DependencyReport> = report.dependencies.iter().filter(inside).take(MOST_ARROWS).collect();
    let group_of = match shown > MOST_UNFOLDED {
        true => chained(&report.blocks[..shown], &edges),
        false => (0..shown).collect(),
    };
    let mut groups: Vec<Vec<usize>> = vec![Vec::new(); shown];
    for (block, &group) in group_of.iter().enumerate() {
        groups[group].push(block);
    }
    groups.retain(|group| !group.is_empty());
    let mut card_of = vec![0; shown];
    for (card, group) in groups.iter().enumerate() {
        group.iter().for_each(|&block| card_of[block] = card);
    }
    let mut links: Vec<Link> = Vec::new();
    let mut known = FxHashSet::default();
    for edge in edges {
        let (from, to) = (card_of[edge.from], card_of[edge.to]);
        if from != to && known.insert((from, to, edge.when.as_str())) {
            let guard = shortened(&edge.when, LONGEST_LINE);
            links.push(Link { from, to, guard, labelled: edge.narrower, colour: None });
        }
    }
    let is_reduced = groups.len() > MOST_UNFOLDED && reduce(&mut links, groups.len());
    let cards: Vec<Card> =
        groups.iter().map(|group| card(&group.iter().map(|&at| &report.blocks[at]).collect::<Vec<_>>())).collect();
    let mut caption = caption(report, (shown, cards.len()), unfolded);
    if is_reduced {
        caption.push("arrows that others lead to as well are left out".to_string());
    }
    draw(&Drawing { title: report.model.clone(), caption, cards, links })
}

/// Blocks that are solved one after the other in the same modes, and of which one alone leads to the next, as one group: the number of the group of
/// each, which is that of its first block.
fn chained(blocks: &[BlockReport], edges: &[&super::DependencyReport]) -> Vec<usize> {
    let mut group_of: Vec<usize> = (0..blocks.len()).collect();
    loop {
        let mut before: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); blocks.len()];
        let mut after = before.clone();
        for edge in edges {
            let (from, to) = (group_of[edge.from], group_of[edge.to]);
            if from != to {
                before[to].insert(from);
                after[from].insert(to);
            }
        }
        let only = |set: &BTreeSet<usize>| if set.len() == 1 { set.first().copied() } else { None };
        let is_alike = |one: usize, other: usize| blocks[one].when == blocks[other].when;
        let next = (0..blocks.len()).filter(|&at| group_of[at] == at).find_map(|at| {
            let near = [only(&before[at]), only(&after[at])];
            near.into_iter().flatten().find(|&other| is_alike(at, other)).map(|other| (at, other))
        });
        let Some((one, other)) = next else { return group_of };
        let (kept, gone) = (one.min(other), one.max(other));
        group_of.iter_mut().filter(|group| **group == gone).for_each(|group| *group = kept);
    }
}

/// Leaves out the arrows from a card to one that others lead to from there; whether there were any.
fn reduce(links: &mut Vec<Link>, cards: usize) -> bool {
    let mut next: Vec<Vec<usize>> = vec![Vec::new(); cards];
    links.iter().for_each(|link| next[link.from].push(link.to));
    // What is reached from each card by two arrows or more.
    let mut far: Vec<FxHashSet<usize>> = Vec::with_capacity(cards);
    for card in 0..cards {
        let mut reached = FxHashSet::default();
        let mut pending: Vec<usize> = next[card].iter().flat_map(|&near| next[near].iter().copied()).collect();
        while let Some(other) = pending.pop() {
            if reached.insert(other) {
                pending.extend(&next[other]);
            }
        }
        far.push(reached);
    }
    let before = links.len();
    links.retain(|link| !far[link.from].contains(&link.to));
    links.len() < before
}

fn caption(report: &AnalyzeReport, (shown, cards): (usize, usize), unfolded: usize) -> Vec<String> {
    let modes = mode_count_text(&report.mode_count);
    let blocks = if report.block_count == 1 { "block" } else { "blocks" };
    let mut lines = vec![format!("{modes}, {}, {} {blocks}", report.verdict, report.block_count)];
    if let Some(at) = &report.at {
        lines.push(format!("at {at}"));
    } else if report.invariant != "true" {
        lines.push(format!("invariant: {}", report.invariant));
    }
    if !report.singular.is_empty() {
        lines.push(format!("singular when {}", report.singular_when));
    }
    match (shown < unfolded && shown == report.blocks.len(), cards < shown) {
        (true, false) => lines.push(format!("blocks of repeated elements are drawn once: {cards} cards")),
        (true, true) => lines.push(format!("blocks of repeated elements and of one chain are one card: {cards} cards")),
        (false, true) => lines.push(format!("blocks of one chain are one card: {cards} cards")),
        (false, false) => {}
    }
    if shown < report.blocks.len() {
        lines.push(format!("only the first {shown} blocks are drawn"));
    } else if unfolded < report.block_count || report.truncated {
        lines.push(format!("only the first {unfolded} blocks are drawn"));
    }
    lines.iter().map(|line| shortened(line, LONGEST_CAPTION)).collect()
}

/// The card of some blocks that are solved one after the other.
fn card(blocks: &[&BlockReport]) -> Card {
    let mut lines = Vec::new();
    let mut add = |text: String, emphasis| lines.push(Line { text: shortened(&text, LONGEST_LINE), emphasis });
    let is_written = |name: &str| blocks.iter().any(|block| block.writes.iter().any(|it| it == name));
    let mut reads: Vec<&str> = blocks.iter().flat_map(|block| &block.reads).map(|read| read.name.as_str()).collect();
    reads.retain(|name| !is_written(name));
    let mut seen = BTreeSet::new();
    reads.retain(|name| seen.insert(*name));
    if !reads.is_empty() {
        add(format!("reads {}", abbreviated(&reads)), Emphasis::Quiet);
    }
    let most = EQUATIONS_ON_A_CARD / blocks.len().min(EQUATIONS_ON_A_CARD);
    for block in blocks.iter().take(EQUATIONS_ON_A_CARD) {
        if let ([equation], [variable]) = (block.equations.as_slice(), block.writes.as_slice()) {
            add(format!("{equation} → {variable}"), Emphasis::Strong);
            continue;
        }
        for equation in block.equations.iter().take(most) {
            add(equation.clone(), Emphasis::Strong);
        }
        if block.equations.len() > most {
            add(format!("… {} equations in all", block.equations.len()), Emphasis::Plain);
        }
        let writes: Vec<&str> = block.writes.iter().map(String::as_str).collect();
        add(format!("→ {}", abbreviated(&writes)), Emphasis::Plain);
    }
    if blocks.len() > EQUATIONS_ON_A_CARD {
        add(format!("… {} blocks in all", blocks.len()), Emphasis::Plain);
    }
    let when = &blocks[0].when;
    if when != "true" {
        add(when.clone(), Emphasis::Guard);
    }
    let is_system = blocks.iter().any(|block| block.equations.len() > 1);
    Card { lines, guard: shortened(when, LONGEST_LINE), framed: is_system }
}

fn abbreviated(names: &[&str]) -> String {
    match names.len() {
        0..=NAMES_IN_A_LINE => names.join(" "),
        count => format!("{} … ({count})", names[..NAMES_IN_A_LINE - 1].join(" ")),
    }
}
