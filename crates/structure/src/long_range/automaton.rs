//! All states of all cuts of a sweep, and their minimal form.
//!
//! A state is a summary with the values of the mode variables that are alive at the cut. The states of a cut are a *layer*;
//! a step leads from each of them, by the values of the mode variables that enter, to a state of the next layer or to the
//! verdict that the mode is out. Four tables make this linear with a small constant: summaries are numbered; (form,
//! summary, local mode) is computed once; layers are numbered; and so is (layer, form), so that where a model repeats
//! itself a step costs one look-up.

use rustc_hash::FxHashMap;

use super::NotSwept;
use super::plan::{Form, Plan};
use modeshift_modes::{Limit, TimeLimit};

/// More states at a cut than this are not followed: tables of both grow with their product with the length of a period.
const MOST_STATES: usize = 200_000;
/// Stands for a mode that is out.
pub(super) const OUT: u32 = u32::MAX;

/// What is known about the items behind a front. Summaries have numbers, equal ones the same.
pub(super) trait Summaries {
    /// Of no items.
    fn start(&mut self) -> u32;
    /// After a step in a local mode; nothing where the mode is out.
    fn step(&mut self, form: &Form, summary: u32, local: usize) -> Option<u32>;
}

/// The values of mode variables that are alive, and a summary.
type State = (u32, u32);

/// A table: for each state, by the values of entering mode variables, the position of the next state.
pub(super) type Table = Box<[u32]>;

/// The automaton of a plan: by step, the number of its table.
#[derive(Debug)]
pub(super) struct Automaton {
    tables: Vec<Table>,
    /// By table: how many states it leads from.
    sizes: Vec<usize>,
    /// By table: for each state so many entries.
    widths: Vec<usize>,
    steps: Vec<u32>,
}

impl Automaton {
    /// Follows a plan.
    pub(super) fn new(
        plan: &Plan,
        summaries: &mut dyn Summaries,
        time_limit: Option<TimeLimit>,
    ) -> Result<Automaton, NotSwept> {
        let start = summaries.start();
        let mut builder = Builder {
            summaries,
            transitions: FxHashMap::default(),
            layers: vec![vec![(0, start)]],
            layer_numbers: FxHashMap::from_iter([(vec![(0, start)], 0)]),
            expanded: FxHashMap::default(),
            time_limit,
            automaton: Automaton { tables: Vec::new(), sizes: Vec::new(), widths: Vec::new(), steps: Vec::new() },
        };
        let mut layer = 0;
        for step in &plan.steps {
            let (table, next) = builder.expand(layer, step.form, &plan.forms[step.form as usize])?;
            builder.automaton.steps.push(table);
            layer = next;
        }
        Ok(builder.automaton)
    }

    /// States at the cut with most of them.
    pub(super) fn most_states(&self) -> usize {
        self.sizes.iter().copied().max().unwrap_or(1)
    }

    /// States from which the same modes pass are one: from the last cut to the first (Moore). States from which no mode
    /// passes are out. Memoised by table and classes of the next cut, so that periods are shared here too.
    pub(super) fn minimal(&self) -> Automaton {
        let mut minimal = Automaton { tables: Vec::new(), sizes: Vec::new(), widths: Vec::new(), steps: Vec::new() };
        let mut class_lists: Vec<Vec<u32>> = vec![vec![0]];
        let mut numbers: FxHashMap<Vec<u32>, u32> = FxHashMap::from_iter([(vec![0], 0)]);
        let mut done: FxHashMap<(u32, u32), (u32, u32)> = FxHashMap::default();
        let mut next = 0;
        for &table in self.steps.iter().rev() {
            let (classes, minimal_table) = *done.entry((table, next)).or_insert_with(|| {
                let (classes, merged) = self.merged(table, &class_lists[next as usize]);
                let width = self.widths[table as usize];
                minimal.sizes.push(merged.len() / width);
                minimal.widths.push(width);
                minimal.tables.push(merged.into_boxed_slice());
                let number = *numbers.entry(classes).or_insert_with_key(|classes| {
                    class_lists.push(classes.clone());
                    class_lists.len() as u32 - 1
                });
                (number, minimal.tables.len() as u32 - 1)
            });
            minimal.steps.push(minimal_table);
            next = classes;
        }
        minimal.steps.reverse();
        minimal
    }

    /// The classes of the states of a table, given those of the next cut, and the table of the classes.
    fn merged(&self, table: u32, next: &[u32]) -> (Vec<u32>, Vec<u32>) {
        let width = self.widths[table as usize];
        let mut known: FxHashMap<Vec<u32>, u32> = FxHashMap::default();
        let mut merged = Vec::new();
        let class_of = |&state: &u32| if state == OUT { OUT } else { next[state as usize] };
        let states = self.tables[table as usize].chunks_exact(width);
        let classes = states.map(|row| {
            let signature: Vec<u32> = row.iter().map(class_of).collect();
            if signature.iter().all(|&class| class == OUT) {
                return OUT;
            }
            let count = known.len() as u32;
            *known.entry(signature).or_insert_with_key(|signature| {
                merged.extend_from_slice(signature);
                count
            })
        });
        let classes = classes.collect();
        (classes, merged)
    }

    /// By step: the rows of its table, one per state.
    pub(super) fn rows(&self, step: usize) -> impl ExactSizeIterator<Item = &[u32]> {
        let table = self.table(step);
        self.tables[table].chunks_exact(self.widths[table])
    }

    /// The row of a state.
    pub(super) fn row(&self, step: usize, state: u32) -> &[u32] {
        let table = self.table(step);
        let width = self.widths[table];
        &self.tables[table][state as usize * width..][..width]
    }

    /// The table of a step.
    pub(super) fn table(&self, step: usize) -> usize {
        self.steps[step] as usize
    }

    pub(super) fn table_count(&self) -> usize {
        self.tables.len()
    }

    /// All entries of a table, row by row.
    pub(super) fn entries(&self, table: usize) -> &[u32] {
        &self.tables[table]
    }

    /// How many entries a row of a table has.
    pub(super) fn width(&self, table: usize) -> usize {
        self.widths[table]
    }
}

struct Builder<'a> {
    summaries: &'a mut dyn Summaries,
    /// (form, summary, local mode) → summary.
    transitions: FxHashMap<(u32, u32, u32), u32>,
    layers: Vec<Vec<State>>,
    layer_numbers: FxHashMap<Vec<State>, u32>,
    /// (layer, form) → (table, next layer).
    expanded: FxHashMap<(u32, u32), (u32, u32)>,
    time_limit: Option<TimeLimit>,
    automaton: Automaton,
}

impl Builder<'_> {
    fn expand(&mut self, layer: u32, number: u32, form: &Form) -> Result<(u32, u32), NotSwept> {
        if let Some(&known) = self.expanded.get(&(layer, number)) {
            return Ok(known);
        }
        self.check_time()?;
        let width = 1 << form.entering_modes;
        let states = std::mem::take(&mut self.layers[layer as usize]);
        let mut reached: Vec<Option<State>> = Vec::with_capacity(states.len() * width);
        for &(modes, summary) in &states {
            for entering in 0..width {
                let local = modes as usize | entering << form.modes_before;
                let next = self.transition(number, form, summary, local);
                reached.push((next != OUT).then(|| (form.staying_modes(local) as u32, next)));
            }
        }
        let size = states.len();
        self.layers[layer as usize] = states;
        let mut next: Vec<State> = reached.iter().flatten().copied().collect();
        next.sort_unstable();
        next.dedup();
        if next.len() > MOST_STATES {
            return Err(NotSwept::ManyStates(MOST_STATES));
        }
        let positions: FxHashMap<State, u32> = next.iter().copied().zip(0..).collect();
        let table = reached.into_iter().map(|state| state.map_or(OUT, |state| positions[&state])).collect();
        self.automaton.tables.push(table);
        self.automaton.sizes.push(size);
        self.automaton.widths.push(width);
        let result = (self.automaton.tables.len() as u32 - 1, self.layer(next));
        self.expanded.insert((layer, number), result);
        Ok(result)
    }

    fn transition(&mut self, number: u32, form: &Form, summary: u32, local: usize) -> u32 {
        let key = (number, summary, local as u32);
        if let Some(&known) = self.transitions.get(&key) {
            return known;
        }
        let next = self.summaries.step(form, summary, local).unwrap_or(OUT);
        self.transitions.insert(key, next);
        next
    }

    fn layer(&mut self, states: Vec<State>) -> u32 {
        if let Some(&number) = self.layer_numbers.get(&states) {
            return number;
        }
        let number = self.layers.len() as u32;
        self.layers.push(states.clone());
        self.layer_numbers.insert(states, number);
        number
    }

    fn check_time(&self) -> Result<(), NotSwept> {
        match self.time_limit.as_ref().and_then(TimeLimit::exceeded) {
            Some(kind) => Err(NotSwept::Limit(Limit { kind, task: "sweeping along the model".to_string() })),
            None => Ok(()),
        }
    }
}
