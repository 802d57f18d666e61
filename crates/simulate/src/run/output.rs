//! What observers are told: rows at the points of the interval and on both sides of events, the events themselves.

use std::collections::BTreeMap;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::ControlFlow;
use std::sync::Arc;

use modeshift_dae::{Mode, MultimodeDae, RelationId, VariableId};
use modeshift_diagnostics::Span;
use rustc_hash::FxHashSet;

use crate::results::{
    ABSENT, ColumnKind, ColumnSource, Columns, EventCost, EventRecord, Existence, Impulse, Jump, Observer, Progress,
};
use crate::run::instant::event_iteration::Outcome;
use crate::run::prepare::Prepared;
use crate::run::values::Side;

/// Points of the interval nearer to an event than this share of it are left to the event.
const NEAR: f64 = 1e-9;

/// An observer, and what it was told so far.
pub(super) struct Output<'o> {
    observer: &'o mut dyn Observer,
    columns: &'o Columns,
    points: Points,
    /// The largest value of each column so far.
    scales: Vec<f64>,
    last_time: Option<f64>,
    /// The mode of the last row.
    last_mode: Option<SeenMode>,
    /// The modes of rows.
    modes: FxHashSet<SeenMode>,
    present: Shown,
    pub events: usize,
    pub rows: usize,
}

/// A mode, and the surfaces that it slides along.
#[derive(Clone, Eq)]
struct SeenMode {
    mode: Mode,
    surfaces: Vec<RelationId>,
}

impl SeenMode {
    /// That of a side.
    fn of(side: &Side<'_>) -> Self {
        SeenMode { mode: side.mode.values.clone(), surfaces: slid_along(side).to_vec() }
    }

    /// Whether it is this mode along these surfaces.
    fn is(&self, mode: &Mode, surfaces: &[RelationId]) -> bool {
        is_same(&self.mode, mode) && self.surfaces.iter().eq(surfaces)
    }
}

impl PartialEq for SeenMode {
    fn eq(&self, other: &Self) -> bool {
        self.is(&other.mode, &other.surfaces)
    }
}

impl Hash for SeenMode {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.mode.hash(state);
        self.surfaces.hash(state);
    }
}

/// The relations that a side slides along.
fn slid_along<'s>(side: &'s Side<'_>) -> &'s [RelationId] {
    side.sliding.as_ref().map(|slide| slide.system.atoms.as_slice()).unwrap_or_default()
}

/// Whether two modes are one. That is asked at every row, and mostly of modes without much in them: to compare slices that are empty is a
/// read of memory where there is none, which is masked, but takes some hundred cycles on processors that find out late. So words are compared
/// one by one.
fn is_same(one: &Mode, other: &Mode) -> bool {
    one.len() == other.len() && one.differing(other).next().is_none()
}

/// The points of the interval.
struct Points {
    start: f64,
    interval: f64,
    /// The number of the next one.
    next: f64,
}

/// Values of columns, as they were told or looked at last.
pub(super) struct Shown {
    pub time: f64,
    /// Left limits at the last event.
    left: Vec<f64>,
    pub right: Vec<f64>,
    pub mode: Mode,
    pub event: Option<EventRecord>,
}

impl Shown {
    /// Left limits: those of the event, where there is one at this time.
    pub fn left(&self) -> &[f64] {
        if self.is_at_event() { &self.left } else { &self.right }
    }

    /// Whether the last event is at this time.
    pub fn is_at_event(&self) -> bool {
        self.event.as_ref().is_some_and(|event| event.time == self.time)
    }
}

impl<'o> Output<'o> {
    pub fn new(observer: &'o mut dyn Observer, columns: &'o Columns, start: f64, interval: f64) -> Self {
        let nothing = || vec![ABSENT; columns.len()];
        Output {
            observer,
            columns,
            points: Points { start, interval, next: 0.0 },
            scales: vec![0.0; columns.len()],
            last_time: None,
            last_mode: None,
            modes: FxHashSet::default(),
            present: Shown { time: start, left: nothing(), right: nothing(), mode: Mode::default(), event: None },
            events: 0,
            rows: 0,
        }
    }

    /// Tells which values the rows will have.
    pub fn begin(&mut self) {
        self.observer.columns(self.columns);
    }

    /// The values told or looked at last.
    pub fn present(&self) -> &Shown {
        &self.present
    }

    /// Looks at a side, or at an earlier time with the same values, without telling anybody.
    pub fn look_at(&mut self, side: &Side<'_>, latest: f64) {
        self.show(side);
        self.present.time = if latest < side.time { latest } else { side.time };
    }

    fn show(&mut self, side: &Side<'_>) {
        for (at, place) in self.present.right.iter_mut().enumerate() {
            *place = shown(self.columns, at, side);
        }
        self.present.time = side.time;
        if !is_same(&self.present.mode, &side.mode.values) {
            self.present.mode = side.mode.values.clone();
        }
    }

    /// How many different modes were seen.
    pub fn mode_count(&self) -> usize {
        self.modes.len()
    }

    /// How many of them were sliding modes.
    pub fn sliding_count(&self) -> usize {
        self.modes.iter().filter(|it| !it.surfaces.is_empty()).count()
    }

    /// The next point of the interval.
    pub fn next_point(&self) -> f64 {
        self.points.start + self.points.next * self.points.interval
    }

    /// A point of the interval that lies before an event, but not at it.
    pub fn next_point_before(&self, event: f64) -> Option<f64> {
        let point = self.next_point();
        (point < event - NEAR * self.points.interval).then_some(point)
    }

    /// Goes on to the next point of the interval.
    pub fn pass_point(&mut self) {
        self.points.next += 1.0;
    }

    /// Passes over points up to a time at which rows were written anyway.
    pub fn pass_points_until(&mut self, time: f64) {
        while self.next_point() <= time + NEAR * self.points.interval {
            self.points.next += 1.0;
        }
    }

    /// Rows at the points of the interval before a limit of events, all with the values of the limit.
    pub fn rows_before(&mut self, limit: &Side<'_>) {
        let mut side = limit.clone();
        while let Some(point) = self.next_point_before(limit.time) {
            side.time = point;
            self.row(&side);
            self.pass_point();
        }
    }

    /// Tells the values of one side.
    pub fn row(&mut self, side: &Side<'_>) {
        self.show(side);
        self.tell_shown(side);
    }

    /// The same of a side whose values are shown already.
    fn tell_shown(&mut self, side: &Side<'_>) {
        for (scale, value) in self.scales.iter_mut().zip(&self.present.right) {
            *scale = f64::max(*scale, value.abs());
        }
        if self.last_mode.as_ref().is_none_or(|last| !last.is(&side.mode.values, slid_along(side))) {
            let mode = SeenMode::of(side);
            self.modes.insert(mode.clone());
            self.last_mode = Some(mode);
        }
        self.observer.row(side.time, &self.present.right);
        self.rows += 1;
        self.last_time = Some(side.time);
    }

    /// The time of the last row.
    pub fn last_time(&self) -> Option<f64> {
        self.last_time
    }

    /// Tells of an event, with the rows on both sides.
    pub fn event<'a>(&mut self, prepared: &Prepared, left: &Side<'a>, outcome: &Outcome<'a>) {
        // At the start there is one row, after the event.
        match self.last_time() {
            Some(_) => self.row(left),
            None => self.show(left),
        }
        let record = record(prepared, self.columns, &self.scales, left, outcome);
        self.observer.event(&record);
        self.present.event = Some(record);
        std::mem::swap(&mut self.present.left, &mut self.present.right);
        self.row(&outcome.right);
        self.events += 1;
        self.pass_points_until(left.time);
    }

    /// What is told of an event.
    pub fn record_of<'a>(&self, prepared: &Prepared, left: &Side<'a>, outcome: &Outcome<'a>) -> EventRecord {
        record(prepared, self.columns, &self.scales, left, outcome)
    }

    /// Tells of an event that is like one that was told, with the rows on both sides. Its record is kept where somebody looks at it later.
    pub fn repeated_event<'a>(
        &mut self,
        prepared: &Prepared,
        left: &Side<'a>,
        right: &Side<'a>,
        (record, tells_stairs, keeps_event): (&mut EventRecord, bool, bool),
    ) {
        self.row(left);
        std::mem::swap(&mut self.present.left, &mut self.present.right);
        self.show(right);
        record.time = left.time;
        if tells_stairs {
            record.cause = prepared.changed_stairs(left, right);
        }
        record.jumps.clear();
        let limits = self.present.left.iter().zip(&self.present.right);
        for ((column, &scale), (&left, &right)) in self.columns.columns.iter().zip(&self.scales).zip(limits) {
            if matches!(column.source, ColumnSource::Variable(_))
                && jumped(left, right, prepared.noise.relative * scale)
            {
                record.jumps.push(Jump { variable: column.name.clone(), left, right });
            }
        }
        self.observer.event(record);
        self.present.event = keeps_event.then(|| record.clone());
        self.tell_shown(right);
        self.events += 1;
        self.pass_points_until(left.time);
    }

    /// Tells what an event cost.
    pub fn cost(&mut self, cost: &EventCost) {
        self.observer.cost(cost);
    }

    /// Whether somebody wants to know what events cost.
    pub fn wants_costs(&self) -> bool {
        self.observer.wants_costs()
    }

    /// Tells how far the run has come; whether it is to end.
    pub fn progress(&mut self, dae: &MultimodeDae, side: &Side<'_>, time: f64) -> ControlFlow<()> {
        let mode = ModeInShort { dae, values: &side.mode.values };
        self.observer.progress(Progress { time, events: self.events, mode: &mode })
    }
}

/// Whether a variable has no value on a side although it exists.
fn is_undetermined(side: &Side<'_>, id: VariableId) -> bool {
    side.mode.pins.as_ref().is_some_and(|pins| pins.is_undetermined(id))
}

/// The columns of variables that the mode of a side leaves open.
fn undetermined(columns: &Columns, side: &Side<'_>) -> Vec<Arc<str>> {
    if side.mode.pins.is_none() {
        return Vec::new();
    }
    let open = columns.columns.iter().filter(|column| match column.source {
        ColumnSource::Variable(id) => is_undetermined(side, id),
        ColumnSource::Mode(_) => false,
    });
    open.map(|column| column.name.clone()).collect()
}

/// The values of all columns on a side.
pub(super) fn shown_values(columns: &Columns, side: &Side<'_>) -> Vec<f64> {
    (0..columns.len()).map(|at| shown(columns, at, side)).collect()
}

/// The value of a column, if what it shows exists and has one.
fn shown(columns: &Columns, at: usize, side: &Side<'_>) -> f64 {
    let exists = |it: &Existence| it.holds(&|mode| side.truth(mode), &|id| side.discrete[id]);
    if columns.existence.get(at).and_then(Option::as_ref).is_some_and(|it| !exists(it)) {
        return ABSENT;
    }
    let column = &columns.columns[at];
    let id = match column.source {
        ColumnSource::Mode(mode) => return f64::from(u8::from(side.truth(mode))),
        ColumnSource::Variable(id) => id,
    };
    match side.mode.quantities.index(id, 0) {
        Some(_) if is_undetermined(side, id) => ABSENT,
        Some(quantity) => side.jet[quantity.index()],
        None if column.kind == ColumnKind::Continuous => ABSENT,
        None => side.discrete[id],
    }
}

/// The mode variables that are true.
pub(super) struct ModeInShort<'a> {
    pub dae: &'a MultimodeDae,
    pub values: &'a Mode,
}

/// More names than this are counted.
const MOST_NAMES: usize = 6;

impl fmt::Display for ModeInShort<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let on = self.values.iter().filter(|&(_, value)| value);
        let names: Vec<&str> = on.map(|(id, _)| &*self.dae.mode_variables[id].name).collect();
        match names.len() {
            0 => f.write_str("-"),
            1..=MOST_NAMES => f.write_str(&names.join(", ")),
            count => write!(f, "{}, … ({count} true)", names[..MOST_NAMES].join(", ")),
        }
    }
}

/// `g1 and not g2`, of the mode variables that differ from another mode.
pub(super) fn mode_text(dae: &MultimodeDae, mode: &Mode, other: &Mode) -> String {
    let literals = mode.differing(other).map(|id| {
        let name = &dae.mode_variables[id].name;
        if mode[id] { name.to_string() } else { format!("not {name}") }
    });
    let literals: Vec<String> = literals.collect();
    if literals.is_empty() { "true".to_string() } else { literals.join(" and ") }
}

/// Why an event happened, in the words of the model.
pub(super) fn causes(prepared: &Prepared, left: &Side<'_>, outcome: &Outcome<'_>) -> Vec<String> {
    let inputs =
        outcome.inputs.iter().map(|&(id, value)| format!("{} = {value}", prepared.dae.model.variables[id].name));
    let atoms = outcome.changed_atoms.iter().map(|&(atom, truth)| prepared.atom_text(atom, truth));
    let mut causes: Vec<String> = inputs.chain(atoms).collect();
    causes.extend(outcome.samples.iter().map(|&call| prepared.text(call)));
    if causes.is_empty() {
        causes.extend(prepared.changed_stairs(left, &outcome.right));
    }
    causes
}

fn record<'a>(
    prepared: &Prepared,
    columns: &Columns,
    scales: &[f64],
    left: &Side<'a>,
    outcome: &Outcome<'a>,
) -> EventRecord {
    let right = &outcome.right;
    let cause = causes(prepared, left, outcome);
    let mut cascade: Vec<String> =
        outcome.cascade.iter().map(|mode| mode_text(&prepared.dae, mode, &left.mode.values)).collect();
    if cascade.is_empty() && outcome.firings.len() > 1 {
        cascade.extend(outcome.firings.iter().map(|spans| fired_text(prepared, spans)));
    }
    let mut jumps = Vec::new();
    for (at, (column, &scale)) in columns.columns.iter().zip(scales).enumerate() {
        if let ColumnSource::Variable(id) = column.source {
            let (before, after) = (shown(columns, at, left), shown(columns, at, right));
            let is_open = is_undetermined(left, id) || is_undetermined(right, id);
            if !is_open && jumped(before, after, prepared.noise.relative * scale) {
                jumps.push(Jump { variable: column.name.clone(), left: before, right: after });
            }
        }
    }
    EventRecord {
        time: left.time,
        from: left.mode.values.clone(),
        to: right.mode.values.clone(),
        cause,
        cascade,
        sliding: surfaces(prepared, right),
        jumps,
        impulses: impulses(prepared, outcome),
        undetermined: undetermined(columns, right),
    }
}

/// The conditions that a side slides along.
fn surfaces(prepared: &Prepared, side: &Side<'_>) -> Vec<String> {
    slid_along(side).iter().map(|&atom| prepared.atom_text(atom, true)).collect()
}

/// The conditions of branches of `when` that fired in one micro-step.
fn fired_text(prepared: &Prepared, spans: &[Span]) -> String {
    let branches = prepared.discrete.branches.iter().filter(|branch| spans.contains(&branch.span));
    let texts: Vec<String> = branches.filter_map(|branch| Some(prepared.text(branch.condition?))).collect();
    texts.join(", ")
}

fn jumped(left: f64, right: f64, noise: f64) -> bool {
    if left.is_nan() || right.is_nan() {
        return left.is_nan() != right.is_nan();
    }
    (left - right).abs() > noise.max(4.0 * f64::EPSILON * left.abs().max(right.abs()))
}

/// The impulses of an instant, those of its micro-steps together: one for each variable and order.
pub(super) fn impulses(prepared: &Prepared, outcome: &Outcome<'_>) -> Vec<Impulse> {
    let mut sums: BTreeMap<(VariableId, usize), f64> = BTreeMap::new();
    for (variable, weights) in &outcome.impulses {
        for (p, &weight) in weights.iter().enumerate().filter(|(_, weight)| **weight != 0.0) {
            *sums.entry((*variable, p + 1)).or_default() += weight;
        }
    }
    let mut list: Vec<(VariableId, usize, f64)> = sums.into_iter().map(|((id, order), sum)| (id, order, sum)).collect();
    let all = outcome.impulses.iter().flat_map(|(_, weights)| weights);
    let largest = all.map(|weight| weight.abs()).fold(0.0, f64::max);
    list.retain(|it| it.2.is_nan() || it.2.abs() > 1e-3 * prepared.noise.relative * largest);
    let impulses = list.into_iter().map(|(id, order, weight)| {
        let variable = prepared.dae.model.variables[id].name.clone();
        Impulse { variable, order: order.to_string(), weight }
    });
    impulses.collect()
}
