//! The modes that a run has visited, each with its structure and its compiled equations, kept for the next visit.

use std::rc::Rc;

use modeshift_dae::{FlatModel, Id, ModeVariableId, VariableId};
use modeshift_numerics::{Input, NativeFunctions};
use modeshift_structure::ModeSignature;
use modeshift_structure::single_mode::Parts;
use rustc_hash::FxHashMap;

use crate::equation_tapes::EquationTapes;
use crate::mode_equations::ModeEquations;
use crate::mode_structure::ModeStructure;

/// A mode of a model: the value of each mode variable.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ModeValues(pub Vec<bool>);

impl ModeValues {
    /// The value of a mode variable.
    pub fn get(&self, mode: ModeVariableId) -> bool {
        self.0[mode.index()]
    }

    /// Sets the value of a mode variable.
    pub fn set(&mut self, mode: ModeVariableId, value: bool) {
        self.0[mode.index()] = value;
    }

    /// Mode variables that have another value in another mode.
    pub fn differing<'a>(&'a self, other: &'a ModeValues) -> impl Iterator<Item = ModeVariableId> + 'a {
        let pairs = self.0.iter().zip(&other.0).enumerate();
        pairs.filter(|(_, (a, b))| a != b).map(|(index, _)| ModeVariableId::from_index(index))
    }
}

/// A structurally regular mode that was visited, or tried.
pub struct VisitedMode<'a> {
    /// The mode.
    pub values: ModeValues,
    /// Its structure.
    pub structure: ModeStructure,
    /// Its equations, compiled on first use; parameters and the mode are constants in them.
    pub equations: ModeEquations<'a>,
}

/// Where an instant finds the modes it tries. A run that keeps more with a mode than [`VisitedMode`] implements this
/// on its own store; [`VisitedModes`] is the plain one.
pub trait ModeSource<'a> {
    /// The mode with these values, or what is over- and underdetermined in it if it is structurally singular.
    fn mode(&mut self, values: &ModeValues) -> Result<Rc<VisitedMode<'a>>, Parts>;
}

type Signatures<'a> = Box<dyn Fn(&ModeValues) -> ModeSignature + 'a>;
type ParameterValues<'a> = Rc<dyn Fn(VariableId) -> Option<f64> + 'a>;

/// All modes visited so far.
pub struct VisitedModes<'a> {
    model: &'a FlatModel,
    natives: &'a NativeFunctions,
    signature: Signatures<'a>,
    parameters: ParameterValues<'a>,
    visited: FxHashMap<ModeValues, Result<Rc<VisitedMode<'a>>, Parts>>,
    tapes: Rc<EquationTapes>,
    /// The mode that was asked for last: the next one will be like it.
    last: Option<Rc<VisitedMode<'a>>>,
}

impl<'a> VisitedModes<'a> {
    /// None yet. `signature` reads the signature matrix of a mode (usually `Analysis::signature`), `parameters` gives
    /// the values of parameters and constants.
    pub fn new(
        model: &'a FlatModel,
        natives: &'a NativeFunctions,
        signature: impl Fn(&ModeValues) -> ModeSignature + 'a,
        parameters: impl Fn(VariableId) -> Option<f64> + 'a,
    ) -> Self {
        let (signature, parameters) = (Box::new(signature), Rc::new(parameters));
        let (visited, tapes) = (FxHashMap::default(), Rc::default());
        VisitedModes { model, natives, signature, parameters, visited, tapes, last: None }
    }

    fn build(&self, values: &ModeValues) -> Result<Rc<VisitedMode<'a>>, Parts> {
        let signature = (self.signature)(values);
        let structure = match &self.last {
            Some(last) => ModeStructure::of_signature_near(&signature, &last.structure)?,
            None => ModeStructure::of_signature(&signature)?,
        };
        let (modes, parameters) = (values.clone(), Rc::clone(&self.parameters));
        let constants = move |input: Input| match input {
            Input::Mode(mode) => Some(f64::from(u8::from(modes.get(mode)))),
            Input::Variable(variable, 0) => parameters(variable),
            _ => None,
        };
        let tapes = Rc::clone(&self.tapes);
        let equations = ModeEquations::sharing(tapes, self.model, self.natives, &structure, constants);
        Ok(Rc::new(VisitedMode { values: values.clone(), structure, equations }))
    }
}

impl<'a> ModeSource<'a> for VisitedModes<'a> {
    fn mode(&mut self, values: &ModeValues) -> Result<Rc<VisitedMode<'a>>, Parts> {
        let mode = match self.visited.get(values) {
            Some(known) => known.clone(),
            None => self.build(values),
        };
        if let Ok(mode) = &mode {
            self.last = Some(Rc::clone(mode));
        }
        self.visited.entry(values.clone()).or_insert_with(|| mode.clone());
        mode
    }
}
