//! Who decides that a run gets into modes: the guards of the elements themselves, or a schedule.
//!
//! An element's own guard, a diode's, reads what the element does and keeps it out of a contradiction. A schedule does
//! not care. Where it is a function of time alone it is tried: a contradiction that it does not meet is none.

use modeshift_dae::{ModeVariableId, MultimodeDae, VariableId};
use modeshift_modes::{ModeSet, ModeSpace, ModeVariable};
use modeshift_numerics::{Compiler, Input, NativeFunctions};

/// At how many times a schedule is tried. They are spread by the golden ratio, so that all phases of a period are met.
const TIMES: usize = 4096;

/// So many decades beyond the length of an experiment, and below it, are tried too.
const DECADES: f64 = 3.0;

/// Whether modes keep every run out: by an element's own guard, or because no schedule gets there.
pub(super) fn keeps_out(
    dae: &MultimodeDae,
    space: &ModeSpace,
    modes: ModeSet,
    value_of: &dyn Fn(VariableId) -> Option<f64>,
) -> bool {
    let support = space.support(modes);
    let is_implicit = |mode: &ModeVariable| dae.mode_variables[ModeVariableId(mode.0)].implicit;
    support.iter().any(is_implicit) || meets(dae, space, modes, &support, value_of) == Some(false)
}

/// Whether mode variables that are functions of time meet some modes; nothing where they are no such functions.
fn meets(
    dae: &MultimodeDae,
    space: &ModeSpace,
    modes: ModeSet,
    support: &[ModeVariable],
    value_of: &dyn Fn(VariableId) -> Option<f64>,
) -> Option<bool> {
    if support.is_empty() {
        return None;
    }
    let definition = |mode: &ModeVariable| dae.mode_variables[ModeVariableId(mode.0)].definition;
    let definitions = support.iter().map(definition).collect::<Option<Vec<_>>>()?;
    let natives = NativeFunctions::of(&dae.model);
    let tape = Compiler::new(&dae.model, &natives).tape(&definitions).ok()?;
    let mut inputs = tape.inputs().iter().map(|input| given(input, value_of)).collect::<Option<Vec<f64>>>()?;
    let times: Vec<usize> = (0..inputs.len()).filter(|&at| tape.inputs()[at] == Input::Time).collect();
    let (start, stop) = (dae.model.experiment.start.unwrap_or(0.0), dae.model.experiment.stop.unwrap_or(1.0));
    let (mut workspace, mut values) = (tape.workspace(), vec![0.0; definitions.len()]);
    Some((0..TIMES).any(|point| {
        let part = (point as f64 * 0.618_033_988_749_894_8).fract();
        // Half of them beyond the experiment and close to its start: the verdict is on the model, not on one run of it.
        let share = if point % 2 == 0 { part } else { 10f64.powf(DECADES * (2.0 * part - 1.0)) };
        times.iter().for_each(|&at| inputs[at] = start + share * (stop - start));
        tape.evaluate(&inputs, &mut workspace, &mut values);
        let value = |mode: ModeVariable| support.iter().position(|it| *it == mode).is_some_and(|at| values[at] != 0.0);
        space.evaluate(modes, value)
    }))
}

/// The value of an input that does not change during a run; of time, any.
fn given(input: &Input, value_of: &dyn Fn(VariableId) -> Option<f64>) -> Option<f64> {
    match *input {
        Input::Time => Some(0.0),
        Input::Variable(variable, 0) => value_of(variable),
        _ => None,
    }
}
