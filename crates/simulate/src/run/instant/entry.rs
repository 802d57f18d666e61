//! How states of machines begin: the left limits of what an instant enters (MOE15 §2.2, `last(v)`).
//!
//! A state that is entered without reset goes on from the values that its variables had when it was last active; with
//! reset, and the first time, from `start`. Both are left limits: the restart then decides, with the constraints of the
//! new mode, what jumps and what is impulsive. A charged capacitor that is connected to another keeps its charge; one
//! that begins anew has lost it before.
//!
//! What has neither a last value nor a `start` follows from the constraints of the new mode where these say it, and is 0
//! otherwise. A timer begins with 0 at every entry.

use std::collections::BTreeMap;
use std::rc::Rc;

use modeshift_dae::{IndexVec, VariableId};

use crate::run::prepare::Prepared;
use crate::run::values::Side;

/// The values of variables and their derivatives when their state was last active.
pub(crate) type LastValues = Rc<BTreeMap<VariableId, Vec<f64>>>;

/// A state that a micro-step enters, by its number, and whether it begins anew.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Entered {
    pub state: usize,
    pub anew: bool,
}

/// A variable of an entered state, and its left limits from the value on; nothing where these are open.
pub(crate) type Beginning = (VariableId, Option<Vec<f64>>);

impl Prepared {
    /// The left limits of continuous variables that states begin with.
    pub fn beginnings(&self, left: &Side<'_>, entered: &[Entered]) -> Vec<Beginning> {
        let start = |id: VariableId| self.constants.starts.get(id.0 as usize).copied().flatten().map(|it| vec![it]);
        let mut beginnings = Vec::new();
        for &Entered { state, anew } in entered {
            let state = &self.discrete.states[state];
            let goes_on = !anew && left.discrete[state.active] != 0.0;
            for &id in state.continuous.iter().filter(|&&id| !goes_on || Some(id) == state.timer) {
                let last = || left.last.get(&id).cloned().filter(|_| !anew && Some(id) != state.timer);
                beginnings.push((id, last().or_else(|| start(id))));
            }
        }
        beginnings
    }

    /// The left limits of discrete variables of states that begin anew.
    pub fn discrete_beginnings(&self, entered: &[Entered]) -> BTreeMap<VariableId, f64> {
        let anew = entered.iter().filter(|it| it.anew).flat_map(|it| &self.discrete.states[it.state].discrete);
        anew.map(|&id| (id, self.constants.starts.get(id.0 as usize).copied().flatten().unwrap_or(0.0))).collect()
    }

    /// What is remembered of states when discrete values become these.
    pub fn last_values(&self, left: &Side<'_>, discrete: &IndexVec<VariableId, f64>) -> LastValues {
        let mut last = left.last.clone();
        let is_left = |active: VariableId| left.discrete[active] != 0.0 && discrete[active] == 0.0;
        for state in self.discrete.states.iter().filter(|state| is_left(state.active)) {
            for &id in &state.continuous {
                let orders = (0..).map_while(|order| left.mode.quantities.index(id, order));
                let values: Vec<f64> = orders.map(|quantity| left.jet[quantity.index()]).collect();
                // A state that was only passed through had no values.
                if !values.is_empty() {
                    Rc::make_mut(&mut last).insert(id, values);
                }
            }
        }
        last
    }
}
