//! The modes that a run has visited: structure, program and equations of each, made on the first visit.

use std::cell::{OnceCell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

use modeshift_dae::{Derivative, EquationId, Id, IndexVec, Mode, MultimodeDae, Node, VariableId};
use modeshift_mode_changes::{EquationTapes, ModeEquations};
use modeshift_numerics::{Input, Pattern};
use modeshift_structure::one_mode::{
    Column, Entry, Existence, ModeSignature, ModeStructure, NoPins, Parts, SigmaSolution, is_alike, signature_in,
};
use rustc_hash::FxHashMap;

use crate::integrate::{EvaluationFailed, Field, Flow, Handed, Ode, Problem};
use crate::program::{Near, NotBuilt, Program, Programs, Quantities, StateChoice, Surroundings};
use crate::results::{CostMeter, CostPart};
use crate::run::exact_modes::KnownAffine;
use crate::run::instant::judgement::shortly_after::Ahead;
use crate::run::mode_cache::ModeCache;
use crate::run::pinned_modes::{Linearized, ModePins};
use crate::run::prepare::Prepared;
use crate::run::running_sizes::Ingredients;
use crate::run::sliding::ode::SlidingOde;
use crate::run::values::Side;

/// A mode that was visited.
pub(crate) struct VisitedMode<'a> {
    /// The values of the mode variables.
    pub values: Mode,
    pub structure: Arc<ModeStructure>,
    pub quantities: Quantities,
    pub program: Rc<RefCell<Program>>,
    pub equations: ModeEquations<'a>,
    /// What makes it regular, if it is not.
    pub pins: Option<ModePins>,
    /// What guards are made of there, as far as it was asked for.
    pub ingredients: Ingredients,
    /// What integration problems of modes with the same Jacobian pattern hand on to each other, where states are not chosen.
    pub handed: Handed,
    /// The integration problem for the present choice of states.
    pub problem: RefCell<Option<Rc<Problem<ModeOde<'a>>>>>,
    /// The mode as an affine system, for the present choice of states, where that was asked for.
    pub affine: RefCell<Option<KnownAffine>>,
    /// The same to look ahead at events.
    pub ahead: RefCell<Option<Ahead>>,
    /// Why its slopes have no values, whatever the states are, where that was found.
    pub has_no_slopes: OnceCell<String>,
    /// Whether it is what was before the start, which has no equations.
    pub is_before_start: bool,
}

impl VisitedMode<'_> {
    /// Whether a variable that exists is no quantity, since it is pinned to zero.
    pub fn is_pinned(&self, variable: VariableId) -> bool {
        self.pins.as_ref().is_some_and(|pins| pins.pinned.contains(&variable))
    }

    /// How many quantities it leaves free.
    pub fn pin_count(&self) -> usize {
        self.pins.as_ref().map_or(0, |pins| pins.pinned.len())
    }

    /// Whether other states can become better while the mode lasts.
    pub fn has_choice(&self) -> bool {
        self.program.borrow().has_choice()
    }

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
            *self.affine.borrow_mut() = None;
        }
        Ok(())
    }
}

/// A mode whose structure is singular.
#[derive(Clone, Debug)]
pub(crate) struct Singular {
    pub mode: Mode,
    /// The equations of its over- and underdetermined parts, after Dulmage and Mendelsohn.
    pub equations: Rc<[EquationId]>,
    /// Why it has no pins.
    pub reason: NoPins,
}

impl Singular {
    fn of(mode: &Mode, signature: &ModeSignature, parts: &Parts, reason: NoPins) -> Self {
        let numbers = parts.overdetermined_equations.iter().chain(&parts.underdetermined_equations);
        let equations = numbers.map(|&number| signature.equations[number as usize]).collect();
        Singular { mode: mode.clone(), equations, reason }
    }
}

/// Why a mode cannot be entered.
#[derive(Clone, Debug)]
pub(crate) enum NoMode {
    /// Its structure is singular.
    Singular(Singular),
    /// It has no program.
    NotBuilt(NotBuilt),
}

/// So many equations of visited modes are kept in all: half a gigabyte, where modes are solved exactly (800 bytes an equation in modes of
/// a hundred). A run through ever new modes, as of a hundred thermostats, does not grow beyond.
const MOST_EQUATIONS: usize = 500_000;
/// And so many of those of one island, which are asked for where all islands together find no mode.
const MOST_EQUATIONS_OF_ISLAND: usize = 40_000;

/// The modes by their valuations, and the surroundings that their programs share.
pub(crate) struct VisitedModes<'a> {
    prepared: &'a Prepared,
    pub programs: Programs<'a>,
    /// What is constant until the next event.
    pub surroundings: Rc<RefCell<Surroundings>>,
    /// What the present event costs.
    pub meter: CostMeter,
    tapes: Arc<EquationTapes>,
    known: ModeCache<Result<Rc<VisitedMode<'a>>, NoMode>>,
    /// The same of islands alone.
    of_islands: FxHashMap<usize, ModeCache<Result<Rc<VisitedMode<'a>>, NoMode>>>,
    /// Modes that exist for an instant only, by the laws that complete them.
    completed: FxHashMap<(Mode, Vec<EquationId>), Result<Rc<VisitedMode<'a>>, NoMode>>,
    /// The mode that was asked for last: the next one will be like it.
    last: Option<Rc<VisitedMode<'a>>>,
    /// Which mode variables decide whether equations hold and variables exist.
    existence: OnceCell<Existence>,
}

impl<'a> VisitedModes<'a> {
    /// None yet.
    pub fn new(prepared: &'a Prepared) -> Self {
        let Prepared { dae, natives, constants, .. } = prepared;
        VisitedModes {
            prepared,
            programs: Programs::new(
                dae,
                natives,
                |id| constants.parameter(id),
                |id: VariableId| constants.nominal.get(id.index()).copied(),
            ),
            surroundings: Rc::new(RefCell::new(Surroundings::new(&dae.model))),
            meter: CostMeter::new(),
            tapes: Arc::default(),
            known: ModeCache::up_to(MOST_EQUATIONS),
            of_islands: FxHashMap::default(),
            completed: FxHashMap::default(),
            last: None,
            existence: OnceCell::new(),
        }
    }

    /// What is before the start: a mode in which nothing holds, whose states are these derivatives' lower ones.
    pub fn before_start(&mut self, values: &Mode, states: &[Derivative<VariableId>]) -> Rc<VisitedMode<'a>> {
        let Prepared { dae, natives, .. } = self.prepared;
        let first = dae.model.equations.len();
        let structure = ModeStructure::new(SigmaSolution {
            // Equations that are none of the model.
            equations: (0..states.len()).map(|at| EquationId::from_index(first + at)).collect(),
            variables: states.iter().map(|state| state.of).collect(),
            incidence: (0..).zip(states).map(|(at, it)| vec![Entry { column: Column(at), order: it.order }]).collect(),
            equation_offsets: states.iter().map(|_| 0).collect(),
            variable_offsets: states.iter().map(|state| state.order).collect(),
            matching: (0..states.len()).map(Column::from_index).collect(),
        });
        let nothing = Arc::new(ModeStructure::new(SigmaSolution {
            equations: IndexVec::new(),
            variables: IndexVec::new(),
            incidence: IndexVec::new(),
            equation_offsets: IndexVec::new(),
            variable_offsets: IndexVec::new(),
            matching: IndexVec::new(),
        }));
        let program = self.programs.program(nothing.clone(), |id| values[id]);
        let program = program.unwrap_or_else(|_| unreachable!("a program without equations can be made"));
        Rc::new(VisitedMode {
            values: values.clone(),
            quantities: Quantities::new(&structure, dae.model.variables.len()),
            structure: Arc::new(structure),
            program: Rc::new(RefCell::new(program)),
            equations: ModeEquations::new(&dae.model, natives, &nothing, |_| None),
            pins: None,
            ingredients: Ingredients::default(),
            handed: Handed::default(),
            problem: RefCell::new(None),
            affine: RefCell::new(None),
            ahead: RefCell::new(None),
            has_no_slopes: OnceCell::new(),
            is_before_start: true,
        })
    }

    /// Tells the surroundings of programs what the discrete values are.
    pub fn surround(&self, side: &Side<'_>) {
        let Prepared { felt, .. } = self.prepared;
        let mut surroundings = self.surroundings.borrow_mut();
        for &id in &felt.variables {
            surroundings.set_variable(id, side.discrete[id]);
        }
        for &Derivative { of, order } in &felt.left_limits {
            surroundings.set_left(of, order, side.value(of, order));
        }
    }

    /// The mode with these values; where an island is given, its equations and variables alone. Where it is singular and its
    /// coefficients are not constant, `point` gives everything a value.
    pub fn get(
        &mut self,
        values: &Mode,
        island: Option<usize>,
        point: &dyn Fn(Input) -> f64,
    ) -> Result<Rc<VisitedMode<'a>>, NoMode> {
        let known = self.known_of(island).get(values).filter(|known| match known {
            Ok(mode) => mode.pins.as_ref().is_none_or(|pins| pins.are_for(values, point)),
            Err(_) => true,
        });
        let mode = match known {
            Some(known) => known,
            None => {
                self.meter.count_new_mode();
                let made = self.make(values, island, point);
                self.remember(values, island, &made);
                made
            }
        };
        if let (Ok(mode), None) = (&mode, island) {
            self.last = Some(mode.clone());
        }
        mode
    }

    fn known_of(&mut self, island: Option<usize>) -> &mut ModeCache<Result<Rc<VisitedMode<'a>>, NoMode>> {
        match island {
            None => &mut self.known,
            Some(island) => self.of_islands.entry(island).or_insert_with(|| ModeCache::up_to(MOST_EQUATIONS_OF_ISLAND)),
        }
    }

    /// Which variables the equations of a mode contain, or those of an island.
    fn signature(&self, values: &Mode, island: Option<usize>) -> ModeSignature {
        let all = signature_in(&self.prepared.dae, |id| values[id]);
        let Some(island) = island else { return all };
        let islands = &self.prepared.discrete.islands;
        let number = |(number, _): (usize, bool)| number as u32;
        let equations = all.equations.iter().map(|&id| islands.has_equation(island, id)).enumerate();
        let variables = all.variables.iter().map(|&id| islands.has_variable(island, id)).enumerate();
        let other_equations: Vec<u32> = equations.filter(|it| !it.1).map(number).collect();
        let other_variables: Vec<u32> = variables.filter(|it| !it.1).map(number).collect();
        all.without(&other_equations, &other_variables)
    }

    /// A mode that is none, completed by laws of a `when`, for an instant. A variable that neither they nor an equation contains
    /// does not take part in it; what comes after reads the value that it had.
    pub fn completed(&mut self, values: &Mode, laws: &[EquationId]) -> Result<Rc<VisitedMode<'a>>, NoMode> {
        let key = (values.clone(), laws.to_vec());
        if let Some(known) = self.completed.get(&key) {
            return known.clone();
        }
        self.meter.count_new_mode();
        let mut signature = signature_in(&self.prepared.dae, |id| values[id]);
        for &law in laws {
            let entries = law_entries(&self.prepared.dae, &signature, law);
            signature.signature.push(entries);
            signature.equations.push(law);
        }
        let signature = signature.without_idle_variables();
        let made = match self.structure_of(&signature) {
            Ok(structure) => self.made_of(values, Arc::new(structure), None),
            Err(parts) => Err(NoMode::Singular(Singular::of(values, &signature, &parts, NoPins::Wrong))),
        };
        self.completed.insert(key, made.clone());
        made
    }

    /// A mode that is regular by its structure, but not by its numbers, with pins; why it cannot have any.
    pub fn pinned(
        &mut self,
        values: &Mode,
        island: Option<usize>,
        point: &dyn Fn(Input) -> f64,
    ) -> Result<Rc<VisitedMode<'a>>, NoMode> {
        let signature = self.signature(values, island);
        let made = self.made_with_pins(values, &signature, None, point);
        if made.is_ok() {
            self.remember(values, island, &made);
        }
        made
    }

    fn remember(&mut self, values: &Mode, island: Option<usize>, made: &Result<Rc<VisitedMode<'a>>, NoMode>) {
        let size = made.as_ref().map_or(1, |mode| mode.structure.size());
        self.known_of(island).replace(values, made.clone(), size);
    }

    fn make(
        &mut self,
        values: &Mode,
        island: Option<usize>,
        point: &dyn Fn(Input) -> f64,
    ) -> Result<Rc<VisitedMode<'a>>, NoMode> {
        if let Some(last) = self.last.clone().filter(|last| island.is_none() && last.pins.is_none())
            && let Some(changed) = self.changed_where_alike(&last, values)
        {
            return self.made_from(&last, values, &changed);
        }
        self.meter.count_structure();
        let signature = self.signature(values, island);
        match self.structure_of(&signature) {
            Ok(structure) => self.made_of(values, Arc::new(structure), None),
            Err(parts) => self.made_with_pins(values, &signature, Some(&parts), point),
        }
    }

    /// The equations that take another form in a mode than in another one, where their structures are the same.
    fn changed_where_alike(&self, last: &VisitedMode<'a>, values: &Mode) -> Option<Vec<EquationId>> {
        let Prepared { dae, forms, .. } = self.prepared;
        let changed = forms.changed(dae, &last.values, values, &[]);
        let existence = self.existence.get_or_init(|| Existence::new(dae));
        let is_alike = is_alike(dae, existence, (&last.values, &last.structure), values, &changed);
        debug_assert!(
            !is_alike || last.structure.is_of(&signature_in(dae, |id| values[id])),
            "the same signature matrix"
        );
        is_alike.then_some(changed)
    }

    /// A mode with the structure of another one. Its program is made from that of the other where what has changed is computed in the
    /// same way.
    fn made_from(
        &mut self,
        last: &VisitedMode<'a>,
        values: &Mode,
        changed: &[EquationId],
    ) -> Result<Rc<VisitedMode<'a>>, NoMode> {
        self.meter.done(CostPart::Structure);
        let near = self.programs.program_near(&last.program.borrow(), values, changed).map_err(NoMode::NotBuilt)?;
        let Some(Near { program, is_shifted, compiled }) = near else {
            return self.made_of(values, last.structure.clone(), None);
        };
        self.meter.count_formulas(compiled);
        let handed = if is_shifted { last.handed.clone() } else { last.handed.with_other_slopes() };
        Ok(self.visited(values, last.structure.clone(), program, handed, None))
    }

    fn structure_of(&self, signature: &ModeSignature) -> Result<ModeStructure, Parts> {
        match &self.last {
            Some(last) => ModeStructure::of_signature_near(signature, &last.structure),
            None => ModeStructure::of_signature(signature),
        }
    }

    fn made_with_pins(
        &mut self,
        values: &Mode,
        signature: &ModeSignature,
        parts: Option<&Parts>,
        point: &dyn Fn(Input) -> f64,
    ) -> Result<Rc<VisitedMode<'a>>, NoMode> {
        let nothing = Parts::default();
        let singular =
            |reason: NoPins| NoMode::Singular(Singular::of(values, signature, parts.unwrap_or(&nothing), reason));
        let Prepared { dae, natives, .. } = self.prepared;
        let constants = self.constants_in(values);
        let (tapes, prepared) = (self.tapes.clone(), self.prepared);
        let tape = |equation: EquationId| tapes.of(&dae.model, natives, equation, &constants);
        let linearized = Linearized { prepared, tape: &tape, point };
        let (pins, rest) = linearized.pins(signature, values, parts).map_err(singular)?;
        let structure = self.structure_of(&rest).map_err(|_| singular(NoPins::Wrong))?;
        let mut surroundings = self.surroundings.borrow_mut();
        for &id in &pins.pinned {
            // Equations are differentiated at most so often.
            for order in 0..=structure.highest_offset() + 1 {
                surroundings.set(Input::Variable(id, order), 0.0);
            }
        }
        drop(surroundings);
        self.made_of(values, Arc::new(structure), Some(pins))
    }

    /// What is constant in a mode.
    fn constants_in(&self, values: &Mode) -> impl Fn(Input) -> Option<f64> + Send + Sync + use<'a> {
        let (mode, parameters) = (values.clone(), self.prepared.constants.parameters.clone());
        move |input: Input| match input {
            Input::Mode(id) => Some(f64::from(u8::from(mode[id]))),
            Input::Variable(id, 0) => parameters.get(id.0 as usize).copied().flatten(),
            Input::Homotopy => Some(1.0),
            _ => None,
        }
    }

    fn made_of(
        &mut self,
        values: &Mode,
        structure: Arc<ModeStructure>,
        pins: Option<ModePins>,
    ) -> Result<Rc<VisitedMode<'a>>, NoMode> {
        self.meter.done(CostPart::Structure);
        let program = self.programs.program(structure.clone(), |id| values[id]).map_err(NoMode::NotBuilt)?;
        self.meter.count_formulas(program.formula_count());
        Ok(self.visited(values, structure, program, Handed::default(), pins))
    }

    fn visited(
        &mut self,
        values: &Mode,
        structure: Arc<ModeStructure>,
        program: Program,
        handed: Handed,
        pins: Option<ModePins>,
    ) -> Rc<VisitedMode<'a>> {
        let constants = self.constants_in(values);
        let (tapes, prepared) = (self.tapes.clone(), self.prepared);
        let made = Rc::new(VisitedMode {
            values: values.clone(),
            equations: ModeEquations::sharing(tapes, &prepared.dae.model, &prepared.natives, &structure, constants),
            structure,
            quantities: program.quantities().clone(),
            program: Rc::new(RefCell::new(program)),
            pins,
            ingredients: Ingredients::default(),
            handed,
            problem: RefCell::new(None),
            affine: RefCell::new(None),
            ahead: RefCell::new(None),
            has_no_slopes: OnceCell::new(),
            is_before_start: false,
        });
        self.meter.done(CostPart::Program);
        made
    }
}

/// The variables of a law outside left limits, each with its highest derivative, by the columns of a mode.
fn law_entries(dae: &MultimodeDae, mode: &ModeSignature, law: EquationId) -> Vec<(u32, u32)> {
    let mut entries: BTreeMap<u32, u32> = BTreeMap::new();
    let equation = &dae.model.equations[law];
    for side in [equation.left, equation.right] {
        dae.model.expressions.for_each(side, |_, node| {
            if let Node::Variable(variable, order) = node
                && let Ok(column) = mode.variables.binary_search(&variable)
            {
                let highest = entries.entry(column as u32).or_default();
                *highest = order.max(*highest);
            }
            !matches!(node, Node::Pre(_))
        });
    }
    entries.into_iter().collect()
}

/// What a phase integrates.
pub(crate) enum ModeOde<'a> {
    /// A mode within its surroundings.
    Mode(LongMode),
    /// A sliding mode.
    Sliding(SlidingOde<'a>),
}

/// A mode as a system of ordinary differential equations, within its surroundings.
pub(crate) struct LongMode {
    program: Rc<RefCell<Program>>,
    surroundings: Rc<RefCell<Surroundings>>,
    pattern: Arc<Pattern>,
    size: usize,
    /// The mode as an affine system, where it is to be solved exactly.
    exact: Option<(Arc<Field>, Vec<Input>)>,
}

impl ModeOde<'_> {
    /// From now on it is solved exactly, or not.
    pub fn set_exact(&mut self, exact: Option<(Arc<Field>, Vec<Input>)>) {
        if let ModeOde::Mode(mode) = self {
            mode.exact = exact;
        }
    }

    /// The mode with the states that are chosen now.
    pub fn new(program: Rc<RefCell<Program>>, surroundings: Rc<RefCell<Surroundings>>) -> Self {
        let (pattern, size) = {
            let program = program.borrow();
            (program.jacobian_pattern().clone(), program.states().len())
        };
        ModeOde::Mode(LongMode { program, surroundings, pattern, size, exact: None })
    }
}

impl Ode for ModeOde<'_> {
    fn size(&self) -> usize {
        match self {
            ModeOde::Mode(mode) => mode.size,
            ModeOde::Sliding(sliding) => sliding.size(),
        }
    }

    fn derivative(&mut self, time: f64, state: &[f64], derivative: &mut [f64]) -> Result<(), EvaluationFailed> {
        match self {
            ModeOde::Mode(LongMode { program, surroundings, .. }) => {
                let result = program.borrow_mut().derivative(time, state, &surroundings.borrow(), derivative);
                result.map_err(EvaluationFailed::from)
            }
            ModeOde::Sliding(sliding) => sliding.derivative(time, state, derivative),
        }
    }

    fn jacobian_pattern(&self) -> Option<&Pattern> {
        match self {
            ModeOde::Mode(mode) => Some(&mode.pattern),
            ModeOde::Sliding(sliding) => sliding.jacobian_pattern(),
        }
    }

    fn jacobian(&mut self, time: f64, state: &[f64], entries: &mut [f64]) -> Result<(), EvaluationFailed> {
        match self {
            ModeOde::Mode(LongMode { program, surroundings, .. }) => {
                let result = program.borrow_mut().jacobian(time, state, &surroundings.borrow(), entries);
                result.map_err(EvaluationFailed::from)
            }
            ModeOde::Sliding(sliding) => sliding.jacobian(time, state, entries),
        }
    }

    fn flow(&mut self) -> Option<Flow> {
        let ModeOde::Mode(LongMode { surroundings, exact: Some((field, inputs)), .. }) = self else { return None };
        let surroundings = surroundings.borrow();
        Some(Flow { field: field.clone(), inputs: inputs.iter().map(|&it| surroundings.value(it)).collect() })
    }

    fn begin(&mut self) {
        if let ModeOde::Mode(mode) = self {
            mode.program.borrow_mut().begin_path();
        }
    }

    fn shown_error(&mut self, time: f64, state: &[f64], error: &[f64]) -> f64 {
        match self {
            ModeOde::Mode(LongMode { program, surroundings, .. }) => {
                program.borrow_mut().shown_error(time, state, &surroundings.borrow(), error)
            }
            ModeOde::Sliding(sliding) => sliding.shown_error(time, state, error),
        }
    }
}
