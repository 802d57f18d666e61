//! The command line as data: commands and options, with the help that users read.

use std::path::{Path, PathBuf};

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, Parser, Subcommand, ValueEnum};
use modeshift_driver::simulate::Method;

use crate::shell::Shell;

const EXAMPLES: &str = "\
Examples:
  modeshift check Clutch.mo                        every verdict at once
  modeshift check Clutch.mo --fix                  the edit that makes it right, where one is known
  modeshift analyze Clutch.mo                      which block is solved when, in which modes
  modeshift analyze Clutch.mo --at g=true          one mode, its blocks in solving order
  modeshift analyze Clutch.mo --format svg -o clutch.svg
  modeshift changes Clutch.mo --to g=true          what jumps and what is impulsive when it engages
  modeshift semantics Clutch.mo --run 2            one instant, micro-step by micro-step
  modeshift flatten Line.mo --set N=3              the equations that were understood
  modeshift simulate Clutch.mo --stop 15 --plot clutch.svg
  modeshift sweep plan.toml -o results.parquet     many runs, on all cores
  modeshift fmu Clutch.mo -o clutch.fmu            for other tools to co-simulate
  modeshift check My.mo -m My.Plant -L ~/modelica  a class that uses a library
  modeshift explain E0601                          what a code means, and what to do

Exit status: 0 all well; 1 the model is wrong or cannot be run; 2 wrong usage, or a file that
cannot be read or written.";

/// Analyzes and simulates models whose equations change with the mode: ideal diodes, clutches, contacts, faults.
#[derive(Debug, Parser)]
#[command(name = "modeshift", version, after_help = EXAMPLES, max_term_width = 100)]
pub struct Arguments {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// The questions a user can ask.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Syntax errors only, of any number of files
    Parse {
        /// Modelica (.mo) or MEL (.mel) files, or directories of packages; `-` reads Modelica from standard input
        #[arg(value_name = "FILE", required = true)]
        files: Vec<PathBuf>,
        #[command(flatten)]
        common: Common,
    },
    /// The guarded equation system that was understood
    Flatten {
        #[command(flatten)]
        input: Input,
        /// How to print it
        #[arg(long, value_enum, default_value_t = DataFormat::Text)]
        format: DataFormat,
    },
    /// Every verdict at once: syntax, balance, all modes
    Check {
        /// Modelica (.mo) or MEL (.mel) files, or directories of packages; `-` reads Modelica from standard input
        #[arg(value_name = "FILE", required = true)]
        files: Vec<PathBuf>,
        /// Take the text of FILE from standard input: what an editor has not saved yet
        #[arg(long, conflicts_with_all = ["write", "watch"])]
        stdin: bool,
        #[command(flatten)]
        common: Common,
        /// How to print it
        #[arg(long, value_enum, default_value_t = DataFormat::Text)]
        format: DataFormat,
        /// Tell too what a tool that does not look at modes would do, and when its run would fail
        #[arg(long)]
        as_other_tools: bool,
        /// Show the edits that make the model right, as a difference; each was tested by making it
        #[arg(long)]
        fix: bool,
        /// With --fix: make the edits in the file
        #[arg(long, requires = "fix")]
        write: bool,
        /// Every finding, also where there are many of one kind
        #[arg(long)]
        all: bool,
        /// Check again whenever one of the files that were read changes, until interrupted
        #[arg(long)]
        watch: bool,
    },
    /// Structure of the long modes: offsets, blocks, conditional dependency graph
    Analyze {
        #[command(flatten)]
        input: Input,
        /// How to print it
        #[arg(long, value_enum, default_value_t = GraphFormat::Text)]
        format: GraphFormat,
        /// Restrict to the modes with these values, such as `bh=true,bl=false`; names with commas in double quotes
        #[arg(long, value_name = "MODE")]
        at: Option<String>,
        /// Another method for comparison
        #[arg(long, value_name = "NAME", value_enum, default_value_t = AnalyzeMethod::Exact)]
        method: AnalyzeMethod,
        /// The signature matrix of one mode, in block-triangular form with offsets; `--at` says of which mode
        #[arg(long, conflicts_with = "method")]
        matrix: bool,
        /// Only the blocks around an equation, a variable or a component
        #[arg(long, value_name = "NAME")]
        focus: Option<String>,
        /// With --focus: how many dependencies away
        #[arg(long, value_name = "N", default_value_t = 2, requires = "focus")]
        depth: usize,
    },
    /// Consistent initialization: which start values are needed, too many, missing
    Init {
        #[command(flatten)]
        input: Input,
        /// How to print it
        #[arg(long, value_enum, default_value_t = DataFormat::Text)]
        format: DataFormat,
        /// Restrict to the modes with these values
        #[arg(long, value_name = "MODE")]
        at: Option<String>,
        /// Use this initial scenario
        #[arg(long, value_name = "NAME")]
        scenario: Option<String>,
        /// Take fixed start values for left limits: the first instant may jump
        #[arg(long)]
        impulsive_start: bool,
    },
    /// Mode changes: what is kept, what jumps, what is impulsive, restart equations
    Changes {
        #[command(flatten)]
        input: Input,
        /// How to print it
        #[arg(long, value_enum, default_value_t = GraphFormat::Text)]
        format: GraphFormat,
        /// Only changes from these modes
        #[arg(long, value_name = "MODE")]
        from: Option<String>,
        /// Only changes to these modes
        #[arg(long, value_name = "MODE")]
        to: Option<String>,
        /// Another method beside it for comparison: `array`, the difference array
        #[arg(long, value_name = "NAME")]
        method: Option<ChangesMethod>,
    },
    /// Run it
    Simulate {
        #[command(flatten)]
        input: Input,
        #[command(flatten)]
        run: Run,
    },
    /// A mode as a linear system: A, B, C and D, near where a run is at a time
    Linearize {
        #[command(flatten)]
        input: Input,
        #[command(flatten)]
        linearize: LinearPoint,
    },
    /// Compare two results: signals within tolerances, events within a slack of time
    Compare(Compare),
    /// Write an equivalent Modelica model that ordinary tools run
    Rimis {
        #[command(flatten)]
        input: Input,
        /// Verify the structure of what was written
        #[arg(long)]
        check: bool,
        /// The form of the papers, without robust guards
        #[arg(long)]
        plain: bool,
    },
    /// The constructive semantics: the micro-steps of every instant, and the graph of all runs
    Semantics {
        #[command(flatten)]
        input: Input,
        /// How to print it
        #[arg(long, value_enum, default_value_t = GraphFormat::Text)]
        format: GraphFormat,
        /// Restrict to the modes with these values
        #[arg(long, value_name = "MODE")]
        at: Option<String>,
        /// Only changes from these modes
        #[arg(long, value_name = "MODE")]
        from: Option<String>,
        /// Only changes to these modes
        #[arg(long, value_name = "MODE")]
        to: Option<String>,
        /// One run, by its number, step by step with what each status knows
        #[arg(long, value_name = "N")]
        run: Option<usize>,
        /// Explore every choice of the algorithm, and tell where they matter
        #[arg(long)]
        all_choices: bool,
    },
    /// Many runs of one model, on all cores
    Sweep(Sweep),
    /// A self-contained FMU for co-simulation or model exchange
    Fmu {
        #[command(flatten)]
        input: Input,
        /// The version of FMI
        #[arg(long, value_enum, default_value_t = FmiVersion::Three)]
        fmi: FmiVersion,
        /// Who integrates: the FMU (co-simulation), its importer (model exchange), or either
        #[arg(long, value_enum, default_value_t = FmuKind::Cs)]
        kind: FmuKind,
    },
    /// What a code means, with a smallest wrong model and its repair
    Explain {
        /// Codes of errors, warnings or notes, such as E0601; none lists all
        #[arg(value_name = "CODE")]
        codes: Vec<String>,
    },
    /// The language server for editors, on standard input and output
    Lsp {
        /// Where packages are looked for, before MODELICAPATH; repeatable
        #[arg(short = 'L', long = "library", value_name = "DIR")]
        libraries: Vec<PathBuf>,
        /// Standard input and output, which it uses in any case; editors like to say so
        #[arg(long, hide = true)]
        stdio: bool,
        /// As the process that analyzes for a language server
        #[arg(long, hide = true)]
        worker: bool,
    },
    /// The page, on loopback: editor, structure, mode changes, simulation
    Serve {
        /// A model, or a directory of models; without one, there are examples
        #[arg(value_name = "FILE")]
        file: Option<PathBuf>,
        /// Where packages are looked for, before MODELICAPATH; repeatable
        #[arg(short = 'L', long = "library", value_name = "DIR")]
        libraries: Vec<PathBuf>,
        /// The port; any that is free by default
        #[arg(long, value_name = "N", default_value_t = 0)]
        port: u16,
        /// Write the page as a static directory, which needs no server but one for files
        #[arg(long, value_name = "DIR", conflicts_with_all = ["port", "libraries"])]
        export: Option<PathBuf>,
        /// The engine of a static directory; by default MODESHIFT_WASM, or modeshift.wasm beside this program
        #[arg(long, value_name = "FILE", requires = "export")]
        wasm: Option<PathBuf>,
    },
    /// Completions for a shell: `source <(modeshift completions bash)`
    Completions {
        /// Which shell
        shell: Shell,
    },
    /// The manual page: `modeshift manual | man -l -`
    Manual,
}

/// A file and what holds for every command.
#[derive(Clone, Debug, Args)]
pub struct Input {
    /// A Modelica (.mo) or MEL (.mel) file, or the directory of a package; `-` reads Modelica from standard input
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// Take the text of FILE from standard input: what an editor has not saved yet
    #[arg(long)]
    pub stdin: bool,
    #[command(flatten)]
    pub common: Common,
}

/// Options of all commands.
#[derive(Clone, Debug, Args)]
pub struct Common {
    /// Class to look at; default: the last model in the file that is not partial
    #[arg(short, long, value_name = "NAME")]
    pub model: Option<String>,
    /// Override a parameter or constant, array sizes included; repeatable
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = assignment)]
    pub overrides: Vec<(String, String)>,
    /// Where packages are looked for, before MODELICAPATH; repeatable
    #[arg(short = 'L', long = "library", value_name = "DIR")]
    pub libraries: Vec<PathBuf>,
    /// Write the result there instead of to standard output; for simulate a .csv, .mat, .parquet or .arrow file, by default
    /// `<Model>_res.csv`, and repeatable
    #[arg(short, long = "output", value_name = "FILE")]
    pub outputs: Vec<PathBuf>,
    /// Print time and size of each phase to standard error
    #[arg(long)]
    pub timings: bool,
    /// Stop when more decision-diagram nodes than this are needed
    #[arg(long, value_name = "N")]
    pub node_limit: Option<usize>,
    /// Stop after so many seconds
    #[arg(long, value_name = "S", value_parser = seconds, allow_negative_numbers = true)]
    pub time_limit: Option<f64>,
}

impl Common {
    /// Where the result goes, where that is one file.
    pub fn output(&self) -> Option<&Path> {
        self.outputs.first().map(PathBuf::as_path)
    }
}

impl Command {
    /// The options of all commands, where it has them.
    pub fn common(&self) -> Option<&Common> {
        match self {
            Command::Parse { common, .. } | Command::Check { common, .. } => Some(common),
            Command::Flatten { input, .. }
            | Command::Analyze { input, .. }
            | Command::Init { input, .. }
            | Command::Changes { input, .. }
            | Command::Simulate { input, .. }
            | Command::Linearize { input, .. }
            | Command::Rimis { input, .. }
            | Command::Semantics { input, .. }
            | Command::Fmu { input, .. } => Some(&input.common),
            Command::Sweep(sweep) => Some(&sweep.common),
            _ => None,
        }
    }

    /// Whether a program reads what it prints.
    pub fn is_json(&self) -> bool {
        let format = match self {
            Command::Flatten { format, .. } | Command::Check { format, .. } | Command::Init { format, .. } => *format,
            Command::Simulate { run, .. } => run.format,
            Command::Linearize { linearize, .. } => linearize.format,
            Command::Compare(compare) => compare.format,
            Command::Analyze { format, .. } | Command::Changes { format, .. } | Command::Semantics { format, .. } => {
                return *format == GraphFormat::Json;
            }
            _ => return false,
        };
        format == DataFormat::Json
    }
}

/// Many runs.
#[derive(Debug, Args)]
pub struct Sweep {
    /// What is varied, as TOML or CSV
    #[arg(value_name = "PLAN")]
    pub plan: PathBuf,
    /// The model, where the plan does not name it
    #[arg(value_name = "FILE")]
    pub file: Option<PathBuf>,
    /// How many runs at the same time; default: as many as there are cores
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub jobs: Option<u16>,
    /// Forget what an earlier sweep of this name has done
    #[arg(long)]
    pub restart: bool,
    #[command(flatten)]
    pub common: Common,
}

/// How a run is to go.
#[derive(Debug, Args)]
#[allow(missing_docs)]
pub struct Run {
    /// The integrator
    #[arg(long, value_name = "SOLVER", value_parser = solver(), default_value = Method::default().name())]
    pub solver: Method,
    /// Start time; default from the model's annotation, else 0
    #[arg(long, value_name = "T", allow_negative_numbers = true)]
    pub start: Option<f64>,
    /// Stop time; default from the model's annotation, else 1
    #[arg(long, value_name = "T", allow_negative_numbers = true)]
    pub stop: Option<f64>,
    /// Time between two rows of the result; default from the model's annotation, else a 500th of the run
    #[arg(long, value_name = "H", allow_negative_numbers = true)]
    pub interval: Option<f64>,
    /// Relative tolerance; default from the model's annotation, else 1e-6
    #[arg(long, value_name = "TOL", allow_negative_numbers = true)]
    pub tolerance: Option<f64>,
    /// Use this initial scenario
    #[arg(long, value_name = "NAME")]
    pub scenario: Option<String>,
    /// Signals for inputs of the model: a CSV file with `time` and a column for each, linear between rows for Reals
    #[arg(long, value_name = "FILE.csv")]
    pub input: Option<PathBuf>,
    /// Take fixed start values for left limits: the first instant may jump
    #[arg(long)]
    pub impulsive_start: bool,
    /// Find the periodic steady state with this period, and run one period of it
    #[arg(long, value_name = "T")]
    pub periodic: Option<f64>,
    /// How values at the end and times of events change with parameters and start values: `p,x.start`
    #[arg(long, value_name = "p,q", conflicts_with_all = ["periodic", "input"])]
    pub sensitivity: Option<String>,
    /// Write the event log there, as JSON
    #[arg(long, value_name = "FILE")]
    pub events: Option<PathBuf>,
    /// Draw the result there, as SVG or PNG
    #[arg(long, value_name = "FILE")]
    pub plot: Option<PathBuf>,
    /// What to draw: names of variables, in which `*` stands for any text; default: states and outputs that vary
    #[arg(long, value_name = "a,b")]
    pub plot_vars: Option<String>,
    /// Draw nothing before this time
    #[arg(long, value_name = "T", allow_negative_numbers = true)]
    pub plot_from: Option<f64>,
    /// Draw nothing after this time
    #[arg(long, value_name = "T", allow_negative_numbers = true)]
    pub plot_to: Option<f64>,
    /// What to keep in the result: names of variables, in which `*` stands for any text; default: all
    #[arg(long, value_name = "a,b*")]
    pub vars: Option<String>,
    /// The summary as text on standard error, or as JSON on standard output
    #[arg(long, value_enum, default_value_t = DataFormat::Text)]
    pub format: DataFormat,
}

/// What is linearized, and where.
#[derive(Debug, Args)]
pub struct LinearPoint {
    /// When; default: at the start
    #[arg(long, value_name = "T", allow_negative_numbers = true)]
    pub time: Option<f64>,
    /// Another value of a state than the run has there; repeatable
    #[arg(long = "state", value_name = "NAME=VALUE", value_parser = assignment)]
    pub states: Vec<(String, String)>,
    /// The inputs, by name; default: those of the model
    #[arg(long, value_name = "a,b")]
    pub inputs: Option<String>,
    /// The outputs, by name, which may be any continuous variables; default: those of the model
    #[arg(long = "outputs", value_name = "a,b")]
    pub shown: Option<String>,
    /// Start time of the run; default from the model's annotation, else 0
    #[arg(long, value_name = "T", allow_negative_numbers = true)]
    pub start: Option<f64>,
    /// Relative tolerance of the run; default from the model's annotation, else 1e-6
    #[arg(long, value_name = "TOL", allow_negative_numbers = true)]
    pub tolerance: Option<f64>,
    /// How to print it
    #[arg(long, value_enum, default_value_t = DataFormat::Text)]
    pub format: DataFormat,
}

/// Two results, and how much they may differ.
#[derive(Debug, Args)]
pub struct Compare {
    /// The result that is right
    #[arg(value_name = "A")]
    pub reference: PathBuf,
    /// The other one
    #[arg(value_name = "B")]
    pub other: PathBuf,
    /// Relative tolerance, of the largest value of a signal in A; of some signals where names are given, in which `*` stands for
    /// any text; repeatable, the last one that fits counts; default 1e-3
    #[arg(long, value_name = "[NAME=]TOL", value_parser = tolerance)]
    pub rel: Vec<(Option<String>, f64)>,
    /// Absolute tolerance, added to the relative one; default 0
    #[arg(long, value_name = "[NAME=]TOL", value_parser = tolerance)]
    pub abs: Vec<(Option<String>, f64)>,
    /// How much earlier or later something may happen; default: a millionth of the time span
    #[arg(long, value_name = "T")]
    pub slack: Option<f64>,
    /// What to compare: names of signals, in which `*` stands for any text; default: all of A
    #[arg(long, value_name = "a,b*")]
    pub vars: Option<String>,
    /// Draw the signals that differ there, as SVG or PNG
    #[arg(long, value_name = "FILE")]
    pub plot: Option<PathBuf>,
    /// How to print it
    #[arg(long, value_enum, default_value_t = DataFormat::Text)]
    pub format: DataFormat,
    /// Write the report there instead of to standard output
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

/// Methods of structural analysis.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum AnalyzeMethod {
    /// All modes at once, each by its own structure
    Exact,
    /// What an ordinary tool does: as if all modes were one
    Approximate,
    /// Multi-mode Pantelides: connections to states are differentiated alike in all modes
    Pantelides,
}

/// Methods that find out what a mode change does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
#[allow(missing_docs)]
pub enum ChangesMethod {
    Levels,
    Array,
}

/// Versions of FMI.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
#[allow(missing_docs)]
pub enum FmiVersion {
    #[value(name = "2")]
    Two,
    #[value(name = "3")]
    Three,
}

/// Who integrates an FMU.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
#[allow(missing_docs)]
pub enum FmuKind {
    Cs,
    Me,
    Both,
}

/// Formats of graphs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
#[allow(missing_docs)]
pub enum GraphFormat {
    Text,
    Json,
    Dot,
    Svg,
}

/// Formats of everything else.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
#[allow(missing_docs)]
pub enum DataFormat {
    Text,
    Json,
}

/// Integrators: those that there are, by their names.
fn solver() -> impl TypedValueParser<Value = Method> {
    let value = |method: Method| PossibleValue::new(method.name()).help(method.purpose());
    let named = |name: String| Method::ALL.into_iter().find(|method| method.name() == name).unwrap_or_default();
    PossibleValuesParser::new(Method::ALL.map(value)).map(named)
}

/// `NAME=VALUE`, split at the first `=` outside single quotes, which quote names in Modelica.
fn assignment(text: &str) -> Result<(String, String), String> {
    let mut quoted = false;
    let split = text.char_indices().find(|(_, character)| {
        quoted ^= *character == '\'';
        *character == '=' && !quoted
    });
    match split {
        Some((at, _)) if !text[..at].trim().is_empty() && !text[at + 1..].trim().is_empty() => {
            Ok((text[..at].trim().to_string(), text[at + 1..].trim().to_string()))
        }
        _ => Err("expected NAME=VALUE, such as N=3".to_string()),
    }
}

/// `TOL` or `NAME=TOL`.
fn tolerance(text: &str) -> Result<(Option<String>, f64), String> {
    let (name, value) = match text.rsplit_once('=') {
        Some((name, value)) => (Some(name.trim().to_string()), value),
        None => (None, text),
    };
    match value.trim().parse::<f64>() {
        Ok(value) if value >= 0.0 && value.is_finite() => Ok((name, value)),
        _ => Err("expected a tolerance, such as 1e-3 or v=1e-3".to_string()),
    }
}

fn seconds(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(value) if value > 0.0 && value.is_finite() => Ok(value),
        _ => Err("expected a number of seconds greater than 0".to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        use clap::CommandFactory;
        Arguments::command().debug_assert();
    }

    #[test]
    fn an_override_is_split_at_its_first_equals_sign() {
        assert_eq!(assignment("a.b[1] = 2"), Ok(("a.b[1]".to_string(), "2".to_string())));
        assert_eq!(assignment("'a=b'=x == 1"), Ok(("'a=b'".to_string(), "x == 1".to_string())));
        assert!(assignment("N").is_err() && assignment("=3").is_err() && assignment("N=").is_err());
    }
}
