//! `sweep`: the runs of a plan, on all cores.
//!
//! Each thread loads the model once and takes the next run that nobody has taken. Records go to a journal beside the result as they
//! come; at the end, the tables are made of it, and it goes. A sweep that was interrupted goes on with the journal that it left.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{BufWriter, IsTerminal as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Sender, channel};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use modeshift_diagnostics::ExitStatus;
use modeshift_driver::loaded::Refusal;
use modeshift_driver::{Opened, Question};
use modeshift_sweep::journal::{Journal, changed, fingerprint};
use modeshift_sweep::{Format, Layout, Plan, Record, Tables, Worker};

use crate::arguments::{Common, Input, Sweep};
use crate::commands::UsageError;
use crate::files::{emptied, read_bytes, reason, refuse_overwriting, say};
use crate::questions::question;

/// Enough for whatever a model needs, as the main thread has.
const STACK_SIZE: usize = 256 << 20;
/// So many failures are told; the table has all.
const MOST_FAILURES: usize = 3;

/// Does what the plan says.
pub fn sweep(arguments: &Sweep) -> Result<ExitStatus, UsageError> {
    let (plan, text) = read_plan(&arguments.plan)?;
    // All threads run one version of the model and its libraries, whatever becomes of the files meanwhile.
    let question = Question { opened: Opened::keeping(), ..question_of(arguments, &plan)? };
    let output =
        arguments.common.output().map(Path::to_path_buf).unwrap_or_else(|| arguments.plan.with_extension("parquet"));
    let format = output.extension().and_then(|it| Format::of_extension(&it.to_string_lossy()));
    let Some(format) = format else {
        return Err(UsageError(format!("-o {}: tables are written as .parquet, .arrow or .csv", output.display())));
    };
    let sweep = sweep_id(&text, &question);
    let path = beside(&output, "journal");
    refuse_read_files(
        &arguments.plan,
        &question,
        [&output, &path, &beside(&output, "events"), &beside(&output, "signals")],
    )?;
    let mut journal = open_journal(&path, sweep, arguments.restart)?;
    refuse_changed_files(&question.opened, &journal, &path)?;
    let outcome = make_runs(&plan, &question, arguments.jobs.map(usize::from), &mut journal)?;
    let layout = match outcome {
        Ok(layout) => layout,
        Err(refusal) => {
            say(&refusal.text());
            drop(journal);
            let _ = std::fs::remove_file(&path);
            return Ok(ExitStatus::ModelWrong);
        }
    };
    let failed = write_tables(&plan, &layout, format, &output, &mut journal)?;
    drop(journal);
    std::fs::remove_file(&path).map_err(|error| cannot("remove", &path, &error))?;
    let count = plan.count();
    let failures = if failed.is_empty() { String::new() } else { format!(", {} without success", failed.len()) };
    say(&format!("{count} runs{failures}; results in {}\n", output.display()));
    for record in failed.iter().take(MOST_FAILURES) {
        let values: Vec<String> =
            plan.parameters(record.run as usize).iter().map(|(n, v)| format!("{n}={v}")).collect();
        say(&format!("run {} ({}): {}\n{}\n", record.run, values.join(", "), record.status, record.diagnosis));
    }
    Ok(if failed.is_empty() { ExitStatus::Good } else { ExitStatus::ModelWrong })
}

fn cannot(what: &str, path: &Path, error: &std::io::Error) -> UsageError {
    UsageError(format!("cannot {what} `{}`: {}", path.display(), reason(error)))
}

/// Refuses to write over the plan or the model.
fn refuse_read_files<const N: usize>(
    plan: &Path,
    question: &Question,
    outputs: [&PathBuf; N],
) -> Result<(), UsageError> {
    let read = || question.source.path.as_deref().into_iter().chain([plan]);
    outputs.iter().try_for_each(|output| refuse_overwriting(output, read())).map_err(UsageError)
}

fn read_plan(path: &Path) -> Result<(Plan, String), UsageError> {
    let bytes = read_bytes(path).map_err(|error| cannot("read", path, &error))?;
    let Ok(text) = String::from_utf8(bytes) else {
        return Err(UsageError(format!("cannot read `{}`: it is not UTF-8 text", path.display())));
    };
    let is_csv = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("csv"));
    let plan = if is_csv { Plan::from_csv(&text) } else { Plan::from_toml(&text) };
    match plan {
        Ok(plan) => Ok((plan, text)),
        Err(message) => Err(UsageError(format!("{}: {message}", path.display()))),
    }
}

/// The model that is run: the one on the command line, else the one that the plan names beside itself.
fn question_of(arguments: &Sweep, plan: &Plan) -> Result<Question, UsageError> {
    let directory = arguments.plan.parent().unwrap_or(Path::new(""));
    let file = arguments.file.clone().or_else(|| plan.file.as_ref().map(|file| directory.join(file)));
    let Some(file) = file else {
        let message = format!(
            "{}: which model? Give its file after the plan, or `model = \"…\"` in it",
            arguments.plan.display()
        );
        return Err(UsageError(message));
    };
    let Common { model, overrides, libraries, timings, node_limit, time_limit, .. } = &arguments.common;
    let own = plan.libraries.iter().map(|library| directory.join(library));
    let common = Common {
        model: model.clone().or_else(|| plan.class.clone()),
        overrides: overrides.clone(),
        libraries: libraries.iter().cloned().chain(own).collect(),
        outputs: Vec::new(),
        timings: *timings,
        node_limit: *node_limit,
        time_limit: *time_limit,
    };
    question(&Input { file, common, stdin: false })
}

/// What makes a sweep another one: its plan, its model, what was set.
fn sweep_id(plan: &str, question: &Question) -> u64 {
    let set = question.overrides.iter().flat_map(|(name, value)| [name.as_str(), value]);
    let class = question.model.as_deref().unwrap_or_default();
    fingerprint([plan, &question.source.text, class].into_iter().chain(set))
}

/// `results.journal.parquet` for `results.parquet`
fn beside(output: &Path, what: &str) -> PathBuf {
    let extension = output.extension().unwrap_or_default().to_string_lossy();
    output.with_extension(format!("{what}.{extension}"))
}

fn open_journal(path: &Path, sweep: u64, restart: bool) -> Result<Journal<File>, UsageError> {
    if path.exists() && !path.is_file() {
        return Err(UsageError(format!("cannot write `{}`: it is no file", path.display())));
    }
    let file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path);
    let file = file.map_err(|error| cannot("write", path, &error))?;
    if matches!(file.try_lock(), Err(TryLockError::WouldBlock)) {
        return Err(UsageError(format!("`{}` is being written by another sweep", path.display())));
    }
    if restart {
        file.set_len(0).map_err(|error| cannot("write", path, &error))?;
    }
    match Journal::open(file, sweep).map_err(|error| cannot("write", path, &error))? {
        Some(journal) => Ok(journal),
        None => Err(UsageError(format!(
            "`{}` is what another sweep has left; --restart forgets it, -o names another result",
            path.display()
        ))),
    }
}

/// Refuses to go on with runs of other versions of the files.
fn refuse_changed_files(files: &Opened, journal: &Journal<File>, path: &Path) -> Result<(), UsageError> {
    match changed(files, journal) {
        None => Ok(()),
        Some(file) => Err(UsageError(format!(
            "`{}` has changed since the runs in `{}` were made; --restart makes them again",
            file.display(),
            path.display()
        ))),
    }
}

/// Makes the runs that are not in the journal.
fn make_runs(
    plan: &Plan,
    question: &Question,
    jobs: Option<usize>,
    journal: &mut Journal<File>,
) -> Result<Result<Layout, Refusal>, UsageError> {
    let done = journal.entries();
    let mut is_done = vec![false; plan.count()];
    done.iter().for_each(|entry| is_done[entry.run as usize] = true);
    let todo: Vec<usize> = (0..plan.count()).filter(|&run| !is_done[run]).collect();
    if !done.is_empty() {
        say(&format!("{} of {} runs are there already\n", done.len(), plan.count()));
    }
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let threads = jobs.unwrap_or(cores).clamp(1, todo.len().max(1));
    let bar = bar(todo.len() as u64);
    let (next, is_cancelled) = (AtomicUsize::new(0), AtomicBool::new(false));
    let work = Work { plan, question, todo: &todo, next: &next, is_cancelled: &is_cancelled };
    std::thread::scope(|scope| {
        let (records, incoming) = channel::<Vec<u8>>();
        let workers: Vec<_> = (0..threads).map(|_| work.start(scope, records.clone())).collect();
        drop(records);
        let mut written = Ok(());
        let mut noted = 0;
        for bytes in incoming {
            bar.inc(1);
            if let Some(kept) = question.opened.kept().filter(|kept| kept.count() > noted) {
                noted = kept.count();
                written = written.and_then(|()| journal.note(kept.contents()));
            }
            written = written.and_then(|()| journal.add(&bytes));
            is_cancelled.fetch_or(written.is_err(), Ordering::Relaxed);
        }
        bar.finish_and_clear();
        written.map_err(|error| UsageError(format!("cannot write the journal: {}", reason(&error))))?;
        let mut layout = Ok(Layout::default());
        for worker in workers {
            let handle = worker.map_err(|error| UsageError(format!("cannot start a thread: {error}")))?;
            layout = handle.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        }
        Ok(layout)
    })
}

/// What threads share.
#[derive(Clone, Copy)]
struct Work<'a> {
    plan: &'a Plan,
    question: &'a Question,
    todo: &'a [usize],
    next: &'a AtomicUsize,
    is_cancelled: &'a AtomicBool,
}

type Handle<'s> = std::thread::ScopedJoinHandle<'s, Result<Layout, Refusal>>;

impl<'a> Work<'a> {
    fn start<'s>(self, scope: &'s std::thread::Scope<'s, 'a>, records: Sender<Vec<u8>>) -> std::io::Result<Handle<'s>> {
        let thread = std::thread::Builder::new().name("runs".into()).stack_size(STACK_SIZE);
        thread.spawn_scoped(scope, move || {
            // Half of it is left for whatever asks.
            modeshift_driver::use_stack(STACK_SIZE / 2);
            self.run(&records)
        })
    }

    fn run(self, records: &Sender<Vec<u8>>) -> Result<Layout, Refusal> {
        let worker = Worker::new(self.plan, self.question)?;
        while let Some(&run) = self.todo.get(self.next.fetch_add(1, Ordering::Relaxed)) {
            let Some(record) = worker.run(run, self.is_cancelled) else { break };
            if records.send(record.to_bytes()).is_err() {
                break;
            }
        }
        Ok(worker.layout().clone())
    }
}

/// Runs that are done and the time that is left, on a terminal.
fn bar(count: u64) -> ProgressBar {
    let is_shown = std::io::stderr().is_terminal();
    let target = if is_shown { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
    let style = ProgressStyle::with_template("{bar:32} {pos} of {len} runs, {eta} left");
    let style = style.unwrap_or_else(|_| ProgressStyle::default_bar()).progress_chars("━╸─");
    ProgressBar::with_draw_target(Some(count), target).with_style(style)
}

/// Writes the tables; the runs without success.
fn write_tables(
    plan: &Plan,
    layout: &Layout,
    format: Format,
    output: &Path,
    journal: &mut Journal<File>,
) -> Result<Vec<Record>, UsageError> {
    let create = |path: &Path| match emptied(path) {
        Ok(file) => Ok(BufWriter::new(file)),
        Err(error) => Err(cannot("write", path, &error)),
    };
    let events = plan.events.then(|| create(&beside(output, "events"))).transpose()?;
    let signals = (!layout.signals.is_empty()).then(|| create(&beside(output, "signals"))).transpose()?;
    let files = (create(output)?, events, signals);
    let write = || {
        let mut tables = Tables::new(plan, layout, format, files)?;
        let mut failed = Vec::new();
        for entry in journal.entries() {
            let record = journal.record(&entry)?;
            tables.add(&record)?;
            if !record.is_complete() {
                let (events, signals) = Default::default();
                failed.push(Record { events, signals, ..record });
            }
        }
        tables.finish()?;
        Ok(failed)
    };
    write().map_err(|error: std::io::Error| cannot("write", output, &error))
}
