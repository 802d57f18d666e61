//! What a run works with: the discrete part of the model, the modes visited so far, and what atoms are decided by.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;
use std::sync::Arc;

use modeshift_dae::{EquationKind, ExpressionId, ExpressionText, FlatModel, IndexVec, MultimodeDae, Node, VariableId};
use modeshift_mode_changes::{DifferenceTape, FormUsers, Noise, Strategy};
use modeshift_numerics::{Input, NativeFunctions};

use crate::program::Surroundings;
use crate::run::modes::Modes;
use crate::run::phase::schedule::{ROUNDING, Timetable, truth_right_after};
use crate::run::phase::time_events::{Affine, Sampling, affine, meeting};
use crate::run::phase::zero_crossings::{FLOOR, Guard};
use crate::run::prepare::relations::{Atom, Moment};
use crate::run::prepare::system::{Requirement, System};
use crate::run::values::{Phase, Side, input_between};

/// What is known before the run and stays.
pub(super) struct Constants {
    pub parameters: Arc<Vec<Option<f64>>>,
    /// Start values of variables that declare one.
    pub starts: Vec<Option<f64>>,
    /// Nominal values of variables.
    pub nominal: Vec<f64>,
    /// How to search for the next mode.
    pub search: &'static [Strategy],
}

/// A model in a run.
pub(super) struct Engine<'a> {
    pub dae: &'a MultimodeDae,
    pub natives: &'a NativeFunctions,
    pub system: System,
    pub modes: Modes<'a>,
    pub surroundings: Rc<RefCell<Surroundings>>,
    pub parameters: Arc<Vec<Option<f64>>>,
    /// Start values of variables that declare one.
    pub starts: Vec<Option<f64>>,
    /// Nominal values of variables.
    pub nominal: Vec<f64>,
    /// How to search for the next mode.
    pub search: &'static [Strategy],
    pub noise: Noise,
    /// The largest values that the sides of each atom had so far.
    pub scales: Vec<f64>,
    pub samplings: Vec<Sampling>,
    /// Whether a `when` condition was true when it was last looked at, by its place.
    pub conditions: Vec<bool>,
    /// Whether continuous equations contain a discrete variable.
    pub is_felt: IndexVec<VariableId, bool>,
    /// Left limits that continuous equations contain.
    pub felt_left_limits: Vec<(VariableId, u32)>,
    /// By atom and the truth it had: whether its last event changed nothing but laws that agree there.
    pub is_slight: Vec<[bool; 2]>,
    /// Clusters of atoms that were searched for other modes.
    pub compared: BTreeSet<Vec<usize>>,
    /// Which equations contain which mode variables and discrete variables.
    pub forms: FormUsers,
    /// By atom: its sides as functions of time, where nothing but parameters enters.
    fixed_sides: Vec<Option<[Affine; 2]>>,
    timetable: Timetable,
    series: Vec<Option<Rc<DifferenceTape>>>,
}

impl<'a> Engine<'a> {
    pub fn new(
        dae: &'a MultimodeDae,
        natives: &'a NativeFunctions,
        system: System,
        modes: Modes<'a>,
        constants: Constants,
        noise: Noise,
    ) -> Self {
        let Constants { parameters, starts, nominal, search } = constants;
        let (is_felt, felt_left_limits) = felt(&dae.model);
        let fixed_sides = fixed_sides(&dae.model, &system, &parameters);
        Engine {
            dae,
            natives,
            modes,
            surroundings: Rc::new(RefCell::new(Surroundings::new(&dae.model))),
            parameters,
            starts,
            nominal,
            search,
            noise,
            scales: vec![0.0; system.atoms.len()],
            samplings: Vec::new(),
            conditions: vec![false; system.formulas.values().len()],
            is_felt,
            felt_left_limits,
            is_slight: vec![[false; 2]; system.atoms.len()],
            compared: BTreeSet::new(),
            forms: FormUsers::new(dae),
            timetable: Timetable::new(&system.atoms, &fixed_sides),
            fixed_sides,
            series: vec![None; system.atoms.len()],
            system,
        }
    }

    /// The value of a parameter.
    pub fn parameter(&self, id: VariableId) -> Option<f64> {
        self.parameters.get(id.0 as usize).copied().flatten()
    }

    /// A function that gives inputs of equations that are no unknowns, between two sides of an instant.
    pub fn known<'r>(
        &'r self,
        left: &'r Side<'a>,
        discrete: &'r IndexVec<VariableId, f64>,
        phase: Phase,
        sampled: &'r [ExpressionId],
    ) -> impl Fn(Input) -> Option<f64> + 'r {
        move |input| match input {
            Input::Variable(variable, 0) => self.parameter(variable).or(Some(discrete[variable])),
            Input::Variable(..) => Some(0.0),
            Input::LeftVariable(variable, order) => Some(left.value(variable, order)),
            Input::LeftMode(mode) => Some(f64::from(u8::from(left.truth(mode)))),
            Input::Run(call) => Some(phase.call(&self.dae.model, call, sampled)),
            Input::Homotopy => Some(1.0),
            Input::Time | Input::Mode(_) => None,
        }
    }

    /// Sides of all atoms, as `(difference, size)`, between two sides of an instant.
    pub fn atom_values(
        &mut self,
        left: &Side<'a>,
        right: &Side<'a>,
        phase: Phase,
        sampled: &[ExpressionId],
    ) -> Vec<(f64, f64)> {
        let model = &self.dae.model;
        let values = self.system.sides.evaluate(|input| input_between(model, input, (left, right), phase, sampled));
        values.chunks_exact(2).map(|sides| (sides[0] - sides[1], sides[0].abs() + sides[1].abs())).collect()
    }

    /// The watched expressions at the values of a side: both sides of atoms, then arguments of stairs.
    pub fn watched(&mut self, side: &Side<'a>) -> &[f64] {
        let model = &self.dae.model;
        self.system.watched.evaluate(|input| input_between(model, input, (side, side), Phase::default(), &[]))
    }

    /// Whether a value is above noise, for the atom of this number.
    pub fn is_clear(&self, atom: usize, (difference, size): (f64, f64)) -> bool {
        let scale = self.scales[atom].max(if size.is_finite() { size } else { 0.0 });
        difference.abs() > (self.noise.relative * scale).max(FLOOR)
    }

    /// Remembers how large the sides of atoms are.
    pub fn learn_scales(&mut self, values: &[(f64, f64)]) {
        for (scale, &(_, size)) in self.scales.iter_mut().zip(values) {
            if size.is_finite() {
                *scale = scale.max(size);
            }
        }
    }

    /// An atom along jets, compiled when first needed.
    pub fn series(&mut self, atom: usize) -> Option<Rc<DifferenceTape>> {
        if self.series[atom].is_none() {
            let it = &self.system.atoms[atom];
            let sides = if it.moment == Moment::Before { it.watched } else { it.sides };
            let parameter = |input: Input| match input {
                Input::Variable(id, 0) => self.parameter(id),
                _ => None,
            };
            let made = DifferenceTape::new(&self.dae.model, self.natives, sides, &parameter);
            self.series[atom] = made.ok().map(Rc::new);
        }
        self.series[atom].clone()
    }

    /// An expression of time and discrete values as an affine function of time.
    pub fn affine(&self, expression: ExpressionId, discrete: &IndexVec<VariableId, f64>) -> Option<Affine> {
        let value = |id: VariableId| {
            let declared = &self.dae.model.variables[id];
            let known = self.parameter(id).or((!declared.is_continuous_unknown()).then(|| discrete[id]));
            known.filter(|value| value.is_finite())
        };
        affine(&self.dae.model.expressions, expression, &value)
    }

    /// Both sides of an atom as functions of time, where they are affine in it.
    fn sides_in_time(&self, atom: usize, discrete: &IndexVec<VariableId, f64>) -> Option<[Affine; 2]> {
        self.fixed_sides[atom].or_else(|| {
            let [left, right] = self.system.atoms[atom].watched;
            Some([self.affine(left, discrete)?, self.affine(right, discrete)?])
        })
    }

    /// Truths of atoms on time and steps of stairs of time, right after an instant, for discrete values that may have
    /// changed; whether anything changed. Atoms that are not affine in time keep their truth.
    pub fn update_time(&mut self, time: f64, discrete: &mut IndexVec<VariableId, f64>) -> bool {
        let mut changed = false;
        let mut set = |variable: VariableId, truth: bool, discrete: &mut IndexVec<VariableId, f64>| {
            let truth = f64::from(u8::from(truth));
            changed |= discrete[variable] != truth;
            discrete[variable] = truth;
        };
        for (atom, truth) in self.timetable.truths(&self.system.atoms, time) {
            set(atom.variable, truth, discrete);
        }
        for &number in &self.timetable.others {
            if let Some([left, right]) = self.sides_in_time(number, discrete) {
                let atom = &self.system.atoms[number];
                set(atom.variable, truth_right_after(atom, left, right, time), discrete);
            }
        }
        for stair in 0..self.system.stairs.len() {
            let it = self.system.stairs[stair];
            if let Some(argument) = self.affine(it.argument, discrete) {
                let step = step_right_after(it.rounding, argument, time);
                changed |= discrete[it.variable] != step;
                discrete[it.variable] = step;
            }
        }
        changed
    }

    /// Whether the time of a crossing is known in advance.
    pub fn is_scheduled(&self, guard: Guard, discrete: &IndexVec<VariableId, f64>) -> bool {
        match guard {
            Guard::Atom(atom) => {
                let it = &self.system.atoms[atom];
                it.moment == Moment::Time && self.sides_in_time(atom, discrete).is_some()
            }
            Guard::Edge(stair, _) => self.affine(self.system.stairs[stair].argument, discrete).is_some(),
        }
    }

    /// The next time after `now` at which something is due.
    pub fn next_time(&self, now: f64, discrete: &IndexVec<VariableId, f64>) -> f64 {
        let soonest = now + ROUNDING * now.abs() + f64::MIN_POSITIVE;
        let mut next = self.timetable.next_after(soonest);
        let mut consider = |time: Option<f64>| {
            if let Some(time) = time.filter(|&time| time > soonest) {
                next = next.min(time);
            }
        };
        for &atom in &self.timetable.others {
            if let Some([left, right]) = self.sides_in_time(atom, discrete) {
                consider(meeting(left, right));
            }
        }
        for stair in &self.system.stairs {
            if let Some(argument) = self.affine(stair.argument, discrete) {
                let (low, high) = stair.rounding.edges(discrete[stair.variable]);
                consider(argument.time_of(if argument.slope > 0.0 { high } else { low }));
            }
        }
        for sampling in &self.samplings {
            consider(Some(sampling.time()));
        }
        next
    }

    /// The samplings that are due, which then wait for their next instants.
    pub fn due_samples(&mut self, now: f64) -> Vec<ExpressionId> {
        let latest = now + ROUNDING * now.abs();
        let mut due = Vec::new();
        for sampling in self.samplings.iter_mut().filter(|sampling| sampling.time() <= latest) {
            due.push(sampling.call);
            while sampling.time() <= latest {
                sampling.next += 1.0;
            }
        }
        due
    }

    /// The first assertion that does not hold; those that only warn do not count.
    pub fn broken_assertion(&mut self, side: &Side<'a>) -> Option<usize> {
        let model = &self.dae.model;
        let inputs = |input| input_between(model, input, (side, side), Phase::default(), &[]);
        let values = self.system.assertion_formulas.evaluate(inputs);
        let broken = |it: &Requirement| it.is_error && values[it.guard] != 0.0 && values[it.condition] == 0.0;
        self.system.assertions.iter().position(broken)
    }

    /// An expression in the words of the model.
    pub fn text(&self, expression: ExpressionId) -> String {
        ExpressionText { model: &self.dae.model, modes: Some(&self.dae.mode_variables), expression }.to_string()
    }

    /// The stairs that changed, in words.
    pub fn changed_stairs(&self, left: &Side<'a>, right: &Side<'a>) -> Vec<String> {
        let changed = |it: &&crate::run::prepare::event_functions::Stair| {
            left.discrete[it.variable] != right.discrete[it.variable]
        };
        let stairs = self.system.stairs.iter().filter(changed);
        stairs
            .map(|it| format!("{} = {}", self.dae.model.variables[it.variable].name, right.discrete[it.variable]))
            .collect()
    }

    /// The condition that an atom is, in the words of the model, negated where it became false.
    pub fn atom_text(&self, atom: usize, truth: bool) -> String {
        let text = self.text(self.system.atoms[atom].relation);
        if truth { text.to_string() } else { format!("not {text}") }
    }
}

/// Sides of atoms on time as functions of time, where they are made of parameters and time alone.
fn fixed_sides(model: &FlatModel, system: &System, parameters: &[Option<f64>]) -> Vec<Option<[Affine; 2]>> {
    let value = |id: VariableId| parameters.get(id.0 as usize).copied().flatten().filter(|value| value.is_finite());
    let side = |expression: ExpressionId| affine(&model.expressions, expression, &value);
    let sides = |atom: &Atom| match (atom.moment, atom.watched) {
        (Moment::Time, [left, right]) => Some([side(left)?, side(right)?]),
        _ => None,
    };
    system.atoms.iter().map(sides).collect()
}

/// The step that an affine argument is on right after a time.
fn step_right_after(rounding: crate::run::prepare::event_functions::Rounding, argument: Affine, time: f64) -> f64 {
    let value = argument.at(time);
    let nearest = value.round();
    let size = (argument.slope * time).abs() + argument.constant.abs();
    if argument.slope == 0.0 || (value - nearest).abs() > ROUNDING * size.max(1.0) {
        return rounding.step(value);
    }
    rounding.step(nearest + 0.5 * argument.slope.signum())
}

/// The discrete variables and the left limits that continuous equations contain.
fn felt(model: &FlatModel) -> (IndexVec<VariableId, bool>, Vec<(VariableId, u32)>) {
    let mut is_felt: IndexVec<VariableId, bool> = model.variables.iter().map(|_| false).collect();
    let mut left_limits = Vec::new();
    let mut seen = vec![[false; 2]; model.expressions.len()];
    let continuous = model.equations.iter().filter(|equation| equation.kind == EquationKind::Continuous);
    let mut pending: Vec<(ExpressionId, bool)> =
        continuous.flat_map(|equation| [(equation.left, false), (equation.right, false)]).collect();
    while let Some((id, before)) = pending.pop() {
        let index = <ExpressionId as modeshift_dae::Id>::index(id);
        if std::mem::replace(&mut seen[index][usize::from(before)], true) {
            continue;
        }
        match model.expressions.node(id) {
            Node::Variable(variable, order) if before => left_limits.push((variable, order)),
            Node::Variable(variable, _) => is_felt[variable] = true,
            Node::Pre(inner) => pending.push((inner, true)),
            _ => pending.extend(model.expressions.children(id).map(|child| (child, before))),
        }
    }
    left_limits.sort_unstable();
    left_limits.dedup();
    (is_felt, left_limits)
}
