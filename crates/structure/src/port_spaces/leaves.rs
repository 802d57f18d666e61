//! Variables that one equation defines and no other reads, such as outputs and the `s` of a diode: they are taken away
//! with their equations, again and again, before anything is computed. No redundancy contains such an equation, and
//! whether such a variable is determined follows from what it is computed from.

use modeshift_dae::{Id, VariableId};
use modeshift_modes::{ModeSet, ModeSpace};

use super::forms::Form;

/// What was taken away, in this order: variable and equation.
pub(super) struct Leaves {
    pub(super) order: Vec<(VariableId, usize)>,
    /// By equation.
    pub(super) is_gone: Vec<bool>,
    /// By variable.
    pub(super) is_leaf: Vec<bool>,
}

/// Finds the leaves of a model with so many variables, of which some are not there in all modes.
pub(super) fn leaves(space: &ModeSpace, forms: &[Vec<Form>], exists: &[ModeSet]) -> Leaves {
    let variables = exists.len();
    let mut equations_of: Vec<Vec<usize>> = vec![Vec::new(); variables];
    for (equation, forms) in forms.iter().enumerate() {
        for variable in variables_of(forms) {
            equations_of[variable.index()].push(equation);
        }
    }
    let mut uses: Vec<usize> = equations_of.iter().map(Vec::len).collect();
    let mut found = Leaves { order: Vec::new(), is_gone: vec![false; forms.len()], is_leaf: vec![false; variables] };
    let mut pending: Vec<usize> = (0..variables).rev().filter(|&at| uses[at] == 1 && exists[at].is_all()).collect();
    while let Some(variable) = pending.pop() {
        let Some(&equation) = equations_of[variable].iter().find(|&&equation| !found.is_gone[equation]) else {
            continue;
        };
        let leaf = VariableId::from_index(variable);
        if uses[variable] != 1 || !defines(space, &forms[equation], leaf) {
            continue;
        }
        found.is_gone[equation] = true;
        found.is_leaf[variable] = true;
        found.order.push((leaf, equation));
        for other in variables_of(&forms[equation]) {
            uses[other.index()] -= 1;
            if uses[other.index()] == 1 && exists[other.index()].is_all() {
                pending.push(other.index());
            }
        }
    }
    found
}

fn variables_of(forms: &[Form]) -> Vec<VariableId> {
    let mut variables: Vec<VariableId> = forms.iter().flat_map(Form::unknowns).collect();
    variables.sort_unstable();
    variables.dedup();
    variables
}

/// Whether an equation can be solved for a variable in all modes, without derivatives of it.
fn defines(space: &ModeSpace, forms: &[Form], variable: VariableId) -> bool {
    let solvable = |form: &Form| {
        let mut orders = form.coefficients.iter().filter(|(of, _)| of.of == variable).map(|(of, _)| of.order);
        orders.next() == Some(0) && orders.next().is_none() && !form.opaque.contains(&variable)
    };
    space.union(forms.iter().map(|form| form.modes)).is_all() && forms.iter().all(solvable)
}
