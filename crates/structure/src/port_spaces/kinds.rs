//! The kinds of modes of each group of equations, and of what only the structure sees.

use modeshift_dae::{EquationId, Id, MultimodeDae, VariableId};
use modeshift_modes::ModeSet;
use rustc_hash::{FxHashMap, FxHashSet};

use super::counts::more;
use super::forms::Form;
use super::groups::{Group, Redundancy};
use super::remainders::remainders;
use super::schedule::keeps_out;
use super::spaces::PortSpaces;
use super::{Proof, Reason, SingularKind, Singularities, Singularity};
use crate::{Analysis, Combination, SingularCase, paired_cases};

/// What is needed to tell kinds apart.
pub(super) struct Kinds<'a> {
    pub(super) dae: &'a mut MultimodeDae,
    pub(super) analysis: &'a Analysis,
    pub(super) combinations: &'a [Combination],
    pub(super) transient: ModeSet,
    pub(super) forms: &'a [Vec<Form>],
    /// Whether what always holds has redundancies: then no mode is in order, whatever its group says.
    pub(super) always_redundant: bool,
    /// Modes with more equations than variables or fewer.
    pub(super) unbalanced: ModeSet,
    pub(super) value_of: &'a dyn Fn(VariableId) -> Option<f64>,
}

/// The kinds of one group's modes.
struct Judged {
    places: Vec<Singularity>,
    /// All its singular modes.
    modes: ModeSet,
    too_many: bool,
}

impl Kinds<'_> {
    pub(super) fn singularities(&mut self, spaces: Option<&PortSpaces>, groups: Option<&[Group]>) -> Singularities {
        let judged: Vec<Judged> = groups.unwrap_or_default().iter().map(|group| self.judged(group)).collect();
        let mut places = self.of_structure(spaces, groups, &judged);
        if !places.iter().any(|place| place.kind == SingularKind::Wrong && place.modes.is_all()) {
            places.extend(self.contradiction_in_all_modes(spaces));
        }
        places.extend(judged.into_iter().flat_map(|group| group.places));
        self.summed(places)
    }

    /// What always holds and contradicts itself.
    fn contradiction_in_all_modes(&mut self, spaces: Option<&PortSpaces>) -> Option<Singularity> {
        let combinations = spaces.map(|spaces| spaces.always_redundant.as_slice()).unwrap_or_default();
        let redundancies = combinations.iter().map(|of| {
            let of = of.iter().map(|&(equation, weight)| ((equation, 0), weight)).collect();
            Redundancy { modes: ModeSet::ALL, of }
        });
        let proofs = redundancies.filter_map(|it| self.proofs(&it)).flatten().collect::<Vec<Proof>>();
        let proofs: Vec<Proof> = proofs.into_iter().filter(|it| it.contradiction.is_some()).collect();
        let first = proofs.first()?;
        let equations = first.equations.iter().map(|(id, _)| *id).collect();
        let modes = self.lasting(ModeSet::ALL);
        let reason = Reason::Contradiction;
        Some(Singularity { kind: SingularKind::Wrong, reason, modes, undetermined: Vec::new(), proofs, equations })
    }

    /// What is left of a set within the modes that were asked for, without those that pass in an instant.
    fn lasting(&self, modes: ModeSet) -> ModeSet {
        let space = &self.analysis.space;
        let modes = if modes.is_empty() { modes } else { self.analysis.invariant.project(space, modes) };
        space.difference(modes, self.transient)
    }

    /// Whether a run stays out of these modes.
    fn has_own_guard(&self, modes: ModeSet) -> bool {
        keeps_out(self.dae, &self.analysis.space, modes, self.value_of)
    }

    fn judged(&mut self, group: &Group) -> Judged {
        let analysis = self.analysis;
        let space = &analysis.space;
        let proofs: Option<Vec<Vec<Proof>>> = group.redundancies.iter().map(|it| self.proofs(it)).collect();
        let too_many = group.too_many || proofs.is_none();
        let proofs: Vec<Proof> = proofs.into_iter().flatten().flatten().collect();
        let singular = space.union(group.redundant.first().into_iter().chain(group.free.first()).copied());
        let (mut impossible, mut places) = (ModeSet::EMPTY, Vec::new());
        for own in [true, false] {
            let (mine, kind) = if own { (true, SingularKind::Impossible) } else { (false, SingularKind::Wrong) };
            let contradicts = |it: &&Proof| it.contradiction.is_some() && self.has_own_guard(it.modes) == mine;
            let contradictory: Vec<Proof> = proofs.iter().filter(contradicts).cloned().collect();
            let modes = space.union(contradictory.iter().map(|it| it.modes));
            impossible = space.or(impossible, modes);
            places.push(self.place(group, kind, Reason::Contradiction, modes, contradictory));
        }
        if !too_many {
            let other = space.or(impossible, self.unbalanced);
            let over = space.difference(more(space, &group.free, &group.redundant), other);
            let kind = if self.has_own_guard(over) && !self.always_redundant {
                SingularKind::Impossible
            } else {
                SingularKind::Wrong
            };
            places.push(self.place(group, kind, Reason::Overdetermined, over, Vec::new()));
            impossible = space.or(impossible, over);
            let redundant: Vec<Proof> = proofs.into_iter().filter(|it| it.contradiction.is_none()).collect();
            let other = space.or(impossible, self.unbalanced);
            let drives = space.difference(more(space, &group.redundant, &group.free), other);
            let of_modes = |modes: ModeSet| {
                let met = redundant.iter().filter(|it| space.intersects(it.modes, modes));
                met.cloned().collect::<Vec<Proof>>()
            };
            places.push(self.place(group, SingularKind::Wrong, Reason::DrivesState, drives, of_modes(drives)));
            let harmless = space.difference(space.difference(singular, other), drives);
            let (kind, reason) = match self.in_all_modes(group, impossible) {
                true => (SingularKind::Wrong, Reason::AllModes),
                false => (SingularKind::Harmless, Reason::Redundant),
            };
            places.push(self.place(group, kind, reason, harmless, of_modes(harmless)));
        }
        places.retain(|place| !place.modes.is_empty());
        let balanced = space.difference(singular, self.unbalanced);
        let explained = if too_many { impossible } else { space.or(balanced, impossible) };
        Judged { modes: self.lasting(explained), places, too_many }
    }

    /// Whether a variable is undetermined in all modes that a run can enter.
    fn in_all_modes(&self, group: &Group, impossible: ModeSet) -> bool {
        let space = &self.analysis.space;
        let mut modes: FxHashMap<VariableId, ModeSet> = FxHashMap::default();
        for (variable, there) in group.directions.iter().flat_map(|it| &it.variables) {
            let known = modes.entry(*variable).or_insert(impossible);
            *known = space.or(*known, *there);
        }
        modes.values().any(|modes| modes.is_all())
    }

    fn place(
        &self,
        group: &Group,
        kind: SingularKind,
        reason: Reason,
        modes: ModeSet,
        proofs: Vec<Proof>,
    ) -> Singularity {
        let space = &self.analysis.space;
        let modes = self.lasting(modes);
        let mut undetermined: FxHashMap<VariableId, ModeSet> = FxHashMap::default();
        for direction in group.directions.iter().filter(|it| space.intersects(self.lasting(it.modes), modes)) {
            for &(variable, there) in &direction.variables {
                let there = space.and(self.lasting(there), modes);
                let known = undetermined.entry(variable).or_insert(ModeSet::EMPTY);
                *known = space.or(*known, there);
            }
        }
        let mut undetermined: Vec<(VariableId, ModeSet)> =
            undetermined.into_iter().filter(|(_, modes)| !modes.is_empty()).collect();
        undetermined.sort_unstable_by_key(|(variable, _)| *variable);
        let equations = group.equations.iter().map(|&at| EquationId::from_index(at)).collect();
        Singularity { kind, reason, modes, undetermined, proofs, equations }
    }

    /// What a redundancy leaves, in parts of its modes; nothing where these are too many.
    fn proofs(&mut self, redundancy: &Redundancy) -> Option<Vec<Proof>> {
        let space = &self.analysis.space;
        let forms = self.forms;
        let combination: Vec<(&Form, f64)> =
            redundancy.of.iter().map(|&((equation, form), weight)| (&forms[equation][form], weight)).collect();
        let equations: Vec<(EquationId, f64)> =
            combination.iter().map(|(form, weight)| (form.equation, *weight)).collect();
        let mut parts = remainders(&mut self.dae.model, space, redundancy.modes, &combination)?;
        let free_of_contradiction = space.union(parts.iter().filter(|part| part.1.is_none()).map(|part| part.0));
        parts.retain(|part| part.1.is_some());
        if !free_of_contradiction.is_empty() {
            parts.push((free_of_contradiction, None));
        }
        let proof = |(modes, contradiction)| Proof { modes, equations: equations.clone(), contradiction };
        Some(parts.into_iter().map(proof).collect())
    }

    /// Modes that are singular by their structure and that no group explains.
    fn of_structure(
        &self,
        spaces: Option<&PortSpaces>,
        groups: Option<&[Group]>,
        judged: &[Judged],
    ) -> Vec<Singularity> {
        let space = &self.analysis.space;
        let groups = groups.unwrap_or_default();
        let mut group_of: FxHashMap<EquationId, Vec<usize>> = FxHashMap::default();
        let mut group_with: FxHashMap<VariableId, Vec<usize>> = FxHashMap::default();
        for (at, group) in groups.iter().enumerate() {
            let equations = group.redundancies.iter().flat_map(|it| it.of.iter().map(|((equation, _), _)| *equation));
            for equation in group.equations.iter().copied().chain(equations) {
                group_of.entry(EquationId::from_index(equation)).or_default().push(at);
            }
            let listed = group.directions.iter().flat_map(|it| &it.variables).map(|it| it.0);
            for variable in listed.chain(group.not_listed.iter().copied()) {
                group_with.entry(variable).or_default().push(at);
            }
        }
        let never: FxHashSet<VariableId> =
            spaces.map(|it| it.never_determined.iter().copied().collect()).unwrap_or_default();
        let origins = self.origins();
        let mut places = Vec::new();
        for mut case in paired_cases(self.analysis.singular_cases_by_place(self.transient)) {
            let equations = case.overdetermined_equations.iter().chain(&case.underdetermined_equations);
            let of_equations = equations
                .flat_map(|id| origins.get(id).map_or_else(|| vec![*id], Clone::clone))
                .filter_map(|id| group_of.get(&id));
            let of_variables = case.underdetermined_variables.iter().filter_map(|id| group_with.get(id));
            let mut touched: Vec<usize> = of_equations.chain(of_variables).flatten().copied().collect();
            touched.sort_unstable();
            touched.dedup();
            let in_all_modes = case.underdetermined_variables.iter().any(|id| never.contains(id));
            if !in_all_modes {
                let explained = space.union(touched.iter().map(|&at| judged[at].modes));
                case.modes = space.difference(case.modes, explained);
            }
            if case.modes.is_empty() {
                continue;
            }
            let too_many = spaces.is_none() || touched.iter().any(|&at| judged[at].too_many);
            let decided = in_all_modes || !too_many;
            places.push(of_case(case, if decided { SingularKind::Wrong } else { SingularKind::Undecided }));
        }
        places
    }

    /// By combination: the equations of the model behind it.
    fn origins(&self) -> FxHashMap<EquationId, Vec<EquationId>> {
        let mut origins: FxHashMap<EquationId, Vec<EquationId>> = FxHashMap::default();
        for combination in self.combinations {
            let of = combination.of.iter().flat_map(|id| origins.get(id).map_or_else(|| vec![*id], Clone::clone));
            let mut of: Vec<EquationId> = of.collect();
            of.sort_unstable();
            of.dedup();
            origins.insert(combination.by, of);
        }
        origins
    }

    fn summed(&self, places: Vec<Singularity>) -> Singularities {
        let space = &self.analysis.space;
        let all =
            |kind: SingularKind| space.union(places.iter().filter(|place| place.kind == kind).map(|place| place.modes));
        let impossible = all(SingularKind::Impossible);
        let wrong = space.difference(all(SingularKind::Wrong), impossible);
        let worse = space.or(impossible, wrong);
        let undecided = space.difference(all(SingularKind::Undecided), worse);
        let worse = space.or(worse, undecided);
        let harmless = space.difference(all(SingularKind::Harmless), worse);
        Singularities { impossible, wrong, undecided, harmless, places }
    }
}

fn of_case(case: SingularCase, kind: SingularKind) -> Singularity {
    Singularity {
        kind,
        modes: case.modes,
        undetermined: case.underdetermined_variables.iter().map(|id| (*id, case.modes)).collect(),
        proofs: Vec::new(),
        equations: case.overdetermined_equations.clone(),
        reason: Reason::Structure(Box::new(case)),
    }
}
