//! Values of very many mode variables in few words.
//!
//! `not open[1] and not open[2] and …` for a thousand doors is one thought: no door is open. What the invariant says anyway is left
//! out, and mode variables whose names differ in an index alone are told by the first and the last: `not (open[1] or … or open[1000])`.

use std::collections::BTreeMap;

use crate::invariant::Invariant;
use crate::set::{ModeSet, ModeVariable};
use crate::space::ModeSpace;

/// So many values are written one by one: they fit into a line or two.
const MOST_LISTED: usize = 12;
/// More pieces than this are not written: the formula is no shorter for them.
const MOST_PIECES: usize = 8;

/// The values that all modes of a set have, where these alone make the set and are many; without those that follow from others.
pub(crate) fn many_values(space: &ModeSpace, invariant: &Invariant, set: ModeSet) -> Option<Vec<(ModeVariable, bool)>> {
    let mut values = space.pick(set)?;
    if values.len() <= MOST_LISTED || space.valuation(&values) != set {
        return None;
    }
    values.sort_unstable();
    let mut follows = vec![false; values.len()];
    // No two components have a mode variable in common.
    for component in invariant.components() {
        let support = space.support(component);
        let mut known: Vec<usize> =
            support.iter().filter_map(|it| values.binary_search_by_key(it, |value| value.0).ok()).collect();
        for last in (0..known.len()).rev() {
            let (variable, value) = values[known[last]];
            let others: Vec<(ModeVariable, bool)> =
                known.iter().map(|&at| values[at]).filter(|it| it.0 != variable).collect();
            let without = space.and(component, space.valuation(&others));
            if space.implies(without, space.assignment(variable, value)) {
                follows[known.remove(last)] = true;
            }
        }
    }
    let mut follows = follows.into_iter();
    values.retain(|_| !follows.next().unwrap_or(false));
    (values.len() > MOST_LISTED).then_some(values)
}

/// Some of the mode variables of a family: the first and the last of a run, or one.
struct Piece<'a> {
    first: &'a str,
    last: Option<&'a str>,
    value: bool,
}

/// These values as a text, or that not all of them are had; nothing where that takes many pieces.
pub(crate) fn text(
    values: &[(ModeVariable, bool)],
    names: &[String],
    is_negated: bool,
    prefers_conjunctions: bool,
) -> Option<String> {
    let pieces = pieces(values, names);
    if pieces.len() > MOST_PIECES {
        return None;
    }
    let outer = if is_negated { " or " } else { " and " };
    let word = |piece: &Piece<'_>| {
        let Piece { first, last, value } = *piece;
        let Some(last) = last else {
            return if value == is_negated { format!("not {first}") } else { first.to_string() };
        };
        match (value == is_negated, is_negated) {
            (false, _) => format!("{first}{outer}…{outer}{last}"),
            (true, false) if prefers_conjunctions => format!("not {first} and … and not {last}"),
            (true, false) => format!("not ({first} or … or {last})"),
            (true, true) => format!("not ({first} and … and {last})"),
        }
    };
    let words: Vec<String> = pieces.iter().map(word).collect();
    Some(words.join(outer))
}

/// Runs of names that differ in their index alone, in order of the first one's declaration.
fn pieces<'a>(values: &[(ModeVariable, bool)], names: &'a [String]) -> Vec<Piece<'a>> {
    let mut families: BTreeMap<(&str, &str, bool), BTreeMap<u64, ModeVariable>> = BTreeMap::new();
    let mut pieces: Vec<(ModeVariable, Piece<'a>)> = Vec::new();
    for &(variable, value) in values {
        let name = names[variable.index()].as_str();
        match indexed(name) {
            Some((before, index, after)) => {
                families.entry((before, after, value)).or_default().insert(index, variable);
            }
            None => pieces.push((variable, Piece { first: name, last: None, value })),
        }
    }
    for ((.., value), members) in &families {
        let members: Vec<(u64, ModeVariable)> = members.iter().map(|(&index, &variable)| (index, variable)).collect();
        for run in members.chunk_by(|one, next| one.0 + 1 == next.0) {
            let [first, _, .., last] = run else {
                pieces.extend(
                    run.iter().map(|&(_, it)| (it, Piece { first: &names[it.index()], last: None, value: *value })),
                );
                continue;
            };
            let (first, last) = (first.1, last.1);
            let piece = Piece { first: &names[first.index()], last: Some(&names[last.index()]), value: *value };
            pieces.push((first, piece));
        }
    }
    pieces.sort_by_key(|(variable, _)| *variable);
    pieces.into_iter().map(|(_, piece)| piece).collect()
}

/// A name as what is before its last index, the index, and what is behind it.
fn indexed(name: &str) -> Option<(&str, u64, &str)> {
    let end = name.rfind(']')?;
    let start = name[..end].rfind('[')? + 1;
    let index = name[start..end].parse().ok()?;
    Some((&name[..start], index, &name[end..]))
}
