//! Why there are no sensitivities, in the words of the model.

use modeshift_dae::{EquationId, VariableId};
use modeshift_diagnostics::{Code, Diagnostic};

use super::super::prepare::Prepared;
use crate::program::NoTangents;

/// Why something has no derivative.
#[derive(Clone, Debug)]
pub(super) enum NoSensitivity {
    /// The model contains `delay`.
    Delay,
    /// Continuous equations contain the left limit of this variable.
    LeftLimit(VariableId),
    /// A parameter without a value before the start.
    NoValue(String),
    /// With a slightly different value of this there is no start.
    NoStart(String),
    Sliding,
    Undetermined,
    Terminated,
    Accumulation,
    /// A mode has no program of its own.
    NoProgram,
    /// Its equations have no derivatives.
    NoTangents(NoTangents),
    /// Its variational equation cannot be integrated.
    NoFlow,
    /// A guard that is touched rather than crossed.
    Grazing,
    /// A guard comes so near zero at this time that with slightly different values it crosses.
    Touch(f64),
    /// Slopes jump at this time without an event, because of what this equation contains.
    Jump(f64, EquationId),
    /// The run stays where this equation has different derivatives on both sides.
    OnCorner(f64, EquationId),
    /// Events at one instant that do not stay together.
    MoveApart,
    /// A neighbour passes other modes.
    OtherEvents,
    /// Differences of near and far neighbours do not agree.
    NotSmooth,
}

impl NoSensitivity {
    /// When, where that is not at an instant.
    pub fn time(&self) -> Option<f64> {
        match *self {
            NoSensitivity::Touch(time) | NoSensitivity::Jump(time, _) | NoSensitivity::OnCorner(time, _) => Some(time),
            _ => None,
        }
    }

    /// Whether nearer neighbours may do better.
    pub fn may_be_far(&self) -> bool {
        use NoSensitivity::*;
        matches!(self, NoStart(_) | Grazing | Touch(_) | MoveApart | OtherEvents | NotSmooth)
    }
}

/// What is said about it.
pub(super) fn refusal(prepared: &Prepared, time: f64, reason: &NoSensitivity) -> Diagnostic {
    use NoSensitivity::*;
    let model = &prepared.dae.model;
    let name = |id: VariableId| &model.variables[id].name;
    let (what, help) = match reason {
        Delay => ("the model contains `delay`".to_string(), "compare two runs with slightly different values"),
        LeftLimit(id) => (
            format!("equations contain `pre({})` between events", name(*id)),
            "compare two runs with slightly different values",
        ),
        NoValue(name) => (format!("`{name}` has no value before the start"), "choose what it follows from"),
        NoStart(name) => (
            format!("with a slightly different value of `{name}` the model has no start"),
            "choose a value that can be changed in both directions",
        ),
        Sliding => ("the run slides along a surface".to_string(), "stop before that"),
        Undetermined => ("the mode leaves variables undetermined".to_string(), "`analyze --at` says which"),
        Terminated => ("the run is ended by `terminate`".to_string(), "stop before that"),
        Accumulation => ("events accumulate".to_string(), "stop before that"),
        NoProgram => ("the states of the mode cannot be chosen".to_string(), "stop before that"),
        NoTangents(reason) => {
            let of = match reason {
                crate::program::NoTangents::NotSmooth(id) | crate::program::NoTangents::RateOfInput(id, _) => *id,
                crate::program::NoTangents::Singular(list) => list[0],
            };
            let equation = &model.equations[of];
            let what = format!("`{}` has no derivatives", equation.name);
            let message = format!("no sensitivities at time = {time}: {what}");
            return Diagnostic::error(Code::E0846, message).label(equation.span, "needed in this mode");
        }
        NoFlow => ("the variational equation has no solution".to_string(), "stop before that"),
        Grazing => (
            "a guard is touched rather than crossed".to_string(),
            "there the derivative does not exist: stop before that, or choose values for which it is crossed",
        ),
        Touch(_) => (
            "a guard comes to zero without an event, and crosses with slightly different values".to_string(),
            "there the derivative does not exist: stop before that, or choose values for which it crosses or stays away",
        ),
        Jump(_, of) | OnCorner(_, of) => {
            let equation = &model.equations[*of];
            let what = match reason {
                Jump(..) => "something jumps without an event",
                _ => "the run stays on a corner, with other derivatives on both sides",
            };
            let message = format!("no sensitivities at time = {time}: {what}, in `{}`", equation.name);
            let help = "a condition outside `noEvent` and outside functions makes an event";
            return Diagnostic::error(Code::E0846, message).label(equation.span, "here").help(help);
        }
        MoveApart => (
            "several events happen at once, and with slightly different values one after the other".to_string(),
            "there the derivative need not exist: stop before that, or choose values for which they are apart",
        ),
        OtherEvents => (
            "with slightly different values other modes follow".to_string(),
            "there the derivative need not exist: stop before that, or choose other values",
        ),
        NotSmooth => (
            "what happens does not depend smoothly on what is changed".to_string(),
            "stop before that, or choose other values",
        ),
    };
    Diagnostic::error(Code::E0846, format!("no sensitivities at time = {time}: {what}")).help(help)
}
