//! The files of a run, and its progress on the terminal.
//!
//! All files are opened before anything is computed, so that one that cannot be written ends the command at once; none
//! is touched before there is something to write. Rows and events go to their files while the run goes on: a run that
//! fails, is interrupted or is killed leaves what it has found.

use std::collections::BTreeSet;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{BufWriter, Write as _};
use std::ops::ControlFlow;
use std::os::fd::AsFd as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use modeshift_diagnostics::SourceMap;
use modeshift_driver::simulate::results::plot::{PlotRecorder, Window};
use modeshift_driver::simulate::results::{
    Chosen, Columns, CsvFile, EventFile, EventRecord, MatFile, Observer, Progress,
};
use modeshift_driver::simulate::{Format, Outputs, TableResult, variable_names};

use super::bar::Bar;
use crate::arguments::{DataFormat, Run};
use crate::files::{identity, open_for_writing, reason, refuse_overwriting};

/// A file that was opened and not yet written to.
struct Opened {
    path: PathBuf,
    file: File,
    is_new: bool,
    /// What is not to be emptied, since it is not ours alone.
    is_stream: bool,
}

/// How standard output is named.
const STANDARD_OUTPUT: &str = "-";

impl Opened {
    fn new(path: &Path) -> Result<Opened, String> {
        if path == Path::new(STANDARD_OUTPUT) {
            let file = std::io::stdout().as_fd().try_clone_to_owned().map(File::from);
            let file = file.map_err(|error| cannot_write(path, &error))?;
            return Ok(Opened { path: path.to_path_buf(), file, is_new: false, is_stream: true });
        }
        let is_new = !path.exists();
        let file = open_for_writing(path).map_err(|error| cannot_write(path, &error))?;
        Ok(Opened { path: path.to_path_buf(), file, is_new, is_stream: false })
    }

    /// Whether both are one file, by whatever names.
    fn is_same(&self, other: &Opened) -> bool {
        let identity = |it: &Opened| it.file.metadata().ok().filter(|it| it.is_file()).map(|it| identity(&it));
        !self.is_stream && !other.is_stream && identity(self).is_some_and(|own| identity(other) == Some(own))
    }

    /// Keeps other runs from writing there while this one does.
    fn reserve(&self) -> Result<(), String> {
        match self.file.try_lock() {
            Err(TryLockError::WouldBlock) if !self.is_stream => {
                Err(format!("`{}` is being written by another run", self.path.display()))
            }
            // What cannot be locked, such as a pipe, is nobody's alone.
            _ => Ok(()),
        }
    }

    /// Empties it, for what is to come.
    fn begin(self) -> File {
        if !self.is_stream {
            // What is no plain file, such as a pipe, has no length and needs none.
            let _ = self.file.set_len(0);
        }
        self.file
    }

    /// Leaves no trace.
    fn forget(self) {
        if self.is_new {
            let _ = std::fs::remove_file(self.path);
        }
    }
}

fn cannot_write(path: &Path, error: &std::io::Error) -> String {
    format!("cannot write `{}`: {}", path.display(), reason(error))
}

/// The kinds of result files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Csv,
    Mat,
    Table(Format),
}

/// The two kinds of pictures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PictureKind {
    Svg,
    Png,
}

fn has_extension(path: &Path, extension: &str) -> bool {
    path.extension().is_some_and(|found| found.eq_ignore_ascii_case(extension))
}

/// Where results go.
pub struct RunOutputs {
    results: Vec<(PathBuf, Kind)>,
    events: Option<PathBuf>,
    picture: Option<(PathBuf, PictureKind)>,
    opened: Vec<(Role, Opened)>,
    read: Vec<PathBuf>,
    kept: Vec<String>,
    written: Vec<(PathBuf, ResultFile)>,
    booleans: BTreeSet<String>,
    log: Option<EventFile<'static>>,
    plot: PlotRecorder,
    plot_file: Option<File>,
    bar: Bar,
    deadline: Option<(Instant, Duration)>,
    is_late: bool,
}

/// A result on its way.
enum ResultFile {
    Csv(Chosen<CsvFile<'static>>),
    Mat(Chosen<MatFile<'static>>),
    Table(Chosen<TableResult<BufWriter<File>>>),
}

/// What a file is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    Result(Kind),
    Events,
    Plot,
}

impl RunOutputs {
    /// With the files that were named; or what is wrong with their names.
    pub fn new(results: &[PathBuf], run: &Run) -> Result<RunOutputs, String> {
        let (events, plot) = (run.events.as_deref(), run.plot.as_deref());
        let kind = |path: &PathBuf| match path {
            path if path == Path::new(STANDARD_OUTPUT) && run.format == DataFormat::Json => {
                Err("-o - and --format json both write to standard output".to_string())
            }
            path if path == Path::new(STANDARD_OUTPUT) || has_extension(path, "csv") => Ok((path.clone(), Kind::Csv)),
            path if has_extension(path, "mat") => Ok((path.clone(), Kind::Mat)),
            path if has_extension(path, "parquet") => Ok((path.clone(), Kind::Table(Format::Parquet))),
            path if has_extension(path, "arrow") => Ok((path.clone(), Kind::Table(Format::Arrow))),
            path => Err(format!("-o {}: results are written as .csv, .mat, .parquet or .arrow", path.display())),
        };
        let with_kinds = results.iter().map(kind).collect::<Result<Vec<_>, _>>()?;
        let picture = match plot {
            None => None,
            Some(path) if has_extension(path, "svg") => Some((path.to_path_buf(), PictureKind::Svg)),
            Some(path) if has_extension(path, "png") => Some((path.to_path_buf(), PictureKind::Png)),
            Some(path) => return Err(format!("--plot {}: pictures are written as .svg or .png", path.display())),
        };
        if events == Some(Path::new(STANDARD_OUTPUT)) {
            return Err("--events -: the log is written to a file, whose end changes while the run goes on".to_string());
        }
        let window = Window { from: run.plot_from, to: run.plot_to };
        if window.from.zip(window.to).is_some_and(|(from, to)| from >= to) {
            return Err("--plot-from is not before --plot-to".to_string());
        }
        let named: Vec<&Path> =
            results.iter().map(PathBuf::as_path).chain([events, plot].into_iter().flatten()).collect();
        if let Some(twice) = named.iter().enumerate().find(|(at, path)| named[..*at].contains(path)) {
            return Err(format!("`{}` is named twice", twice.1.display()));
        }
        Ok(RunOutputs {
            results: with_kinds,
            events: events.map(Path::to_path_buf),
            picture,
            opened: Vec::new(),
            read: Vec::new(),
            kept: variable_names(run.vars.as_deref().unwrap_or_default()),
            written: Vec::new(),
            booleans: BTreeSet::new(),
            log: None,
            plot: PlotRecorder::new(variable_names(run.plot_vars.as_deref().unwrap_or_default())).within(window),
            plot_file: None,
            bar: Bar::default(),
            deadline: None,
            is_late: false,
        })
    }

    /// Ends the run after this time.
    pub fn stop_after(&mut self, limit: Option<Duration>) {
        self.deadline = limit.map(|limit| (Instant::now() + limit, limit));
    }

    /// The time limit, where it ended the run.
    pub fn reached_limit(&self) -> Option<Duration> {
        self.deadline.filter(|_| self.is_late).map(|(_, limit)| limit)
    }

    /// Never writes over this file.
    pub fn keep(&mut self, path: &Path) {
        self.read.push(path.to_path_buf());
    }

    /// Where the results are, for the summary.
    pub fn result_name(&self) -> String {
        self.results.iter().map(|(path, _)| path.display().to_string()).collect::<Vec<_>>().join(", ")
    }

    fn open_files(&mut self) -> Result<(), String> {
        let picture = self.picture.as_ref().map(|(path, _)| path);
        let results = self.results.iter().map(|(path, kind)| (Role::Result(*kind), Some(path)));
        let others = [(Role::Events, self.events.as_ref()), (Role::Plot, picture)];
        for (role, path) in results.chain(others) {
            if let Some(path) = path {
                refuse_overwriting(path, self.read.iter().map(PathBuf::as_path))?;
                let opened = Opened::new(path)?;
                let same = |(_, earlier): &&(Role, Opened)| earlier.is_same(&opened);
                if let Some((_, earlier)) = self.opened.iter().find(same) {
                    let (one, other) = (earlier.path.display().to_string(), path.display());
                    opened.forget();
                    return Err(format!("`{other}` is the same file as `{one}`"));
                }
                opened.reserve()?;
                self.opened.push((role, opened));
            }
        }
        Ok(())
    }

    /// Writes what is left; returns what to say about it, or what could not be written.
    pub fn finish(mut self) -> Result<Vec<String>, String> {
        self.bar.finish();
        self.opened.drain(..).for_each(|(_, opened)| opened.forget());
        let written = |path: &Path, outcome: std::io::Result<()>| outcome.map_err(|error| cannot_write(path, &error));
        for (path, file) in std::mem::take(&mut self.written) {
            match file {
                ResultFile::Csv(csv) => {
                    csv.into_inner().finish_or_rows().map_err(|(error, whole)| cut(&path, &error, whole))?;
                }
                ResultFile::Mat(mat) => written(&path, mat.into_inner().finish())?,
                ResultFile::Table(table) => written(&path, table.into_inner().finish())?,
            }
        }
        if let (Some(log), Some(path)) = (self.log.take(), &self.events) {
            written(path, log.finish())?;
        }
        match self.plot_file.take() {
            Some(file) => self.write_plot(file),
            None => Ok(Vec::new()),
        }
    }

    fn write_plot(&self, mut file: File) -> Result<Vec<String>, String> {
        let Some((path, kind)) = &self.picture else { return Ok(Vec::new()) };
        let picture = self.plot.picture();
        let bytes = match kind {
            PictureKind::Svg => picture.to_svg().into_bytes(),
            PictureKind::Png => {
                picture.to_png().map_err(|error| format!("cannot draw `{}`: {error}", path.display()))?
            }
        };
        file.write_all(&bytes).map_err(|error| cannot_write(path, &error))?;
        Ok(picture.notes)
    }
}

/// Leaves whole rows in a result that could not be written to its end, and says how many.
fn cut(path: &Path, error: &std::io::Error, whole: u64) -> String {
    let message = cannot_write(path, error);
    let file = OpenOptions::new().read(true).write(true).open(path);
    let is_cut = file.is_ok_and(|file| file.metadata().is_ok_and(|it| it.is_file()) && file.set_len(whole).is_ok());
    // What cannot be cut, such as a device, need not end either.
    match is_cut.then(|| std::fs::read(path).ok()).flatten() {
        Some(bytes) => {
            let rows = bytes.iter().filter(|&&byte| byte == b'\n').count().saturating_sub(1);
            format!("{message}; its first {rows} rows are there")
        }
        None => message,
    }
}

impl Outputs for RunOutputs {
    fn have_read(&mut self, sources: &SourceMap) {
        self.read.extend(sources.names().map(PathBuf::from));
    }

    fn booleans(&mut self, names: BTreeSet<String>) {
        self.booleans = names;
    }

    fn open(&mut self, model: &str, span: (f64, f64)) -> Result<(), String> {
        if self.results.is_empty() {
            self.results.push((default_name(model), Kind::Csv));
        }
        self.bar.start(model, span);
        let outcome = self.open_files();
        if outcome.is_err() {
            self.opened.drain(..).for_each(|(_, opened)| opened.forget());
        }
        outcome
    }
}

/// `<Model>_res.csv`, with the last part of a name with dots.
fn default_name(model: &str) -> PathBuf {
    let last = model.rsplit('.').next().unwrap_or(model);
    let usable = |character: char| character.is_alphanumeric() || character == '_';
    let name: String = last.chars().map(|character| if usable(character) { character } else { '_' }).collect();
    PathBuf::from(format!("{name}_res.csv"))
}

impl Observer for RunOutputs {
    fn columns(&mut self, columns: &Columns) {
        for (role, opened) in std::mem::take(&mut self.opened) {
            let (path, file) = (opened.path.clone(), opened.begin());
            let kept = self.kept.clone();
            match role {
                Role::Result(kind) => {
                    let result = match kind {
                        Kind::Csv => ResultFile::Csv(Chosen::new(CsvFile::new(Box::new(file)), kept)),
                        Kind::Mat => ResultFile::Mat(Chosen::new(MatFile::new(Box::new(file)), kept)),
                        Kind::Table(format) => {
                            let table = TableResult::new(format, self.booleans.clone(), BufWriter::new(file));
                            ResultFile::Table(Chosen::new(table, kept))
                        }
                    };
                    self.written.push((path, result));
                }
                Role::Events => self.log = Some(EventFile::new(Box::new(file))),
                Role::Plot => self.plot_file = Some(file),
            }
        }
        self.each(|observer| observer.columns(columns));
    }

    fn row(&mut self, time: f64, values: &[f64]) {
        self.each(|observer| observer.row(time, values));
    }

    fn event(&mut self, event: &EventRecord) {
        self.each(|observer| observer.event(event));
    }

    fn progress(&mut self, progress: Progress<'_>) -> ControlFlow<()> {
        self.bar.show(&progress);
        if self.deadline.is_some_and(|(deadline, _)| Instant::now() >= deadline) {
            self.is_late = true;
            return ControlFlow::Break(());
        }
        let mut go_on = ControlFlow::Continue(());
        self.each(|observer| {
            if observer.progress(progress).is_break() {
                go_on = ControlFlow::Break(());
            }
        });
        go_on
    }
}

impl RunOutputs {
    /// Everyone who is to be told.
    fn each(&mut self, mut tell: impl FnMut(&mut dyn Observer)) {
        for (_, file) in &mut self.written {
            match file {
                ResultFile::Csv(csv) => tell(csv),
                ResultFile::Mat(mat) => tell(mat),
                ResultFile::Table(table) => tell(table),
            }
        }
        if let Some(log) = &mut self.log {
            tell(log);
        }
        if self.plot_file.is_some() {
            tell(&mut self.plot);
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use super::*;
    use crate::arguments::{Arguments, Command};

    #[test]
    fn the_default_result_is_named_after_the_model() {
        assert_eq!(default_name("Tanks.WaterTank"), Path::new("WaterTank_res.csv"));
        assert_eq!(default_name("'a/b c'"), Path::new("_a_b_c__res.csv"));
    }

    #[test]
    fn names_of_files_say_what_is_written() {
        let outputs = |result: &str, options: &[&str]| {
            let arguments = ["modeshift", "simulate", "M.mo", "-o", result].into_iter().chain(options.iter().copied());
            let Command::Simulate { input, run } = Arguments::parse_from(arguments).command else {
                unreachable!("that is the command")
            };
            RunOutputs::new(&input.common.outputs, &run).map(|outputs| outputs.results[0].1)
        };
        let refused = |message: &str| Err(message.to_string());
        assert_eq!(outputs("r.CSV", &["--plot", "p.svg"]), Ok(Kind::Csv));
        assert_eq!(outputs("r.mat", &["--plot", "p.png"]), Ok(Kind::Mat));
        assert_eq!(outputs("r.parquet", &[]), Ok(Kind::Table(Format::Parquet)));
        assert_eq!(outputs("r.arrow", &[]), Ok(Kind::Table(Format::Arrow)));
        assert_eq!(outputs("-", &[]), Ok(Kind::Csv));
        assert_eq!(outputs("r.txt", &[]), refused("-o r.txt: results are written as .csv, .mat, .parquet or .arrow"));
        assert_eq!(
            outputs("r.csv", &["--plot", "p.pdf"]),
            refused("--plot p.pdf: pictures are written as .svg or .png")
        );
        let twice = ["--events", "a.svg", "--plot", "a.svg"];
        assert_eq!(outputs("r.csv", &twice), refused("`a.svg` is named twice"));
        let piped = "--events -: the log is written to a file, whose end changes while the run goes on";
        assert_eq!(outputs("r.csv", &["--events", "-"]), refused(piped));
        let nothing = ["--plot-from", "2", "--plot-to", "1"];
        assert_eq!(outputs("r.csv", &nothing), refused("--plot-from is not before --plot-to"));
        assert_eq!(
            outputs("-", &["--format", "json"]),
            refused("-o - and --format json both write to standard output")
        );
    }
}
