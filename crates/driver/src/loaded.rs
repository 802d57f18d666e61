//! A model that is loaded once and run many times, with other values of parameters.
//!
//! What a change of a parameter costs depends on what its value was used for:
//!
//! | the value was used | what is done again |
//! |---|---|
//! | by the equations alone | nothing before the start |
//! | by the analysis, to see whether coefficients cancel | that look; where it sees something else, the analysis |
//! | to build the model: sizes of arrays, branches, constants, modes | everything, as `--set` does |
//!
//! In all cases the run is the one of `simulate --set`, to the last bit.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

pub use modeshift_dae::Type;
use modeshift_dae::{FlatModel, Id as _, MultimodeDae, Node, Variability, Variable, VariableId};
use modeshift_diagnostics::{Diagnostics, SourceMap, Stop, render_all};
use modeshift_flatten::Files;
pub use modeshift_flatten::{Bundle, Recording};
use modeshift_numerics::{NativeFunctions, Parameters};
use modeshift_report::Analyzed;
use modeshift_report::simulate::SimulateReport;
use modeshift_simulate::results::{ColumnKind, ColumnSource, Columns, Observer};
pub use modeshift_simulate::run::{
    Exchange, ExchangeEvent, ExchangePoint, ExchangeShape, ExchangeState, SavedExchange,
};
use modeshift_simulate::run::{RunModel, RunSettings, Simulation, begin_inputs, named_inputs};
use modeshift_structure::{Analysis, numeric_singularities};

use crate::pipeline::{Found, LookedAt, Run, noting, parameter_values};
use crate::question::Question;
use crate::simulate::{RunOptions, Simulated};

/// A model, ready to be run.
pub struct Loaded {
    question: Question,
    files: SharedFiles,
    /// Before equations were combined.
    elaborated: MultimodeDae,
    analyzed: Analyzed,
    /// The values of parameters that it was analyzed with.
    values: Vec<Option<f64>>,
    /// The parameters whose values the analysis asked for.
    looked_at: BTreeSet<VariableId>,
    said: Diagnostics,
    sources: Arc<SourceMap>,
}

/// Why there is no result, with the texts to show it.
#[derive(Debug)]
pub struct Refusal {
    /// What was said.
    pub diagnostics: Diagnostics,
    /// All texts that were read.
    pub sources: SourceMap,
}

impl Refusal {
    /// The message as the command line shows it.
    pub fn text(&self) -> String {
        render_all(&self.diagnostics, &self.sources, false)
    }
}

/// A parameter or constant.
#[derive(Clone, Debug, PartialEq)]
pub struct ParameterInfo {
    /// Its name.
    pub name: String,
    /// Its type.
    pub ty: Type,
    /// Its value, where it is known before the start.
    pub value: Option<f64>,
    /// The unit, where declared.
    pub unit: Option<String>,
    /// The description, where declared.
    pub description: Option<String>,
    /// Whether it is a constant.
    pub is_constant: bool,
    /// Whether the model is loaded anew where it changes.
    pub is_structural: bool,
    /// Whether it follows from other parameters, as long as it is not given itself.
    pub is_dependent: bool,
    /// How many literals its type has, where that is an enumeration.
    pub literals: Option<usize>,
}

/// A variable of results.
#[derive(Clone, Debug, PartialEq)]
pub struct VariableInfo {
    /// Its name; of a mode variable that is a relation, its text.
    pub name: String,
    /// Its type.
    pub ty: Type,
    /// The unit, where declared.
    pub unit: Option<String>,
    /// The description, where declared.
    pub description: Option<String>,
    /// Whether it is a top-level input.
    pub is_input: bool,
    /// Whether it is a top-level output.
    pub is_output: bool,
    /// Whether it changes at events only.
    pub is_discrete: bool,
    /// Whether it is a state or an output: what one wants to see first.
    pub is_prominent: bool,
    /// The start value, where one is declared.
    pub start: Option<f64>,
    /// How many literals its type has, where that is an enumeration.
    pub literals: Option<usize>,
}

/// What a change of parameters costs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Work {
    /// Nothing was changed, or nothing depends on it before the start.
    Nothing,
    /// Whether coefficients cancel was looked at again.
    Look,
    /// The structure was analyzed again.
    Analysis,
    /// The model was loaded again.
    Loading,
}

/// Files that a model is read from, in whichever thread.
pub type SharedFiles = Arc<dyn Files + Send + Sync>;

/// Loads a model for runs.
pub fn load(question: &Question) -> Result<Loaded, Refusal> {
    load_from(question, Arc::new(question.opened.clone()))
}

/// The same, with other files than those of this machine.
pub fn load_from(question: &Question, files: SharedFiles) -> Result<Loaded, Refusal> {
    let mut run = Run::reading(question, files.clone());
    let loaded = run.loaded().and_then(|loaded| run.unmixed().map(|()| loaded));
    let Run { mut library, diagnostics, looked_at, .. } = run;
    let sources = std::mem::take(library.sources_mut());
    match loaded {
        Ok((elaborated, analyzed)) => {
            let values = parameter_values(&elaborated.model);
            let (question, looked_at) = (question.clone(), looked_at.into_inner());
            let (said, sources) = (diagnostics, Arc::new(sources));
            Ok(Loaded { question, files, elaborated, analyzed, values, looked_at, said, sources })
        }
        Err(Stop) => Err(Refusal { diagnostics, sources }),
    }
}

impl Run<'_> {
    fn loaded(&mut self) -> Result<(MultimodeDae, Analyzed), Stop> {
        let elaborated = self.multimode_dae()?;
        let analyzed = self.analyzed_for_runs(elaborated.clone())?;
        Ok((elaborated, analyzed))
    }

    fn analyzed_for_runs(&mut self, dae: MultimodeDae) -> Result<Analyzed, Stop> {
        let analyzed = match self.analyzed_or_swept(dae, Vec::new())? {
            Found::Sets(analyzed) => *analyzed,
            Found::Swept(dae, found) => self.structure_at_start(*dae, *found)?,
        };
        self.runnable(&analyzed)?;
        Ok(analyzed)
    }
}

impl Loaded {
    /// The class.
    pub fn model(&self) -> &FlatModel {
        &self.analyzed.dae.model
    }

    /// What was said while it was loaded.
    pub fn said(&self) -> &Diagnostics {
        &self.said
    }

    /// Diagnostics as the command line shows them.
    pub fn text(&self, diagnostics: &Diagnostics) -> String {
        render_all(diagnostics, &self.sources, false)
    }

    /// The columns of results.
    pub fn columns(&self) -> Columns {
        Columns::of(&self.analyzed.dae, |id| self.values[id.index()])
    }

    /// All parameters and constants, Strings apart.
    pub fn parameters(&self) -> Vec<ParameterInfo> {
        let variables = self.elaborated.model.variables.iter_enumerated();
        let fixed = variables.filter(|(_, it)| it.variability <= Variability::Parameter && it.ty != Type::String);
        let text = |text: &Option<Arc<str>>| text.as_ref().map(|text| text.to_string());
        let info = fixed.map(|(id, it)| ParameterInfo {
            name: it.name.to_string(),
            ty: it.ty,
            value: self.values[id.index()],
            unit: text(&it.unit),
            description: text(&it.description),
            is_constant: it.variability == Variability::Constant,
            is_structural: self.is_structural(id),
            is_dependent: self.is_dependent(it),
            literals: self.literals(it.ty),
        });
        info.collect()
    }

    fn literals(&self, ty: Type) -> Option<usize> {
        match ty {
            Type::Enumeration(of) => Some(self.elaborated.model.enumerations[of].literals.len()),
            _ => None,
        }
    }

    /// Whether a parameter is bound to others.
    fn is_dependent(&self, variable: &Variable) -> bool {
        let model = &self.elaborated.model;
        let is_parameter = |node: Node| match node {
            Node::Variable(of, _) => model.variables[of].variability == Variability::Parameter,
            _ => false,
        };
        variable.binding.is_some_and(|it| model.expressions.contains(it, is_parameter))
    }

    /// A value of this type as [`Loaded::with`] takes it; enumerations count from 1.
    pub fn written(&self, ty: Type, value: f64) -> String {
        match ty {
            Type::Real | Type::String => format!("{value:?}"),
            Type::Integer => format!("{}", value as i64),
            Type::Boolean => (value != 0.0).to_string(),
            Type::Enumeration(id) => {
                let enumeration = &self.elaborated.model.enumerations[id];
                let literal = (value as usize).checked_sub(1).and_then(|at| enumeration.literals.get(at));
                literal.map_or_else(|| format!("{value}"), |it| format!("{}.{it}", enumeration.name))
            }
        }
    }

    /// All variables of results, in their order.
    pub fn variables(&self) -> Vec<VariableInfo> {
        let dae = &self.analyzed.dae;
        let starts = self.starts();
        let info = self.columns().columns.into_iter().map(|column| {
            let id = match column.source {
                ColumnSource::Variable(id) => Some(id),
                ColumnSource::Mode(mode) => dae.mode_variables[mode].variable,
            };
            let declared = id.map(|id| &dae.model.variables[id]);
            VariableInfo {
                name: column.name.to_string(),
                ty: declared.map_or(Type::Boolean, |it| it.ty),
                unit: column.unit.map(|text| text.to_string()),
                description: column.description.map(|text| text.to_string()),
                is_input: declared.is_some_and(|it| it.input),
                is_output: declared.is_some_and(|it| it.output),
                is_discrete: column.kind != ColumnKind::Continuous && !declared.is_some_and(is_signal),
                is_prominent: column.prominent,
                start: id.and_then(|id| starts[id.index()]),
                literals: declared.and_then(|it| self.literals(it.ty)),
            }
        });
        info.collect()
    }

    /// The declared start values of variables.
    fn starts(&self) -> Vec<Option<f64>> {
        let model = &self.analyzed.dae.model;
        let (natives, overrides) = (NativeFunctions::of(model), BTreeMap::new());
        let parameters = Parameters::evaluate(model, &natives, &overrides, &mut Diagnostics::new());
        let Ok(mut parameters) = parameters else { return vec![None; model.variables.len()] };
        model.variables.iter().map(|it| it.start.and_then(|start| parameters.value(start))).collect()
    }

    /// The variables that are true or false.
    pub fn booleans(&self) -> BTreeSet<String> {
        crate::simulate::booleans(&self.elaborated.model)
    }

    /// The texts that were read.
    pub fn sources(&self) -> &Arc<SourceMap> {
        &self.sources
    }

    /// How a run went, for programs.
    pub fn summary(&self, simulated: &Simulated, diagnostics: &Diagnostics) -> SimulateReport {
        simulated.report("", diagnostics, &self.sources)
    }

    /// Whether the model was built with the value of a parameter.
    fn is_structural(&self, id: VariableId) -> bool {
        let variable = &self.elaborated.model.variables[id];
        let is_mode = self.elaborated.mode_variables.iter().any(|mode| mode.variable == Some(id));
        variable.evaluated
            || variable.variability != Variability::Parameter
            || variable.fixed == Some(false)
            || variable.ty == Type::String
            || is_mode
            || self.analyzed.is_of_some_modes()
    }

    /// The model with other values of some parameters, as the user writes them.
    pub fn with(&self, parameters: &[(String, String)]) -> Result<Variant<'_>, Refusal> {
        if parameters.is_empty() {
            return Ok(Variant::new(Of::Same(self), Work::Nothing));
        }
        match self.rebound(parameters) {
            Some(elaborated) => self.changed(parameters, elaborated),
            None => self.anew(parameters),
        }
    }

    fn anew(&self, parameters: &[(String, String)]) -> Result<Variant<'_>, Refusal> {
        let mut question = self.question.clone();
        question.overrides.extend_from_slice(parameters);
        let of = Of::Other(Box::new(load_from(&question, self.files.clone())?));
        Ok(Variant::new(of, Work::Loading))
    }

    /// The parameters that can be bound to other numbers, with these; nothing where the model is built with one of them.
    fn rebound(&self, parameters: &[(String, String)]) -> Option<Vec<(VariableId, Literal)>> {
        let variables = &self.elaborated.model.variables;
        let bound = parameters.iter().map(|(name, text)| {
            let (id, variable) = variables.iter_enumerated().find(|(_, it)| *it.name == **name)?;
            let literal = self.literal(variable.ty, text)?;
            (!self.is_structural(id)).then_some((id, literal))
        });
        bound.collect()
    }

    /// The value that a text is, if it is one that needs no names but those of literals.
    fn literal(&self, ty: Type, text: &str) -> Option<Literal> {
        match ty {
            Type::Real => text.parse().ok().filter(|value: &f64| value.is_finite()).map(Literal::Real),
            Type::Integer => text.parse().ok().map(Literal::Integer),
            Type::Boolean => text.parse().ok().map(Literal::Boolean),
            Type::Enumeration(id) => {
                let enumeration = &self.elaborated.model.enumerations[id];
                let literal = text.strip_prefix(&*enumeration.name)?.strip_prefix('.')?;
                let at = enumeration.literals.iter().position(|it| **it == *literal)?;
                Some(Literal::Integer(at as i64 + 1))
            }
            Type::String => None,
        }
    }

    fn changed(
        &self,
        parameters: &[(String, String)],
        literals: Vec<(VariableId, Literal)>,
    ) -> Result<Variant<'_>, Refusal> {
        let dae = with_literals(self.analyzed.dae.clone(), &literals);
        let values = parameter_values(&dae.model);
        // Numbers that equations were combined with are those of before.
        let is_same = |id: &VariableId| {
            let (one, other) = (self.values.get(id.index()), values.get(id.index()));
            one.copied().flatten().map(f64::to_bits) == other.copied().flatten().map(f64::to_bits)
        };
        if self.looked_at.iter().all(is_same) {
            return Ok(Variant { dae: Some(dae), ..Variant::new(Of::Same(self), Work::Nothing) });
        }
        if self.looks_the_same(&dae, &values) {
            return Ok(Variant { dae: Some(dae), ..Variant::new(Of::Same(self), Work::Look) });
        }
        let mut question = self.question.clone();
        question.overrides.extend_from_slice(parameters);
        let mut run = Run::new(&question);
        let analyzed = run.analyzed_for_runs(with_literals(self.elaborated.clone(), &literals));
        match analyzed {
            Ok(analyzed) => {
                let analyzed = Some(Box::new(analyzed));
                Ok(Variant { analyzed, ..Variant::new(Of::Same(self), Work::Analysis) })
            }
            // Said once more, with all texts.
            Err(Stop) => self.anew(parameters),
        }
    }

    /// Whether no coefficients cancel, and none did before.
    fn looks_the_same(&self, dae: &MultimodeDae, values: &[Option<f64>]) -> bool {
        let Analyzed { analysis, combinations, dependences, not_checked, .. } = &self.analyzed;
        if !(analysis.is_regular() && combinations.is_empty() && dependences.is_empty()) {
            return false;
        }
        let mut model = dae.model.clone();
        let looked_at = LookedAt::default();
        let found = numeric_singularities(&mut model, analysis, &noting(values, &looked_at));
        found.dependences.is_empty() && found.not_checked == *not_checked
    }
}

/// Whether a variable comes from outside and changes as it likes.
fn is_signal(variable: &Variable) -> bool {
    variable.input && variable.variability == Variability::Continuous
}

/// A value that a parameter can be bound to.
#[derive(Clone, Copy)]
enum Literal {
    Real(f64),
    Integer(i64),
    Boolean(bool),
}

fn with_literals(mut dae: MultimodeDae, literals: &[(VariableId, Literal)]) -> MultimodeDae {
    for &(id, literal) in literals {
        let expressions = &mut dae.model.expressions;
        let value = match literal {
            Literal::Real(value) => expressions.real(value),
            Literal::Integer(value) => expressions.integer(value),
            Literal::Boolean(value) => expressions.boolean(value),
        };
        dae.model.variables[id].binding = Some(value);
    }
    dae
}

/// A loaded model with some values of parameters.
pub struct Variant<'a> {
    of: Of<'a>,
    dae: Option<MultimodeDae>,
    analyzed: Option<Box<Analyzed>>,
    work: Work,
    /// Inputs that change at the stop time.
    at_stop: Vec<(VariableId, f64)>,
}

enum Of<'a> {
    Same(&'a Loaded),
    Other(Box<Loaded>),
}

/// What came of a run.
#[derive(Debug)]
pub struct Ran {
    /// How it went, where it could be started.
    pub result: Option<Simulated>,
    /// What was said about it.
    pub diagnostics: Diagnostics,
}

impl<'a> Variant<'a> {
    fn new(of: Of<'a>, work: Work) -> Self {
        Variant { of, dae: None, analyzed: None, work, at_stop: Vec::new() }
    }
}

impl Variant<'_> {
    /// The model that it is one of.
    pub fn loaded(&self) -> &Loaded {
        match &self.of {
            Of::Same(loaded) => loaded,
            Of::Other(loaded) => loaded,
        }
    }

    /// The values of parameters and constants, as far as they are known before the start.
    pub fn values(&self) -> BTreeMap<String, f64> {
        let model = &self.parts().0.model;
        let known = model.variables.iter().zip(parameter_values(model));
        known.filter_map(|(it, value)| Some((it.name.to_string(), value?))).collect()
    }

    /// What the change cost.
    pub fn work(&self) -> Work {
        self.work
    }

    /// The same with inputs that have these values before the start is solved, or why one cannot.
    pub fn begun_with(mut self, inputs: &[(String, f64)]) -> Result<Self, String> {
        if !inputs.is_empty() {
            let mut dae = self.parts().0.clone();
            begin_inputs(&mut dae, inputs)?;
            self.dae = Some(dae);
        }
        Ok(self)
    }

    /// The same with inputs that change to these values at the stop time, or why one cannot.
    pub fn ending_with(mut self, inputs: &[(String, f64)]) -> Result<Self, String> {
        self.at_stop = named_inputs(&self.parts().0.model, inputs)?;
        Ok(self)
    }

    fn analyzed(&self) -> &Analyzed {
        self.analyzed.as_deref().unwrap_or(&self.loaded().analyzed)
    }

    fn parts(&self) -> (&MultimodeDae, &Analysis) {
        let analyzed = self.analyzed();
        (self.dae.as_ref().unwrap_or(&analyzed.dae), &analyzed.analysis)
    }

    /// Runs it.
    pub fn run(&self, options: &RunOptions, observer: &mut dyn Observer) -> Ran {
        let mut run = Run::new(&self.loaded().question);
        let result = self.settings(&mut run, options).and_then(|settings| {
            let simulated = run.run(self.parts(), &settings, observer)?;
            let (dae, looked_at) = (self.parts().0, &self.loaded().looked_at);
            Ok(run.with_sensitivities(simulated, self.analyzed(), dae, looked_at, (&settings, options)))
        });
        Ran { result: result.ok(), diagnostics: run.diagnostics }
    }

    /// The run as an object that is stepped, with an observer that is told rows and events.
    pub fn simulation(
        &self,
        options: &RunOptions,
        observer: Box<dyn Observer + Send>,
    ) -> Result<Simulation, Diagnostics> {
        self.begun(options, |model, settings, said| Simulation::observed(model, settings, observer, said))
    }

    /// Begins a run that others integrate.
    pub fn exchange(&self, options: &RunOptions) -> Result<(Exchange, ExchangeEvent), Diagnostics> {
        self.begun(options, Exchange::begin)
    }

    /// What begins with the settings of a run, or what is wrong with them.
    fn begun<T>(
        &self,
        options: &RunOptions,
        begin: impl FnOnce(&RunModel<'_>, &RunSettings, &mut Diagnostics) -> Option<T>,
    ) -> Result<T, Diagnostics> {
        let mut run = Run::new(&self.loaded().question);
        let begun = self.settings(&mut run, options).and_then(|settings| {
            let (dae, analysis) = self.parts();
            let (natives, overrides) = (NativeFunctions::of(&dae.model), Default::default());
            let model = RunModel { dae, analysis, natives: &natives, overrides: &overrides };
            begin(&model, &settings, &mut run.diagnostics).ok_or(Stop)
        });
        begun.map_err(|Stop| run.diagnostics)
    }

    /// The settings of a run; what is wrong with the wishes is said.
    fn settings(&self, run: &mut Run<'_>, options: &RunOptions) -> Result<RunSettings, Stop> {
        run.check_wanted(self.analyzed(), options)?;
        let settings = run.settings(self.analyzed(), options)?;
        Ok(RunSettings { at_stop: self.at_stop.clone(), ..settings })
    }
}
