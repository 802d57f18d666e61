//! The seven steps in order.

use modeshift_dae::{EquationKind, ExpressionId, InvariantOrigin, MultimodeDae, Variability, VariableId};
use modeshift_mode_changes::{AllChanges, PairSpace};
use modeshift_modes::{FormulaPrinter, Invariant};
use modeshift_structure::{Analysis, BlockId, GraphText, Options};

use crate::blocks::KeptConstraints;
use crate::blocks::{BlockForm, block_equations};
use crate::blocks::{differential_equations, multiplexing_equations};
use crate::draft::Draft;
use crate::modes::{Declared, RobustModes, named_formulas, plain_mode_equations};
use crate::obstacles::{self, Failure};
use crate::restarts::feasible_changes;
use crate::restarts::impulsive_guards;
use crate::restarts::{Jumps, jumps};
use crate::restarts::{Reinitialisations, Restarts};
use crate::start::{Start, start_modes, start_states};
use crate::target::Remarks;
use crate::target::model_name;
use crate::target::{Declarations, Document, Item, Section};
use crate::target::{print, share_parts};

/// Which form to write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// As in the papers.
    Plain,
    /// With guards and restarts that ordinary tools get through.
    Robust,
}

/// Writes a model with the same solutions whose structure does not depend on the mode.
///
/// `start` is where the source starts, if that was found; the robust form uses it for states that the source does not
/// fix, and for the initial mode.
///
/// # Panics
///
/// If the model has singular modes: there is nothing to be solved in them.
pub fn transform(
    dae: &MultimodeDae,
    analysis: &Analysis,
    form: Form,
    start: Option<&Start>,
) -> Result<String, Failure> {
    transform_within(dae, analysis, form, start, &Options::default())
}

/// As [`transform`], within limits.
///
/// # Panics
///
/// As there.
pub fn transform_within(
    dae: &MultimodeDae,
    analysis: &Analysis,
    form: Form,
    start: Option<&Start>,
    options: &Options,
) -> Result<String, Failure> {
    assert!(analysis.is_regular(), "a model with singular modes is not transformed");
    let names: Vec<String> = dae.mode_variables.iter().map(|mode| mode.name.to_string()).collect();
    obstacles::structural(dae, analysis, &names)?;
    let changes = AllChanges::new(dae, analysis, options)?;
    let feasible = feasible_changes(dae, &changes.pairs);
    changes.pairs.space.check()?;
    obstacles::undetermined(dae, analysis, &changes, &feasible)?;
    analysis.space.check()?;
    let mut draft = analysis.space.without_limits(|| Draft::new(dae, analysis, &names));
    let robust = form == Form::Robust;
    let jumps = jumps(dae, analysis, &changes, &feasible, &mut draft.target, robust)?;
    obstacles::determined_by_constraints(dae, analysis, &changes, &feasible, &jumps)?;
    let kept = match form {
        Form::Plain => KeptConstraints::default(),
        Form::Robust => KeptConstraints::new(analysis, &changes, &jumps),
    };
    obstacles::set_by_events(dae, analysis, &names, &kept)?;
    let start = start.filter(|_| robust);
    let writing = Writing { dae, form, start, changes: &changes, feasible: &feasible, jumps: &jumps, kept: &kept };
    let spaces = [&analysis.space, &changes.pairs.space];
    spaces.iter().try_for_each(|space| space.check())?;
    // What is written must be complete: sets that a limit has emptied would be missing in it.
    let pair_names = PairSpace::names(&names);
    let draw_up = || spaces[1].without_limits(|| writing.document(&mut draft, &pair_names));
    let mut document = spaces[0].without_limits(draw_up)?;
    spaces.iter().try_for_each(|space| space.check())?;
    share_parts(&mut document, &mut draft.target).map_err(|_| obstacles::too_long(dae))?;
    Ok(print(&document, &draft.target.model))
}

/// What does not change while the document is made.
struct Writing<'a> {
    dae: &'a MultimodeDae,
    form: Form,
    start: Option<&'a Start>,
    changes: &'a AllChanges<'a>,
    /// Changes that can happen.
    feasible: &'a Invariant,
    jumps: &'a Jumps,
    kept: &'a KeptConstraints,
}

impl Writing<'_> {
    fn document(&self, draft: &mut Draft, pair_names: &[String]) -> Result<Document, Failure> {
        let robust = self.form == Form::Robust;
        let blocks = self.blocks(draft);
        let modes = robust.then(|| RobustModes::new(self.dae, draft));
        let Reinitialisations { chains, events, impulses } =
            self.reinitialisations(draft, modes.as_ref(), pair_names)?;
        let asks_for_impulses = !impulses.is_empty();
        let (modes, declared) = match modes {
            None => (plain_mode_equations(self.dae, draft), Declared::default()),
            Some(modes) => {
                start_modes(self.dae, modes.booleans().iter(), &mut draft.target, self.start);
                modes.equations(draft, impulses)
            }
        };
        let mode_sections = vec![
            Section::new("Mode equations", modes),
            Section::new("Booleans that are formulas over modes", named_formulas(self.dae, draft)),
            Section::new("Discrete equations", self.discrete_equations(draft)),
        ];
        let event_sections = vec![
            Section::new("Reinitialisations", chains),
            Section::new("Events", events),
            Section::new("Assertions", self.assertions(draft)),
        ];
        let initial = self.initial_equations(draft);
        let sections = [&mode_sections, &blocks, &event_sections].into_iter().flatten();
        let items = sections.flat_map(|section| &section.items).chain(&initial);
        self.kept.forget_unused_derivatives(draft, items);
        let signal_sections = vec![
            Section::new("Differential equations", differential_equations(draft, robust)),
            Section::new("Multiplexing", multiplexing_equations(draft)),
        ];
        let remarks = Remarks {
            found_start: start_states(self.dae, draft, self.kept, self.start),
            replicates: !draft.replicates.replicated.is_empty(),
            next_modes: !declared.booleans.is_empty(),
            constraints: !self.kept.is_empty(),
            impulses: asks_for_impulses,
            hysteresis: declared.hysteresis.is_some(),
        };
        Ok(Document {
            name: model_name(&self.dae.model.name),
            remarks: remarks.lines(&self.dae.model.name),
            declarations: self.declarations(draft, &declared),
            initial,
            sections: [mode_sections, signal_sections, blocks, event_sections].into_iter().flatten().collect(),
        })
    }

    fn blocks(&self, draft: &mut Draft) -> Vec<Section> {
        let analysis = draft.conditions.analysis;
        let mut sections = Vec::with_capacity(analysis.graph.block_count());
        for (id, block) in analysis.graph.blocks() {
            let formulas = &draft.conditions.printer;
            let text = GraphText { incidence: &analysis.incidence, formulas, graph: &analysis.graph };
            let title = format!("Block {}", text.block(block));
            sections.push(Section::new(title, block_equations(draft, id, self.block_form(id), self.start)));
        }
        sections
    }

    fn block_form(&self, block: BlockId) -> BlockForm {
        match self.form {
            Form::Plain => BlockForm::Everywhere,
            Form::Robust if self.kept.contains(block) => BlockForm::AsItIs,
            Form::Robust => BlockForm::InItsModes,
        }
    }

    fn reinitialisations(
        &self,
        draft: &mut Draft,
        modes: Option<&RobustModes>,
        pair_names: &[String],
    ) -> Result<Reinitialisations, Failure> {
        let guards = modes.map_or_else(Vec::new, |modes| {
            impulsive_guards(self.dae, self.changes, self.feasible, modes.booleans(), &self.jumps.impulses)
        });
        let pairs = &self.changes.pairs;
        let restarts = Restarts {
            dae: self.dae,
            draft,
            changes: self.changes,
            feasible: self.feasible,
            printer: FormulaPrinter::new(&pairs.space, &pairs.invariant, pair_names),
            booleans: modes.map(RobustModes::booleans),
            guards: &guards,
        };
        Ok(restarts.reinitialisations(&self.jumps.states)?)
    }

    fn discrete_equations(&self, draft: &mut Draft) -> Vec<Item> {
        let equations = self.dae.model.equations.iter();
        let discrete = equations.filter(|equation| equation.kind == EquationKind::Discrete);
        discrete.map(|equation| guarded(draft, equation.guard, equation.left, equation.right)).collect()
    }

    fn initial_equations(&self, draft: &mut Draft) -> Vec<Item> {
        let always = self.dae.model.initial_equations.iter().filter(|equation| equation.scenario.is_none());
        always.map(|equation| guarded(draft, equation.guard, equation.left, equation.right)).collect()
    }

    fn assertions(&self, draft: &mut Draft) -> Vec<Item> {
        let mut items = Vec::new();
        for assertion in &self.dae.model.assertions {
            let condition = implied(draft, assertion.guard, assertion.condition);
            items.push(Item::Assert { condition, message: assertion.message, is_error: assertion.is_error });
        }
        let excluded = draft.expressions().string("the model excludes this combination of modes");
        for invariant in self.dae.model.invariants.iter().filter(|_| self.form == Form::Robust) {
            let message = match invariant.origin {
                InvariantOrigin::Assertion(message) => message,
                InvariantOrigin::Declared => excluded,
                InvariantOrigin::Relations | InvariantOrigin::Definition => continue,
            };
            let condition = implied(draft, invariant.guard, invariant.condition);
            items.push(Item::Assert { condition, message, is_error: true });
        }
        items
    }

    fn declarations(&self, draft: &Draft, declared: &Declared) -> Vec<Declarations> {
        let Draft { conditions, replicates, target } = draft;
        let source = || self.dae.model.variables.ids();
        let is_constant = |id: &VariableId| target.model.variables[*id].variability <= Variability::Parameter;
        let mut constants: Vec<VariableId> = source().filter(is_constant).collect();
        constants.extend(declared.hysteresis);
        let variables = source().filter(|id| !is_constant(id)).collect();
        let is_new = |boolean: &VariableId| self.dae.model.variables.get(*boolean).is_none();
        let relations = conditions.booleans.iter().copied().filter(is_new);
        let modes = relations.chain(declared.booleans.iter().copied()).collect();
        let group = |title, variables| Declarations { title, variables };
        vec![
            group("Parameters and constants", constants),
            group("Variables", variables),
            group("Modes", modes),
            group("Derivatives", replicates.derivatives.clone()),
            group("Replicates", replicates.replicated.clone()),
        ]
    }
}

/// An equation of the source that holds where a condition says so, in terms of the target.
fn guarded(draft: &mut Draft, guard: ExpressionId, left: ExpressionId, right: ExpressionId) -> Item {
    let (left, right) = (draft.written(left), draft.written(right));
    match draft.conditions.modes(guard) {
        Some(modes) if !modes.is_all() => Item::Conditional(draft.condition(modes), left, right),
        _ => Item::Equation(left, right),
    }
}

/// `not guard or condition`, in terms of the target.
fn implied(draft: &mut Draft, guard: ExpressionId, condition: ExpressionId) -> ExpressionId {
    let (guard, condition) = (draft.written(guard), draft.written(condition));
    let outside = draft.expressions().not(guard);
    draft.expressions().or(outside, condition)
}
