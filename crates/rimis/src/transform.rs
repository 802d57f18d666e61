//! The seven steps in order.

use modeshift_dae::{
    EquationKind, ExpressionId, Invariant, InvariantOrigin, MultimodeDae, Node, Variability, VariableId,
};
use modeshift_diagnostics::Diagnostic;
use modeshift_mode_changes::{AllChanges, PairSpace, all_changes};
use modeshift_modes::{Invariant as FeasibleChanges, Limit, ModeSet};
use modeshift_structure::{Analysis, GraphText};

use crate::conditions::Conditions;
use crate::document::{Declarations, Document, Item, Section};
use crate::equations::block_equations;
use crate::feasible::feasible_changes;
use crate::guards::WrittenImpulse;
use crate::impulsive_guards::impulsive_guards;
use crate::jumps::{self, Jumps, jumps};
use crate::mode_equations::{Declared, RobustModes, declare_modes, named_formulas, plain_mode_equations};
use crate::multiplexers::{differential_equations, multiplexing_equations};
use crate::names::model_name;
use crate::obstacles;
use crate::print::print;
use crate::restarts::Restarts;
use crate::signals::Signals;
use crate::specialize::Specialization;
use crate::start::{Start, start_modes, start_states};
use crate::target::Target;

/// Which form to write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// As in the papers.
    Plain,
    /// With guards and restarts that ordinary tools get through.
    Robust,
}

/// Why there is no transformed model.
#[derive(Debug)]
pub enum Failure {
    /// A limit was reached.
    Limit(Limit),
    /// The model cannot be transformed.
    Diagnosed(Box<Diagnostic>),
}

impl From<Limit> for Failure {
    fn from(limit: Limit) -> Self {
        Failure::Limit(limit)
    }
}

impl From<Box<Diagnostic>> for Failure {
    fn from(diagnostic: Box<Diagnostic>) -> Self {
        Failure::Diagnosed(diagnostic)
    }
}

impl From<jumps::Failure> for Failure {
    fn from(failure: jumps::Failure) -> Self {
        match failure {
            jumps::Failure::Limit(limit) => Failure::Limit(limit),
            jumps::Failure::Diagnosed(diagnostic) => Failure::Diagnosed(diagnostic),
        }
    }
}

/// Writes a model with the same solutions whose structure does not depend on the mode.
///
/// `start` is where the source starts, if that was found; the robust form uses it for states that the source does not
/// fix, and for the initial mode.
pub fn transform(
    dae: &MultimodeDae,
    analysis: &Analysis,
    form: Form,
    start: Option<&Start>,
) -> Result<String, Failure> {
    obstacles::structural(dae, analysis)?;
    let changes = all_changes(dae, analysis)?;
    let feasible = feasible_changes(dae, &changes.pairs);
    obstacles::of_changes(dae, analysis, &changes, &feasible)?;
    let names: Vec<String> = dae.mode_variables.iter().map(|mode| mode.name.to_string()).collect();
    let mut target = Target::new(&dae.model);
    let booleans = declare_modes(dae, &mut target);
    let mut conditions = Conditions::new(dae, analysis, &names, booleans);
    let mut signals = Signals::new(&conditions, &mut target);
    let writing = Writing { dae, form, start, changes: &changes, feasible: &feasible };
    let document = writing.document(&mut conditions, &mut signals, &mut target)?;
    analysis.space.check()?;
    Ok(print(&document, &target.model))
}

/// What does not change while the document is made.
struct Writing<'a> {
    dae: &'a MultimodeDae,
    form: Form,
    start: Option<&'a Start>,
    changes: &'a AllChanges<'a>,
    /// Changes that can happen.
    feasible: &'a FeasibleChanges,
}

impl Writing<'_> {
    fn document(
        &self,
        conditions: &mut Conditions,
        signals: &mut Signals,
        target: &mut Target,
    ) -> Result<Document, Failure> {
        let robust = self.form == Form::Robust;
        let start = self.start.filter(|_| robust);
        let blocks = self.blocks(conditions, signals, target)?;
        let differential = differential_equations(conditions, signals, target, robust);
        let modes = robust.then(|| RobustModes::new(self.dae, conditions, signals, target));
        let jumps = jumps(self.dae, conditions.analysis, self.changes, self.feasible, target, robust)?;
        let (restarts, events, impulses) = self.restarts(conditions, signals, target, &jumps, modes.as_ref())?;
        let asks_for_impulses = !impulses.is_empty();
        let (modes, declared) = match modes {
            None => (plain_mode_equations(self.dae, conditions, signals, target), Declared::default()),
            Some(modes) => {
                start_modes(self.dae, modes.booleans().iter(), target, start);
                modes.equations(signals, target, impulses)
            }
        };
        let discrete = self.discrete_equations(conditions, signals, target);
        let assertions = self.assertions(conditions, signals, target);
        let initial = self.initial_equations(conditions, signals, target);
        let multiplexers = multiplexing_equations(conditions, signals, target);
        start_states(self.dae, signals, target, start);
        let named = named_formulas(self.dae, conditions, target);
        let section = |title: &str, items: Vec<Item>| Section { title: title.to_string(), items };
        let mut sections = vec![
            section("Mode equations", modes),
            section("Booleans that are formulas over modes", named),
            section("Discrete equations", discrete),
            section("Differential equations", differential),
            section("Multiplexing", multiplexers),
        ];
        sections.extend(blocks);
        sections.push(section("Reinitialisations", restarts));
        sections.push(section("Events", events));
        sections.push(section("Assertions", assertions));
        Ok(Document {
            name: model_name(&self.dae.model.name),
            remarks: self.remarks(&declared, asks_for_impulses),
            declarations: self.declarations(conditions, signals, target, &declared),
            initial,
            sections,
        })
    }

    fn blocks(
        &self,
        conditions: &mut Conditions,
        signals: &mut Signals,
        target: &mut Target,
    ) -> Result<Vec<Section>, Failure> {
        let analysis = conditions.analysis;
        let mut sections = Vec::with_capacity(analysis.graph.block_count());
        for (id, block) in analysis.graph.blocks() {
            let text =
                GraphText { incidence: &analysis.incidence, formulas: &conditions.printer, graph: &analysis.graph };
            let mut section = Section::new(format!("Block {}", text.block(block)));
            section.items = block_equations(conditions, signals, target, id, self.form == Form::Robust)
                .map_err(|reason| obstacles::not_differentiable(self.dae, block, &reason.message(&target.model)))?;
            sections.push(section);
        }
        Ok(sections)
    }

    fn discrete_equations(&self, conditions: &mut Conditions, signals: &mut Signals, target: &mut Target) -> Vec<Item> {
        let equations = self.dae.model.equations.iter();
        let discrete = equations.filter(|equation| equation.kind == EquationKind::Discrete);
        let mut items = Vec::new();
        for equation in discrete {
            let mut specialization = Specialization::new(conditions, signals, target, None);
            let (left, right) =
                (specialization.of(equation.left, ModeSet::ALL), specialization.of(equation.right, ModeSet::ALL));
            items.push(self.guarded(conditions, target, equation.guard, left, right));
        }
        items
    }

    fn guarded(
        &self,
        conditions: &mut Conditions,
        target: &mut Target,
        guard: ExpressionId,
        left: ExpressionId,
        right: ExpressionId,
    ) -> Item {
        match conditions.modes(guard) {
            Some(modes) if !modes.is_all() => {
                let condition = conditions.expression(target.expressions(), modes, ModeSet::ALL);
                Item::Conditional(condition, left, right)
            }
            _ => Item::Equation(left, right),
        }
    }

    /// Reinitialisations, other events, and the impulses that guards have to look at.
    #[allow(clippy::type_complexity)]
    fn restarts(
        &self,
        conditions: &mut Conditions,
        signals: &mut Signals,
        target: &mut Target,
        jumps: &Jumps,
        modes: Option<&RobustModes>,
    ) -> Result<(Vec<Item>, Vec<Item>, Vec<WrittenImpulse>), Failure> {
        let names: Vec<String> = self.dae.mode_variables.iter().map(|mode| mode.name.to_string()).collect();
        let pair_names = PairSpace::names(&names);
        let guards = modes.map_or_else(Vec::new, |modes| {
            impulsive_guards(self.dae, self.changes, self.feasible, modes.booleans(), &jumps.impulses)
        });
        let mut restarts = Restarts {
            dae: self.dae,
            conditions,
            signals,
            target,
            changes: self.changes,
            feasible: self.feasible,
            pair_names: &pair_names,
            booleans: modes.map(RobustModes::booleans),
            guards: &guards,
        };
        Ok((restarts.chains(&jumps.states), restarts.events()?, restarts.impulses()?))
    }

    fn assertions(&self, conditions: &mut Conditions, signals: &mut Signals, target: &mut Target) -> Vec<Item> {
        let mut items = Vec::new();
        for assertion in &self.dae.model.assertions {
            let mut specialization = Specialization::new(conditions, signals, target, None);
            let guard = specialization.of(assertion.guard, ModeSet::ALL);
            let condition = specialization.of(assertion.condition, ModeSet::ALL);
            let outside = target.expressions().not(guard);
            let condition = target.expressions().or(outside, condition);
            items.push(Item::Assert { condition, message: assertion.message, is_error: assertion.is_error });
        }
        let said =
            |invariant: &&Invariant| matches!(invariant.origin, InvariantOrigin::Declared | InvariantOrigin::Assertion);
        let invariants = self.dae.model.invariants.iter().filter(|_| self.form == Form::Robust).filter(said);
        for invariant in invariants {
            let mut specialization = Specialization::new(conditions, signals, target, None);
            let guard = specialization.of(invariant.guard, ModeSet::ALL);
            let condition = specialization.of(invariant.condition, ModeSet::ALL);
            let outside = target.expressions().not(guard);
            let condition = target.expressions().or(outside, condition);
            let message = target.expressions().string("the model excludes this combination of modes");
            items.push(Item::Assert { condition, message, is_error: true });
        }
        items
    }

    fn initial_equations(&self, conditions: &mut Conditions, signals: &mut Signals, target: &mut Target) -> Vec<Item> {
        let always = self.dae.model.initial_equations.iter().filter(|equation| equation.scenario.is_none());
        let mut items = Vec::new();
        for equation in always {
            let mut specialization = Specialization::new(conditions, signals, target, None);
            let (left, right) =
                (specialization.of(equation.left, ModeSet::ALL), specialization.of(equation.right, ModeSet::ALL));
            items.push(self.guarded(conditions, target, equation.guard, left, right));
        }
        items
    }

    fn declarations(
        &self,
        conditions: &Conditions,
        signals: &Signals,
        target: &Target,
        declared: &Declared,
    ) -> Vec<Declarations> {
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
            group("Derivatives", signals.derivatives.clone()),
            group("Replicates", signals.replicated.clone()),
        ]
    }

    /// What a reader should know before the declarations.
    fn remarks(&self, declared: &Declared, asks_for_impulses: bool) -> Vec<String> {
        let mut remarks = vec![format!("{} with a structure that does not depend on the mode.", self.dae.model.name)];
        if !declared.booleans.is_empty() {
            remarks.push(
                "Guards are looked at in the mode that is left: `b_next` is what the guard of `b` asks for,".into(),
            );
            remarks.push("`b = pre(b_next)` is in force, and the event iteration goes on until both agree.".into());
        }
        if asks_for_impulses {
            remarks.push(
                "Where a mode change that comes from outside makes the variable of a guard impulsive, the guard".into(),
            );
            remarks.push("asks for the weight of the impulse, and states jump only if the mode is kept.".into());
        }
        if declared.hysteresis.is_some() {
            remarks.push(
                "A guard that depends on the mode has to go beyond its bound by `hysteresis`: without it,".into(),
            );
            remarks
                .push("rounding would decide at the bound, and a mode could be left and entered without end.".into());
        }
        remarks
    }
}

/// Whether an expression calls a function that is not built in.
pub(crate) fn called_function(dae: &MultimodeDae, expression: ExpressionId) -> Option<modeshift_dae::FunctionId> {
    let mut called = None;
    dae.model.expressions.for_each(expression, |_, node| {
        if let Node::Function(function, _) = node {
            called.get_or_insert(function);
        }
        called.is_none()
    });
    called
}
