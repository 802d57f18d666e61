//! What a mode remembers of the past, and what of its constraints the past cannot satisfy.
//!
//! Only left limits of derivatives below the written order `σ̄` enter a restart. Those below the old leading order are
//! states of the old mode and are taken from it. The others are missing, and are looked for in this order:
//! *birth*, from hidden constraints of the new mode taken at left limits (a variable tied by `x = z` is born at `z`);
//! *continuity*, from the value that the old mode computed; then a *start* value. What is left is undetermined.
//!
//! Hidden constraints are matched with unknown left limits in causal order: those of the old mode first, which the past
//! satisfies, then by derivative, those of equations that held before first. Constraints that find no partner, and
//! that were none of the old mode, are *erased*: the past may violate them, and then states jump. This is Principle 1 of E22 §8.2, causality: what the instant before has done cannot be undone,
//! so where the two conflict the new constraint gives way (§8.5 in its causal reading).

use std::collections::BTreeSet;

use modeshift_dae::{Derivative, IndexVec};
use modeshift_structure::one_mode::{Column, Entry, ModeStructure, Row};
use modeshift_structure::{BipartiteMatching, strongly_connected_components};

/// A derivative of an equation.
pub type Constraint = Derivative<Row>;

/// What the new mode knows of the old one, without values.
#[derive(Clone, Debug)]
pub struct PastStructure {
    /// Whether an equation is new: did not hold before, or not in the same form.
    pub is_new: IndexVec<Row, bool>,
    /// How often an equation was differentiated in the old mode; 0 for new ones.
    pub offset: IndexVec<Row, u32>,
    /// The old leading orders; 0 also for variables that did not exist.
    pub leading_order: IndexVec<Column, u32>,
    /// How many derivatives the old mode computed, the value included; 0 for variables that did not exist.
    pub computed: IndexVec<Column, u32>,
    /// Whether there is a start value.
    pub has_start: IndexVec<Column, bool>,
}

impl PastStructure {
    /// Whether a constraint was one of the old mode, so that left limits satisfy it.
    pub(crate) fn satisfies(&self, constraint: Constraint) -> bool {
        !self.is_new[constraint.of] && constraint.order < self.offset[constraint.of]
    }
}

/// How a missing left limit was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// From hidden constraints of the new mode.
    Birth,
    /// The value that the old mode computed.
    Continuity,
    /// The start value.
    Start,
    /// Not at all: the model does not say.
    Undetermined,
}

/// Constraints at left limits that are solved at once for as many left limits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BirthBlock {
    /// The constraints.
    pub constraints: Vec<Constraint>,
    /// What they determine.
    pub unknowns: Vec<Derivative<Column>>,
}

/// The verdict on the memory of a mode change.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    /// Hidden constraints that are new and that the past need not satisfy, by equation.
    pub erased: Vec<Constraint>,
    /// Left limits that enter the restart but are no states of the old mode, with where they come from.
    pub missing: Vec<(Derivative<Column>, Source)>,
    /// Left limits that follow from constraints, in an order in which they can be solved.
    pub births: Vec<BirthBlock>,
}

impl Memory {
    /// Compares a new mode with its past.
    ///
    /// Births are first looked for without values to fall back on, then with them: a constraint between values that are
    /// kept determines nothing, and is erased. Equations without hidden constraints only serve to complete left limits that are not remembered and have no value, for coefficients.
    pub fn new(structure: &ModeStructure, past: &PastStructure) -> Self {
        let region = Region::new(structure, past);
        let mut constraints = region.hidden_constraints(structure, past);
        let strict = Search::matched(structure, past, &region, constraints.clone(), &BTreeSet::new());
        let is_born = strict.determined(|_| false);
        let mut missing: Vec<(Derivative<Column>, Source)> = missing(structure, past)
            .map(|derivative| (derivative, source(past, derivative, is_born[strict.unknowns.index(derivative)])))
            .collect();
        let given = |missing: &[(Derivative<Column>, Source)], but: Source| -> BTreeSet<Derivative<Column>> {
            let given = missing.iter().filter(|(_, source)| *source != Source::Birth && *source != but);
            given.map(|&(derivative, _)| derivative).collect()
        };
        let lenient =
            Search::matched(structure, past, &region, constraints.clone(), &given(&missing, Source::Undetermined));
        let is_determined = lenient.determined(|unknown| lenient.has_fallback(unknown));
        for (derivative, source) in &mut missing {
            if *source == Source::Undetermined && is_determined[lenient.unknowns.index(*derivative)] {
                *source = Source::Birth;
            }
        }
        let given = given(&missing, Source::Birth);
        let leading = region.rows.iter().copied().filter(|&row| structure.equation_offset(row) == 0);
        let is_open = |&unknown: &usize| !lenient.has_fallback(unknown);
        let helps =
            |&row: &Row| incident(structure, &lenient.unknowns, &given, Derivative::new(row, 0)).iter().any(is_open);
        constraints.extend(leading.filter(helps).map(|row| Derivative::new(row, 0)));
        let all = Search::matched(structure, past, &region, constraints, &given);
        let is_determined = all.determined(|unknown| all.has_fallback(unknown));
        let born: BTreeSet<Derivative<Column>> = missing.iter().map(|&(derivative, _)| derivative).collect();
        let is_needed =
            |unknown: usize| !all.has_fallback(unknown) || born.contains(&all.unknowns.derivatives[unknown]);
        let births = all.birth_blocks(&is_determined, is_needed);
        Memory { erased: lenient.erased(), missing, births }
    }

    /// Left limits that are start values, since nothing else determines them.
    pub fn started(&self) -> impl Iterator<Item = Derivative<Column>> + '_ {
        self.missing.iter().filter(|(_, source)| *source == Source::Start).map(|&(derivative, _)| derivative)
    }

    /// Left limits that nothing determines.
    pub fn undetermined(&self) -> impl Iterator<Item = Derivative<Column>> + '_ {
        self.missing.iter().filter(|(_, source)| *source == Source::Undetermined).map(|&(derivative, _)| derivative)
    }
}

/// The part of a mode in which something of the past is missing or new: everything else has the left limits it needs,
/// and its constraints held before. What happens here does not depend on the rest, however large that is.
struct Region {
    /// Equations that are new, have new hidden constraints, or contain a variable of which something is missing.
    rows: Vec<Row>,
    /// Their variables and those of which something is missing.
    columns: Vec<Column>,
}

impl Region {
    fn new(structure: &ModeStructure, past: &PastStructure) -> Self {
        let mut is_inside: IndexVec<Row, bool> = structure
            .rows()
            .map(|row| {
                let offset = structure.equation_offset(row);
                offset > 0 && (past.is_new[row] || past.offset[row] < offset)
            })
            .collect();
        let lacks = |column: &Column| {
            let offset = structure.variable_offset(*column);
            let first = past.leading_order[*column].min(structure.written_order(*column));
            first < offset || past.computed[*column] <= offset
        };
        let mut columns: Vec<Column> = structure.columns().filter(lacks).collect();
        for &column in &columns {
            structure.occurrences(column).iter().for_each(|&(row, _)| is_inside[row] = true);
        }
        let rows: Vec<Row> = structure.rows().filter(|&row| is_inside[row]).collect();
        columns.extend(rows.iter().flat_map(|&row| structure.incidence(row)).map(|entry| entry.column));
        columns.sort_unstable();
        columns.dedup();
        Region { rows, columns }
    }

    /// Hidden constraints in causal order: those of the old mode, then by derivative, those of equations that held first.
    fn hidden_constraints(&self, structure: &ModeStructure, past: &PastStructure) -> Vec<Constraint> {
        let of_row = |&row: &Row| (0..structure.equation_offset(row)).map(move |order| Derivative::new(row, order));
        let mut constraints: Vec<Constraint> = self.rows.iter().flat_map(of_row).collect();
        constraints.sort_by_key(|it| (!past.satisfies(*it), it.order, past.is_new[it.of], it.of));
        constraints
    }
}

/// Left limits that enter the restart but are no states of the old mode.
fn missing<'a>(structure: &'a ModeStructure, past: &'a PastStructure) -> impl Iterator<Item = Derivative<Column>> + 'a {
    structure.columns().flat_map(|column| {
        let orders = past.leading_order[column]..structure.written_order(column);
        orders.map(move |order| Derivative::new(column, order))
    })
}

fn source(past: &PastStructure, Derivative { of: column, order }: Derivative<Column>, is_born: bool) -> Source {
    match () {
        () if is_born => Source::Birth,
        () if order < past.computed[column] => Source::Continuity,
        () if order == 0 && past.has_start[column] => Source::Start,
        () => Source::Undetermined,
    }
}

/// Dense numbers for the left limits that are not set by the past: orders from `min(d⁻, σ̄)` to `d` of each variable of a
/// region.
struct UnknownNumbers {
    first_order: IndexVec<Column, u32>,
    base: IndexVec<Column, u32>,
    derivatives: Vec<Derivative<Column>>,
}

impl UnknownNumbers {
    fn new(structure: &ModeStructure, past: &PastStructure, region: &Region) -> Self {
        let first = |column: Column| past.leading_order[column].min(structure.written_order(column));
        let mut numbers = UnknownNumbers {
            first_order: structure.columns().map(first).collect(),
            base: structure.columns().map(|_| u32::MAX).collect(),
            derivatives: Vec::new(),
        };
        for &column in &region.columns {
            numbers.base[column] = numbers.derivatives.len() as u32;
            let orders = numbers.first_order[column]..=structure.variable_offset(column);
            numbers.derivatives.extend(orders.map(|order| Derivative::new(column, order)));
        }
        numbers
    }

    fn is_unknown(&self, Derivative { of: column, order }: Derivative<Column>) -> bool {
        order >= self.first_order[column]
    }

    fn index(&self, Derivative { of: column, order }: Derivative<Column>) -> usize {
        (self.base[column] + order - self.first_order[column]) as usize
    }
}

/// Matching of constraints at left limits with unknown left limits.
struct Search<'a> {
    structure: &'a ModeStructure,
    past: &'a PastStructure,
    unknowns: UnknownNumbers,
    constraints: Vec<Constraint>,
    incidence: Vec<Vec<usize>>,
    matching: BipartiteMatching<usize, usize>,
}

impl<'a> Search<'a> {
    /// Matches these constraints in their order; left limits that are given are no unknowns.
    fn matched(
        structure: &'a ModeStructure,
        past: &'a PastStructure,
        region: &Region,
        constraints: Vec<Constraint>,
        given: &BTreeSet<Derivative<Column>>,
    ) -> Self {
        let unknowns = UnknownNumbers::new(structure, past, region);
        let of_constraint = |&constraint: &Constraint| incident(structure, &unknowns, given, constraint);
        let mut search = Search {
            incidence: constraints.iter().map(of_constraint).collect(),
            matching: BipartiteMatching::new(constraints.len(), unknowns.derivatives.len()),
            structure,
            past,
            unknowns,
            constraints,
        };
        search.match_constraints();
        search
    }

    /// First with unknowns that have no value to fall back on, then with all. Both passes in causal order: what is
    /// matched in the end is the same set of constraints as in one pass.
    fn match_constraints(&mut self) {
        let soft: Vec<bool> = (0..self.unknowns.derivatives.len()).map(|unknown| self.has_fallback(unknown)).collect();
        for with_soft in [false, true] {
            let allowed = |constraint: usize| {
                self.incidence[constraint].iter().copied().filter(|&unknown| with_soft || !soft[unknown])
            };
            self.matching.match_rows(0..self.constraints.len(), allowed);
        }
    }

    /// Whether the old mode or a start value gives an unknown, if constraints do not.
    fn has_fallback(&self, unknown: usize) -> bool {
        let Derivative { of: column, order } = self.unknowns.derivatives[unknown];
        order < self.past.computed[column] || (order == 0 && self.past.has_start[column])
    }

    fn erased(&self) -> Vec<Constraint> {
        let hidden = |it: &Constraint| !self.past.satisfies(*it) && it.order < self.structure.equation_offset(it.of);
        let mut erased: Vec<Constraint> = (0..self.constraints.len())
            .filter(|&constraint| self.matching.column_of(constraint).is_none())
            .map(|constraint| self.constraints[constraint])
            .filter(hidden)
            .collect();
        erased.sort_unstable();
        erased
    }

    /// By unknown: whether constraints determine it, where unmatched unknowns may be `known` otherwise.
    fn determined(&self, known: impl Fn(usize) -> bool) -> Vec<bool> {
        let mut constraints_of = vec![Vec::new(); self.unknowns.derivatives.len()];
        for (constraint, unknowns) in self.incidence.iter().enumerate() {
            unknowns.iter().for_each(|&unknown| constraints_of[unknown].push(constraint));
        }
        let is_open = |unknown: usize| self.matching.row_of(unknown).is_none() && !known(unknown);
        let mut free: Vec<bool> = (0..self.unknowns.derivatives.len()).map(is_open).collect();
        let mut pending: Vec<usize> = (0..free.len()).filter(|&unknown| free[unknown]).collect();
        while let Some(unknown) = pending.pop() {
            for &constraint in &constraints_of[unknown] {
                if let Some(other) = self.matching.column_of(constraint).filter(|&other| !free[other]) {
                    free[other] = true;
                    pending.push(other);
                }
            }
        }
        (0..free.len()).map(|unknown| self.matching.row_of(unknown).is_some() && !free[unknown]).collect()
    }

    /// The blocks that determine what is needed, and those they depend on.
    fn birth_blocks(&self, determined: &[bool], is_needed: impl Fn(usize) -> bool) -> Vec<BirthBlock> {
        let members: Vec<usize> = (0..determined.len()).filter(|&unknown| determined[unknown]).collect();
        let mut position = vec![usize::MAX; determined.len()];
        members.iter().enumerate().for_each(|(at, &unknown)| position[unknown] = at);
        let owner = |unknown: usize| self.matching.row_of(unknown).expect("a determined left limit is matched");
        let successors: Vec<Vec<usize>> = members
            .iter()
            .map(|&unknown| {
                let read = self.incidence[owner(unknown)].iter();
                read.map(|&other| position[other]).filter(|&at| at != usize::MAX).collect()
            })
            .collect();
        let block = |component: Vec<usize>| BirthBlock {
            constraints: component.iter().map(|&at| self.constraints[owner(members[at])]).collect(),
            unknowns: component.iter().map(|&at| self.unknowns.derivatives[members[at]]).collect(),
        };
        let mut components: Vec<Vec<usize>> = Vec::new();
        strongly_connected_components(
            members.len(),
            0..members.len(),
            |at, arc| successors[at].get(arc).map(|&other| Some(other)),
            |component| components.push(component.to_vec()),
        );
        let mut needed: Vec<bool> = members.iter().map(|&unknown| is_needed(unknown)).collect();
        for component in components.iter().rev() {
            if component.iter().any(|&at| needed[at]) {
                let read = component.iter().flat_map(|&at| &successors[at]).chain(component);
                read.for_each(|&at| needed[at] = true);
            }
        }
        components.into_iter().filter(|component| needed[component[0]]).map(block).collect()
    }
}

/// Unknown left limits in a derivative of an equation: its variables, differentiated as often.
fn incident(
    structure: &ModeStructure,
    unknowns: &UnknownNumbers,
    given: &BTreeSet<Derivative<Column>>,
    Derivative { of: row, order: derivative }: Constraint,
) -> Vec<usize> {
    let of_entry = |entry: &Entry| {
        let column = entry.column;
        (derivative..=derivative + entry.order).map(move |order| Derivative::new(column, order))
    };
    let all = structure.incidence(row).iter().flat_map(of_entry);
    let open = all.filter(|unknown| unknowns.is_unknown(*unknown) && !given.contains(unknown));
    open.map(|unknown| unknowns.index(unknown)).collect()
}

impl PastStructure {
    /// The past of an event that changes nothing: every equation held before, with the same leading orders.
    pub fn same(structure: &ModeStructure) -> Self {
        PastStructure {
            is_new: structure.rows().map(|_| false).collect(),
            offset: structure.rows().map(|row| structure.equation_offset(row)).collect(),
            leading_order: structure.columns().map(|column| structure.variable_offset(column)).collect(),
            computed: structure.columns().map(|column| structure.variable_offset(column) + 1).collect(),
            has_start: structure.columns().map(|_| false).collect(),
        }
    }
}
