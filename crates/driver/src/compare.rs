//! `compare`: two results, signal by signal, with tolerances, and a slack of time for what happens at events.
//!
//! A value of one result is right where the other one has such a value at that time, or a slack earlier or later: so an event that comes
//! a little late is no difference, and one that does not come is. Both are looked at from the other, at the times that each has, and
//! linearly between them.

use modeshift_report::compare::{CompareReport, SignalReport};
use modeshift_report::json::Version;
use modeshift_simulate::results::plot::{Picture, PlotRecorder, matching};
use modeshift_simulate::results::{Column, ColumnKind, ColumnSource, Columns, Observer as _};
use modeshift_tables::{NumberColumn, read};

/// The relative tolerance where none is given.
const RELATIVE: f64 = 1e-3;
/// The slack where none is given, as a share of the time span.
const SLACK: f64 = 1e-6;
/// So many signals are drawn.
const MOST_DRAWN: usize = 4;

/// How much results may differ.
#[derive(Clone, Debug, Default)]
pub struct CompareOptions {
    /// Relative tolerances, of the largest value of a signal in the first result: of all signals, or of those whose names fit; the last one counts.
    pub relative: Vec<(Option<String>, f64)>,
    /// Absolute tolerances, which are added.
    pub absolute: Vec<(Option<String>, f64)>,
    /// How much earlier or later something may happen; a millionth of the time span where nothing is said.
    pub slack: Option<f64>,
    /// The signals to compare, in which `*` stands for any text; all where there are none.
    pub wanted: Vec<String>,
}

/// A result with its name.
pub struct ResultTable {
    name: String,
    times: Vec<f64>,
    signals: Vec<NumberColumn>,
}

impl ResultTable {
    /// A file, by what is in it; or why it cannot be read.
    pub fn read(name: &str, bytes: &[u8]) -> Result<Self, String> {
        let mut signals = read(bytes)?;
        let at = signals.iter().position(|it| it.name == "time").ok_or("it has no column `time`")?;
        let times = signals.remove(at).values;
        if times.is_empty() {
            return Err("it has no rows".to_string());
        }
        if let Some(at) =
            times.windows(2).position(|pair| !pair[0].is_finite() || pair[1] < pair[0] || pair[1].is_nan())
        {
            return Err(format!("its times do not ascend in row {}", at + 2));
        }
        Ok(ResultTable { name: name.to_string(), times, signals })
    }

    fn signal(&self, name: &str) -> Option<Signal<'_>> {
        let column = self.signals.iter().find(|it| it.name == name)?;
        Some(Signal { times: &self.times, values: &column.values })
    }

    fn span(&self) -> (f64, f64) {
        (self.times[0], self.times[self.times.len() - 1])
    }
}

/// What came of a comparison.
pub struct Compared<'t> {
    /// The report.
    pub report: CompareReport,
    tables: [&'t ResultTable; 2],
}

/// Compares two results; an error where a name fits no signal.
pub fn compare<'t>(
    first: &'t ResultTable,
    second: &'t ResultTable,
    options: &CompareOptions,
) -> Result<Compared<'t>, String> {
    let names = Columns { columns: first.signals.iter().map(|it| column(&it.name)).collect(), ..Columns::default() };
    let mut is_wanted = vec![options.wanted.is_empty(); first.signals.len()];
    for pattern in &options.wanted {
        let mut fitting = matching(pattern, &names).peekable();
        fitting.peek().ok_or_else(|| format!("`{}` has no signal `{pattern}`", first.name))?;
        fitting.for_each(|at| is_wanted[at] = true);
    }
    let tolerances = |list: &[(Option<String>, f64)], usual: f64| {
        let mut tolerances = vec![usual; first.signals.len()];
        for (pattern, value) in list {
            match pattern {
                None => tolerances.fill(*value),
                Some(pattern) => {
                    let mut fitting = matching(pattern, &names).peekable();
                    fitting.peek().ok_or_else(|| format!("`{}` has no signal `{pattern}`", first.name))?;
                    fitting.for_each(|at| tolerances[at] = *value);
                }
            }
        }
        Ok::<_, String>(tolerances)
    };
    let (relative, absolute) = (tolerances(&options.relative, RELATIVE)?, tolerances(&options.absolute, 0.0)?);
    let ((from, to), other) = (first.span(), second.span());
    let slack = options.slack.unwrap_or(SLACK * (to - from));
    let (mut signals, mut missing) = (Vec::new(), Vec::new());
    for (at, column) in first.signals.iter().enumerate().filter(|(at, _)| is_wanted[*at]) {
        let one = Signal { times: &first.times, values: &column.values };
        let Some(two) = second.signal(&column.name) else {
            missing.push(column.name.clone());
            continue;
        };
        let largest = column.values.iter().filter(|it| it.is_finite()).fold(0.0, |most: f64, it| most.max(it.abs()));
        signals.push(difference(&column.name, [one, two], slack, absolute[at] + relative[at] * largest));
    }
    let share = |it: &SignalReport| match it.difference {
        Some(0.0) => 0.0,
        Some(difference) => difference / it.tolerance,
        None => f64::INFINITY,
    };
    signals.sort_by(|one, other| share(other).total_cmp(&share(one)));
    let is_other = |one: f64, other: f64| (one - other).abs() > slack.max(f64::EPSILON * one.abs());
    let is_longer = is_other(from, other.0) || is_other(to, other.1);
    let more = second.signals.iter().filter(|it| options.wanted.is_empty() && first.signal(&it.name).is_none());
    let report = CompareReport {
        version: Version,
        first: first.name.clone(),
        second: second.name.clone(),
        ok: missing.is_empty() && !is_longer && signals.iter().all(|it| it.ok),
        slack,
        span: vec![from, to],
        other_span: if is_longer { vec![other.0, other.1] } else { Vec::new() },
        missing,
        more: more.map(|it| it.name.clone()).collect(),
        signals,
    };
    Ok(Compared { report, tables: [first, second] })
}

/// A signal over time.
#[derive(Clone, Copy)]
struct Signal<'t> {
    times: &'t [f64],
    values: &'t [f64],
}

impl Signal<'_> {
    /// The rows at a time: first and behind the last.
    fn rows_at(&self, from: f64, to: f64) -> (usize, usize) {
        (self.times.partition_point(|&it| it < from), self.times.partition_point(|&it| it <= to))
    }

    /// The left and the right limit; nothing outside its times.
    fn limits(&self, time: f64) -> Option<(f64, f64)> {
        let (first, behind) = self.rows_at(time, time);
        if first < behind {
            return Some((self.values[first], self.values[behind - 1]));
        }
        let before = first.checked_sub(1).filter(|_| first < self.times.len())?;
        let share = (time - self.times[before]) / (self.times[first] - self.times[before]);
        let value = self.values[before] + share * (self.values[first] - self.values[before]);
        Some((value, value))
    }

    /// Of the values on both sides of a time the one that is nearest to a value; where none is, the one on the same side.
    fn nearest(&self, time: f64, value: f64, is_left: bool) -> f64 {
        let (left, right) = self.limits(time).unwrap_or((f64::NAN, f64::NAN));
        let is_left_nearer = match value.is_nan() {
            true => is_left,
            false => (left - value).abs() < (right - value).abs() || right.is_nan(),
        };
        if is_left_nearer { left } else { right }
    }

    /// How far a value is from those around a time; nothing where it is there and they are not, or the other way round.
    fn distance(&self, time: f64, slack: f64, value: f64) -> Option<f64> {
        let (first, behind) = self.rows_at(time - slack, time + slack);
        let ends = [time - slack, time + slack, time].map(|time| self.limits(time));
        let ends = ends.into_iter().flatten().flat_map(|(left, right)| [left, right]);
        let mut range: Option<(f64, f64)> = None;
        for near in self.values[first..behind].iter().copied().chain(ends) {
            match (near.is_nan(), value.is_nan()) {
                (true, true) => return Some(0.0),
                (true, false) | (false, true) => {}
                (false, false) => {
                    let (least, most) = range.unwrap_or((near, near));
                    range = Some((least.min(near), most.max(near)));
                }
            }
        }
        range.map(|(least, most)| (value - most).max(least - value).max(0.0))
    }
}

/// The place where two signals differ most.
struct Worst {
    /// How much; nothing where only one has a value.
    difference: Option<f64>,
    time: f64,
    /// The values there.
    values: [f64; 2],
}

impl Worst {
    fn is_exceeded_by(&self, distance: Option<f64>) -> bool {
        match (distance, self.difference) {
            (None, known) => known.is_some(),
            (Some(distance), Some(known)) => distance > known,
            (Some(_), None) => false,
        }
    }
}

/// The largest difference of two signals, each seen from the other, where both have values.
fn difference(name: &str, [one, two]: [Signal<'_>; 2], slack: f64, tolerance: f64) -> SignalReport {
    let begin = one.times[0];
    let values = [one, two].map(|it| it.limits(begin).map_or(f64::NAN, |limits| limits.1));
    let mut worst = Worst { difference: Some(0.0), time: begin, values };
    for (is_first, seen, from) in [(true, one, two), (false, two, one)] {
        let (begin, end) = (from.times[0] - slack, from.times[from.times.len() - 1] + slack);
        for (row, (&time, &value)) in seen.times.iter().zip(seen.values).enumerate() {
            if !(begin..=end).contains(&time) {
                continue;
            }
            let distance = from.distance(time, slack, value);
            if worst.is_exceeded_by(distance) {
                let is_left = seen.times.get(row + 1) == Some(&time);
                let other = from.nearest(time, value, is_left);
                worst = Worst {
                    difference: distance,
                    time,
                    values: if is_first { [value, other] } else { [other, value] },
                };
            }
        }
    }
    let [first, second] = worst.values.map(|it| it.is_finite().then_some(it));
    SignalReport {
        name: name.to_string(),
        ok: worst.difference.is_some_and(|it| it <= tolerance),
        difference: worst.difference,
        time: worst.time,
        tolerance,
        first,
        second,
    }
}

fn column(name: &str) -> Column {
    Column {
        name: name.into(),
        kind: ColumnKind::Continuous,
        source: ColumnSource::Variable(modeshift_dae::VariableId(0)),
        unit: None,
        display_unit: None,
        description: None,
        prominent: true,
    }
}

impl Compared<'_> {
    /// A picture of the signals that differ most, of both results; nothing where none differs.
    pub fn picture(&self) -> Option<Picture> {
        let differing = self.report.signals.iter().filter(|it| !it.ok).take(MOST_DRAWN);
        let pairs: Vec<(&str, [Signal<'_>; 2])> = differing
            .filter_map(|it| {
                Some((it.name.as_str(), [self.tables[0].signal(&it.name)?, self.tables[1].signal(&it.name)?]))
            })
            .collect();
        if pairs.is_empty() {
            return None;
        }
        let title = format!("{} and {}", self.report.first, self.report.second);
        let names = pairs.iter().flat_map(|(name, _)| [name.to_string(), format!("{name} (B)")]);
        let columns =
            Columns { model: title.into(), columns: names.map(|it| column(&it)).collect(), ..Columns::default() };
        let mut recorder = PlotRecorder::new(vec!["*".to_string()]);
        recorder.columns(&columns);
        let mut times: Vec<f64> = self.tables.iter().flat_map(|table| table.times.iter().copied()).collect();
        times.sort_by(f64::total_cmp);
        times.dedup();
        for time in times {
            let limits =
                pairs.iter().flat_map(|(_, pair)| pair.map(|it| it.limits(time).unwrap_or((f64::NAN, f64::NAN))));
            let (left, right): (Vec<f64>, Vec<f64>) = limits.unzip();
            recorder.row(time, &left);
            if left.iter().zip(&right).any(|(left, right)| left != right && !(left.is_nan() && right.is_nan())) {
                recorder.row(time, &right);
            }
        }
        Some(recorder.picture())
    }
}
