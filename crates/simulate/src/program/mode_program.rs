//! The program of one mode: from its states to all its variables, their derivatives and the derivatives of the states.
//!
//! Code is compiled for a choice of states; a choice that was made before is taken up again without compiling.

use std::sync::{Arc, Mutex, PoisonError};

use modeshift_dae::{Derivative, ExpressionId, Id, Mode, VariableId};
use modeshift_numerics::Pattern;
use modeshift_structure::one_mode::ModeStructure;

use super::affine::{AffineMode, AffineRow, Builder, NotAffine, Reader};
use super::blocks::plan::Equations;
use super::compiled::code::{Code, CodeFailure};
use super::compiled::schedule::schedule;
use super::failure::{BlockFailure, NotBuilt};
use super::programs::{Programs, Workshop};
use super::states::quantities::{Quantities, QuantityIndex};
use super::states::stages::{Choice, systems};
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
    choices: Vec<Chosen>,
    present: usize,
}

/// A choice of states with its code.
pub(super) struct Chosen {
    choice: Choice,
    states: Arc<[QuantityIndex]>,
    pattern: Arc<Pattern>,
    code: Held,
}

/// Code of one mode, or of several.
enum Held {
    Alone(Box<Code>),
    Together(Arc<Mutex<Code>>),
}

impl Chosen {
    fn new(choice: Choice, code: Code) -> Self {
        let (states, pattern) = (code.states.as_slice().into(), Arc::new(code.pattern().clone()));
        Chosen { choice, states, pattern, code: Held::Alone(Box::new(code)) }
    }

    /// The same for another mode, where the code is one for several.
    fn again(&self) -> Option<Self> {
        let Held::Together(code) = &self.code else { return None };
        let (choice, code) = (self.choice.clone(), Held::Together(code.clone()));
        Some(Chosen { choice, states: self.states.clone(), pattern: self.pattern.clone(), code })
    }

    /// With code that modes share.
    fn together(self) -> Self {
        let code = match self.code {
            Held::Alone(code) => Held::Together(Arc::new(Mutex::new(*code))),
            together => together,
        };
        Chosen { code, ..self }
    }
}

impl Held {
    /// Does something with the code. What an evaluation leaves in it after a panic is written before it is read again.
    fn with<R>(&mut self, what: impl FnOnce(&mut Code) -> R) -> R {
        match self {
            Held::Alone(code) => what(code),
            Held::Together(code) => what(&mut code.lock().unwrap_or_else(PoisonError::into_inner)),
        }
    }

    /// Looks at the code.
    fn look<R>(&self, what: impl FnOnce(&Code) -> R) -> R {
        match self {
            Held::Alone(code) => what(code),
            Held::Together(code) => what(&code.lock().unwrap_or_else(PoisonError::into_inner)),
        }
    }
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
        let mut program =
            Program { mode, structure, quantities, residuals, sizes, matrix, choices: Vec::new(), present: 0 };
        if program.matrix.is_none() {
            program.compile(workshop, Choice::structural(&program.structure))?;
        }
        Ok(program)
    }

    /// The program of another mode of the same structure, with code in which mode variables are open.
    pub(super) fn sharing(workshop: &mut Workshop<'_>, kin: &Program, shared: &Chosen, mode: Mode) -> Option<Self> {
        Some(Program {
            residuals: workshop.residuals_in(&kin.structure, &mode),
            structure: kin.structure.clone(),
            sizes: declared_sizes(workshop, &kin.quantities),
            quantities: kin.quantities.clone(),
            matrix: None,
            choices: vec![shared.again()?],
            present: 0,
            mode,
        })
    }

    /// Code for modes of this structure, with equations in which mode variables are open; nothing where states are chosen on the way, or
    /// where it would iterate: iterations begin where the last one of the same mode ended.
    pub(super) fn open_code(&self, workshop: &mut Workshop<'_>, residuals: &[ExpressionId]) -> Option<Chosen> {
        if self.matrix.is_some() {
            return None;
        }
        let choice = Choice::structural(&self.structure);
        let code = self.code_of(workshop, residuals, &choice).ok()?;
        (code.iterated_unknowns() == 0).then(|| Chosen::new(choice, code).together())
    }

    /// Whether the code is that of another program too.
    pub(crate) fn shares_code_with(&self, other: &Program) -> bool {
        let code = |program: &Program| match &program.choices.get(program.present)?.code {
            Held::Alone(_) => None,
            Held::Together(code) => Some(Arc::as_ptr(code)),
        };
        code(self).is_some() && code(self) == code(other)
    }

    fn compile(&mut self, workshop: &mut Workshop<'_>, choice: Choice) -> Result<(), NotBuilt> {
        let code = self.code_of(workshop, &self.residuals, &choice)?;
        self.choices.push(Chosen::new(choice, code));
        self.present = self.choices.len() - 1;
        Ok(())
    }

    fn code_of(
        &self,
        workshop: &mut Workshop<'_>,
        residuals: &[ExpressionId],
        choice: &Choice,
    ) -> Result<Code, NotBuilt> {
        let states = choice.states(&self.structure, &self.quantities);
        let mut items = Vec::new();
        for system in systems(&self.structure, &self.quantities, choice) {
            let names = system.named_equations(&self.structure);
            let mut differentiated = Vec::with_capacity(names.len());
            for (row, &equation) in system.equations.iter().zip(&names) {
                differentiated.push(workshop.differentiated(equation, residuals[row.of.index()])?);
            }
            let equations = Equations { system: &system, names, residuals: differentiated };
            workshop.plan(&self.quantities, &equations, &mut items)?;
        }
        let (expressions, leaves) = workshop.arena_and_leaves();
        let stages = schedule(expressions, leaves, &self.quantities, &states, items);
        Code::new(workshop, &self.quantities, states, stages)
    }

    fn chosen(&self) -> &Chosen {
        self.choices.get(self.present).expect("states are chosen before they are used")
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
        &self.chosen().choice
    }

    /// The structure of the mode.
    pub fn structure(&self) -> &Arc<ModeStructure> {
        &self.structure
    }

    /// The states, in the order of the jet. Must be chosen first.
    pub fn states(&self) -> &[QuantityIndex] {
        &self.chosen().states
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
        self.chosen().code.look(|code| (code.instruction_count(), code.iterated_unknowns()))
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
        let before = self.choices.get(self.present).map(|it| it.choice.clone());
        let choice = self.best_choice(time, jet, surroundings);
        if before.as_ref() == Some(&choice) {
            let guesses = self.code_mut().jet_mut().iter_mut().zip(jet);
            guesses.filter(|(_, value)| value.is_finite()).for_each(|(guess, &value)| *guess = value);
            return Ok(StateChoice::Kept);
        }
        match self.choices.iter().position(|known| known.choice == choice) {
            Some(known) => self.present = known,
            None => self.compile(programs.workshop(), choice)?,
        }
        self.choices[self.present].code.with(|code| code.jet_mut().copy_from_slice(jet));
        self.begin_path();
        Ok(StateChoice::Changed)
    }

    /// Whether other states would be much better at a jet: to be asked after steps.
    pub fn needs_new_states(&mut self, time: f64, jet: &[f64], surroundings: &Surroundings) -> bool {
        self.matrix.is_some() && self.best_choice(time, jet, surroundings) != self.choices[self.present].choice
    }

    fn best_choice(&mut self, time: f64, jet: &[f64], surroundings: &Surroundings) -> Choice {
        let present = self.choices.get(self.present).map(|it| &it.choice);
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
        let around = (surroundings, &self.mode);
        let reader = Reader::new(&programs.model().expressions, &self.quantities, around, &literal);
        let mut builder = Builder::new(reader, self.states());
        self.chosen().code.look(|code| code.parts().for_each(|part| builder.add(&part)));
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
        let Program { choices, present, quantities, sizes, mode, .. } = self;
        let result = choices[*present].code.with(|code| {
            code.jet_mut().copy_from_slice(jet);
            code.enter(time, states, surroundings, mode);
            let result = code.run_everything(quantities);
            if result.is_ok() {
                jet.copy_from_slice(code.jet());
                for (place, size) in sizes {
                    *size = size.max(jet[place.index()].abs());
                }
            }
            result
        });
        result.map_err(|failure| self.failure(time, *failure))
    }

    /// What is evaluated from now on need not continue what was evaluated before.
    pub fn begin_path(&mut self) {
        let chosen = self.choices.get_mut(self.present).expect("states are chosen before they are used");
        chosen.code.with(Code::begin_path);
    }

    /// The derivatives of the states. Iterations start from where the last values along the path lead.
    pub fn derivative(
        &mut self,
        time: f64,
        states: &[f64],
        surroundings: &Surroundings,
        derivatives: &mut [f64],
    ) -> Result<(), Box<BlockFailure>> {
        let Program { choices, present, quantities, mode, .. } = self;
        let result = choices[*present].code.with(|code| {
            code.enter(time, states, surroundings, mode);
            code.derivative(quantities, derivatives)
        });
        result.map_err(|failure| self.failure(time, *failure))
    }

    /// Where the Jacobian of the derivatives of the states by the states has entries.
    pub fn jacobian_pattern(&self) -> &Pattern {
        &self.chosen().pattern
    }

    /// The entries of that Jacobian, exact, in the order of its pattern.
    pub fn jacobian(
        &mut self,
        time: f64,
        states: &[f64],
        surroundings: &Surroundings,
        entries: &mut [f64],
    ) -> Result<(), Box<BlockFailure>> {
        let Program { choices, present, quantities, mode, .. } = self;
        let result = choices[*present].code.with(|code| {
            code.enter(time, states, surroundings, mode);
            code.jacobian(quantities, entries)
        });
        result.map_err(|failure| self.failure(time, *failure))
    }

    /// The largest error of a variable, relative to the largest it had or its nominal value, where the states are
    /// wrong by `error`; zero where there are no values to compare.
    pub fn shown_error(&mut self, time: f64, states: &[f64], surroundings: &Surroundings, error: &[f64]) -> f64 {
        let Program { choices, present, quantities, sizes, mode, .. } = self;
        choices[*present].code.with(|code| {
            code.enter(time, states, surroundings, mode);
            if code.run_everything(quantities).is_err() {
                return 0.0;
            }
            let right = code.jet().to_vec();
            let wrong: Vec<f64> = states.iter().zip(error).map(|(state, error)| state + error).collect();
            code.enter(time, &wrong, surroundings, mode);
            let result = code.run_everything(quantities);
            let largest = largest_error(sizes, &right, code.jet());
            code.jet_mut().copy_from_slice(&right);
            if result.is_ok() { largest } else { 0.0 }
        })
    }

    /// The largest error of a variable in a jet, relative to the largest it had or its nominal value; not a number where
    /// one is.
    pub fn largest_error(&self, right: &[f64], wrong: &[f64]) -> f64 {
        largest_error(&self.sizes, right, wrong)
    }

    /// Makes machine code now, of all that the derivatives of states and their Jacobian need, instead of when it pays.
    pub fn make_machine_code(&self) {
        self.chosen().code.look(Code::make_machine_code);
    }

    fn failure(&self, time: f64, failure: CodeFailure) -> Box<BlockFailure> {
        let CodeFailure { equations, unknowns, reason } = failure;
        Box::new(BlockFailure { time, mode: self.mode.clone(), equations, unknowns, reason })
    }
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
