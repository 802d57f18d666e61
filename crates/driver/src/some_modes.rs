//! Questions about models whose structure in all modes is too large for sets of modes.
//!
//! A sweep along the model gives the verdicts on all modes. What else is asked is asked of a mode: `analyze --at` names it, a run
//! visits it, a start is in it. So the structure is that of the mode that was meant, or of the few that are possible.

use std::collections::{BTreeMap, BTreeSet};

use modeshift_dae::{ModeVariableId, MultimodeDae};
use modeshift_diagnostics::{Diagnostics, Stop};
use modeshift_modes::ModeVariable;
use modeshift_numerics::{NativeFunctions, Parameters};
use modeshift_report::Analyzed;
use modeshift_report::check::{note_one_change, note_one_mode, refuse_all_changes};
use modeshift_simulate::initialization::{FirstModes, first_modes};
use modeshift_structure::long_range::{InAllModes, LongRange};

use crate::pipeline::{Found, Run};

/// Mode variables with their values.
type Values = Vec<(ModeVariableId, bool)>;

impl Run<'_> {
    /// The structure of the modes that `at` names; of one of them, the usual one, where they are too many. Says so.
    pub(crate) fn analyzed_or_one_mode(&mut self, at: Option<&str>) -> Result<Analyzed, Stop> {
        let analyzed = self.structure_in(at, |found, asked| {
            let usual = found.usual_values();
            let value = |variable: ModeVariable| usual.get(&variable).copied().unwrap_or(true);
            found.nearest_mode(asked, value).unwrap_or_default()
        })?;
        if analyzed.is_of_some_modes()
            && let Some(found) = &analyzed.long_range
        {
            let time_limit = self.options(&[]).time_limit;
            let look = || found.in_all_modes(&analyzed.within, &analyzed.analysis.within, time_limit);
            let classes = |all: &Option<InAllModes>| if all.is_some() { String::new() } else { "too many".to_string() };
            let all = self.timings.measure("offsets in all modes", look, classes);
            self.diagnostics.push(note_one_mode(&analyzed, found, all.as_ref()));
        }
        self.check_structure(&analyzed);
        Ok(analyzed)
    }

    /// The structure of all modes; where they are too many, of those that a change is between: what it names may change, everything else
    /// stays as it usually is. Says so.
    pub(crate) fn analyzed_for_change(
        &mut self,
        dae: MultimodeDae,
        from: &[(ModeVariableId, bool)],
        to: &[(ModeVariableId, bool)],
    ) -> Result<Analyzed, Stop> {
        let found = match self.question.limits.nodes {
            Some(_) => Found::Sets(Box::new(self.structure_of(dae, None)?)),
            None => self.analyzed_or_swept(dae, Vec::new())?,
        };
        let analyzed = match found {
            Found::Sets(analyzed) => *analyzed,
            Found::Swept(dae, found) if from.is_empty() && to.is_empty() => {
                self.diagnostics.push(refuse_all_changes(&dae, &found));
                return Err(Stop);
            }
            Found::Swept(dae, found) => {
                let values = modes_around(&found, from, to);
                self.structure_with(*dae, *found, Vec::new(), &values)?
            }
        };
        if let Some(found) = analyzed.long_range.as_ref().filter(|_| analyzed.is_of_some_modes()) {
            self.diagnostics.push(note_one_change(&analyzed, found));
        }
        self.check_structure(&analyzed);
        Ok(analyzed)
    }

    /// The structure of the modes that `at` names; of those in which the model starts, where they are too many.
    pub(crate) fn structure_or_start(&mut self, at: Option<&str>, time: Option<f64>) -> Result<Analyzed, Stop> {
        let dae = self.multimode_dae()?;
        let start = known_at_start(&dae, time);
        self.structure_of_some(dae, at, |found, asked| modes_of_start(found, asked, &start))
    }

    /// The same of a model that was swept over.
    pub(crate) fn structure_at_start(&mut self, dae: MultimodeDae, found: LongRange) -> Result<Analyzed, Stop> {
        let values = modes_of_start(&found, &[], &known_at_start(&dae, None));
        self.structure_with(dae, found, Vec::new(), &values)
    }

    /// The same; nothing where those modes are too many as well.
    pub(crate) fn structure_at_start_in_budget(
        &mut self,
        dae: MultimodeDae,
        found: LongRange,
    ) -> Result<Option<Analyzed>, Stop> {
        let values = modes_of_start(&found, &[], &known_at_start(&dae, None));
        let within: BTreeMap<ModeVariableId, bool> = values.into_iter().collect();
        let within: Values = within.into_iter().collect();
        let Some(regularized) = self.regularized_in_budget(dae, &within)? else { return Ok(None) };
        let analyzed = self.judged(regularized, Vec::new())?;
        Ok(Some(Analyzed { long_range: Some(found), ..analyzed }))
    }

    fn structure_in(
        &mut self,
        at: Option<&str>,
        values: impl FnOnce(&LongRange, &[(ModeVariableId, bool)]) -> Values,
    ) -> Result<Analyzed, Stop> {
        let dae = self.multimode_dae()?;
        self.structure_of_some(dae, at, values)
    }

    /// The structure of the modes that `at` names, or where they are too many of those with the values that are chosen then.
    fn structure_of_some(
        &mut self,
        dae: MultimodeDae,
        at: Option<&str>,
        values: impl FnOnce(&LongRange, &[(ModeVariableId, bool)]) -> Values,
    ) -> Result<Analyzed, Stop> {
        let asked = self.within(&dae, "--at", at)?;
        match self.analyzed_or_swept(dae, asked.clone())? {
            Found::Sets(analyzed) => Ok(*analyzed),
            Found::Swept(dae, found) => {
                let values = values(&found, &asked);
                self.structure_with(*dae, *found, asked, &values)
            }
        }
    }

    fn structure_with(
        &mut self,
        dae: MultimodeDae,
        found: LongRange,
        asked: Values,
        values: &[(ModeVariableId, bool)],
    ) -> Result<Analyzed, Stop> {
        let mut within: BTreeMap<ModeVariableId, bool> = values.iter().copied().collect();
        within.extend(asked.iter().copied());
        let within: Values = within.into_iter().collect();
        let regularized = self.regularized(dae, &within)?;
        let analyzed = self.judged(regularized, asked)?;
        Ok(Analyzed { long_range: Some(found), ..analyzed })
    }
}

/// What stays in a change: the values of a usual mode, but for what the change names and what is related to that.
fn modes_around(found: &LongRange, from: &[(ModeVariableId, bool)], to: &[(ModeVariableId, bool)]) -> Values {
    let usual = found.usual_values();
    let value = |variable: ModeVariable| usual.get(&variable).copied().unwrap_or(true);
    let named: BTreeSet<ModeVariable> = from.iter().chain(to).map(|it| ModeVariable(it.0.0)).collect();
    let related = found.invariant.components().map(|it| found.given.support_of_all(&[it]));
    let related = related.filter(|group| group.iter().any(|variable| named.contains(variable))).flatten();
    let free: BTreeSet<ModeVariable> = related.chain(named.iter().copied()).collect();
    let mode = found.nearest_mode(from, value).unwrap_or_default();
    mode.into_iter().filter(|(id, _)| !free.contains(&ModeVariable(id.0))).collect()
}

/// What is known of the mode in which a model starts, at this time or at its own.
fn known_at_start(dae: &MultimodeDae, time: Option<f64>) -> FirstModes {
    let (natives, overrides) = (NativeFunctions::of(&dae.model), BTreeMap::new());
    let parameters = Parameters::evaluate(&dae.model, &natives, &overrides, &mut Diagnostics::new());
    let Ok(mut parameters) = parameters else { return FirstModes::default() };
    let time = time.or(dae.model.experiment.start).unwrap_or(0.0);
    first_modes(dae, &natives, &mut parameters, time)
}

/// What is known of the start; and what keeps its start value there, as far as a regular mode has it.
fn modes_of_start(found: &LongRange, asked: &[(ModeVariableId, bool)], start: &FirstModes) -> Values {
    let known = [&start.known[..], asked].concat();
    let kept: BTreeMap<ModeVariableId, bool> = start.kept.iter().copied().collect();
    let usual = |variable: ModeVariable| kept.get(&ModeVariableId(variable.0)).copied().unwrap_or(true);
    let nearest = found.nearest_mode(&known, usual).unwrap_or_default();
    let of_kept = nearest.into_iter().filter(|(id, _)| kept.contains_key(id));
    start.known.iter().copied().chain(of_kept).collect()
}
