//! Runs the program on a model and judges the table that it writes.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use super::reference::{Check, Reference};
use super::variants::Variant;
use crate::support::temporary;

/// How a model is run.
#[derive(Clone)]
pub struct Settings {
    pub solver: String,
    pub tolerance: f64,
    pub patience: Duration,
}

impl Settings {
    pub fn new(solver: &str, tolerance: f64) -> Self {
        Settings { solver: solver.to_string(), tolerance, patience: PATIENCE }
    }

    /// What the reference asks for, else the defaults of these tests.
    pub fn of(reference: &Reference) -> Self {
        let asked = reference.settings.as_ref();
        asked.map_or(Settings::new("bdf", 1e-6), |(solver, tolerance)| Settings::new(solver, *tolerance))
    }
}

/// Longer than any of these runs takes in a debug build on a busy machine.
pub const PATIENCE: Duration = Duration::from_secs(120);

/// What is known to fail gets less: it may be one that does not end.
pub const LITTLE_PATIENCE: Duration = Duration::from_secs(15);

/// Errors count from this share of a variable's largest value on: below it is the rounding of the references.
const ROUNDING: f64 = 1e-12;

/// Runs a model in one way: its largest error, in what is allowed, or what is wrong with the run. What happens after the stop time
/// that the reference is for does not count: a ball without a mode for rest cannot go on for ever.
pub fn judge(reference: &Reference, settings: &Settings, variant: &Variant) -> Result<f64, String> {
    judge_text(reference, variant.text(reference), settings, variant)
}

/// The same of a text.
pub fn judge_text(reference: &Reference, text: String, settings: &Settings, variant: &Variant) -> Result<f64, String> {
    let files = Files::new(reference);
    std::fs::write(&files.model, text).map_err(|error| error.to_string())?;
    let length = variant.time_unit();
    let (stop, interval) = (reference.stop * length * variant.stop(), reference.interval * length * variant.interval());
    let mut command = Command::new(env!("CARGO_BIN_EXE_modeshift"));
    command.arg("simulate").arg(&files.model).arg("-o").arg(&files.result).env_remove("MODELICAPATH");
    command.args(["--stop", &stop.to_string(), "--interval", &interval.to_string(), "--solver", &settings.solver]);
    command.args(["--tolerance", &settings.tolerance.to_string()]).args(variant.parameters(reference));
    // Of a longer run only what is judged is waited for.
    let is_past =
        || matches!(variant, Variant::Stop(_)) && last_time(&files.result).is_some_and(|it| it > reference.stop);
    let ended = finish(command, settings.patience, &is_past);
    if reference.is_refused {
        return ended.map_or(Ok(0.0), |()| Err("runs, but must be refused".to_string()));
    }
    let rows = Table::read(&files.result);
    let is_past_what_is_judged = matches!(variant, Variant::Stop(_))
        && rows.as_ref().is_ok_and(|rows| rows.rows.last().is_some_and(|row| row[0] >= reference.stop));
    if !is_past_what_is_judged {
        ended?;
    }
    let rows = rows?;
    if let Some(expected) = reference.events.filter(|_| *variant == Variant::Plain) {
        let found = rows.events();
        (found == expected).then_some(()).ok_or_else(|| format!("{found} events, not {expected}"))?;
    }
    let checks = reference.checks.iter().filter(|check| variant.has_row(reference, check.time));
    let errors = checks.map(|check| error(reference, settings, variant, &rows, check));
    let errors: Vec<(f64, String)> = errors.collect::<Result<_, _>>()?;
    let (error, what) = errors.into_iter().max_by(|a, b| a.0.total_cmp(&b.0)).unwrap_or_default();
    if error <= 1.0 { Ok(error) } else { Err(format!("{error:.3e} times what is allowed: {what}")) }
}

/// The error of one value, in what is allowed.
fn error(
    reference: &Reference,
    settings: &Settings,
    variant: &Variant,
    rows: &Table,
    check: &Check,
) -> Result<(f64, String), String> {
    let unit = variant.unit(reference, &check.variable);
    let (expected, time) = (check.value * unit, check.time * variant.time_unit());
    let found = rows.value(&variant.name(&check.variable), time)?;
    let largest = reference.largest.get(&check.variable).copied().unwrap_or(0.0);
    let share = (10.0 * settings.tolerance * reference.amplification).max(ROUNDING);
    let allowed = share * if largest > 0.0 { largest * unit } else { unit };
    let allowed = allowed.max(check.allowed.unwrap_or(0.0) * unit);
    // A value that is not a number is as wrong as can be.
    let error = ((found - expected).abs() / allowed).min(f64::INFINITY);
    Ok((error, format!("{}({time:e}) = {found:e}, not {expected:e}", check.variable)))
}

/// The time of the last whole row of a result so far.
fn last_time(path: &Path) -> Option<f64> {
    let text = std::fs::read_to_string(path).ok()?;
    let (rows, _) = text.rsplit_once('\n')?;
    rows.rsplit('\n').next()?.split(',').next()?.parse().ok()
}

/// Runs a command to its end, or until there is enough of it; what it says where it fails.
fn finish(mut command: Command, patience: Duration, is_enough: &dyn Fn() -> bool) -> Result<(), String> {
    let child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn();
    let mut child = child.expect("the program was built");
    let mut pipe = child.stderr.take().expect("piped");
    let reader = std::thread::spawn(move || std::io::read_to_string(&mut pipe).unwrap_or_default());
    let status = wait(&mut child, patience, is_enough)?;
    let said = reader.join().unwrap_or_default();
    if status == Some(0) {
        return Ok(());
    }
    let line = said.lines().find(|line| line.starts_with("error")).or(said.lines().next()).unwrap_or("nothing said");
    Err(format!("exit {status:?}: {line}"))
}

/// Waits, but not for ever, nor for more than is enough.
fn wait(child: &mut Child, patience: Duration, is_enough: &dyn Fn() -> bool) -> Result<Option<i32>, String> {
    let began = Instant::now();
    let mut looks = 0;
    loop {
        if let Some(status) = child.try_wait().map_err(|error| error.to_string())? {
            return Ok(status.code());
        }
        looks += 1;
        let is_enough = looks % 40 == 0 && is_enough();
        if is_enough || began.elapsed() > patience {
            let _ = child.kill();
            let _ = child.wait();
            return if is_enough { Ok(Some(0)) } else { Err(format!("no end after {} s", patience.as_secs())) };
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// The files of one run; they go when it has been judged.
struct Files {
    model: PathBuf,
    result: PathBuf,
}

impl Files {
    fn new(reference: &Reference) -> Self {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let of = |end: &str| temporary(&format!("instant_{}_{number}.{end}", reference.model));
        Files { model: of("mo"), result: of("csv") }
    }
}

impl Drop for Files {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.model);
        let _ = std::fs::remove_file(&self.result);
    }
}

/// A result: names, and rows with the time first.
pub struct Table {
    pub names: Vec<String>,
    pub rows: Vec<Vec<f64>>,
}

impl Table {
    pub fn read(path: &Path) -> Result<Self, String> {
        let text = std::fs::read_to_string(path).map_err(|error| error.to_string())?;
        let mut lines = text.lines();
        let names = lines.next().ok_or("an empty result")?.split(',').map(str::to_string).collect();
        let number = |cell: &str| cell.parse().unwrap_or(f64::NAN);
        Ok(Table { names, rows: lines.map(|line| line.split(',').map(number).collect()).collect() })
    }

    /// The number of instants with a left and a right limit.
    fn events(&self) -> usize {
        self.rows.windows(2).filter(|pair| pair[0][0] == pair[1][0]).count()
    }

    /// The value in the row of a time; at an event, the right limit.
    fn value(&self, name: &str, time: f64) -> Result<f64, String> {
        let column = self.names.iter().position(|it| it == name).ok_or_else(|| format!("no column {name}"))?;
        // Rows are at multiples of the interval, computed in another way than here.
        let after = self.rows.partition_point(|row| row[0] <= time * (1.0 + 1e-9));
        let row = self.rows[..after].last().ok_or_else(|| format!("no row before {time}"))?;
        let is_there = (row[0] - time).abs() <= 2e-9 * time;
        if is_there { Ok(row[column]) } else { Err(format!("no row at {time:e}, the one before is {:e}", row[0])) }
    }
}
