//! The command line: the only crate that touches arguments, files and the terminal.
//!
//! Results go to standard output, everything else to standard error. Exit status: 0 all well; 1 the model is wrong or
//! cannot be run; 2 wrong usage, or a file that cannot be read or written. Should there be a bug that ends in a panic,
//! it is reported as one, with exit status 101.
//!
//! | module | purpose |
//! |---|---|
//! | `answers` | from an answer to standard output, standard error and the exit status |
//! | `arguments` | commands and options as data, with the help that users read |
//! | `check` | `check`: of files, whenever they change, with edits |
//! | `commands` | one function per command |
//! | `editors` | the language server and the page |
//! | `explain` | the pages of codes |
//! | `faults` | what a panic says, and its exit status |
//! | `files` | reading what the user names, writing what the user asked for |
//! | `fmu` | a model as an FMU |
//! | `questions` | from arguments to a question |
//! | `results` | the files of a run, and two results compared |
//! | `shell` | completions and the manual page |
//! | `sweep` | many runs |
//! | `watchdog` | ends a run that is past its time limit |
//!
//! A new command is a variant of `arguments::Command`, a function in `commands`, and the function of the driver that it
//! asks.

mod answers;
mod arguments;
mod check;
mod commands;
mod editors;
mod explain;
mod faults;
mod files;
mod fmu;
mod questions;
mod results;
mod shell;
mod sweep;
mod watchdog;

use std::process::ExitCode;

use clap::Parser as _;
use modeshift_diagnostics::ExitStatus;

/// Enough for the recursive descent of the parser at its nesting limit, in debug builds too, and for operations on sets of modes; only what is used of
/// it is ever taken from the machine.
const STACK_SIZE: usize = 256 << 20;

fn main() -> ExitCode {
    faults::report_panics();
    let arguments = arguments::Arguments::parse();
    let worker = std::thread::Builder::new().name("modeshift".into()).stack_size(STACK_SIZE);
    let work = move || {
        faults::provoke();
        // Half of it is left for whatever asks.
        modeshift_driver::use_stack(STACK_SIZE / 2);
        commands::run(arguments)
    };
    match worker.spawn(work).map(|handle| handle.join()) {
        Ok(Ok(status)) => ExitCode::from(status as u8),
        // The program has ended before, in `faults`.
        Ok(Err(_)) => ExitCode::from(ExitStatus::Fault as u8),
        Err(error) => {
            files::say(&format!("error: cannot start: {error}\n"));
            ExitCode::from(ExitStatus::Usage as u8)
        }
    }
}
