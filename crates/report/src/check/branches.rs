//! Discrete variables that are defined in some branches of an `if` and not in others.
//!
//! Where no equation says what a Boolean or an Integer is, it could as well keep its value as have any other. A Real without an
//! equation makes its mode singular, which the structure tells; discrete variables are no unknowns of the structure.

use modeshift_dae::{Definition, VariableId};
use modeshift_diagnostics::{Code, Diagnostic, Diagnostics};
use modeshift_modes::ModeSet;
use modeshift_structure::Formulas;

use crate::Analyzed;
use crate::wording::{SetTexts, mode_names};

/// Says which discrete variables have no equation in some modes in which they exist.
pub fn check_branches(analyzed: &Analyzed, diagnostics: &mut Diagnostics) {
    let Analyzed { dae, analysis, .. } = analyzed;
    let open = without_equation(analyzed);
    if open.is_empty() {
        return;
    }
    let names = mode_names(dae);
    let texts = SetTexts::new(dae, analysis, &names);
    for (variable, modes) in open {
        diagnostics.push(undefined(analyzed, &texts, variable, modes));
    }
}

/// Discrete variables with the modes in which they exist and no equation defines them.
fn without_equation(analyzed: &Analyzed) -> Vec<(VariableId, ModeSet)> {
    let Analyzed { dae, analysis, .. } = analyzed;
    let (space, model) = (&analysis.space, &dae.model);
    let guarded = |(variable, definition): (VariableId, &Option<Definition>)| match *definition {
        Some(Definition::Equation { guard, .. }) if model.expressions.literal_boolean(guard) != Some(true) => {
            Some((variable, guard))
        }
        _ => None,
    };
    let mut guarded = dae.discrete.definitions.iter_enumerated().filter_map(guarded).peekable();
    if guarded.peek().is_none() {
        return Vec::new();
    }
    let mut formulas = Formulas::new(space, &model.expressions);
    let open = guarded.filter_map(|(variable, guard)| {
        let (exists, defined) = (formulas.modes(model.variables[variable].guard)?, formulas.modes(guard)?);
        let open = space.difference(exists, defined);
        let open = space.and(open, analysis.invariant.concerning(space, open));
        (!open.is_empty()).then_some((variable, open))
    });
    open.collect()
}

fn undefined(analyzed: &Analyzed, texts: &SetTexts<'_>, variable: VariableId, modes: ModeSet) -> Diagnostic {
    let Analyzed { dae, .. } = analyzed;
    let (declared, when) = (&dae.model.variables[variable], texts.text(modes));
    let name = &declared.name;
    let problem = Diagnostic::error(Code::E0502, format!("nothing defines `{name}` when `{when}`"));
    let problem = match dae.discrete.definition(variable) {
        Some(Definition::Equation { equation, .. }) => {
            problem.label(dae.model.equations[equation].span, "defined here, in the other modes only")
        }
        _ => problem,
    };
    problem
        .label(declared.span, "declared here")
        .when(when)
        .example(texts.example(modes))
        .help(format!("give it an equation in each branch of the `if`; `{name} = pre({name})` keeps its value"))
}
