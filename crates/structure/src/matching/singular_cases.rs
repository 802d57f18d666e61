//! Where and how a model is singular: the over- and underdetermined parts, mode by mode where they differ.
//!
//! The parts come from the decomposition of Dulmage and Mendelsohn in all modes (E22 §4.2), as one set of modes per
//! equation and variable. Telling apart the modes by who is in which part gives the cases.

use modeshift_dae::{EquationId, Id, UnionFind, VariableId};
use modeshift_modes::{ModeSet, ModeSpace};
use rustc_hash::FxHashMap;

use crate::{Analysis, Incidence};

/// More cases than this are not told apart: nobody reads them one by one.
const MOST_CASES: usize = 32;

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

impl SingularCase {
    /// Modes whose structure is regular, and that are singular by their coefficients.
    pub fn without_parts(modes: ModeSet) -> SingularCase {
        case(modes, &[], true)
    }
}

/// A member of a part.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Member {
    OverEquation(EquationId),
    OverVariable(VariableId),
    UnderEquation(EquationId),
    UnderVariable(VariableId),
}

impl Analysis {
    /// The singular modes that last. Those that pass in an instant, `transient`, do not count: what happens then is a
    /// matter of mode changes (E22 §8.4).
    pub fn lasting_singular_modes(&self, transient: ModeSet) -> ModeSet {
        self.space.difference(self.singular_modes(), transient)
    }

    /// The cases, disjoint and together all singular modes that last; one inexact case where they would be too many.
    pub fn singular_cases(&self, transient: ModeSet) -> Vec<SingularCase> {
        let singular = self.lasting_singular_modes(transient);
        if singular.is_empty() {
            return Vec::new();
        }
        let members = members(self, transient);
        split(&self.space, singular, &members).unwrap_or_else(|| vec![union(singular, &members)])
    }

    /// The same for each connected part of the model by itself: their modes may overlap.
    pub fn singular_cases_by_place(&self, transient: ModeSet) -> Vec<SingularCase> {
        let mut cases = Vec::new();
        for members in connected(&self.incidence, members(self, transient)) {
            let modes = self.space.union(members.iter().map(|(_, modes)| *modes));
            let split = split(&self.space, modes, &members);
            cases.extend(split.unwrap_or_else(|| vec![union(modes, &members)]));
        }
        cases
    }
}

/// Cases of which one has too many and one too few equations in the same modes belong together: as one.
pub fn paired_cases(cases: Vec<SingularCase>) -> Vec<SingularCase> {
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
fn members(analysis: &Analysis, transient: ModeSet) -> Vec<(Member, ModeSet)> {
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
    let lasting = all.map(|(member, modes)| (member, analysis.space.difference(modes, transient)));
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
fn connected(incidence: &Incidence, members: Vec<(Member, ModeSet)>) -> Vec<Vec<(Member, ModeSet)>> {
    let vertex = |member: Member| match member {
        Member::OverEquation(id) | Member::UnderEquation(id) => id.index(),
        Member::OverVariable(id) | Member::UnderVariable(id) => incidence.equations().len() + id.index(),
    };
    let vertices = incidence.equations().len() + incidence.variables().len();
    let mut present = vec![false; vertices];
    members.iter().for_each(|&(member, _)| present[vertex(member)] = true);
    let mut joined: UnionFind<usize> = UnionFind::new(vertices);
    for &(member, _) in &members {
        let (Member::OverEquation(equation) | Member::UnderEquation(equation)) = member else { continue };
        for edge in incidence.edges_of_equation(equation) {
            let variable = vertex(Member::OverVariable(incidence.variable(edge)));
            if present[variable] {
                joined.join(vertex(member), variable);
            }
        }
    }
    let mut number: FxHashMap<usize, usize> = FxHashMap::default();
    let mut components: Vec<Vec<(Member, ModeSet)>> = Vec::new();
    for (member, modes) in members {
        let at = *number.entry(joined.root(vertex(member))).or_insert_with(|| {
            components.push(Vec::new());
            components.len() - 1
        });
        components[at].push((member, modes));
    }
    components
}
