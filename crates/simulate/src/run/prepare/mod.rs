//! The model made ready for a run: all that is decided once and stays.
//!
//! | file | purpose |
//! |---|---|
//! | [`variability`] | what expressions depend on: time, continuous variables on either side of an instant, discrete values |
//! | [`event_functions`] | functions that jump (`floor`, `div`, `mod`) become discrete variables with edges |
//! | [`signs`] | `sign` where it decides what is discrete becomes relations |
//! | [`hidden_changes`] | Booleans whose changes `noEvent` or a function hides |
//! | [`relations`] | relations with a truth of their own |
//! | [`surfaces`] | which relations are at zero together |
//! | [`when_equations`] | `when` clauses as equations |
//! | [`native_calls`] | calls of functions that cannot be run |
//! | [`islands`] | what nothing connects, so that it is decided for itself |
//! | [`discrete_tapes`] | formulas of the discrete part on tapes |
//! | [`discrete_part`] | modes, discrete variables, `when` clauses, requirements, what is watched |
//!
//! [`Prepared`] never changes: any number of runs, in any number of threads, read the same one.

pub(crate) mod discrete_part;
pub(crate) mod discrete_tapes;
pub(crate) mod event_functions;
pub(crate) mod hidden_changes;
pub(crate) mod islands;
pub(crate) mod native_calls;
pub(crate) mod relations;
pub(crate) mod signs;
pub(crate) mod surfaces;
pub(crate) mod variability;
pub(crate) mod when_equations;

use std::sync::Arc;

use modeshift_dae::{
    Context, Derivative, EquationKind, ExpressionId, FlatModel, Id, IndexVec, LARGEST_INTEGER, MultimodeDae, Node,
    RelationId, Type, VariableId, Walk, short_text,
};
use modeshift_diagnostics::Diagnostic;
use modeshift_mode_changes::{FormUsers, Noise, Strategy};
use modeshift_numerics::{Input, NativeFunctions};

use crate::results::Columns;
use crate::run::delays::Delays;
use crate::run::delays::calls::replace_delays;
use crate::run::phase::guard_functions::GuardFunctions;
use crate::run::phase::schedule::Schedule;
use crate::run::phase::time_functions::TimeFunctions;
use crate::run::phase::zero_crossings::FLOOR;
use crate::run::running_sizes::GuardTapes;
use crate::run::values::{Occasion, Side};
use discrete_part::{DiscretePart, not_numeric};

/// A model made ready.
pub(crate) struct Prepared {
    /// The model with variables for the truths of relations and the steps of functions that jump.
    pub dae: MultimodeDae,
    pub natives: NativeFunctions,
    pub discrete: DiscretePart,
    pub constants: Constants,
    /// The past of what is delayed.
    pub delays: Delays,
    pub columns: Columns,
    pub felt: Felt,
    /// Which equations contain which mode variables and discrete variables.
    pub forms: FormUsers,
    pub schedule: Schedule,
    pub time_functions: TimeFunctions,
    pub guard_functions: GuardFunctions,
    pub guard_tapes: GuardTapes,
    pub noise: Noise,
    /// How to search for the next mode.
    pub search: &'static [Strategy],
}

/// Numbers that are known before the run.
pub(crate) struct Constants {
    pub parameters: Arc<Vec<Option<f64>>>,
    /// Start values of variables that declare one.
    pub starts: Vec<Option<f64>>,
    /// Nominal values of variables; zero where none is declared.
    pub nominal: Vec<f64>,
}

impl Constants {
    /// The value of a parameter.
    pub fn parameter(&self, id: VariableId) -> Option<f64> {
        self.parameters.get(id.index()).copied().flatten()
    }
}

/// What continuous equations contain of the discrete part.
pub(crate) struct Felt {
    /// Whether they contain a discrete variable.
    is_felt: IndexVec<VariableId, bool>,
    /// The discrete variables that they contain.
    pub variables: Vec<VariableId>,
    /// The left limits that they contain.
    pub left_limits: Vec<Derivative<VariableId>>,
}

impl Prepared {
    /// Makes a model ready; says where that cannot be done. `from` is the time at which runs begin, and inputs may
    /// move between events.
    pub fn new(
        mut dae: MultimodeDae,
        mut natives: NativeFunctions,
        constants: Constants,
        (noise, search): (Noise, &'static [Strategy]),
        (from, inputs_move): (f64, bool),
    ) -> Result<Self, Vec<Diagnostic>> {
        let parameter = |id: VariableId| constants.parameter(id);
        let columns = Columns::of(&dae, parameter);
        let delays = replace_delays(&mut dae, &mut natives, &parameter);
        let mut discrete = DiscretePart::new(&mut dae, &natives, &parameter, inputs_move)?;
        discrete.append_laws(&mut dae);
        let delays = Delays::new(&dae, &natives, &parameter, delays)
            .map_err(|problem| vec![not_numeric(&dae.model, problem.expression)])?;
        let felt = Felt::by(&dae.model, &discrete);
        let schedule = Schedule::new(&dae, &discrete, &constants, from)?;
        let time_functions = TimeFunctions::new(&dae, &discrete.atoms, &|id| constants.parameter(id));
        let guard_functions = GuardFunctions::new(&dae, &discrete, &|id| constants.parameter(id));
        let guard_tapes = GuardTapes::new(discrete.atoms.len());
        let forms = FormUsers::new(&dae);
        Ok(Prepared {
            dae,
            natives,
            discrete,
            constants,
            delays,
            columns,
            felt,
            forms,
            schedule,
            time_functions,
            guard_functions,
            guard_tapes,
            noise,
            search,
        })
    }

    /// The value of a parameter.
    pub fn parameter(&self, id: VariableId) -> Option<f64> {
        self.constants.parameter(id)
    }

    /// The nominal value of a variable; zero where none is declared.
    pub fn declared_nominal(&self, id: VariableId) -> f64 {
        self.constants.nominal[id.index()]
    }

    /// The same; one where none is declared.
    pub fn nominal(&self, id: VariableId) -> f64 {
        let declared = self.declared_nominal(id);
        if declared > 0.0 { declared } else { 1.0 }
    }

    /// Differences of the sides of an atom that are zero whatever they are made of: a few roundings of the nominal values that
    /// are declared of what it reads.
    pub fn floor(&self, atom: RelationId) -> f64 {
        let continuous = |id: &&VariableId| self.dae.model.variables[**id].is_continuous_unknown();
        let nominal = self.discrete.reads[atom].iter().filter(continuous).map(|&id| self.declared_nominal(id));
        FLOOR * nominal.fold(0.0, f64::max)
    }

    /// A function that gives inputs of equations that are no unknowns, between two sides of an instant. No equation reads what
    /// does not exist: a continuous variable that is no quantity of the mode is pinned there.
    pub fn known<'r>(
        &'r self,
        left: &'r Side<'_>,
        discrete: &'r IndexVec<VariableId, f64>,
        occasion: Occasion,
        sampled: &'r [ExpressionId],
    ) -> impl Fn(Input) -> Option<f64> + 'r {
        move |input| match input {
            Input::Variable(variable, 0) if self.dae.model.variables[variable].is_continuous_unknown() => Some(0.0),
            Input::Variable(variable, 0) => self.parameter(variable).or(Some(discrete[variable])),
            Input::Variable(..) => Some(0.0),
            Input::LeftVariable(variable, order) => Some(left.value(variable, order)),
            Input::LeftMode(mode) => Some(f64::from(u8::from(left.truth(mode)))),
            Input::Run(call) => Some(occasion.call(&self.dae.model, call, sampled)),
            Input::Homotopy => Some(1.0),
            Input::Time | Input::Mode(_) => None,
        }
    }

    /// Discrete variables in continuous equations that differ between two sides.
    pub fn felt_changes(
        &self,
        before: &IndexVec<VariableId, f64>,
        after: &IndexVec<VariableId, f64>,
    ) -> Vec<VariableId> {
        let felt = self.felt.variables.iter().copied();
        felt.filter(|&id| before[id].to_bits() != after[id].to_bits()).collect()
    }

    /// What continuous equations contain of left limits, to the last bit, where a side is the left one.
    pub fn felt_left_limits(&self, side: &Side<'_>) -> Vec<u64> {
        self.felt.left_limits.iter().map(|it| side.value(it.of, it.order).to_bits()).collect()
    }

    /// Takes all conditions of `when` to have been true before, so that none becomes true.
    pub fn silence(&self, before: &mut IndexVec<VariableId, f64>) {
        self.discrete.conditions.clone().for_each(|number| before[VariableId(number)] = 1.0);
    }

    /// Whether all of some atoms have the same truths on both sides of an instant; not where there are none.
    pub fn keeps_all(&self, atoms: &[RelationId], left: &Side<'_>, right: &Side<'_>) -> bool {
        let is_kept = |&atom: &RelationId| {
            let variable = self.discrete.atoms[atom].variable;
            left.discrete[variable] == right.discrete[variable]
        };
        !atoms.is_empty() && atoms.iter().all(is_kept)
    }

    /// An expression in the words of the model.
    pub fn text(&self, expression: ExpressionId) -> String {
        short_text(&self.dae.model, Some(&self.dae.mode_variables), expression)
    }

    /// Whether Booleans with a memory are states of a machine.
    pub fn is_of_machine(&self, booleans: &[VariableId]) -> bool {
        let mut states = self.dae.model.machines.iter().flat_map(|machine| &machine.states);
        states.any(|state| booleans.contains(&state.active))
    }

    /// Whether a Boolean is what a machine remembers beside its states.
    pub fn is_memory_of_machine(&self, boolean: VariableId) -> bool {
        self.dae.model.machines.iter().any(|machine| machine.memories.contains(&boolean))
    }

    /// The text of a message: literals as they are, the rest as written.
    pub fn message(&self, expression: ExpressionId) -> String {
        match self.dae.model.expressions.node(expression) {
            Node::String(text) => self.dae.model.expressions.text(text).to_string(),
            _ => self.text(expression),
        }
    }

    /// Whether a discrete variable can have a value: a number, and of an Integer one that is kept exactly.
    pub fn may_be(&self, variable: VariableId, value: f64) -> bool {
        match self.dae.model.variables[variable].ty {
            Type::Integer => value.abs() <= LARGEST_INTEGER,
            _ => value.is_finite(),
        }
    }

    /// The condition that an atom is, in the words of the model, negated where it became false.
    pub fn atom_text(&self, atom: RelationId, truth: bool) -> String {
        let text = self.text(self.discrete.atoms[atom].relation);
        if truth { text } else { format!("not {text}") }
    }

    /// The stairs that changed, in words.
    pub fn changed_stairs(&self, left: &Side<'_>, right: &Side<'_>) -> Vec<String> {
        let stairs = self.discrete.stairs.iter().map(|stair| stair.variable);
        stairs
            .filter(|&id| left.discrete[id] != right.discrete[id])
            .map(|id| format!("{} = {}", self.dae.model.variables[id].name, right.discrete[id]))
            .collect()
    }
}

impl Felt {
    /// The discrete variables and the left limits that continuous equations contain.
    fn by(model: &FlatModel, discrete: &DiscretePart) -> Self {
        let mut is_felt: IndexVec<VariableId, bool> = model.variables.iter().map(|_| false).collect();
        let mut left_limits = Vec::new();
        let mut walk = Walk::telling(Context::LEFT_LIMIT).with_marks();
        let continuous = model.equations.iter().filter(|equation| equation.kind == EquationKind::Continuous);
        for side in continuous.flat_map(|equation| [equation.left, equation.right]) {
            walk.visit(&model.expressions, side, |_, node, context| {
                match node.derivative() {
                    Some(variable) if context.is(Context::LEFT_LIMIT) => left_limits.push(variable),
                    Some(variable) => is_felt[variable.of] = true,
                    None => {}
                }
                true
            });
        }
        left_limits.sort_unstable();
        left_limits.dedup();
        let variables = discrete.variables().filter(|&id| is_felt[id]).collect();
        Felt { is_felt, variables, left_limits }
    }

    /// Whether continuous equations contain a variable.
    pub fn contains(&self, variable: VariableId) -> bool {
        self.is_felt[variable]
    }
}
