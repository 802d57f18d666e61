//! Equations as tapes, shared between modes.
//!
//! What an equation looks like depends on the mode variables it contains and on nothing else of a mode, so modes share
//! the tapes of equations that have the same form in them ([`EquationTapes`]).

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use modeshift_dae::{EquationId, FlatModel, ModeVariableId, Node};
use modeshift_numerics::{Input, NativeFunctions};
use rustc_hash::FxHashMap;

use super::difference_tape::DifferenceTape;

/// An equation, and the values of the mode variables in it, where they have one.
type Form = (EquationId, Box<[Option<bool>]>);

/// Tapes of equations by their forms, for modes that agree on all constants beside the mode variables.
#[derive(Default)]
pub struct EquationTapes {
    modes: Mutex<FxHashMap<EquationId, Arc<[ModeVariableId]>>>,
    known: Mutex<FxHashMap<Form, Arc<DifferenceTape>>>,
}

impl EquationTapes {
    /// The tape of an equation in the form that the constants give it.
    pub fn of(
        &self,
        model: &FlatModel,
        natives: &NativeFunctions,
        equation: EquationId,
        constants: &dyn Fn(Input) -> Option<f64>,
    ) -> Arc<DifferenceTape> {
        let modes = lock(&self.modes).entry(equation).or_insert_with(|| modes_in(model, equation)).clone();
        let value = |&mode: &ModeVariableId| constants(Input::Mode(mode)).map(|value| value != 0.0);
        let form = (equation, modes.iter().map(value).collect());
        let compile = || {
            let (left, right) = (model.equations[equation].left, model.equations[equation].right);
            let compiled = DifferenceTape::new(model, natives, [left, right], constants);
            Arc::new(compiled.expect("a continuous equation is between numbers"))
        };
        lock(&self.known).entry(form).or_insert_with(compile).clone()
    }
}

/// What is kept in a table is whole at all times, also where an evaluation panicked.
fn lock<T>(table: &Mutex<T>) -> MutexGuard<'_, T> {
    table.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The mode variables that an equation contains, ascending.
fn modes_in(model: &FlatModel, equation: EquationId) -> Arc<[ModeVariableId]> {
    let mut modes = Vec::new();
    for side in [model.equations[equation].left, model.equations[equation].right] {
        model.expressions.for_each(side, |_, node| {
            if let Node::Mode(mode) = node {
                modes.push(mode);
            }
            true
        });
    }
    modes.sort_unstable();
    modes.dedup();
    modes.into()
}
