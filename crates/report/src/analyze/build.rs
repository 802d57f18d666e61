//! From a structural analysis to its [`AnalyzeReport`].

use modeshift_dae::{EquationId, Id, ModeVariableId, MultimodeDae, VariableId};
use modeshift_diagnostics::{SourceMap, Span};
use modeshift_modes::{Limit, ModeSet};
use modeshift_structure::{
    Analysis, Block, DegreesOfFreedom, Derivative, SingularKind, Singularities, Thermometer, degrees_of_freedom,
    invariant_of, name, structural_index,
};

use super::{AnalyzeReport, BlockReport, Case, DependencyReport, ItemReport, PartReport, SingularReport};
use crate::flat::mode_variable_report;
use crate::json::{ItemWhen, Version};
use crate::place::Place;
use crate::singular::{SingularCase, passing_modes, singular_cases, singular_modes};
use crate::wording::SetTexts;
use crate::wording::{invariant_text, mode_names};

/// What to put into words, and how much of it.
#[derive(Clone, Copy)]
pub struct Scope<'a> {
    /// The model.
    pub dae: &'a MultimodeDae,
    /// Its structure.
    pub analysis: &'a Analysis,
    /// Its singular modes and their kinds.
    pub singularities: &'a Singularities,
    /// Its source, for places.
    pub sources: &'a SourceMap,
    /// The modes that the analysis was restricted to.
    pub within: &'a [(ModeVariableId, bool)],
    /// List at most this many blocks.
    pub most_blocks: usize,
}

/// Puts an analysis into words.
pub fn report(scope: Scope<'_>) -> Result<AnalyzeReport, Limit> {
    let Scope { dae, analysis, singularities, sources, within, .. } = scope;
    let names = mode_names(dae);
    let words = Wording { scope, texts: SetTexts::new(dae, analysis, &names) };
    let space = &analysis.space;
    let graph = &analysis.graph;
    let (degrees_of_freedom, degrees_of_freedom_between) = words.degrees_of_freedom()?;
    let cases = singular_cases(dae, analysis, singularities);
    let singular: Vec<SingularReport> = cases.iter().map(|(kind, case)| words.singular(*kind, case)).collect();
    let transient = words.texts.text(passing_modes(dae, analysis));
    let report = AnalyzeReport {
        version: Version,
        model: dae.model.name.to_string(),
        at: at_text(dae, analysis, within),
        mode_variables: dae.mode_variables.iter().map(|mode| mode_variable_report(dae, mode, sources)).collect(),
        invariant: invariant_text(space, &invariant_of(space, dae, &[]), &names),
        mode_count: analysis.invariant.mode_count(space).to_string(),
        verdict: if singular.is_empty() { "regular" } else { "singular" },
        transient: (transient != "false").then_some(transient),
        singular_when: words.texts.text(singular_modes(dae, analysis, singularities)),
        singular,
        equations: words.equations(),
        variables: words.variables(),
        structural_index: words.index_cases()?,
        degrees_of_freedom,
        degrees_of_freedom_between,
        blocks: graph.blocks().take(scope.most_blocks).map(|(id, block)| words.block(id.index(), block)).collect(),
        block_count: graph.block_count(),
        dependencies: words.dependencies(),
        truncated: graph.is_truncated() || graph.block_count() > scope.most_blocks,
    };
    space.check()?;
    Ok(report)
}

/// Of which modes an analysis is, where it is not of all: those that were asked for, and how much else is assumed.
pub fn at_text(dae: &MultimodeDae, analysis: &Analysis, asked: &[(ModeVariableId, bool)]) -> Option<String> {
    let text = valuation_text(dae, asked);
    match (asked.is_empty(), analysis.within.len() - asked.len()) {
        (true, 0) => None,
        (false, 0) => Some(text),
        (true, others) => Some(format!("{others} mode variables as usual")),
        (false, others) => Some(format!("{text}, {others} others as usual")),
    }
}

/// `bh=true, bl=false`
pub fn valuation_text(dae: &MultimodeDae, values: &[(ModeVariableId, bool)]) -> String {
    let value = |(mode, value): &(ModeVariableId, bool)| format!("{}={value}", dae.mode_variables[*mode].name);
    values.iter().map(value).collect::<Vec<_>>().join(", ")
}

/// Cases, or bounds where they are too many.
type Freedom = (Vec<Case>, Option<(u32, u32)>);

/// What is needed to put things into words.
struct Wording<'a> {
    scope: Scope<'a>,
    texts: SetTexts<'a>,
}

impl Wording<'_> {
    fn place(&self, span: Span) -> Option<Place> {
        Place::of(span, self.scope.sources)
    }

    fn equations(&self) -> Vec<ItemReport> {
        let Scope { dae, analysis, .. } = self.scope;
        let present = analysis.incidence.equations().iter_enumerated().filter(|(_, it)| !it.guard.is_empty());
        let item = |(id, it): (EquationId, &modeshift_structure::Vertex)| ItemReport {
            name: it.name.to_string(),
            when: self.texts.text(it.guard),
            offsets: self.offsets(&analysis.offsets.equations[id], it.guard),
            place: self.place(dae.model.equations[id].span),
        };
        present.map(item).collect()
    }

    fn variables(&self) -> Vec<ItemReport> {
        let Scope { dae, analysis, .. } = self.scope;
        let present = analysis.incidence.variables().iter_enumerated().filter(|(_, it)| !it.guard.is_empty());
        let item = |(id, it): (VariableId, &modeshift_structure::Vertex)| ItemReport {
            name: it.name.to_string(),
            when: self.texts.text(it.guard),
            offsets: self.offsets(&analysis.offsets.variables[id], it.guard),
            place: self.place(dae.model.variables[id].span),
        };
        present.map(item).collect()
    }

    fn offsets(&self, offset: &Thermometer, guard: ModeSet) -> Vec<Case> {
        let cases = offset.cases(&self.scope.analysis.space, guard).into_iter().rev();
        cases.map(|(value, modes)| Case { when: self.texts.text(modes), value: value.into() }).collect()
    }

    /// Cases within the regular modes, elsewhere the number has no meaning; the largest value first.
    fn regular_cases(&self, cases: &[modeshift_structure::Case]) -> Vec<Case> {
        let analysis = self.scope.analysis;
        let singular = analysis.singular_modes();
        let regular = cases.iter().rev().map(|case| (analysis.space.difference(case.modes, singular), case.value));
        let present = regular.filter(|(modes, _)| !modes.is_empty());
        present.map(|(modes, value)| Case { when: self.texts.text(modes), value: value.into() }).collect()
    }

    fn index_cases(&self) -> Result<Vec<Case>, Limit> {
        let analysis = self.scope.analysis;
        let cases = structural_index(&analysis.space, &analysis.incidence, &analysis.offsets)?;
        Ok(self.regular_cases(&cases))
    }

    fn degrees_of_freedom(&self) -> Result<Freedom, Limit> {
        let analysis = self.scope.analysis;
        Ok(match degrees_of_freedom(&analysis.space, &analysis.incidence, &analysis.matching)? {
            DegreesOfFreedom::Cases(cases) => (self.regular_cases(&cases), None),
            DegreesOfFreedom::Between(least, most) => (Vec::new(), Some((least, most))),
        })
    }

    fn singular(&self, kind: SingularKind, case: &SingularCase) -> SingularReport {
        let incidence = &self.scope.analysis.incidence;
        let part = |equations: &[EquationId], variables: &[VariableId]| PartReport {
            equations: equations.iter().map(|id| incidence.equations()[*id].name.to_string()).collect(),
            variables: variables.iter().map(|id| incidence.variables()[*id].name.to_string()).collect(),
        };
        SingularReport {
            when: self.texts.text(case.modes),
            example: self.texts.example(case.modes),
            kind: kind.word(),
            undetermined: self.undetermined(kind, case),
            overdetermined: part(&case.overdetermined_equations, &case.overdetermined_variables),
            underdetermined: part(&case.underdetermined_equations, &case.underdetermined_variables),
            truncated: !case.exact,
        }
    }

    /// The variables that the modes of a case leave open.
    fn undetermined(&self, kind: SingularKind, case: &SingularCase) -> Vec<String> {
        let Scope { dae, analysis, singularities, .. } = self.scope;
        let places = singularities.places.iter().filter(|place| place.kind == kind);
        let open = places.flat_map(|place| &place.undetermined);
        let there = open.filter(|(_, modes)| analysis.space.intersects(*modes, case.modes));
        let mut variables: Vec<VariableId> = there.map(|(variable, _)| *variable).collect();
        variables.sort_unstable();
        variables.dedup();
        variables.into_iter().map(|id| dae.model.variables[id].name.to_string()).collect()
    }

    fn block(&self, id: usize, block: Block<'_>) -> BlockReport {
        let incidence = &self.scope.analysis.incidence;
        let variable = |it: &Derivative<VariableId>| name(incidence.variables(), *it);
        let read = |read: &modeshift_structure::Read| ItemWhen {
            name: variable(&read.variable),
            when: (read.modes != block.guard).then(|| self.texts.text(read.modes)),
        };
        BlockReport {
            id,
            when: self.texts.text(block.guard),
            equations: block.equations.iter().map(|it| name(incidence.equations(), *it)).collect(),
            reads: block.reads.iter().map(read).collect(),
            writes: block.writes.iter().map(variable).collect(),
        }
    }

    fn dependencies(&self) -> Vec<DependencyReport> {
        let Scope { analysis, most_blocks, .. } = self.scope;
        let listed = |edge: &&modeshift_structure::Dependency| edge.from.index().max(edge.to.index()) < most_blocks;
        let report = |edge: &modeshift_structure::Dependency| {
            let (from, to) = (analysis.graph.block(edge.from).guard, analysis.graph.block(edge.to).guard);
            DependencyReport {
                from: edge.from.index(),
                to: edge.to.index(),
                when: self.texts.text(edge.modes),
                narrower: analysis.space.and(from, to) != edge.modes,
            }
        };
        analysis.graph.dependencies().iter().filter(listed).map(report).collect()
    }
}
