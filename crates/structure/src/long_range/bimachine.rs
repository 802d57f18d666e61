//! Offsets in all regular modes at once.
//!
//! What the equations before a step weigh is a state that reads a mode from the left; what those after it weigh is one that reads it
//! from the right. Both, with the local mode, say how often the step's equation is differentiated (`offsets`): a bimachine. A mode is
//! a path of pairs of such states, one pair at each cut, and two modes are two paths. So there is an automaton of pairs whose
//! edges carry what is known of their step: the offset of its equation, what it adds to the weight, whether a variable leaves
//! that no equation differentiates. What is asked of all modes is asked of its paths (`paths`).
//!
//! ```text
//!    left states   l0 ──→ l1 ──→ l2 ──→ l3        by what is before a cut
//!    right states  r0 ←── r1 ←── r2 ←── r3        by what is after it
//!    pairs        (l0,r0)→(l1,r1)→(l2,r2)→(l3,r3)  one path per mode
//! ```
//!
//! Modes that an invariant excludes, and variables that no equation has, are told by equations without unknowns, which hold
//! there and find no partner.
//!
//! Summaries are truncated, and the check that makes this exact is made for all modes: along a path the leading derivatives of
//! the variables that leave, minus offsets, minus weights, add up to nothing. A pair has what has been added up so far with it, so that
//! the sums of all modes are those of the pairs at the last cut. Where one is not zero, more is kept.

use modeshift_dae::{EquationId, Id, VariableId};
use modeshift_modes::{Invariant, Limit, ModeSet, ModeSpace, ModeVariable, TimeLimit};
use rustc_hash::FxHashMap;

use super::plan::{Form, Item, Plan, holds};
use super::weights::{Weights, edges};
use super::{NotSwept, matroid};
use crate::Incidence;
use crate::long_range::offsets::{ALL_KEPT, weighted_graph};

/// More states or pairs at a cut than this are not followed.
const MOST_PAIRS: usize = 20_000;
/// Summaries of a direction have at most so many sets together, and the offsets between them are looked for among at most so many:
/// a second of work. A wide boundary has a million sets in one summary.
const MOST_SETS: usize = 1 << 21;
const MOST_COMPARED: usize = 1 << 26;
/// Stands for a mode that is singular, or impossible.
const OUT: u32 = u32::MAX;
/// A variable that no equation had so far has no leading derivative.
const NONE: u8 = u8::MAX;

/// What a step is in the modes that take an edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Edge {
    /// The values of the mode variables that enter.
    pub(super) values: u32,
    /// How often the equation is differentiated; nothing where it does not hold.
    pub(super) offset: Option<u8>,
    /// Whether a variable leaves whose leading derivative is the variable itself.
    pub(super) algebraic: bool,
    /// What is added to the weight of the heaviest matching.
    pub(super) weight: i32,
    /// The class at the next cut.
    pub(super) to: u32,
}

/// By class: its edges.
type Table = Vec<Vec<Edge>>;

/// The offsets of a model in all its regular modes.
#[derive(Debug)]
pub struct StagedOffsets {
    pub(super) plan: Plan,
    /// By item, as far as it is an equation of the model.
    pub(super) equations: Vec<EquationId>,
    /// Different tables; the first one of a cut leads from one class.
    pub(super) tables: Vec<Table>,
    /// By step: the number of its table.
    pub(super) steps: Vec<u32>,
    /// Classes at the cut with most of them.
    pub most_classes: usize,
}

/// Why a bimachine is made again, or not at all.
enum Failure {
    /// Too much was dropped of the summaries.
    TooLittleKept,
    NotSwept(NotSwept),
}

impl StagedOffsets {
    /// Of an incidence whose sets of modes are from `space`, in the modes of the invariant.
    pub fn new(
        space: &ModeSpace,
        invariant: &Invariant,
        incidence: &Incidence,
        time_limit: Option<TimeLimit>,
    ) -> Result<StagedOffsets, NotSwept> {
        let (mut graph, equations) = weighted_graph(incidence);
        let lonely = (0..incidence.variables().len()).map(VariableId::from_index);
        let lonely = lonely.filter(|&variable| incidence.edges_of_variable(variable).is_empty());
        let lonely = lonely.map(|variable| incidence.variables()[variable].guard);
        let impossible = invariant.components().map(|component| !component);
        let out: Vec<ModeSet> = lonely.chain(impossible).filter(|modes| !modes.is_empty()).collect();
        let without_unknowns = |guard| Item { guard, edges: Vec::new(), sources: 0, orders: Vec::new() };
        graph.items.extend(out.into_iter().map(without_unknowns));
        let highest = i32::from(graph.items.iter().flat_map(|item| &item.orders).copied().max().unwrap_or(0));
        let plan = Plan::new(space, &graph)?;
        let mut kept = (highest + 1) * plan.widest.max(1) as i32;
        loop {
            match Pairs::all(&plan, kept, time_limit) {
                Ok(pairs) => {
                    let (tables, steps) = pairs.minimal();
                    let most_classes = tables.iter().map(Vec::len).max().unwrap_or(1);
                    return Ok(StagedOffsets { plan, equations, tables, steps, most_classes });
                }
                Err(Failure::NotSwept(reason)) => return Err(reason),
                Err(Failure::TooLittleKept) => {
                    assert!(kept < ALL_KEPT, "a mode with a perfect matching has a heaviest one");
                    kept *= 2;
                }
            }
        }
    }
}

/// What is on one side of a cut: what can be matched, and with which weights.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Summary {
    bases: Vec<u32>,
    weights: Weights,
}

/// The values of the mode variables at a cut, and a summary.
type State = (u32, u32);

/// What follows from a state in a local mode: the state, its place in the next layer once that is known, and what weights were lowered by.
#[derive(Clone, Copy)]
struct Follows {
    local: u32,
    state: u32,
    lowered: i32,
}

/// All states of one direction, cut by cut.
struct Side {
    summaries: Vec<Summary>,
    /// Sets in all of them.
    sets: usize,
    numbers: FxHashMap<Summary, u32>,
    layers: Vec<Vec<State>>,
    layer_numbers: FxHashMap<Vec<State>, u32>,
    /// By number of a table: for each state of a layer what follows from it.
    tables: Vec<Vec<Vec<Follows>>>,
    known: FxHashMap<(u32, u32), (u32, u32)>,
    /// By step: its table, the layer at its beginning and at its end, both in the direction of reading.
    steps: Vec<(u32, u32)>,
}

#[derive(Clone, Copy, PartialEq)]
enum Direction {
    Left,
    Right,
}

impl Side {
    fn of(plan: &Plan, direction: Direction, kept: i32, time_limit: Option<TimeLimit>) -> Result<Side, Failure> {
        let start = Summary { bases: vec![0], weights: Weights::start() };
        let first = vec![(0, 0)];
        let mut side = Side {
            summaries: vec![start.clone()],
            sets: 0,
            numbers: FxHashMap::from_iter([(start, 0)]),
            layers: vec![first.clone()],
            layer_numbers: FxHashMap::from_iter([(first, 0)]),
            tables: Vec::new(),
            known: FxHashMap::default(),
            steps: vec![(0, 0); plan.steps.len()],
        };
        let mut layer = 0;
        for at in 0..plan.steps.len() {
            let at = if direction == Direction::Left { at } else { plan.steps.len() - 1 - at };
            let form = plan.steps[at].form;
            let (table, next) = match side.known.get(&(layer, form)) {
                Some(&known) => known,
                None => {
                    check_time(time_limit)?;
                    let made = side.expand(layer, &plan.forms[form as usize], direction, kept)?;
                    side.known.insert((layer, form), made);
                    made
                }
            };
            side.steps[at] = (table, layer);
            layer = next;
        }
        Ok(side)
    }

    fn expand(&mut self, layer: u32, form: &Form, direction: Direction, kept: i32) -> Result<(u32, u32), Failure> {
        let states = self.layers[layer as usize].clone();
        let locals = 0..1usize << (form.modes_before + form.entering_modes);
        let before = (1usize << form.modes_before) - 1;
        let mut reached: Vec<Vec<(u32, State, i32)>> = Vec::with_capacity(states.len());
        for &(modes, summary) in &states {
            let mut of_state = Vec::new();
            for local in locals.clone() {
                let (own, then) = match direction {
                    Direction::Left => (local & before, form.staying_modes(local)),
                    Direction::Right => (form.staying_modes(local), local & before),
                };
                if own == modes as usize
                    && let Some((next, lowered)) =
                        self.summaries[summary as usize].next(form, local, direction, kept)?
                {
                    let next = self.number(next);
                    if self.sets > MOST_SETS {
                        return Err(Failure::NotSwept(NotSwept::ManyStates(MOST_PAIRS)));
                    }
                    of_state.push((local as u32, (then as u32, next), lowered));
                }
            }
            reached.push(of_state);
        }
        let mut next: Vec<State> = reached.iter().flatten().map(|it| it.1).collect();
        next.sort_unstable();
        next.dedup();
        if next.len() > MOST_PAIRS {
            return Err(Failure::NotSwept(NotSwept::ManyStates(MOST_PAIRS)));
        }
        let positions: FxHashMap<State, u32> = next.iter().copied().zip(0..).collect();
        let follows = |(local, state, lowered): (u32, State, i32)| Follows { local, state: positions[&state], lowered };
        self.tables.push(reached.into_iter().map(|row| row.into_iter().map(follows).collect()).collect());
        let count = self.layers.len() as u32;
        let number = *self.layer_numbers.entry(next).or_insert_with_key(|next| {
            self.layers.push(next.clone());
            count
        });
        Ok((self.tables.len() as u32 - 1, number))
    }

    fn number(&mut self, summary: Summary) -> u32 {
        let count = self.summaries.len() as u32;
        *self.numbers.entry(summary).or_insert_with_key(|summary| {
            self.sets += summary.bases.len() + summary.weights.sets();
            self.summaries.push(summary.clone());
            count
        })
    }
}

impl Summary {
    /// The summary after a step, or before it, and what its weights were lowered by; nothing where something lacks a partner.
    fn next(
        &self,
        form: &Form,
        local: usize,
        direction: Direction,
        kept: i32,
    ) -> Result<Option<(Summary, i32)>, Failure> {
        let (bases, lacks) = match direction {
            Direction::Left => matroid::step(&self.bases, form, local),
            Direction::Right => matroid::step_back(&self.bases, form, local),
        };
        if lacks {
            return Ok(None);
        }
        let weights = match direction {
            Direction::Left => self.weights.step(form, local, kept),
            Direction::Right => self.weights.expanded(form, local).step_back(form, local, kept).map(|it| (it, 0)),
        };
        let (weights, lowered) = weights.ok_or(Failure::TooLittleKept)?;
        Ok(Some((Summary { bases, weights }, lowered)))
    }
}

/// A left and a right state at a cut, with what has been added up of the modes that come here.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Pair {
    left: u32,
    right: u32,
    /// By variable in the boundary: its leading derivative, as far as equations were met.
    leading: Vec<u8>,
    /// Leading derivatives of variables that left, minus offsets, minus weights.
    sum: i32,
}

/// The automaton of pairs.
struct Pairs {
    tables: Vec<Table>,
    steps: Vec<u32>,
    /// The pairs of the last cut.
    last: usize,
}

impl Pairs {
    fn all(plan: &Plan, kept: i32, time_limit: Option<TimeLimit>) -> Result<Pairs, Failure> {
        let left = Side::of(plan, Direction::Left, kept, time_limit)?;
        let right = Side::of(plan, Direction::Right, kept, time_limit)?;
        let mut builder = PairsOf {
            left: &left,
            right: &right,
            layers: Vec::new(),
            numbers: FxHashMap::default(),
            offsets: FxHashMap::default(),
            compared: 0,
            highest: 0,
            tables: Vec::new(),
        };
        // Nothing is in the boundary at the first cut: one left state, and one right state unless every mode is out.
        let mut layer = builder.layer(vec![Pair { left: 0, right: 0, leading: Vec::new(), sum: 0 }]);
        let mut known: FxHashMap<(u32, u32, u32), (u32, u32)> = FxHashMap::default();
        let mut steps = Vec::with_capacity(plan.steps.len());
        for (at, step) in plan.steps.iter().enumerate() {
            let key = (layer, left.steps[at].0, right.steps[at].0);
            let (table, next) = match known.get(&key) {
                Some(&known) => known,
                None => {
                    check_time(time_limit)?;
                    let made = builder.expand(layer, at, step.form, &plan.forms[step.form as usize])?;
                    known.insert(key, made);
                    made
                }
            };
            steps.push(table);
            layer = next;
        }
        let last = &builder.layers[layer as usize];
        let is_exact = last.iter().all(|pair| pair.sum == 0) && kept >= builder.highest * plan.widest as i32;
        if !is_exact && kept < ALL_KEPT {
            return Err(Failure::TooLittleKept);
        }
        Ok(Pairs { last: last.len(), tables: builder.tables, steps })
    }

    /// Pairs from which the same edges lead on are one: from the last cut to the first (Moore). Those that lead nowhere are left out.
    fn minimal(self) -> (Vec<Table>, Vec<u32>) {
        let mut tables: Vec<Table> = Vec::new();
        let mut lists: Vec<Vec<u32>> = vec![vec![0; self.last]];
        let mut numbers: FxHashMap<Vec<u32>, u32> = FxHashMap::from_iter([(lists[0].clone(), 0)]);
        let mut done: FxHashMap<(u32, u32), (u32, u32)> = FxHashMap::default();
        let mut steps = Vec::with_capacity(self.steps.len());
        let mut next = 0;
        for &table in self.steps.iter().rev() {
            let (classes, minimal) = *done.entry((table, next)).or_insert_with(|| {
                let (classes, merged) = merged(&self.tables[table as usize], &lists[next as usize]);
                tables.push(merged);
                let number = *numbers.entry(classes).or_insert_with_key(|classes| {
                    lists.push(classes.clone());
                    lists.len() as u32 - 1
                });
                (number, tables.len() as u32 - 1)
            });
            steps.push(minimal);
            next = classes;
        }
        steps.reverse();
        (tables, steps)
    }
}

/// The classes of the pairs of a table, given those of the next cut, and the table of the classes.
fn merged(table: &Table, next: &[u32]) -> (Vec<u32>, Table) {
    let mut known: FxHashMap<Vec<Edge>, u32> = FxHashMap::default();
    let mut merged = Vec::new();
    let mut class = |edges: &Vec<Edge>| {
        let leads_on = edges.iter().map(|edge| Edge { to: next[edge.to as usize], ..*edge });
        let mut edges: Vec<Edge> = leads_on.filter(|edge| edge.to != OUT).collect();
        if edges.is_empty() {
            return OUT;
        }
        edges.sort_unstable();
        let count = known.len() as u32;
        *known.entry(edges).or_insert_with_key(|edges| {
            merged.push(edges.clone());
            count
        })
    };
    let classes = table.iter().map(&mut class).collect();
    (classes, merged)
}

struct PairsOf<'a> {
    left: &'a Side,
    right: &'a Side,
    layers: Vec<Vec<Pair>>,
    numbers: FxHashMap<Vec<Pair>, u32>,
    /// By form, local mode, and summary on either side.
    offsets: FxHashMap<(u32, u32, u32, u32), Option<u8>>,
    /// Sets that were compared for them.
    compared: usize,
    /// The highest leading derivative that was found.
    highest: i32,
    tables: Vec<Table>,
}

impl PairsOf<'_> {
    fn layer(&mut self, pairs: Vec<Pair>) -> u32 {
        let count = self.layers.len() as u32;
        *self.numbers.entry(pairs).or_insert_with_key(|pairs| {
            self.layers.push(pairs.clone());
            count
        })
    }

    fn expand(&mut self, layer: u32, at: usize, number: u32, form: &Form) -> Result<(u32, u32), Failure> {
        let (left, right) = (self.left, self.right);
        let (left_table, left_layer) = left.steps[at];
        let (right_table, right_after) = right.steps[at];
        // By right state before the step: the local modes in which it is reached, and from where.
        let mut ways: FxHashMap<u32, Vec<(u32, u32)>> = FxHashMap::default();
        for (after, follows) in right.tables[right_table as usize].iter().enumerate() {
            for it in follows {
                ways.entry(it.state).or_default().push((it.local, after as u32));
            }
        }
        let pairs = self.layers[layer as usize].clone();
        let mut reached: Vec<Vec<(Edge, Pair)>> = Vec::with_capacity(pairs.len());
        for pair in &pairs {
            let before = left.layers[left_layer as usize][pair.left as usize].1;
            let follows = &left.tables[left_table as usize][pair.left as usize];
            let mut of_pair = Vec::new();
            for &(local, after) in ways.get(&pair.right).into_iter().flatten() {
                let Some(next) = follows.iter().find(|it| it.local == local) else { continue };
                let behind = right.layers[right_after as usize][after as usize].1;
                let offset = match holds(form.guard, local as usize) {
                    false => None,
                    true => match self.offset((number, local, before, behind), form)? {
                        Some(offset) => Some(offset),
                        None => continue,
                    },
                };
                if let Some((edge, leading, sum)) = self.edge(pair, form, local as usize, offset) {
                    let edge = Edge { weight: next.lowered, ..edge };
                    let sum = pair.sum + sum - next.lowered;
                    of_pair.push((edge, Pair { left: next.state, right: after, leading, sum }));
                }
            }
            reached.push(of_pair);
        }
        let mut next: Vec<Pair> = reached.iter().flatten().map(|it| it.1.clone()).collect();
        next.sort_unstable();
        next.dedup();
        if next.len() > MOST_PAIRS {
            return Err(Failure::NotSwept(NotSwept::ManyStates(MOST_PAIRS)));
        }
        let place = |pair: &Pair| next.binary_search(pair).expect("a pair that was reached") as u32;
        let edges = |row: &Vec<(Edge, Pair)>| row.iter().map(|(edge, to)| Edge { to: place(to), ..*edge }).collect();
        let table: Table = reached.iter().map(edges).collect();
        self.tables.push(table);
        let number = self.layer(next);
        Ok((self.tables.len() as u32 - 1, number))
    }

    /// How often an equation is differentiated between two summaries, in a local mode; nothing where the mode is singular.
    fn offset(&mut self, key: (u32, u32, u32, u32), form: &Form) -> Result<Option<u8>, Failure> {
        if let Some(&known) = self.offsets.get(&key) {
            return Ok(known);
        }
        let (_, local, before, behind) = key;
        let (before, behind) = (&self.left.summaries[before as usize], &self.right.summaries[behind as usize]);
        let local = local as usize;
        self.compared += before.weights.sets() * (form.edges.len() + 1) + behind.weights.sets();
        if self.compared > MOST_COMPARED {
            return Err(Failure::NotSwept(NotSwept::ManyStates(MOST_PAIRS)));
        }
        let after = behind.weights.expanded(form, local);
        let heaviest = before.weights.heaviest(&after, form, local);
        let offset = match heaviest.by_edge.iter().map(|it| it.1).max() {
            Some(with) => {
                let without = heaviest.without.unwrap_or(with);
                Some((without - with).clamp(0, i32::from(NONE) - 1) as u8)
            }
            // Both sides find partners for all they have, and together they do not: singular, or too much was dropped.
            None => {
                let present = before.weights.present() | after.present();
                if matroid::is_covered(&before.bases, &behind.bases, form, local, present) {
                    return Err(Failure::TooLittleKept);
                }
                None
            }
        };
        self.offsets.insert(key, offset);
        Ok(offset)
    }

    /// What a step is in a local mode, the leading derivatives behind it, and what it adds to the sum but for the weight; nothing
    /// where the mode is singular.
    fn edge(&mut self, pair: &Pair, form: &Form, local: usize, offset: Option<u8>) -> Option<(Edge, Vec<u8>, i32)> {
        let mut leading = pair.leading.clone();
        leading.resize(leading.len() + form.entering.len(), NONE);
        if let Some(own) = offset {
            for (place, order) in edges(form, local) {
                let known = &mut leading[usize::from(place)];
                let found = (u32::from(own) + order).min(u32::from(NONE) - 1) as u8;
                *known = if *known == NONE { found } else { found.max(*known) };
                self.highest = self.highest.max(i32::from(*known));
            }
        }
        let mut sum = -i32::from(offset.unwrap_or(0));
        let mut algebraic = false;
        for &(place, present) in &form.leaving {
            let leaving = leading.remove(usize::from(place));
            if holds(present, local) {
                if leaving == NONE {
                    return None;
                }
                sum += i32::from(leaving);
                algebraic |= leaving == 0;
            }
        }
        let edge = Edge { values: (local >> form.modes_before) as u32, offset, algebraic, weight: 0, to: 0 };
        Some((edge, leading, sum))
    }
}

fn check_time(time_limit: Option<TimeLimit>) -> Result<(), Failure> {
    match time_limit.as_ref().and_then(TimeLimit::exceeded) {
        Some(kind) => {
            let limit = Limit { kind, task: "sweeping along the model".to_string() };
            Err(Failure::NotSwept(NotSwept::Limit(limit)))
        }
        None => Ok(()),
    }
}

/// The mode variables that enter at a step, as bits of its values: which of them have to have which value.
pub(super) fn wanted(plan: &Plan, step: usize, value: impl Fn(ModeVariable) -> Option<bool>) -> (u32, u32) {
    let entering = plan.entering_modes.of(step).iter().enumerate();
    entering.fold((0, 0), |(mask, values), (place, &variable)| match value(variable) {
        Some(value) => (mask | 1 << place, values | u32::from(value) << place),
        None => (mask, values),
    })
}
