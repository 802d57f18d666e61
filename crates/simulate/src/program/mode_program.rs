//! The program of one mode: from its states to all its variables, their derivatives and the derivatives of the states.
//!
//! Code is compiled for a choice of states; a choice that was made before is taken up again without compiling. A mode of the same
//! structure as the last one is made from it ([`Program::near`]): what a mode variable changes is some residuals, the systems that these
//! are in, and the steps of code that compute those.

use std::collections::BTreeSet;
use std::sync::Arc;

use modeshift_dae::{Derivative, EquationId, ExpressionId, Id, Mode, VariableId};
use modeshift_numerics::Pattern;
use modeshift_structure::one_mode::ModeStructure;

use super::affine::{AffineMode, AffineRow, Builder, NotAffine, Reader};
use super::blocks::plan::{Equations, Item};
use super::compiled::code::{Changed, Code, CodeFailure};
use super::compiled::schedule::schedule;
use super::failure::{BlockFailure, NotBuilt};
use super::programs::{Programs, Workshop};
use super::states::quantities::{Quantities, QuantityIndex};
use super::states::stages::{Choice, System, systems};
use super::states::state_selection::ChoiceMatrix;
use super::surroundings::Surroundings;

/// The program of one mode.
pub struct Program {
    mode: Mode,
    structure: Arc<ModeStructure>,
    quantities: Quantities,
    /// The equations as the mode leaves them.
    residuals: Vec<ExpressionId>,
    /// The variables among the quantities, with their nominal values, or the largest values so far of those without.
    sizes: Vec<(QuantityIndex, f64)>,
    matrix: Option<ChoiceMatrix>,
    choices: Vec<(Choice, Code)>,
    present: usize,
    /// The systems of the first choice.
    systems: Option<Arc<Systems>>,
}

/// The systems of a mode, and by row those that an equation is in.
struct Systems {
    all: Vec<System>,
    of_row: Vec<Vec<u32>>,
}

impl Systems {
    fn new(all: Vec<System>, size: usize) -> Self {
        let mut of_row = vec![Vec::new(); size];
        for (at, system) in (0..).zip(&all) {
            system.equations.iter().for_each(|row| of_row[row.of.index()].push(at));
        }
        Systems { all, of_row }
    }
}

/// A program made from that of another mode.
pub(crate) struct Near {
    pub program: Program,
    /// Whether all formulas have the derivatives that they have in the other mode.
    pub is_shifted: bool,
    /// How many formulas were compiled.
    pub compiled: usize,
}

/// What came of choosing states.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StateChoice {
    /// They are the same as before.
    Kept,
    /// Others are better now: take their values from the jet.
    Changed,
}

impl Program {
    pub(super) fn new(
        workshop: &mut Workshop<'_>,
        structure: Arc<ModeStructure>,
        mode: Mode,
    ) -> Result<Self, NotBuilt> {
        let quantities = Quantities::new(&structure, workshop.model().variables.len());
        let residuals = workshop.residuals_in(&structure, &mode);
        let matrix = ChoiceMatrix::new(workshop, &structure, &quantities, &residuals)?;
        let sizes = declared_sizes(workshop, &quantities);
        let (choices, systems) = (Vec::new(), None);
        let mut program =
            Program { mode, structure, quantities, residuals, sizes, matrix, choices, present: 0, systems };
        if program.matrix.is_none() {
            program.compile(workshop, Choice::structural(&program.structure))?;
        }
        Ok(program)
    }

    /// The program of a mode with the structure of another one, given the equations that contain a mode variable whose value is another
    /// one there. Nothing where states may be chosen, or where what has changed is computed from other quantities, or together with others.
    pub(super) fn near(
        workshop: &mut Workshop<'_>,
        other: &Program,
        mode: Mode,
        changed: &[EquationId],
    ) -> Result<Option<Near>, NotBuilt> {
        let ([(choice, code)], None, Some(systems)) = (&other.choices[..], &other.matrix, &other.systems) else {
            return Ok(None);
        };
        let (structure, quantities) = (other.structure.clone(), other.quantities.clone());
        let mut residuals = other.residuals.clone();
        let mut touched = BTreeSet::new();
        for row in changed.iter().filter_map(|&equation| structure.row(equation)) {
            let residual = workshop.residual_in(structure.equation(row), &mode);
            if std::mem::replace(&mut residuals[row.index()], residual) != residual {
                touched.extend(systems.of_row[row.index()].iter().copied());
            }
        }
        let mut items = Vec::new();
        for system in touched {
            plan(workshop, (&structure, &quantities, &residuals), &systems.all[system as usize], &mut items)?;
        }
        let Some(changed) = code.changed(workshop, &quantities, items)? else { return Ok(None) };
        let Changed { code, is_shifted, compiled } = changed;
        let sizes = declared_sizes(workshop, &quantities);
        let (choices, systems) = (vec![(choice.clone(), code)], Some(systems.clone()));
        let program =
            Program { mode, structure, quantities, residuals, sizes, matrix: None, choices, present: 0, systems };
        debug_assert!(program.is_as_from_nothing(workshop), "a mode from another one is as from nothing");
        Ok(Some(Near { program, is_shifted, compiled }))
    }

    /// Whether the program made from nothing computes the same by the same formulas.
    fn is_as_from_nothing(&self, workshop: &mut Workshop<'_>) -> bool {
        let other = Program::new(workshop, self.structure.clone(), self.mode.clone());
        other.is_ok_and(|it| it.residuals == self.residuals && it.code().computes_as(self.code()))
    }

    fn compile(&mut self, workshop: &mut Workshop<'_>, choice: Choice) -> Result<(), NotBuilt> {
        let states = choice.states(&self.structure, &self.quantities);
        let mut items = Vec::new();
        let systems = systems(&self.structure, &self.quantities, &choice);
        for system in &systems {
            plan(workshop, (&self.structure, &self.quantities, &self.residuals), system, &mut items)?;
        }
        if self.matrix.is_none() {
            self.systems = Some(Arc::new(Systems::new(systems, self.structure.size())));
        }
        let (expressions, leaves) = workshop.arena_and_leaves();
        let stages = schedule(expressions, leaves, &self.quantities, &states, items);
        let code = Code::new(workshop, &self.quantities, states, stages)?;
        self.choices.push((choice, code));
        self.present = self.choices.len() - 1;
        Ok(())
    }

    /// How many formulas and residuals there are.
    pub(crate) fn formula_count(&self) -> usize {
        self.choices.first().map_or(0, |(_, code)| code.size())
    }

    fn code(&self) -> &Code {
        let (_, code) = self.choices.get(self.present).expect("states are chosen before they are used");
        code
    }

    fn code_mut(&mut self) -> &mut Code {
        let (_, code) = self.choices.get_mut(self.present).expect("states are chosen before they are used");
        code
    }

    /// Every variable that exists in the mode with its derivatives up to the leading one: the places of a jet.
    pub fn quantities(&self) -> &Quantities {
        &self.quantities
    }

    /// The values of the mode variables.
    pub fn mode(&self) -> &Mode {
        &self.mode
    }

    /// What the mode leaves of an equation.
    pub(super) fn residual(&self, row: usize) -> ExpressionId {
        self.residuals[row]
    }

    /// Whether states were chosen, as they are when a mode is first integrated.
    pub fn has_states(&self) -> bool {
        !self.choices.is_empty()
    }

    /// The present choice of states.
    pub(super) fn choice(&self) -> &Choice {
        let (choice, _) = self.choices.get(self.present).expect("states are chosen before they are used");
        choice
    }

    /// The structure of the mode.
    pub fn structure(&self) -> &Arc<ModeStructure> {
        &self.structure
    }

    /// The states, in the order of the jet. Must be chosen first.
    pub fn states(&self) -> &[QuantityIndex] {
        &self.code().states
    }

    /// The states as variables and derivatives.
    pub fn state_quantities(&self) -> impl Iterator<Item = Derivative<VariableId>> {
        self.states().iter().map(|&state| self.quantities.get(state))
    }

    /// The values of the states in a jet.
    pub fn states_of(&self, jet: &[f64], states: &mut Vec<f64>) {
        states.clear();
        states.extend(self.states().iter().map(|state| jet[state.index()]));
    }

    /// How many instructions all quantities take, each iteration counted once, and how many unknowns are iterated on.
    pub fn cost(&self) -> (usize, usize) {
        (self.code().instruction_count(), self.code().iterated_unknowns())
    }

    /// Chooses states that are well conditioned at a jet, and keeps the present ones where they are. Iterations begin at the
    /// jet: what they came to when the mode was there before, or was only tried, may be far from it.
    pub fn choose_states(
        &mut self,
        programs: &mut Programs<'_>,
        time: f64,
        jet: &[f64],
        surroundings: &Surroundings,
    ) -> Result<StateChoice, NotBuilt> {
        let before = self.choices.get(self.present).map(|(choice, _)| choice.clone());
        let choice = self.best_choice(time, jet, surroundings);
        if before.as_ref() == Some(&choice) {
            let guesses = self.code_mut().jet_mut().iter_mut().zip(jet);
            guesses.filter(|(_, value)| value.is_finite()).for_each(|(guess, &value)| *guess = value);
            return Ok(StateChoice::Kept);
        }
        match self.choices.iter().position(|(known, _)| *known == choice) {
            Some(known) => self.present = known,
            None => self.compile(programs.workshop(), choice)?,
        }
        self.code_mut().jet_mut().copy_from_slice(jet);
        self.begin_path();
        Ok(StateChoice::Changed)
    }

    /// Whether other states would be much better at a jet: to be asked after steps.
    pub fn needs_new_states(&mut self, time: f64, jet: &[f64], surroundings: &Surroundings) -> bool {
        self.matrix.is_some() && self.best_choice(time, jet, surroundings) != self.choices[self.present].0
    }

    fn best_choice(&mut self, time: f64, jet: &[f64], surroundings: &Surroundings) -> Choice {
        let present = self.choices.get(self.present).map(|(choice, _)| choice);
        let allowed = present.cloned().unwrap_or_else(|| Choice::structural(&self.structure));
        match &mut self.matrix {
            Some(matrix) => matrix.choose(time, jet, surroundings, present, allowed),
            None => allowed,
        }
    }

    /// The mode as an affine system of its states, in surroundings that stand still; or which equation makes it none.
    pub(crate) fn affine(&self, programs: &Programs<'_>, surroundings: &Surroundings) -> Result<AffineMode, NotAffine> {
        self.affine_with(programs, surroundings, &[]).map(|(mode, _)| mode)
    }

    /// The same, with the differences of some expressions, as far as they are affine.
    pub(crate) fn affine_with(
        &self,
        programs: &Programs<'_>,
        surroundings: &Surroundings,
        sides: &[[ExpressionId; 2]],
    ) -> Result<(AffineMode, Vec<Option<AffineRow>>), NotAffine> {
        let literal = |variable: VariableId| programs.literal_value(variable);
        let reader = Reader::new(&programs.model().expressions, &self.quantities, surroundings, &literal);
        let mut builder = Builder::new(reader, self.states());
        self.code().parts().for_each(|part| builder.add(&part));
        let differences = builder.differences(sides);
        Ok((builder.finish(self.states())?, differences))
    }

    /// Whether other states can become better while the mode lasts.
    pub(crate) fn has_choice(&self) -> bool {
        self.matrix.is_some()
    }

    /// Computes all quantities from the states. The jet holds the guesses of iterations on entry, and still does where
    /// there are no values.
    pub fn evaluate(
        &mut self,
        time: f64,
        states: &[f64],
        surroundings: &Surroundings,
        jet: &mut [f64],
    ) -> Result<(), Box<BlockFailure>> {
        let (_, code) = &mut self.choices[self.present];
        code.jet_mut().copy_from_slice(jet);
        code.enter(time, states, surroundings);
        let result = code.run_everything(&self.quantities);
        if result.is_ok() {
            jet.copy_from_slice(code.jet());
            for (place, size) in &mut self.sizes {
                *size = size.max(jet[place.index()].abs());
            }
        }
        result.map_err(|failure| self.failure(time, *failure))
    }

    /// What is evaluated from now on need not continue what was evaluated before.
    pub fn begin_path(&mut self) {
        self.code_mut().begin_path();
    }

    /// The derivatives of the states. Iterations start from where the last values along the path lead.
    pub fn derivative(
        &mut self,
        time: f64,
        states: &[f64],
        surroundings: &Surroundings,
        derivatives: &mut [f64],
    ) -> Result<(), Box<BlockFailure>> {
        let (_, code) = &mut self.choices[self.present];
        code.enter(time, states, surroundings);
        code.derivative(&self.quantities, derivatives).map_err(|failure| self.failure(time, *failure))
    }

    /// Where the Jacobian of the derivatives of the states by the states has entries.
    pub fn jacobian_pattern(&self) -> &Arc<Pattern> {
        self.code().pattern()
    }

    /// The entries of that Jacobian, exact, in the order of its pattern.
    pub fn jacobian(
        &mut self,
        time: f64,
        states: &[f64],
        surroundings: &Surroundings,
        entries: &mut [f64],
    ) -> Result<(), Box<BlockFailure>> {
        let (_, code) = &mut self.choices[self.present];
        code.enter(time, states, surroundings);
        code.jacobian(&self.quantities, entries).map_err(|failure| self.failure(time, *failure))
    }

    /// The largest error of a variable, relative to the largest it had or its nominal value, where the states are
    /// wrong by `error`; zero where there are no values to compare.
    pub fn shown_error(&mut self, time: f64, states: &[f64], surroundings: &Surroundings, error: &[f64]) -> f64 {
        let (_, code) = &mut self.choices[self.present];
        code.enter(time, states, surroundings);
        if code.run_everything(&self.quantities).is_err() {
            return 0.0;
        }
        let right = code.jet().to_vec();
        let wrong: Vec<f64> = states.iter().zip(error).map(|(state, error)| state + error).collect();
        code.enter(time, &wrong, surroundings);
        let result = code.run_everything(&self.quantities);
        let largest = largest_error(&self.sizes, &right, code.jet());
        code.jet_mut().copy_from_slice(&right);
        if result.is_ok() { largest } else { 0.0 }
    }

    /// The largest error of a variable in a jet, relative to the largest it had or its nominal value; not a number where
    /// one is.
    pub fn largest_error(&self, right: &[f64], wrong: &[f64]) -> f64 {
        largest_error(&self.sizes, right, wrong)
    }

    /// Makes machine code now, of all that the derivatives of states and their Jacobian need, instead of when it pays.
    pub fn make_machine_code(&self) {
        self.code().make_machine_code();
    }

    fn failure(&self, time: f64, failure: CodeFailure) -> Box<BlockFailure> {
        let CodeFailure { equations, unknowns, reason } = failure;
        Box::new(BlockFailure { time, mode: self.mode.clone(), equations, unknowns, reason })
    }
}

/// Appends what solves a system.
fn plan(
    workshop: &mut Workshop<'_>,
    (structure, quantities, residuals): (&ModeStructure, &Quantities, &[ExpressionId]),
    system: &System,
    items: &mut Vec<Item>,
) -> Result<(), NotBuilt> {
    let names = system.named_equations(structure);
    let mut differentiated = Vec::with_capacity(names.len());
    for (row, &equation) in system.equations.iter().zip(&names) {
        differentiated.push(workshop.differentiated(equation, residuals[row.of.index()])?);
    }
    workshop.plan(quantities, &Equations { system, names, residuals: differentiated }, items)
}

/// The variables among the quantities, with their nominal values.
fn declared_sizes(workshop: &Workshop<'_>, quantities: &Quantities) -> Vec<(QuantityIndex, f64)> {
    let variables = quantities.list().iter().zip(0..).filter(|(quantity, _)| quantity.order == 0);
    variables.map(|(quantity, place)| (QuantityIndex(place), workshop.declared_nominal(quantity.of))).collect()
}

fn largest_error(sizes: &[(QuantityIndex, f64)], right: &[f64], wrong: &[f64]) -> f64 {
    let errors = sizes.iter().map(|&(place, nominal)| {
        let (right, wrong) = (right[place.index()], wrong[place.index()]);
        // What was never anything but zero has no size to be wrong by.
        let size = right.abs().max(nominal);
        if size == 0.0 { 0.0 } else { (wrong - right).abs() / size }
    });
    errors.fold(0.0, |largest: f64, error| if largest.is_nan() || error <= largest { largest } else { error })
}
