//! In which modes there are as many equations as variables.
//!
//! Guards of which one or the other holds are one equation in all modes, so most of a model is counted without sets.

use modeshift_modes::{ModeSet, ModeSpace};

use super::counts::{at_least, more};
use super::forms::Form;

/// With how many earlier guards a guard is compared: those of one `if` stand together.
const NEIGHBOURS: usize = 8;
/// More guards than this that are not alternatives of each other are not counted.
const MOST_GUARDS: usize = 64;

/// The modes in which the numbers of equations and variables differ; nothing where the guards are too many to be counted.
pub(super) fn unbalanced(space: &ModeSpace, forms: &[Vec<Form>], exists: &[ModeSet]) -> Option<ModeSet> {
    let guard = |forms: &Vec<Form>| space.union(forms.iter().map(|form| form.modes));
    let (equations, of_equations) = counted(space, forms.iter().map(guard));
    let (variables, of_variables) = counted(space, exists.iter().copied());
    if of_equations.len() + of_variables.len() > MOST_GUARDS {
        return None;
    }
    let whole = equations.min(variables);
    let counts = |always: usize, sets: &[ModeSet]| {
        let mut counts = vec![ModeSet::ALL; always - whole];
        counts.extend(at_least(space, sets));
        counts
    };
    if equations.abs_diff(variables) > MOST_GUARDS {
        return Some(ModeSet::ALL);
    }
    let (equations, variables) = (counts(equations, &of_equations), counts(variables, &of_variables));
    Some(space.or(more(space, &equations, &variables), more(space, &variables, &equations)))
}

/// How many sets are there in all modes, alternatives taken together, and the others.
fn counted(space: &ModeSpace, sets: impl Iterator<Item = ModeSet>) -> (usize, Vec<ModeSet>) {
    let mut always = 0;
    let mut partial: Vec<ModeSet> = Vec::new();
    for set in sets.filter(|set| !set.is_empty()) {
        let from = partial.len().saturating_sub(NEIGHBOURS);
        let alternative = (from..partial.len()).find(|&at| !space.intersects(partial[at], set));
        let sum = alternative.map_or(set, |at| space.or(partial.remove(at), set));
        if sum.is_all() {
            always += 1;
        } else {
            partial.push(sum);
        }
    }
    (always, partial)
}

#[cfg(test)]
mod tests {
    use super::*;
    use modeshift_modes::ModeVariable;

    #[test]
    fn alternatives_are_one_equation() {
        let space = ModeSpace::new(2);
        let [a, b] = [0, 1].map(|at| space.literal(ModeVariable(at)));
        let branches = [a, space.difference(b, a), space.intersection([!a, !b])];
        assert_eq!(counted(&space, branches.into_iter()), (1, Vec::new()));
        assert_eq!(counted(&space, [a, ModeSet::ALL].into_iter()), (1, vec![a]));
    }
}
