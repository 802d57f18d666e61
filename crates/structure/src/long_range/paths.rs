//! What is asked of the offsets of all modes: each question is one for a cheapest path of the automaton of pairs.
//!
//! A *monitor* is what a question has to remember along a path, a small number: whether the offset that is asked for was met, whether
//! some variable was algebraic. From the last cut to the first it is found what each class and monitor still has to pay; then the
//! path is followed. What `--at` says forbids edges.

use modeshift_dae::{EquationId, ModeVariableId};
use modeshift_modes::{ModeVariable, TimeLimit};
use rustc_hash::FxHashMap;

use super::LongRange;
use super::bimachine::{Edge, StagedOffsets, wanted};

/// More than any path costs.
const NEVER: i64 = i64::MAX;

/// A value that something has in some regular modes, with one of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StagedCase {
    /// The value.
    pub value: u32,
    /// The mode variables of one such mode that deviate from usual values, as few as can be, with what they are there.
    pub example: Vec<(ModeVariable, bool)>,
}

/// What the offsets of all regular modes say, or of those with some values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InAllModes {
    /// The structural index by value, each with a mode.
    pub index: Vec<StagedCase>,
    /// The fewest and the most degrees of freedom.
    pub degrees_of_freedom: (u32, u32),
}

impl LongRange {
    /// What the offsets of all regular modes with these values say, of which `mode` is one; nothing where it is singular, or that would
    /// take more summaries than are followed. Examples deviate from `mode` in as few values as can be.
    pub fn in_all_modes(
        &self,
        values: &[(ModeVariableId, bool)],
        mode: &[(ModeVariableId, bool)],
        time_limit: Option<TimeLimit>,
    ) -> Option<InAllModes> {
        let known: FxHashMap<ModeVariable, bool> =
            mode.iter().map(|&(id, value)| (ModeVariable(id.0), value)).collect();
        let usual = |variable: ModeVariable| known.get(&variable).copied().unwrap_or(true);
        if self.singular.contains(usual) {
            return None;
        }
        let incidence = &self.incidence;
        if incidence.edges().all(|edge| incidence.orders(edge).iter().all(|it| it.0 == 0)) {
            // Nothing is differentiated, in no mode.
            let index = vec![StagedCase { value: 1, example: Vec::new() }];
            return Some(InAllModes { index, degrees_of_freedom: (0, 0) });
        }
        let staged = StagedOffsets::new(&self.given, &self.invariant, incidence, time_limit).ok()?;
        let given: FxHashMap<ModeVariable, bool> =
            values.iter().map(|&(id, value)| (ModeVariable(id.0), value)).collect();
        let asked = Asked { given: &given, usual: &usual };
        let degrees_of_freedom = staged.degrees_of_freedom(&asked)?;
        Some(InAllModes { index: staged.structural_index(&asked), degrees_of_freedom })
    }
}

/// What is known and what is usual of mode variables.
pub struct Asked<'a> {
    /// Values that are given: only modes that have them are asked about.
    pub given: &'a FxHashMap<ModeVariable, bool>,
    /// Values that are usual: examples deviate from as few as can be.
    pub usual: &'a dyn Fn(ModeVariable) -> bool,
}

impl Asked<'_> {
    fn value(&self, variable: ModeVariable) -> Option<bool> {
        self.given.get(&variable).copied()
    }
}

/// The monitor behind an edge and what the edge costs; nothing where it must not be taken.
type Taken = Option<(usize, i64)>;

/// A question: what is remembered, and what is paid.
struct Question<'a> {
    /// Monitors are below this.
    monitors: usize,
    /// By step, monitor and edge.
    next: &'a dyn Fn(usize, usize, &Edge) -> Taken,
    /// Which monitors answer the question.
    accepts: &'a dyn Fn(usize) -> bool,
    /// Whether deviations from usual values are paid too.
    near_usual: bool,
}

impl StagedOffsets {
    /// The structural index, by value: the largest offset, and one more where some variable is algebraic. Of the regular modes.
    pub fn structural_index(&self, asked: &Asked<'_>) -> Vec<StagedCase> {
        let mut cases: Vec<StagedCase> = Vec::new();
        for largest in 0..=self.highest_offset() {
            for algebraic in [false, true] {
                let value = u32::from(largest) + u32::from(algebraic);
                let next = |_: usize, monitor: usize, edge: &Edge| {
                    let offset = edge.offset.unwrap_or(0);
                    let allowed = offset <= largest && (algebraic || !edge.algebraic);
                    let met = usize::from(offset == largest) | usize::from(edge.algebraic) << 1;
                    allowed.then_some((monitor | met, 0))
                };
                let wanted = 1 | usize::from(algebraic) << 1;
                // No offset is below zero: that is met in every mode.
                let accepts = |monitor: usize| monitor | usize::from(largest == 0) == wanted;
                let question = Question { monitors: 4, next: &next, accepts: &accepts, near_usual: true };
                cases.extend(self.example(asked, &question).map(|example| StagedCase { value, example }));
            }
        }
        // A value comes about in two ways: the nearer example stays.
        cases.sort_by_key(|case| (case.value, case.example.len()));
        cases.dedup_by_key(|case| case.value);
        cases
    }

    /// The fewest and the most degrees of freedom of a regular mode; nothing where there is none.
    pub fn degrees_of_freedom(&self, asked: &Asked<'_>) -> Option<(u32, u32)> {
        let extreme = |sign: i64| {
            let next = |_: usize, _: usize, edge: &Edge| Some((0, sign * i64::from(edge.weight)));
            let question = Question { monitors: 1, next: &next, accepts: &|_| true, near_usual: false };
            Some(sign * self.cheapest(asked, &question)?.0)
        };
        Some((extreme(1)? as u32, extreme(-1)? as u32))
    }

    /// How often an equation is differentiated, by value, in the regular modes in which it holds.
    pub fn offsets_of(&self, equation: EquationId, asked: &Asked<'_>) -> Vec<StagedCase> {
        let item = |step: &usize| self.plan.steps[*step].item as usize;
        let steps = 0..self.plan.steps.len();
        let Some(own) = steps.clone().find(|step| self.equations.get(item(step)) == Some(&equation)) else {
            return Vec::new();
        };
        let table = &self.tables[self.steps[own] as usize];
        let mut values: Vec<u8> = table.iter().flatten().filter_map(|edge| edge.offset).collect();
        values.sort_unstable();
        values.dedup();
        let case = |value: u8| {
            let next =
                |step: usize, _: usize, edge: &Edge| (step != own || edge.offset == Some(value)).then_some((0, 0));
            let question = Question { monitors: 1, next: &next, accepts: &|_| true, near_usual: true };
            Some(StagedCase { value: value.into(), example: self.example(asked, &question)? })
        };
        values.into_iter().filter_map(case).collect()
    }

    /// How often equations are differentiated in one mode, and its degrees of freedom; nothing where it is singular or impossible.
    pub fn in_mode(&self, value: impl Fn(ModeVariable) -> bool) -> Option<(Vec<(EquationId, u32)>, u32)> {
        let all = (0..self.plan.steps.len()).flat_map(|step| self.plan.entering_modes.of(step));
        let given: FxHashMap<ModeVariable, bool> = all.map(|&variable| (variable, value(variable))).collect();
        let next = |_: usize, _: usize, _: &Edge| Some((0, 0));
        let question = Question { monitors: 1, next: &next, accepts: &|_| true, near_usual: false };
        let (_, path) = self.cheapest(&Asked { given: &given, usual: &value }, &question)?;
        let mut offsets = Vec::with_capacity(self.equations.len());
        for (step, edge) in self.plan.steps.iter().zip(&path) {
            if let (Some(&equation), Some(offset)) = (self.equations.get(step.item as usize), edge.offset) {
                offsets.push((equation, offset.into()));
            }
        }
        offsets.sort_unstable();
        Some((offsets, path.iter().map(|edge| edge.weight).sum::<i32>() as u32))
    }

    fn highest_offset(&self) -> u8 {
        self.tables.iter().flatten().flatten().filter_map(|edge| edge.offset).max().unwrap_or(0)
    }

    /// What deviates from usual values in a mode that answers a question.
    fn example(&self, asked: &Asked<'_>, question: &Question<'_>) -> Option<Vec<(ModeVariable, bool)>> {
        let (_, path) = self.cheapest(asked, question)?;
        let mut example = Vec::new();
        for (step, edge) in path.iter().enumerate() {
            let entering = self.plan.entering_modes.of(step).iter().enumerate();
            let values = entering.map(|(place, &variable)| (variable, edge.values >> place & 1 == 1));
            example.extend(values.filter(|&(it, value)| asked.value(it).is_none() && value != (asked.usual)(it)));
        }
        example.sort_unstable();
        Some(example)
    }

    /// A cheapest path that answers a question, with its cost.
    fn cheapest(&self, asked: &Asked<'_>, question: &Question<'_>) -> Option<(i64, Vec<Edge>)> {
        let Question { monitors, next, accepts, near_usual } = *question;
        let steps = self.steps.len();
        let masks: Vec<(u32, u32)> = (0..steps).map(|step| wanted(&self.plan, step, |it| asked.value(it))).collect();
        let usual = |step: usize| match near_usual {
            true => wanted(&self.plan, step, |it| asked.value(it).is_none().then(|| (asked.usual)(it))),
            false => (0, 0),
        };
        let cost = |step: usize, (mask, usual): (u32, u32), monitor: usize, edge: &Edge, after: &[i64]| {
            let (given, values) = masks[step];
            if edge.values & given != values {
                return NEVER;
            }
            let Some((then, cost)) = next(step, monitor, edge) else { return NEVER };
            match after[edge.to as usize * monitors + then] {
                NEVER => NEVER,
                rest => rest + cost + i64::from(((edge.values ^ usual) & mask).count_ones()),
            }
        };
        let at_end = |monitor: usize| if accepts(monitor) { 0 } else { NEVER };
        let mut distances: Vec<Vec<i64>> = vec![(0..monitors).map(at_end).collect()];
        for step in (0..steps).rev() {
            let (after, usual) = (&distances[distances.len() - 1], usual(step));
            let table = &self.tables[self.steps[step] as usize];
            let mut own = Vec::with_capacity(table.len() * monitors);
            for edges in table {
                own.extend((0..monitors).map(|monitor| {
                    edges.iter().map(|edge| cost(step, usual, monitor, edge, after)).min().unwrap_or(NEVER)
                }));
            }
            distances.push(own);
        }
        distances.reverse();
        let total = *distances[0].first()?;
        if total == NEVER {
            return None;
        }
        let (mut class, mut monitor) = (0, 0);
        let mut path = Vec::with_capacity(steps);
        for step in 0..steps {
            let (usual, after) = (usual(step), &distances[step + 1]);
            let edges = &self.tables[self.steps[step] as usize][class];
            let edge = *edges.iter().min_by_key(|edge| cost(step, usual, monitor, edge, after))?;
            monitor = next(step, monitor, &edge)?.0;
            class = edge.to as usize;
            path.push(edge);
        }
        Some((total, path))
    }
}
