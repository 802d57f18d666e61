//! From arguments to an exit status: one function per command, which asks the driver and prints its answer.

use std::path::PathBuf;
use std::time::Duration;

use modeshift_diagnostics::{Code, Diagnostic, Diagnostics, ExitStatus as Status, SourceMap};
use modeshift_driver::changes::Selection;
use modeshift_driver::init::InitOptions;
use modeshift_driver::linearize::Linearize;
use modeshift_driver::report::analyze::{LARGEST_PICTURE, focused, matrix_text};
use modeshift_driver::report::check::CheckReport;
use modeshift_driver::report::json::pretty;
use modeshift_driver::simulate::{InputTable, RunOptions, variable_names};
use modeshift_driver::{Answer, CheckOptions, Progress, RimisOptions, Source, semantics};

use crate::answers::{on_paper, refusal, status_of, tell, write_answer};
use crate::arguments::{
    self, AnalyzeMethod, Arguments, ChangesMethod, Command, Common, DataFormat, GraphFormat, Input,
};
use crate::check::{Wishes, check_files, check_whenever_changed};
use crate::editors::{language_server, language_worker, page, static_page};
use crate::explain::explain;
use crate::files::{files_of, read_source, say, write_result};
use crate::fmu::fmu;
use crate::questions::{question, watch};
use crate::results::{RunOutputs, compare};
use crate::shell::{completions, manual};
use crate::sweep::sweep;

/// How many items of each sort the text of a summary lists.
const LISTED_IN_A_SUMMARY: usize = 5;

/// What could not be done, in one line for the user.
pub struct UsageError(pub String);

/// Does what was asked for.
pub fn run(arguments: Arguments) -> Status {
    let is_json = arguments.command.is_json();
    let several = |common: &Common| common.outputs.len() > 1;
    if !matches!(arguments.command, Command::Simulate { .. }) && arguments.command.common().is_some_and(several) {
        say("error: -o is given twice: only `simulate` writes several files\n");
        return Status::Usage;
    }
    let result = match arguments.command {
        Command::Parse { files, common } => parse(&files, &common),
        Command::Flatten { input, format } => flatten(&input, format),
        Command::Check { files, stdin, common, format, as_other_tools, fix, write, all, watch } => {
            // A limit of time is for the answer; looking for edits takes as long again, and more.
            let with_repairs = fix || common.time_limit.is_none();
            let options = CheckOptions { as_other_tools, with_repairs, every_finding: all };
            let wishes = Wishes { format, options, fix, write, stdin };
            if watch { check_whenever_changed(&files, &common, wishes) } else { check_files(&files, &common, wishes) }
        }
        Command::Analyze { input, at, matrix: true, .. } => analyze_matrix(&input, at.as_deref()),
        Command::Analyze { input, format, at, method, matrix: false, focus, depth } => match method {
            AnalyzeMethod::Exact => analyze(&input, format, at.as_deref(), focus.as_deref().map(|name| (name, depth))),
            AnalyzeMethod::Approximate => analyze_approximately(&input, format, at.as_deref()),
            AnalyzeMethod::Pantelides => analyze_by_pantelides(&input, format, at.as_deref()),
        },
        Command::Init { input, format, at, scenario, impulsive_start } => {
            init(&input, format, InitOptions { at: at.as_deref(), scenario: scenario.as_deref(), impulsive_start })
        }
        Command::Changes { input, format, from, to, method } => {
            let with_array = method == Some(ChangesMethod::Array);
            let most_items = if format == GraphFormat::Json { usize::MAX } else { LISTED_IN_A_SUMMARY };
            let selection = Selection { from: from.as_deref(), to: to.as_deref(), with_array, most_items };
            changes(&input, format, &selection)
        }
        Command::Simulate { input, run } => simulate(&input, &run),
        Command::Linearize { input, linearize } => self::linearize(&input, &linearize),
        Command::Compare(arguments) => compare(&arguments),
        Command::Rimis { input, check, plain } => rimis(&input, RimisOptions { plain, check }),
        Command::Semantics { input, format, at, from, to, run, all_choices } => {
            let (at, from, to) = (at.as_deref(), from.as_deref(), to.as_deref());
            semantics(&input, format, &semantics::Selection { at, from, to, run, all_choices })
        }
        Command::Sweep(arguments) => sweep(&arguments),
        Command::Fmu { input, fmi, kind } => fmu(&input, fmi, kind),
        Command::Explain { codes } => explain(&codes),
        Command::Lsp { worker: true, .. } => language_worker(),
        Command::Lsp { libraries, .. } => language_server(&libraries),
        Command::Serve { file, export: Some(directory), wasm, .. } => {
            static_page(file.as_deref(), &directory, wasm.as_deref())
        }
        Command::Serve { file, libraries, port, export: None, .. } => page(file.as_deref(), &libraries, port),
        Command::Completions { shell } => completions(shell),
        Command::Manual => manual(),
    };
    result.unwrap_or_else(|UsageError(message)| {
        say(&format!("error: {message}\n"));
        if is_json && (message.starts_with("cannot read") || message.starts_with("-L ")) {
            // A program reads what is wrong where it reads results.
            let mut diagnostics = Diagnostics::new();
            diagnostics.push(Diagnostic::error(Code::E0001, message));
            let report = CheckReport::new(None, (None, ""), &diagnostics, &SourceMap::default());
            let _ = write_result(None, &pretty(&report.json()));
        }
        Status::Usage
    })
}

fn parse(files: &[PathBuf], common: &Common) -> Result<Status, UsageError> {
    watch(common, &Progress::default());
    let mut sources: Vec<Source> = Vec::new();
    let mut status = Status::Good;
    for file in files.iter().flat_map(|path| files_of(path)) {
        match read_source(&file) {
            Ok(source) => sources.push(source),
            Err(message) => {
                say(&format!("error: {message}\n"));
                status = Status::Usage;
            }
        }
    }
    if sources.is_empty() {
        return Ok(status);
    }
    let answer = modeshift_driver::parse(sources);
    tell(&answer, common);
    if let Some(report) = answer.result.as_ref().filter(|_| !answer.diagnostics.has_errors()) {
        write_answer(&answer, common, &report.text())?;
    }
    Ok(status.max(status_of(&answer)))
}

fn flatten(input: &Input, format: DataFormat) -> Result<Status, UsageError> {
    let answer = modeshift_driver::flatten(&question(input)?);
    tell(&answer, &input.common);
    let text = match format {
        DataFormat::Text => answer.result.as_ref().map(ToString::to_string),
        DataFormat::Json => Some(answer.report().map_or_else(|| refusal(&answer, input), |it| pretty(&it.json()))),
    };
    if let Some(text) = text {
        write_answer(&answer, &input.common, &text)?;
    }
    Ok(status_of(&answer))
}

fn analyze(
    input: &Input,
    format: GraphFormat,
    at: Option<&str>,
    focus: Option<(&str, usize)>,
) -> Result<Status, UsageError> {
    let mut answer = modeshift_driver::analyze(&question(input)?, at);
    let is_large = focus.is_none() && answer.is_large();
    let most_blocks = if format == GraphFormat::Svg && focus.is_none() { LARGEST_PICTURE } else { usize::MAX };
    let report = match format {
        GraphFormat::Text if is_large => None,
        _ => answer.report(most_blocks),
    };
    let report = match (report, focus) {
        (Some(report), Some((name, depth))) => {
            let part = focused(&report, name, depth);
            Some(part.ok_or_else(|| UsageError(format!("--focus {name}: no block has to do with it")))?)
        }
        (report, _) => report,
    };
    let text = match format {
        GraphFormat::Text if is_large => answer.summary(),
        GraphFormat::Text => report.map(|report| report.text()),
        GraphFormat::Json => Some(report.map_or_else(|| refusal(&answer, input), |report| pretty(&report.json()))),
        GraphFormat::Dot => report.map(|report| report.dot()),
        GraphFormat::Svg => report.map(|report| {
            if report.blocks.len() < report.block_count {
                let (shown, all) = (report.blocks.len(), report.block_count);
                say(&format!("note: the picture shows the first {shown} of {all} blocks\n"));
            }
            report.svg()
        }),
    };
    tell(&answer, &input.common);
    if let Some(text) = text {
        let text = if format == GraphFormat::Text { on_paper(text, &input.common) } else { text };
        write_answer(&answer, &input.common, &text)?;
    }
    Ok(status_of(&answer))
}

fn analyze_matrix(input: &Input, at: Option<&str>) -> Result<Status, UsageError> {
    let answer = modeshift_driver::analyze(&question(input)?, at);
    tell(&answer, &input.common);
    if let Some(analyzed) = &answer.result {
        let text = matrix_text(analyzed).map_err(|reason| UsageError(format!("--matrix: {reason}")))?;
        write_answer(&answer, &input.common, &text)?;
    }
    Ok(status_of(&answer))
}

/// Says what there is to say, and writes the answer as it is wanted, where there is one.
fn answered<Report>(
    answer: &Answer<Report>,
    (input, is_json): (&Input, bool),
    wanted: impl FnOnce(&Report) -> String,
) -> Result<Status, UsageError> {
    tell(answer, &input.common);
    match &answer.result {
        Some(report) => write_answer(answer, &input.common, &wanted(report))?,
        None if is_json => write_answer(answer, &input.common, &refusal(answer, input))?,
        None => {}
    }
    Ok(status_of(answer))
}

fn analyze_approximately(input: &Input, format: GraphFormat, at: Option<&str>) -> Result<Status, UsageError> {
    let answer = modeshift_driver::as_other_tools(&question(input)?, at);
    answered(&answer, (input, format == GraphFormat::Json), |report| match format {
        GraphFormat::Text => on_paper(report.text(), &input.common),
        GraphFormat::Json => pretty(&report.json()),
        GraphFormat::Dot => report.dot(),
        GraphFormat::Svg => report.svg(),
    })
}

fn analyze_by_pantelides(input: &Input, format: GraphFormat, at: Option<&str>) -> Result<Status, UsageError> {
    if matches!(format, GraphFormat::Dot | GraphFormat::Svg) {
        let message = "--method pantelides has no picture; --format text and --format json it has";
        return Err(UsageError(message.to_string()));
    }
    let answer = modeshift_driver::pantelides(&question(input)?, at);
    answered(&answer, (input, format == GraphFormat::Json), |report| match format {
        GraphFormat::Json => pretty(&report.json()),
        _ => on_paper(report.text(), &input.common),
    })
}

fn changes(input: &Input, format: GraphFormat, selection: &Selection<'_>) -> Result<Status, UsageError> {
    let answer = modeshift_driver::changes::changes(&question(input)?, selection);
    answered(&answer, (input, format == GraphFormat::Json), |report| match format {
        GraphFormat::Text => on_paper(report.text(), &input.common),
        GraphFormat::Json => pretty(&report.json()),
        GraphFormat::Dot => report.dot(),
        GraphFormat::Svg => report.svg(),
    })
}

fn semantics(input: &Input, format: GraphFormat, selection: &semantics::Selection<'_>) -> Result<Status, UsageError> {
    let answer = semantics::semantics(&question(input)?, selection);
    answered(&answer, (input, format == GraphFormat::Json), |report| match format {
        GraphFormat::Text => on_paper(report.text(), &input.common),
        GraphFormat::Json => pretty(&report.json()),
        GraphFormat::Dot => report.dot(),
        GraphFormat::Svg => report.svg(),
    })
}

fn init(input: &Input, format: DataFormat, options: InitOptions<'_>) -> Result<Status, UsageError> {
    let answer = modeshift_driver::init::init(&question(input)?, options);
    answered(&answer, (input, format == DataFormat::Json), |report| match format {
        DataFormat::Text => on_paper(report.text(), &input.common),
        DataFormat::Json => pretty(&report.json()),
    })
}

fn rimis(input: &Input, options: RimisOptions) -> Result<Status, UsageError> {
    let answer = modeshift_driver::rimis(&question(input)?, options);
    tell(&answer, &input.common);
    if let Some(report) = &answer.result {
        write_answer(&answer, &input.common, report.text())?;
    }
    Ok(status_of(&answer))
}

fn simulate(input: &Input, run: &arguments::Run) -> Result<Status, UsageError> {
    let common = &input.common;
    let is_json = run.format == DataFormat::Json;
    let mut outputs = RunOutputs::new(&common.outputs, run).map_err(UsageError)?;
    outputs.stop_after(common.time_limit.map(Duration::from_secs_f64));
    let mut options = options(run);
    if let Some(path) = &run.input {
        let source = read_source(path).map_err(UsageError)?;
        outputs.keep(path);
        options.input = Some(InputTable { name: source.name, text: source.text });
    }
    let mut answer = modeshift_driver::simulate::simulate(&question(input)?, &options, &mut outputs);
    let (limit, name) = (outputs.reached_limit(), outputs.result_name());
    let written = outputs.finish();
    if let Some(limit) = limit.filter(|_| answer.result.is_some()) {
        let message = format!("the time limit of {} s was reached while simulating", limit.as_secs_f64());
        answer.diagnostics.push(Diagnostic::error(Code::E0603, message));
    }
    tell(&answer, common);
    let status = status_of(&answer);
    match &answer.result {
        Some(simulated) if is_json => {
            let report = simulated.report(&name, &answer.diagnostics, &answer.sources);
            write_result(None, &pretty(&report.json())).map_err(UsageError)?;
        }
        // What is said of the rows of a file holds where it could be written.
        Some(simulated) if written.is_ok() => say(&simulated.text(&name)),
        Some(_) => {}
        None if is_json => write_result(None, &refusal(&answer, input)).map_err(UsageError)?,
        None => {}
    }
    written.map_err(UsageError)?.iter().for_each(|note| say(&format!("note: {note}\n")));
    Ok(status)
}

fn linearize(input: &Input, arguments: &arguments::LinearPoint) -> Result<Status, UsageError> {
    let number = |(name, text): &(String, String)| match text.parse::<f64>() {
        Ok(value) if value.is_finite() => Ok((name.clone(), value)),
        _ => Err(UsageError(format!("--state {name}={text}: `{text}` is not a number"))),
    };
    let names = |text: &Option<String>| text.as_deref().map(variable_names);
    let options = RunOptions { start: arguments.start, tolerance: arguments.tolerance, ..RunOptions::default() };
    let wanted = Linearize {
        time: arguments.time.or(arguments.start),
        states: arguments.states.iter().map(number).collect::<Result<_, _>>()?,
        inputs: names(&arguments.inputs),
        outputs: names(&arguments.shown),
    };
    let answer = modeshift_driver::linearize::linearize(&question(input)?, &options, &wanted);
    answered(&answer, (input, arguments.format == DataFormat::Json), |report| match arguments.format {
        DataFormat::Text => on_paper(report.text(), &input.common),
        DataFormat::Json => pretty(&report.json()),
    })
}

fn options(run: &arguments::Run) -> RunOptions {
    RunOptions {
        method: run.solver,
        start: run.start,
        stop: run.stop,
        interval: run.interval,
        tolerance: run.tolerance,
        scenario: run.scenario.clone(),
        impulsive_start: run.impulsive_start,
        periodic: run.periodic,
        plot_variables: run.plot_vars.clone(),
        kept_variables: run.vars.clone(),
        sensitivity: run.sensitivity.clone(),
        input: None,
    }
}
