//! Why a mode cannot be linearized, in the words of the model.

use modeshift_dae::{Equation, FlatModel};
use modeshift_diagnostics::Diagnostic;

use crate::program::NoTangents;

/// What is said where a mode has no derivatives.
pub(in crate::run) fn no_tangents(
    model: &FlatModel,
    reason: &NoTangents,
    refused: &dyn Fn(&str) -> Diagnostic,
) -> Diagnostic {
    let equation = |id: modeshift_dae::EquationId| &model.equations[id];
    match reason {
        NoTangents::NotSmooth(id) => {
            let reason = format!("`{}` has no derivatives", equation(*id).name);
            refused(&reason).label(equation(*id).span, "needed in this mode")
        }
        NoTangents::Singular(list) => {
            let names: Vec<&str> = list.iter().take(8).map(|id| &*equation(*id).name).collect();
            let error = refused(&format!("the derivatives of {} are singular or not finite there", names.join(", ")));
            let error = list.iter().take(8).fold(error, |error, id| error.label(equation(*id).span, ""));
            error.help("choose another time, or other values of states")
        }
        NoTangents::RateOfInput(id, input) => {
            let name = &model.variables[*input].name;
            let error = refused(&format!("`{}` makes it depend on `der({name})`", equation(*id).name));
            let error = error.label(equation(*id).span, "differentiated in this mode");
            error.help(format!("leave `{name}` out of the inputs, or give its derivative as another input"))
        }
    }
}

/// What is said where derivatives are others on both sides.
pub(super) fn at_corner(equation: &Equation, refused: &dyn Fn(&str) -> Diagnostic) -> Diagnostic {
    let reason = format!("`{}` has a corner there, with other derivatives on both sides", equation.name);
    let error = refused(&reason).label(equation.span, "bends at these values");
    error.help("choose another time, or other values of states")
}
