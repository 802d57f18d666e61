//! The language server and the page: started here, with this program as what they start in turn.

use std::io::{BufReader, BufWriter};
use std::path::{Path, PathBuf};

use modeshift_diagnostics::ExitStatus as Status;
use modeshift_lsp::server::{Settings, serve};
use modeshift_lsp::worker::answers;
use modeshift_lsp::worker::process::Program;
use modeshift_serve::{ExportError, Root, Server, export};

use crate::commands::UsageError;
use crate::files::{reason, say, write_result};
use crate::questions::library_path;

/// What the engine as WebAssembly is called.
const ENGINE: &str = "modeshift.wasm";

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
    let root = file.map(root_of).transpose()?;
    let absolute = |path: &PathBuf| path.canonicalize().map_err(|error| unreadable(path, &error));
    let libraries = libraries.iter().map(absolute).collect::<Result<_, _>>()?;
    let settings = modeshift_serve::Settings { program: this_program()?, root, port, libraries };
    let server = Server::new(settings).map_err(|error| UsageError(format!("cannot listen: {}", reason(&error))))?;
    write_result(None, &format!("{}\n", server.address())).map_err(UsageError)?;
    say("note: open this address in a browser; it is for you alone. Ctrl+C ends the server\n");
    server.run();
    Ok(Status::Good)
}

/// `serve --export`: writes the page as a static directory.
pub fn static_page(file: Option<&Path>, directory: &Path, engine: Option<&Path>) -> Result<Status, UsageError> {
    let root = file.map(root_of).transpose()?;
    let beside = this_program()?.with_file_name(ENGINE);
    let variable = std::env::var_os("MODESHIFT_WASM").filter(|it| !it.is_empty()).map(PathBuf::from);
    let Some(path) = engine.map(Path::to_path_buf).or(variable).or(Some(beside).filter(|it| it.is_file())) else {
        return Err(UsageError(format!(
            "serve --export: without a server, the page needs the engine as WebAssembly, and there is no {ENGINE} beside this \
             program; `tools/package/wasm.sh` of its source makes one, --wasm FILE names another place"
        )));
    };
    let bytes = std::fs::read(&path).map_err(|error| unreadable(&path, &error))?;
    export(directory, root.as_ref(), &bytes).map_err(|error| {
        UsageError(match error {
            ExportError::NotEmpty => {
                format!(
                    "--export {}: the directory has other files; name one that is empty or new",
                    directory.display()
                )
            }
            ExportError::OtherEngine => format!(
                "`{}` is no engine for the page of version {}; `tools/package/wasm.sh` of its source makes one",
                path.display(),
                env!("CARGO_PKG_VERSION")
            ),
            ExportError::Failed(name, error) => format!("cannot export `{name}`: {}", reason(&error)),
        })
    })?;
    let shown = directory.display();
    say(&format!(
        "note: the page is in `{shown}`; any server for files will do: `python3 -m http.server -b 127.0.0.1 -d {shown}`\n"
    ));
    Ok(Status::Good)
}

fn unreadable(path: &Path, error: &std::io::Error) -> UsageError {
    UsageError(format!("cannot read `{}`: {}", path.display(), reason(error)))
}

fn root_of(path: &Path) -> Result<Root, UsageError> {
    Root::of(path).map_err(|error| unreadable(path, &error))
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
