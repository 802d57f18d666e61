//! From assessed scenarios to a report in words.

use modeshift_dae::{EquationId, MultimodeDae, Type, VariableId};
use modeshift_diagnostics::SourceMap;
use modeshift_modes::{FormulaPrinter, ModeSet, ModeVariable};
use modeshift_simulate::initialization::{AssessedCase, AssessedScenario, InitialState};
use modeshift_structure::initialization::{Conditional, Initialization, Origin};
use modeshift_structure::{Block, BlockId, ConditionalDependencyGraph, Formulas};

use super::report::{CaseReport, ConditionPlace, ConditionReport, InitReport, ScenarioReport, StartReport};
use crate::Analyzed;
use crate::analyze::{BlockReport, at_text};
use crate::json::{ByName, ItemWhen, Version};
use crate::place::Place;

/// More blocks than this are not listed; those of cases with large formulas count several times.
const MOST_BLOCKS: usize = 20_000;
/// An example names at most this many mode variables.
const MOST_EXAMPLE_VALUES: usize = 12;

/// Everything there is to say about the start.
pub fn report(
    analyzed: &Analyzed,
    start: &Initialization,
    assessed: &[AssessedScenario],
    sources: &SourceMap,
) -> InitReport {
    let dae = &analyzed.dae;
    let names = start.mode_names(dae);
    // Where a limit was reached no report is shown.
    let graph = start.graph().ok();
    let printer = printer(dae, start, &names);
    let words = Wording { dae, start, graph: graph.as_ref(), names: &names, printer, sources };
    let mut blocks_left = MOST_BLOCKS;
    InitReport {
        version: Version,
        model: dae.model.name.to_string(),
        at: at_text(dae, &analyzed.analysis, &analyzed.within),
        scenarios: assessed.iter().map(|scenario| words.scenario(scenario, &mut blocks_left)).collect(),
    }
}

/// Prints sets of initial modes, Booleans that are formulas by their names.
pub(super) fn printer<'a>(dae: &MultimodeDae, start: &'a Initialization, names: &'a [String]) -> FormulaPrinter<'a> {
    let mut printer = start.printer(names);
    let mut formulas = Formulas::new(&start.space, &dae.model.expressions);
    for named in &dae.named_formulas {
        if let Some(set) = formulas.modes(named.formula) {
            printer.name_set(named.name.to_string(), set);
        }
    }
    printer
}

struct Wording<'a> {
    dae: &'a MultimodeDae,
    start: &'a Initialization,
    graph: Option<&'a ConditionalDependencyGraph>,
    names: &'a [String],
    printer: FormulaPrinter<'a>,
    sources: &'a SourceMap,
}

impl Wording<'_> {
    fn formula(&self, modes: ModeSet) -> String {
        self.printer.print(self.start.without_scenarios(self.dae, modes)).text
    }

    fn scenario(&self, assessed: &AssessedScenario, blocks_left: &mut usize) -> ScenarioReport {
        let scenario = &assessed.scenario;
        let singular = self.start.space.and(scenario.modes, self.start.singular);
        ScenarioReport {
            name: scenario.name.to_string(),
            declared: scenario.id.is_some(),
            when: self.formula(scenario.modes),
            verdict: if assessed.failed { "inconsistent" } else { assessed.verdict().word() },
            cases: assessed.cases.iter().map(|case| self.case(case, blocks_left)).collect(),
            singular: (!singular.is_empty()).then(|| self.formula(singular)),
            start: assessed.state.as_ref().map(|state| self.state(state)),
        }
    }

    fn case(&self, assessed: &AssessedCase, blocks_left: &mut usize) -> CaseReport {
        let case = &assessed.case;
        let variables = |items: &[Conditional<VariableId>]| -> Vec<ItemWhen> {
            let name = |id: VariableId| self.start.system.incidence.variables()[id].name.to_string();
            items.iter().map(|it| ItemWhen { name: name(it.item), when: self.part(it.modes, case.modes) }).collect()
        };
        let conditions = |items: &[Conditional<EquationId>]| -> Vec<ConditionReport> {
            items.iter().map(|it| self.condition(it.item, self.part(it.modes, case.modes))).collect()
        };
        let (blocks, truncated) = self.blocks(case.modes, blocks_left);
        let (redundant, conflicting) = (conditions(&assessed.redundant), conditions(&assessed.conflicting));
        let conflict: Vec<ConditionReport> =
            assessed.conflict.iter().map(|&equation| self.condition(equation, None)).collect();
        CaseReport {
            conditions: places(redundant.iter().chain(&conflicting).chain(&conflict)),
            when: self.formula(case.modes),
            possible: assessed.possible,
            verdict: case.verdict.word(),
            free: variables(&case.free),
            proposal: variables(&case.proposal),
            redundant,
            conflicting,
            conflict,
            example: self.example(&assessed.example),
            blocks,
            truncated,
        }
    }

    /// The formula of a part of a case; nothing for all of it.
    fn part(&self, modes: ModeSet, case: ModeSet) -> Option<String> {
        (modes != case).then(|| self.formula(modes))
    }

    fn condition(&self, equation: EquationId, when: Option<String>) -> ConditionReport {
        let system = &self.start.system;
        ConditionReport {
            text: system.incidence.equations()[equation].name.to_string(),
            kind: match system.origins[equation] {
                Origin::Start(_) => "start",
                Origin::Equation(_) => "initial equation",
                Origin::Model(_) | Origin::Binding(_) => "equation",
            },
            place: Place::of(system.span(equation), self.sources),
            when,
        }
    }

    fn example(&self, values: &[(ModeVariable, bool)]) -> String {
        let modes = values.iter().filter(|(variable, _)| (variable.0 as usize) < self.dae.mode_variables.len());
        let shown = modes.clone().take(MOST_EXAMPLE_VALUES);
        let mut texts: Vec<String> =
            shown.map(|(variable, value)| format!("{} = {value}", self.names[variable.0 as usize])).collect();
        let more = modes.count().saturating_sub(MOST_EXAMPLE_VALUES);
        if more > 0 {
            texts.push(format!("and {more} more"));
        }
        if texts.is_empty() { "any mode".to_string() } else { texts.join(", ") }
    }

    /// The blocks of a case in order, and whether some were left out.
    fn blocks(&self, case: ModeSet, left: &mut usize) -> (Vec<BlockReport>, bool) {
        let Some(graph) = self.graph else { return (Vec::new(), true) };
        let space = &self.start.space;
        // A case that takes much of the model to describe is compared with blocks at that price.
        let work = graph.block_count().saturating_mul(1 + space.size(case) / 16);
        if work > *left {
            return (Vec::new(), true);
        }
        *left -= work;
        let there = graph.blocks().filter(|(_, block)| space.intersects(block.guard, case));
        (there.map(|(id, block)| self.block(id, block, case)).collect(), graph.is_truncated())
    }

    fn block(&self, id: BlockId, block: Block<'_>, case: ModeSet) -> BlockReport {
        let incidence = &self.start.system.incidence;
        let space = &self.start.space;
        let within = |modes: ModeSet, outer: ModeSet| match space.implies(outer, modes) {
            true => "true".to_string(),
            false => self.formula(space.and(modes, outer)),
        };
        let reads = block.reads.iter().filter(|read| space.intersects(read.modes, case));
        BlockReport {
            id: id.0 as usize,
            when: within(block.guard, case),
            equations: block.equations.iter().map(|it| incidence.equations()[it.of].name.to_string()).collect(),
            reads: reads
                .map(|read| ItemWhen {
                    name: incidence.variables()[read.variable.of].name.to_string(),
                    when: (read.modes != block.guard).then(|| self.formula(read.modes)),
                })
                .collect(),
            writes: block.writes.iter().map(|it| incidence.variables()[it.of].name.to_string()).collect(),
        }
    }

    fn state(&self, state: &InitialState) -> StartReport {
        let modes = self.dae.mode_variables.iter_enumerated();
        let unknown = |id: VariableId| {
            self.dae.model.variables[id].is_unknown() && self.dae.model.variables[id].ty != Type::Boolean
        };
        let found = |id: VariableId| unknown(id) || self.start.system.states[id] == ModeSet::ALL;
        let values = state.values.iter().filter(|(quantity, _)| found(quantity.of));
        StartReport {
            mode: ByName(modes.map(|(id, mode)| (mode.name.to_string(), state.mode.value(id))).collect()),
            values: ByName(
                values
                    .map(|(quantity, &value)| (self.dae.model.name_of_variable(*quantity).to_string(), value))
                    .collect(),
            ),
        }
    }
}

/// In longer lists, repetitions are not looked for: that would take the square of their length.
const MOST_COMPARED: usize = 1000;

/// The places of conditions, each once.
fn places<'a>(conditions: impl Iterator<Item = &'a ConditionReport>) -> Vec<ConditionPlace> {
    let mut places: Vec<ConditionPlace> = Vec::new();
    for condition in conditions {
        let same = |other: &ConditionPlace| other.text == condition.text && other.place == condition.place;
        if places.len() > MOST_COMPARED || !places.iter().any(same) {
            let ConditionReport { text, kind, place, .. } = condition.clone();
            places.push(ConditionPlace { text, kind, place });
        }
    }
    places
}
