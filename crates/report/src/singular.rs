//! Where and how a model is singular: the over- and underdetermined parts, mode by mode where they differ, and the
//! smallest subsets that show it.
//!
//! The parts come from the decomposition of Dulmage and Mendelsohn in all modes (E22 §4.2), as one set of modes per
//! equation and variable. Telling apart the modes by who is in which part gives the cases.

use modeshift_dae::{EquationId, Id, ModeVariableId, MultimodeDae, VariableId};
use modeshift_mode_changes::transient_modes;
use modeshift_modes::{ModeSet, ModeSpace};
use modeshift_structure::Analysis;
use rustc_hash::{FxHashMap, FxHashSet};

/// More cases than this are not told apart.
const MOST_CASES: usize = 32;
/// How many unmatched equations or variables are tried for the smallest subset.
const MOST_TRIES: usize = 64;

/// Modes in which the model is singular in one and the same way.
#[derive(Clone, Debug)]
pub struct SingularCase {
    /// The modes.
    pub modes: ModeSet,
    /// Equations that are too many for their variables.
    pub overdetermined_equations: Vec<EquationId>,
    /// The variables of these.
    pub overdetermined_variables: Vec<VariableId>,
    /// Equations that are too few for their variables.
    pub underdetermined_equations: Vec<EquationId>,
    /// The variables of these.
    pub underdetermined_variables: Vec<VariableId>,
    /// Whether the lists are those of every mode; else each is there in some mode.
    pub exact: bool,
}

/// A member of a part.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Member {
    OverEquation(EquationId),
    OverVariable(VariableId),
    UnderEquation(EquationId),
    UnderVariable(VariableId),
}

/// The modes in which the model is singular. Transient ones do not count: what happens in their instants is a matter of
/// mode changes (E22 §8.4).
pub fn singular_modes(dae: &MultimodeDae, analysis: &Analysis) -> ModeSet {
    analysis.space.difference(analysis.singular_modes(), passing_modes(dae, analysis))
}

/// The transient modes of a model.
pub fn passing_modes(dae: &MultimodeDae, analysis: &Analysis) -> ModeSet {
    let modes = transient_modes(dae, &analysis.space);
    if modes.is_empty() { modes } else { analysis.invariant.project(&analysis.space, modes) }
}

/// The cases, disjoint and together all singular modes; one inexact case where they would be too many.
pub fn singular_cases(dae: &MultimodeDae, analysis: &Analysis) -> Vec<SingularCase> {
    let singular = singular_modes(dae, analysis);
    if singular.is_empty() {
        return Vec::new();
    }
    let members = members(dae, analysis);
    split(&analysis.space, singular, &members).unwrap_or_else(|| vec![union(singular, &members)])
}

/// The same for each connected part of the model by itself: their modes may overlap.
pub fn singular_cases_by_place(dae: &MultimodeDae, analysis: &Analysis) -> Vec<SingularCase> {
    let mut cases = Vec::new();
    for members in connected(analysis, members(dae, analysis)) {
        let modes = analysis.space.union(members.iter().map(|(_, modes)| *modes));
        let split = split(&analysis.space, modes, &members);
        cases.extend(split.unwrap_or_else(|| vec![union(modes, &members)]));
    }
    cases
}

/// Cases of which one has too many and one too few equations in the same modes belong together: as one.
pub fn paired(cases: Vec<SingularCase>) -> Vec<SingularCase> {
    let mut only_over: FxHashMap<ModeSet, Vec<usize>> = FxHashMap::default();
    let mut only_under: FxHashMap<ModeSet, Vec<usize>> = FxHashMap::default();
    for (position, case) in cases.iter().enumerate() {
        match (case.overdetermined_equations.is_empty(), case.underdetermined_variables.is_empty()) {
            (false, true) => only_over.entry(case.modes).or_default().push(position),
            (true, false) => only_under.entry(case.modes).or_default().push(position),
            _ => {}
        }
    }
    let mut result = cases.clone();
    let mut gone = vec![false; cases.len()];
    for (modes, over) in &only_over {
        if let (&[over], Some(&[under])) = (over.as_slice(), only_under.get(modes).map(Vec::as_slice)) {
            result[over].underdetermined_equations = cases[under].underdetermined_equations.clone();
            result[over].underdetermined_variables = cases[under].underdetermined_variables.clone();
            result[over].exact &= cases[under].exact;
            gone[under] = true;
        }
    }
    result.into_iter().zip(gone).filter(|(_, gone)| !gone).map(|(case, _)| case).collect()
}

/// Everything that is in a part in some mode, with its modes.
fn members(dae: &MultimodeDae, analysis: &Analysis) -> Vec<(Member, ModeSet)> {
    let passing = passing_modes(dae, analysis);
    let parts = &analysis.parts;
    let over_equations =
        parts.overdetermined_equations.iter_enumerated().map(|(id, it)| (Member::OverEquation(id), *it));
    let over_variables =
        parts.overdetermined_variables.iter_enumerated().map(|(id, it)| (Member::OverVariable(id), *it));
    let under_equations =
        parts.underdetermined_equations.iter_enumerated().map(|(id, it)| (Member::UnderEquation(id), *it));
    let under_variables =
        parts.underdetermined_variables.iter_enumerated().map(|(id, it)| (Member::UnderVariable(id), *it));
    let all = over_equations.chain(over_variables).chain(under_equations).chain(under_variables);
    let lasting = all.map(|(member, modes)| (member, analysis.space.difference(modes, passing)));
    lasting.filter(|(_, modes)| !modes.is_empty()).collect()
}

/// Tells modes apart by membership, one case each; `None` if that are too many.
fn split(space: &ModeSpace, modes: ModeSet, members: &[(Member, ModeSet)]) -> Option<Vec<SingularCase>> {
    let mut groups: Vec<(ModeSet, Vec<Member>)> = vec![(modes, Vec::new())];
    for &(member, inside) in members {
        for at in 0..groups.len() {
            let within = space.and(groups[at].0, inside);
            if within.is_empty() {
                continue;
            }
            let without = space.difference(groups[at].0, inside);
            if !without.is_empty() {
                groups.push((without, groups[at].1.clone()));
            }
            groups[at].0 = within;
            groups[at].1.push(member);
        }
        if groups.len() > MOST_CASES {
            return None;
        }
    }
    let exact = groups.into_iter().filter(|(_, members)| !members.is_empty());
    Some(exact.map(|(modes, members)| case(modes, &members, true)).collect())
}

fn union(modes: ModeSet, members: &[(Member, ModeSet)]) -> SingularCase {
    let members: Vec<Member> = members.iter().map(|(member, _)| *member).collect();
    case(modes, &members, false)
}

fn case(modes: ModeSet, members: &[Member], exact: bool) -> SingularCase {
    let mut case = SingularCase {
        modes,
        overdetermined_equations: Vec::new(),
        overdetermined_variables: Vec::new(),
        underdetermined_equations: Vec::new(),
        underdetermined_variables: Vec::new(),
        exact,
    };
    for member in members {
        match *member {
            Member::OverEquation(id) => case.overdetermined_equations.push(id),
            Member::OverVariable(id) => case.overdetermined_variables.push(id),
            Member::UnderEquation(id) => case.underdetermined_equations.push(id),
            Member::UnderVariable(id) => case.underdetermined_variables.push(id),
        }
    }
    case
}

/// Members by connected components of the incidence among them, in the order of their first members.
fn connected(analysis: &Analysis, members: Vec<(Member, ModeSet)>) -> Vec<Vec<(Member, ModeSet)>> {
    let incidence = &analysis.incidence;
    let equation_of = |member: Member| match member {
        Member::OverEquation(id) | Member::UnderEquation(id) => Some(id),
        _ => None,
    };
    let mut present: FxHashSet<VariableId> = FxHashSet::default();
    for (member, _) in &members {
        if let Member::OverVariable(id) | Member::UnderVariable(id) = *member {
            present.insert(id);
        }
    }
    let mut joined = Joined::default();
    for equation in members.iter().filter_map(|(member, _)| equation_of(*member)) {
        for edge in incidence.edges_of_equation(equation) {
            let variable = incidence.variable(edge);
            if present.contains(&variable) {
                joined.join((true, equation.index()), (false, variable.index()));
            }
        }
    }
    let mut number: FxHashMap<Vertex, usize> = FxHashMap::default();
    let mut components: Vec<Vec<(Member, ModeSet)>> = Vec::new();
    for (member, modes) in members {
        let vertex = match member {
            Member::OverEquation(id) | Member::UnderEquation(id) => (true, id.index()),
            Member::OverVariable(id) | Member::UnderVariable(id) => (false, id.index()),
        };
        let at = *number.entry(joined.root(vertex)).or_insert_with(|| {
            components.push(Vec::new());
            components.len() - 1
        });
        components[at].push((member, modes));
    }
    components
}

/// Whether an equation, and its number.
type Vertex = (bool, usize);

/// Union-find over the vertices that matter.
#[derive(Default)]
struct Joined {
    parents: FxHashMap<Vertex, Vertex>,
}

impl Joined {
    fn root(&mut self, mut vertex: Vertex) -> Vertex {
        while let Some(&parent) = self.parents.get(&vertex) {
            if let Some(&grandparent) = self.parents.get(&parent) {
                self.parents.insert(vertex, grandparent);
            }
            vertex = parent;
        }
        vertex
    }

    fn join(&mut self, one: Vertex, other: Vertex) {
        let (one, other) = (self.root(one), self.root(other));
        if one != other {
            self.parents.insert(one, other);
        }
    }
}

/// Equations and the variables they involve, or variables and the equations they occur in.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Subset {
    /// The equations.
    pub equations: Vec<EquationId>,
    /// The variables.
    pub variables: Vec<VariableId>,
}

/// One mode of an analysis.
pub struct OneMode<'a> {
    analysis: &'a Analysis,
    values: FxHashMap<u32, bool>,
}

impl<'a> OneMode<'a> {
    /// The mode with these values; the other mode variables do not matter or are false.
    pub fn new(analysis: &'a Analysis, values: &[(ModeVariableId, bool)]) -> OneMode<'a> {
        OneMode { analysis, values: values.iter().map(|(mode, value)| (mode.0, *value)).collect() }
    }

    /// Whether this mode is in a set.
    pub fn is_in(&self, modes: ModeSet) -> bool {
        self.analysis.space.evaluate(modes, |mode| self.values.get(&mode.0).copied().unwrap_or(false))
    }

    /// The fewest of `equations` that involve fewer unknowns than they are: what an alternating search from one
    /// unmatched equation reaches. Leaving out any one of them leaves a system that can be solved.
    pub fn smallest_overdetermined(&self, equations: &[EquationId]) -> Option<Subset> {
        let unmatched = &self.analysis.matching.unmatched_equations;
        let starts = equations.iter().filter(|id| self.is_in(unmatched[**id])).take(MOST_TRIES);
        starts.map(|start| self.reached_from_equation(*start)).min_by_key(|subset| subset.equations.len())
    }

    /// The fewest of `variables` that occur in fewer equations than they are.
    pub fn smallest_underdetermined(&self, variables: &[VariableId]) -> Option<Subset> {
        let unmatched = &self.analysis.matching.unmatched_variables;
        let starts = variables.iter().filter(|id| self.is_in(unmatched[**id])).take(MOST_TRIES);
        starts.map(|start| self.reached_from_variable(*start)).min_by_key(|subset| subset.variables.len())
    }

    fn reached_from_equation(&self, start: EquationId) -> Subset {
        let Analysis { incidence, matching, .. } = self.analysis;
        let mut subset = Subset { equations: vec![start], variables: Vec::new() };
        let mut seen: FxHashSet<VariableId> = FxHashSet::default();
        let mut next = 0;
        while let Some(&equation) = subset.equations.get(next) {
            next += 1;
            for edge in incidence.edges_of_equation(equation).filter(|edge| self.is_in(incidence.active(*edge))) {
                let variable = incidence.variable(edge);
                if seen.insert(variable) {
                    subset.variables.push(variable);
                    let matched = incidence.edges_of_variable(variable).iter();
                    subset.equations.extend(
                        matched.filter(|edge| self.is_in(matching.edges[**edge])).map(|edge| incidence.equation(*edge)),
                    );
                }
            }
        }
        subset.sorted()
    }

    fn reached_from_variable(&self, start: VariableId) -> Subset {
        let Analysis { incidence, matching, .. } = self.analysis;
        let mut subset = Subset { equations: Vec::new(), variables: vec![start] };
        let mut seen: FxHashSet<EquationId> = FxHashSet::default();
        let mut next = 0;
        while let Some(&variable) = subset.variables.get(next) {
            next += 1;
            let edges = incidence.edges_of_variable(variable).iter();
            for edge in edges.filter(|edge| self.is_in(incidence.active(**edge))) {
                let equation = incidence.equation(*edge);
                if seen.insert(equation) {
                    subset.equations.push(equation);
                    let matched = incidence.edges_of_equation(equation);
                    subset.variables.extend(
                        matched.filter(|edge| self.is_in(matching.edges[*edge])).map(|edge| incidence.variable(edge)),
                    );
                }
            }
        }
        subset.sorted()
    }
}

impl Subset {
    fn sorted(mut self) -> Subset {
        self.equations.sort_unstable();
        self.variables.sort_unstable();
        self
    }
}
