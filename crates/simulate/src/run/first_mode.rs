//! The mode of a start that no mode agrees with literally: start values are left limits, and the mode follows as at an event.
//!
//! At `v = 0` every diode of a rectifier is at zero, and which of them conduct is decided by what comes right after: by
//! series, not by values. Where the search among modes and their start values fails, the states at their start values are
//! taken for the left limits of an event whose mode before is none, in which nothing holds. What the
//! next-mode selection finds is the start. It must not jump: that fixed start values contradict the constraints of
//! all modes is an error, unless they are meant as left limits (`--impulsive-start`).

use modeshift_dae::{
    Definition, Derivative, ExpressionId, Id, IndexVec, InitialValue, Mode, ModeVariableId, Node, VariableId,
};

use crate::initialization::InitialProblem;
use crate::run::Machinery;
use crate::run::instant::entry::LastValues;
use crate::run::instant::event_iteration::{NoOutcome, Outcome};
use crate::run::instant::first_mode;
use crate::run::prepare::Prepared;
use crate::run::values::Side;

/// Left limits at the start: of states, and of discrete variables.
pub(super) struct LeftLimits {
    /// By variable.
    values: Vec<f64>,
    mode: Mode,
}

impl LeftLimits {
    /// The left limit of a variable.
    pub fn value(&self, id: VariableId) -> Option<f64> {
        self.values.get(id.index()).copied()
    }

    /// Whether a mode variable was true.
    pub fn truth(&self, mode: ModeVariableId) -> bool {
        self.mode[mode]
    }

    /// The start values of a model, if nothing but fixed start values of states is asked of its start.
    pub fn of(problem: &InitialProblem<'_>) -> Option<Self> {
        let model = &problem.dae.model;
        let orders = differentiated(model.variables.len(), &model.expressions);
        let is_asked = |id: VariableId| model.variables[id].fixed == Some(true);
        let mut unknowns = model.variables.iter_enumerated().filter(|(_, it)| it.is_continuous_unknown());
        let only_states = unknowns.all(|(id, _)| !is_asked(id) || orders[id] > 0);
        // What is said of a discrete variable that an equation defines would have to be asked of the right limits.
        let is_of_kept = |it: &Option<InitialValue>| {
            it.is_some_and(|it| {
                !matches!(problem.dae.discrete.definition(it.variable), Some(Definition::Equation { .. }))
            })
        };
        let no_equations = problem.dae.discrete.initial.iter().all(is_of_kept);
        let no_parameters = problem.start.system.dae.model.variables.iter().take(model.variables.len()).all(|it| {
            let is_searched = it.variability == modeshift_dae::Variability::Parameter && it.fixed == Some(false);
            !is_searched
        });
        let values = problem.guesses[..model.variables.len()].to_vec();
        (only_states && no_equations && no_parameters).then(|| LeftLimits { values, mode: problem.mode_starts.clone() })
    }

    /// What the first instant makes of them, with the side before it.
    pub fn first<'a>(
        &self,
        machinery: &mut Machinery<'a>,
        time: f64,
        discrete: IndexVec<VariableId, f64>,
    ) -> Result<(Side<'a>, Outcome<'a>), NoOutcome> {
        let Machinery { prepared, visited, memory } = machinery;
        let model = &prepared.dae.model;
        let orders = differentiated(model.variables.len(), &model.expressions);
        let states = orders.iter_enumerated().filter(|(_, order)| **order > 0);
        // A start that is not fixed is no past: constraints say where it begins, and it is taken where they do not.
        let is_past = |id: VariableId| model.variables[id].fixed == Some(true);
        let state = |(id, &order): (VariableId, &u32)| Derivative::new(id, if is_past(id) { order } else { 0 });
        let states: Vec<Derivative<VariableId>> = states.map(state).collect();
        let mode = visited.before_start(&self.mode, &states);
        let value = |it: &Derivative<VariableId>| match it.order {
            0 => self.values[it.of.index()],
            order if order < orders[it.of] => 0.0,
            _ => f64::NAN,
        };
        let jet = mode.quantities.list().iter().map(value).collect();
        let mut left = Side { time, mode, jet, discrete, sliding: None, last: LastValues::default() };
        for id in prepared.discrete.variables() {
            if let Some(&value) = self.values.get(id.index()) {
                left.discrete[id] = value;
            }
        }
        // What is a condition of a `when` at the start was so before.
        prepared.silence(&mut left.discrete);
        let before = left.discrete.clone();
        prepared.update_time(time, &before, &mut left.discrete);
        self.first_truths(prepared, &mut left);
        let outcome = first_mode(prepared, visited, memory, &left)?;
        Ok((left, outcome))
    }

    /// The truths of relations at the start values of all variables, as a beginning of the search.
    fn first_truths(&self, prepared: &Prepared, side: &mut Side<'_>) {
        let value = |id: VariableId| self.values.get(id.index()).copied().unwrap_or(side.discrete[id]);
        let tape = &prepared.discrete.tapes.sides;
        let mut buffers = tape.buffers();
        let sides = buffers.evaluate(tape, |input| match input {
            modeshift_numerics::Input::Time => side.time,
            modeshift_numerics::Input::Variable(id, 0) | modeshift_numerics::Input::LeftVariable(id, 0) => value(id),
            _ => 0.0,
        });
        let differences: Vec<f64> = sides.chunks_exact(2).map(|sides| sides[0] - sides[1]).collect();
        for (atom, difference) in prepared.discrete.atoms.iter().zip(differences) {
            side.discrete[atom.variable] = f64::from(u8::from(atom.operator.holds(difference, 0.0)));
        }
    }
}

/// How often variables are differentiated, at most.
fn differentiated(count: usize, expressions: &modeshift_dae::Expressions) -> IndexVec<VariableId, u32> {
    let mut orders: IndexVec<VariableId, u32> = (0..count).map(|_| 0).collect();
    for at in 0..expressions.len() {
        if let Node::Variable(of, order) = expressions.node(ExpressionId::from_index(at))
            && of.index() < count
        {
            orders[of] = orders[of].max(order);
        }
    }
    orders
}
