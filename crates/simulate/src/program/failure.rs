//! Why a program could not be built or evaluated, in the words of the model.

use modeshift_dae::{
    Builtin, Derivative, EquationId, ExpressionId, FlatModel, Mode, MultimodeDae, Node, NotDifferentiable, VariableId,
    short_text,
};
use modeshift_diagnostics::Diagnostic;
use modeshift_numerics::{NewtonFailure, NotFinite};

use super::programs::Programs;
use crate::initialization::{division_by_zero, not_finite_text};

/// More equations or unknowns than this are not listed.
const MOST_LISTED: usize = 8;
/// More mode variables than this are not spelled out.
const MOST_MODE_VARIABLES: usize = 12;

/// Why there is no program for a mode.
#[derive(Clone, Debug, PartialEq)]
pub enum NotBuilt {
    /// An equation must be differentiated and cannot be.
    NotDifferentiable(EquationId, NotDifferentiable),
    /// An expression of this equation is not a number.
    NotNumeric(EquationId),
}

/// A block of equations that could not be solved, or has no finite values.
#[derive(Clone, Debug)]
pub struct BlockFailure {
    /// When.
    pub time: f64,
    /// In which mode.
    pub mode: Mode,
    /// The equations.
    pub equations: Vec<Derivative<EquationId>>,
    /// What they were to be solved for.
    pub unknowns: Vec<Derivative<VariableId>>,
    /// What happened.
    pub reason: FailureReason,
}

/// What can go wrong in a block.
#[derive(Clone, Debug)]
pub enum FailureReason {
    /// Newton's method found no solution: residuals and last iterates.
    Newton(Box<NewtonFailure>),
    /// The value is not a finite number, and this is where that comes from.
    NotFinite(NotFinite),
}

impl NotBuilt {
    /// The diagnostic for the user.
    pub fn explain(&self, dae: &MultimodeDae) -> Diagnostic {
        let (equation, reason) = match self {
            NotBuilt::NotDifferentiable(equation, reason) => (*equation, reason.message(&dae.model)),
            NotBuilt::NotNumeric(equation) => (*equation, "it contains something that is not a number".to_string()),
        };
        let declared = &dae.model.equations[equation];
        let message = format!("equation `{}` cannot be simulated: {reason}", declared.name);
        Diagnostic::error("E0805", message).label(declared.span, "needed in this mode")
    }
}

/// What to do where a root or a logarithm is taken of what went below zero.
fn domain_help(model: &FlatModel, expression: ExpressionId) -> Option<String> {
    let Node::Call(builtin, list) = model.expressions.node(expression) else { return None };
    let of = short_text(model, None, *model.expressions.argument_list(list).first()?);
    match builtin {
        Builtin::Sqrt => Some(format!(
            "`{of}` went below zero: give the equation a branch for that, for example `if {of} > 0 then sqrt({of}) else 0`"
        )),
        Builtin::Log | Builtin::Log10 => Some(format!("`{of}` is not above zero: give the equation a branch for that")),
        _ => None,
    }
}

impl BlockFailure {
    /// The diagnostic for the user: block, unknowns, residuals, last iterates, mode, time and source lines.
    pub fn explain(&self, programs: &Programs<'_>) -> Diagnostic {
        let dae = programs.dae();
        let unknowns = self.unknowns.iter().take(MOST_LISTED).map(|&it| dae.model.name_of_variable(it).to_string());
        let more = self.unknowns.len().saturating_sub(MOST_LISTED);
        let unknowns = unknowns.collect::<Vec<_>>().join(", ")
            + &if more > 0 { format!(" and {more} more") } else { String::new() };
        let (code, reason) = match &self.reason {
            FailureReason::Newton(failure) => {
                let lines = self.newton_lines(dae, failure);
                ("E0806", lines.first().cloned().unwrap_or_default())
            }
            FailureReason::NotFinite(origin) => {
                let constant = match origin {
                    // What is known before the run was computed then: only the equation says what divided by 0.
                    NotFinite::Constant => {
                        self.equations.iter().find_map(|it| division_by_zero(&dae.model, it.of, self.time))
                    }
                    _ => None,
                };
                ("E0807", constant.unwrap_or_else(|| not_finite_text(programs.model(), origin)))
            }
        };
        let message = format!("no values for {unknowns} at time = {}: {reason}", self.time);
        let mut diagnostic = Diagnostic::error(code, message).when(self.mode_text(dae));
        for &equation in self.equations.iter().take(MOST_LISTED) {
            let declared = &dae.model.equations[equation.of];
            diagnostic = diagnostic.label(declared.span, dae.model.name_of_equation(equation).to_string());
        }
        if let FailureReason::NotFinite(NotFinite::Operation { expression: Some(expression), .. }) = &self.reason
            && let Some(help) = domain_help(programs.model(), *expression)
        {
            diagnostic = diagnostic.help(help);
        }
        if let FailureReason::Newton(failure) = &self.reason {
            for line in self.newton_lines(dae, failure).into_iter().skip(1) {
                diagnostic = diagnostic.with_note(line);
            }
        }
        diagnostic
    }

    fn newton_lines(&self, dae: &MultimodeDae, failure: &NewtonFailure) -> Vec<String> {
        failure.report(
            |index| dae.model.name_of_variable(self.unknowns[index]).to_string(),
            |index| format!("`{}`", dae.model.name_of_equation(self.equations[index])),
        )
    }

    /// `g1 and not g2`
    fn mode_text(&self, dae: &MultimodeDae) -> String {
        let literals = self.mode.iter().take(MOST_MODE_VARIABLES).map(|(id, value)| {
            let name = &dae.mode_variables[id].name;
            if value { name.to_string() } else { format!("not {name}") }
        });
        let mut literals: Vec<String> = literals.collect();
        if self.mode.len() > MOST_MODE_VARIABLES {
            literals.push("…".to_string());
        }
        if literals.is_empty() { "true".to_string() } else { literals.join(" and ") }
    }
}
