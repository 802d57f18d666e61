//! Thresholds on one quantity in an order in which diagrams halve.
//!
//! Of `x < 1`, `x < 2`, … each implies the next. A diagram that tests them one after the other asks all before the one it is about,
//! and a table of `N` branches, each a diagram as long as the table, takes a square of nodes. Tested as a search in a sorted list
//! does, the middle one first and then the middle of the half that is left, each threshold is known after `log N` questions.

use modeshift_dae::{ExpressionId, Expressions, Id, ModeVariableId, MultimodeDae, Node};
use modeshift_modes::ModeVariable;

/// From so many thresholds on: fewer make some thousand nodes at most, and formulas read better in the order of the text.
const MANY_THRESHOLDS: usize = 64;

/// Another mode variable, and which value of one's own the two cannot both have.
#[derive(Clone, Copy)]
struct Clause {
    other: usize,
    excluded: bool,
}

/// An order of mode variables with each long chain of implications where its first variable was, halved.
pub(crate) fn with_halved_thresholds(dae: &MultimodeDae, order: Vec<ModeVariable>) -> Vec<ModeVariable> {
    let chains = chains_of_implications(&clauses(dae));
    if chains.is_empty() {
        return order;
    }
    let mut chain_of = vec![None; order.len()];
    for (number, chain) in chains.iter().enumerate() {
        chain.iter().for_each(|&mode| chain_of[mode] = Some(number));
    }
    let mut is_placed = vec![false; chains.len()];
    let mut halved = Vec::with_capacity(order.len());
    for variable in order {
        match chain_of[variable.index()] {
            None => halved.push(variable),
            Some(number) if !std::mem::replace(&mut is_placed[number], true) => {
                halved.extend(middles_first(&chains[number]).map(|mode| ModeVariable(mode as u32)));
            }
            Some(_) => {}
        }
    }
    halved
}

/// By mode variable, what excludes one of its values together with one of another.
fn clauses(dae: &MultimodeDae) -> Vec<Vec<Clause>> {
    let expressions = &dae.model.expressions;
    let mut clauses = vec![Vec::new(); dae.mode_variables.len()];
    let always = dae.model.invariants.iter().filter(|it| expressions.literal_boolean(it.guard) == Some(true));
    for invariant in always {
        let Node::Or(a, b) = expressions.node(invariant.condition) else { continue };
        let (Some((one, holds)), Some((other, other_holds))) = (literal(expressions, a), literal(expressions, b))
        else {
            continue;
        };
        clauses[one.index()].push(Clause { other: other.index(), excluded: !holds });
        clauses[other.index()].push(Clause { other: one.index(), excluded: !other_holds });
    }
    clauses
}

/// A mode variable and the value with which the formula holds.
fn literal(expressions: &Expressions, formula: ExpressionId) -> Option<(ModeVariableId, bool)> {
    match expressions.node(formula) {
        Node::Mode(mode) => Some((mode, true)),
        Node::Not(operand) => match expressions.node(operand) {
            Node::Mode(mode) => Some((mode, false)),
            _ => None,
        },
        _ => None,
    }
}

/// Mode variables each of which implies the next, or its negation: only long chains, from one end to the other.
fn chains_of_implications(clauses: &[Vec<Clause>]) -> Vec<Vec<usize>> {
    let mut is_taken = vec![false; clauses.len()];
    let mut chains = Vec::new();
    for start in 0..clauses.len() {
        let [first] = clauses[start][..] else { continue };
        if is_taken[start] {
            continue;
        }
        let (mut chain, mut next) = (vec![start], Some(first.other));
        while let Some(at) = next.filter(|&at| !is_taken[at] && at != start) {
            let from = chain[chain.len() - 1];
            chain.push(at);
            next = following(&clauses[at], from);
        }
        if chain.len() >= MANY_THRESHOLDS {
            chain.iter().for_each(|&mode| is_taken[mode] = true);
            chains.push(chain);
        }
    }
    chains
}

/// Where a chain goes on that came from another mode variable: what is implied implies something itself.
fn following(clauses: &[Clause], from: usize) -> Option<usize> {
    match clauses {
        [one, other] if one.excluded != other.excluded && one.other == from => Some(other.other),
        [one, other] if one.excluded != other.excluded && other.other == from => Some(one.other),
        _ => None,
    }
}

/// The middle of a list, then its lower half in this way, then its upper half.
fn middles_first(list: &[usize]) -> impl Iterator<Item = usize> + '_ {
    let mut pending = vec![list];
    std::iter::from_fn(move || {
        let part = pending.pop()?;
        let (lower, upper) = part.split_at(part.len() / 2);
        let (&middle, above) = upper.split_first()?;
        pending.extend([above, lower].into_iter().filter(|part| !part.is_empty()));
        Some(middle)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clause(other: usize, excluded: bool) -> Clause {
        Clause { other, excluded }
    }

    #[test]
    fn a_list_comes_middle_first() {
        assert_eq!(middles_first(&[0, 1, 2, 3, 4, 5, 6]).collect::<Vec<_>>(), [3, 1, 0, 2, 5, 4, 6]);
        assert_eq!(middles_first(&[]).count(), 0);
    }

    #[test]
    fn implications_make_a_chain_and_exclusions_do_not() {
        let count = 2 * MANY_THRESHOLDS;
        // 0 implies 1 implies 2 …: a value true is excluded with the next one false.
        let implications = |at: usize| {
            let before = (at > 0).then(|| clause(at.wrapping_sub(1), false));
            let behind = (at + 1 < count).then(|| clause(at + 1, true));
            before.into_iter().chain(behind).collect::<Vec<_>>()
        };
        let clauses: Vec<Vec<Clause>> = (0..count).map(implications).collect();
        assert_eq!(chains_of_implications(&clauses), [(0..count).collect::<Vec<_>>()]);
        // No two neighbours at once: nothing follows from the first for the third.
        let exclusions: Vec<Vec<Clause>> =
            clauses.iter().map(|list| list.iter().map(|it| clause(it.other, true)).collect()).collect();
        assert!(chains_of_implications(&exclusions).is_empty());
    }
}
