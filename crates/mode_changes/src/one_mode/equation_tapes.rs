//! Equations as tapes, shared between modes.
//!
//! What an equation looks like depends on the mode variables it contains and on nothing else of a mode, so modes share
//! the tapes of equations that have the same form in them ([`EquationTapes`]).

use std::cell::RefCell;
use std::rc::Rc;

use modeshift_dae::{EquationId, FlatModel, ModeVariableId, Node};
use modeshift_numerics::{Input, NativeFunctions};
use rustc_hash::FxHashMap;

use crate::one_mode::difference_tape::DifferenceTape;

/// An equation, and the values of the mode variables in it, where they have one.
type Form = (EquationId, Box<[Option<bool>]>);

/// Tapes of equations by their forms, for modes that agree on all constants beside the mode variables.
#[derive(Default)]
pub struct EquationTapes {
    modes: RefCell<FxHashMap<EquationId, Rc<[ModeVariableId]>>>,
    known: RefCell<FxHashMap<Form, Rc<DifferenceTape>>>,
}

impl EquationTapes {
    /// The tape of an equation in the form that the constants give it.
    pub(crate) fn of(
        &self,
        model: &FlatModel,
        natives: &NativeFunctions,
        equation: EquationId,
        constants: &dyn Fn(Input) -> Option<f64>,
    ) -> Rc<DifferenceTape> {
        let modes = self.modes.borrow_mut().entry(equation).or_insert_with(|| modes_in(model, equation)).clone();
        let value = |&mode: &ModeVariableId| constants(Input::Mode(mode)).map(|value| value != 0.0);
        let form = (equation, modes.iter().map(value).collect());
        let compile = || {
            let (left, right) = (model.equations[equation].left, model.equations[equation].right);
            let compiled = DifferenceTape::new(model, natives, [left, right], constants);
            Rc::new(compiled.expect("a continuous equation is between numbers"))
        };
        self.known.borrow_mut().entry(form).or_insert_with(compile).clone()
    }
}

/// The mode variables that an equation contains, ascending.
fn modes_in(model: &FlatModel, equation: EquationId) -> Rc<[ModeVariableId]> {
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
