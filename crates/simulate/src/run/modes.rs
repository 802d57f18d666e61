//! The modes that a run has visited: structure, program and equations of each, made on the first visit.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use modeshift_dae::{MultimodeDae, VariableId};
use modeshift_mode_changes::{ModeEquations, ModeStructure};
use modeshift_numerics::{Input, NativeFunctions, Pattern};
use modeshift_structure::signature_in;
use rustc_hash::FxHashMap;

use crate::integrate::{EvaluationFailed, Ode, Problem};
use crate::program::{NotBuilt, Program, Programs, Quantities, StateChoice, Surroundings};

/// A mode that was visited.
pub(super) struct Mode<'a> {
    /// The values of the mode variables.
    pub values: Vec<bool>,
    pub structure: Arc<ModeStructure>,
    pub quantities: Quantities,
    pub program: Rc<RefCell<Program>>,
    pub equations: ModeEquations<'a>,
    /// The integration problem for the present choice of states.
    pub problem: RefCell<Option<Rc<Problem<ModeOde>>>>,
}

impl Mode<'_> {
    /// Chooses states that are good at these values; integration begins anew where they are others than before.
    pub fn choose_states(
        &self,
        programs: &mut Programs<'_>,
        time: f64,
        jet: &[f64],
        surroundings: &Surroundings,
    ) -> Result<(), NotBuilt> {
        let choice = self.program.borrow_mut().choose_states(programs, time, jet, surroundings)?;
        if choice == StateChoice::Changed {
            *self.problem.borrow_mut() = None;
        }
        Ok(())
    }
}

/// Why a mode cannot be entered.
#[derive(Clone, Debug)]
pub(super) enum NoMode {
    /// Its structure is singular.
    Singular(Vec<bool>),
    /// It has no program.
    NotBuilt(NotBuilt),
}

/// The modes by their valuations.
pub(super) struct Modes<'a> {
    pub dae: &'a MultimodeDae,
    pub natives: &'a NativeFunctions,
    pub programs: Programs<'a>,
    parameters: Rc<Vec<Option<f64>>>,
    known: FxHashMap<Vec<bool>, Result<Rc<Mode<'a>>, NoMode>>,
}

impl<'a> Modes<'a> {
    pub fn new(
        dae: &'a MultimodeDae,
        natives: &'a NativeFunctions,
        parameters: Rc<Vec<Option<f64>>>,
        nominal: impl Fn(VariableId) -> Option<f64>,
    ) -> Self {
        let parameter = |id: VariableId| parameters.get(id.0 as usize).copied().flatten();
        let programs = Programs::new(dae, natives, parameter, nominal);
        Modes { dae, natives, programs, known: FxHashMap::default(), parameters }
    }

    /// The mode with these values.
    pub fn get(&mut self, values: &[bool]) -> Result<Rc<Mode<'a>>, NoMode> {
        if let Some(known) = self.known.get(values) {
            return known.clone();
        }
        let made = self.make(values);
        self.known.insert(values.to_vec(), made.clone());
        made
    }

    fn make(&mut self, values: &[bool]) -> Result<Rc<Mode<'a>>, NoMode> {
        let signature = signature_in(self.dae, |id| values[id.0 as usize]);
        let structure = ModeStructure::of_signature(&signature).map_err(|_| NoMode::Singular(values.to_vec()))?;
        let structure = Arc::new(structure);
        let program = self.programs.program(structure.clone(), |id| values[id.0 as usize]).map_err(NoMode::NotBuilt)?;
        let (mode, parameters) = (values.to_vec(), self.parameters.clone());
        let constants = move |input: Input| match input {
            Input::Mode(id) => Some(f64::from(u8::from(mode[id.0 as usize]))),
            Input::Variable(id, 0) => parameters.get(id.0 as usize).copied().flatten(),
            Input::Homotopy => Some(1.0),
            _ => None,
        };
        Ok(Rc::new(Mode {
            values: values.to_vec(),
            equations: ModeEquations::new(&self.dae.model, self.natives, &structure, constants),
            structure,
            quantities: program.quantities().clone(),
            program: Rc::new(RefCell::new(program)),
            problem: RefCell::new(None),
        }))
    }
}

/// A mode as a system of ordinary differential equations, within its surroundings.
pub(super) struct ModeOde {
    program: Rc<RefCell<Program>>,
    surroundings: Rc<RefCell<Surroundings>>,
    pattern: Pattern,
    size: usize,
}

impl ModeOde {
    /// The mode with the states that are chosen now.
    pub fn new(program: Rc<RefCell<Program>>, surroundings: Rc<RefCell<Surroundings>>) -> Self {
        let (pattern, size) = {
            let program = program.borrow();
            (program.jacobian_pattern().clone(), program.states().len())
        };
        ModeOde { program, surroundings, pattern, size }
    }
}

impl Ode for ModeOde {
    fn size(&self) -> usize {
        self.size
    }

    fn derivative(&mut self, time: f64, state: &[f64], derivative: &mut [f64]) -> Result<(), EvaluationFailed> {
        let result = self.program.borrow_mut().derivative(time, state, &self.surroundings.borrow(), derivative);
        result.map_err(EvaluationFailed::from)
    }

    fn jacobian_pattern(&self) -> Option<&Pattern> {
        Some(&self.pattern)
    }

    fn jacobian(&mut self, time: f64, state: &[f64], entries: &mut [f64]) -> Result<(), EvaluationFailed> {
        let result = self.program.borrow_mut().jacobian(time, state, &self.surroundings.borrow(), entries);
        result.map_err(EvaluationFailed::from)
    }

    fn shown_error(&mut self, time: f64, state: &[f64], error: &[f64]) -> f64 {
        self.program.borrow_mut().shown_error(time, state, &self.surroundings.borrow(), error)
    }
}
