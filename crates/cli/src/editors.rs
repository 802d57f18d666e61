//! The language server and the page: started here, with this program as what they start in turn.

use std::io::{BufReader, BufWriter};
use std::path::{Path, PathBuf};

use modeshift_diagnostics::ExitStatus as Status;
use modeshift_lsp::server::{Settings, serve};
use modeshift_lsp::worker::{Program, answers};
use modeshift_serve::{Root, Server};

use crate::commands::UsageError;
use crate::files::{reason, say, write_result};
use crate::questions::library_path;

/// `lsp`: serves an editor until it says goodbye.
pub fn language_server(libraries: &[PathBuf]) -> Result<Status, UsageError> {
    check_libraries(libraries)?;
    let worker = Program { path: this_program()?, arguments: vec!["lsp".to_string(), "--worker".to_string()] };
    let settings = Settings { worker, libraries: library_path(libraries) };
    let output = BufWriter::new(std::io::stdout());
    let goodbye = serve(BufReader::new(std::io::stdin()), output, settings).map_err(broken)?;
    // The protocol wants to be told of an `exit` without a `shutdown`.
    Ok(if goodbye { Status::Good } else { Status::ModelWrong })
}

/// `lsp --worker`: answers a language server.
pub fn language_worker() -> Result<Status, UsageError> {
    answers::work(BufReader::new(std::io::stdin()), std::io::stdout()).map_err(broken)?;
    Ok(Status::Good)
}

/// `serve`: serves the page until the process ends.
pub fn page(file: Option<&Path>, libraries: &[PathBuf], port: u16) -> Result<Status, UsageError> {
    check_libraries(libraries)?;
    let unreadable = |path: &Path, error| UsageError(format!("cannot read `{}`: {}", path.display(), reason(&error)));
    let root = file.map(|path| Root::of(path).map_err(|error| unreadable(path, error))).transpose()?;
    let absolute = |path: &PathBuf| path.canonicalize().map_err(|error| unreadable(path, error));
    let libraries = libraries.iter().map(absolute).collect::<Result<_, _>>()?;
    let settings = modeshift_serve::Settings { program: this_program()?, root, port, libraries };
    let server = Server::new(settings).map_err(|error| UsageError(format!("cannot listen: {}", reason(&error))))?;
    write_result(None, &format!("{}\n", server.address())).map_err(UsageError)?;
    say("note: open this address in a browser; it is for you alone. Ctrl+C ends the server\n");
    server.run();
    Ok(Status::Good)
}

fn check_libraries(libraries: &[PathBuf]) -> Result<(), UsageError> {
    match libraries.iter().find(|directory| !directory.is_dir()) {
        Some(missing) => Err(UsageError(format!("-L {}: there is no such directory", missing.display()))),
        None => Ok(()),
    }
}

/// This program itself.
fn this_program() -> Result<PathBuf, UsageError> {
    std::env::current_exe().map_err(|error| UsageError(format!("cannot find this program: {}", reason(&error))))
}

fn broken(error: std::io::Error) -> UsageError {
    UsageError(format!("the client is gone: {}", reason(&error)))
}
