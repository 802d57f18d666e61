//! Which path does what.

use std::io::{self, BufReader, Read};
use std::net::{Ipv4Addr, Shutdown, TcpStream};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::access::{Access, Root, token};
use crate::http::{Request, Response, read_body, read_head};
use crate::keeper::Keeper;
use crate::questions::{Asked, ask};
use crate::runs::Runs;
use crate::{Settings, assets, saving, socket};

/// How long a client may take, in all, to say what it wants and that it has the token: a browser says both at once.
const PATIENCE_WITH_STRANGERS: Duration = Duration::from_secs(5);

/// How long one with the token may be silent in the middle of what it says.
const PATIENCE: Duration = Duration::from_secs(20);

/// How much is read of what is refused, so that a client hears why: it speaks before it listens.
const MOST_IGNORED: u64 = 64 << 10;

/// What the directories of servers are called.
const PREFIX: &str = "modeshift-serve-";

/// The file by which a server knows a directory that a server made: it has the directory's name in it.
const MARKER: &str = "made-by-modeshift-serve";

/// How many files are listed.
pub const MOST_FILES: usize = 2000;

/// What all connections share.
pub struct Context {
    pub access: Access,
    pub program: PathBuf,
    pub root: Option<Root>,
    pub libraries: Vec<PathBuf>,
    /// Where runs leave their results; it goes when the server goes.
    pub directory: PathBuf,
    pub asked: Asked,
    pub runs: Runs,
    pub keeper: Keeper,
}

impl Context {
    pub fn new(settings: Settings, port: u16) -> std::io::Result<Context> {
        let temporary = std::env::temp_dir();
        remove_leftovers(&temporary);
        let directory = private_directory(&temporary, port)?;
        Ok(Context {
            keeper: Keeper::new(&directory),
            access: Access::new(port)?,
            program: settings.program,
            root: settings.root,
            libraries: settings.libraries,
            directory,
            asked: Asked::default(),
            runs: Runs::default(),
        })
    }

    /// Where packages are looked for, as options.
    pub fn library_arguments(&self) -> Vec<std::ffi::OsString> {
        self.libraries.iter().flat_map(|path| ["-L".into(), path.clone().into_os_string()]).collect()
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.directory);
    }
}

/// A new directory that nobody else can have made before, or can look into.
fn private_directory(temporary: &Path, port: u16) -> io::Result<PathBuf> {
    let name = format!("{PREFIX}{}-{port}", token()?);
    let directory = temporary.join(&name);
    let mut builder = std::fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(&directory)?;
    std::fs::write(directory.join(MARKER), name)?;
    Ok(directory)
}

/// Removes what servers left behind that were ended: where nobody listens on the port in its name, nobody needs it.
fn remove_leftovers(temporary: &Path) {
    for entry in std::fs::read_dir(temporary).into_iter().flatten().flatten() {
        let is_directory = entry.file_type().is_ok_and(|kind| kind.is_dir());
        if let Some(port) = entry.file_name().to_str().and_then(port_of)
            && is_directory
            && has_marker(&entry.path())
            && TcpStream::connect((Ipv4Addr::LOCALHOST, port)).is_err()
        {
            // What cannot be removed belongs to somebody else.
            let _ = std::fs::remove_dir_all(entry.path());
        }
    }
}

/// The port in the name of a server's directory.
fn port_of(name: &str) -> Option<u16> {
    name.strip_prefix(PREFIX)?.split_once('-')?.1.parse().ok()
}

/// Whether a server made a directory: others may call theirs likewise.
fn has_marker(directory: &Path) -> bool {
    let name = directory.file_name().map(|name| name.as_encoded_bytes().to_vec());
    std::fs::read(directory.join(MARKER)).ok().is_some_and(|written| Some(written) == name)
}

/// A connection that is read until a time, however little comes at once.
pub struct Patient {
    stream: TcpStream,
    /// Until when; later each read has its own time.
    until: Option<Instant>,
}

impl Read for Patient {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if let Some(until) = self.until {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(io::ErrorKind::TimedOut.into());
            }
            self.stream.set_read_timeout(Some(left))?;
        }
        self.stream.read(buffer)
    }
}

/// What a client wants who has the token, and where its body comes from; others are refused before they have said more.
pub fn listen(context: &Context, stream: &TcpStream) -> Option<(Request, BufReader<Patient>)> {
    let until = Instant::now() + PATIENCE_WITH_STRANGERS;
    let _ = stream.set_write_timeout(Some(PATIENCE_WITH_STRANGERS));
    let mut input = BufReader::new(Patient { stream: stream.try_clone().ok()?, until: Some(until) });
    let refusal = match read_head(&mut input) {
        Ok(request) => match context.access.check(&request) {
            Ok(()) => {
                input.get_mut().until = None;
                let _ = stream.set_read_timeout(Some(PATIENCE));
                // A browser reads a large result as its user lets it.
                let _ = stream.set_write_timeout(None);
                return Some((request, input));
            }
            Err(refusal) => refusal,
        },
        Err(error) if error.kind() == io::ErrorKind::FileTooLarge => Response::error(431, &error.to_string()),
        Err(error) => Response::error(400, &error.to_string()),
    };
    send(stream, &refusal);
    let _ = stream.shutdown(Shutdown::Write);
    let _ = io::copy(&mut input.take(MOST_IGNORED), &mut io::sink());
    None
}

/// Says no.
pub fn refuse(stream: &TcpStream, status: u16, message: &str) {
    send(stream, &Response::error(status, message));
}

/// Answers a request of a client who has the token.
pub fn answer(context: &Context, mut request: Request, mut input: BufReader<Patient>, stream: &TcpStream) {
    if let Err(error) = read_body(&mut input, &mut request) {
        return refuse(stream, 400, &error.to_string());
    }
    let path: Vec<&str> = request.path.iter().skip(1).map(String::as_str).collect();
    if path == ["lsp"] && socket::is_wanted(&request) {
        // A page that goes away ends its language server; there is nobody to tell about it.
        let _ = socket::language_server(context, &request, &mut input, stream);
        return;
    }
    send(stream, &respond(context, &request, &path));
}

fn send(stream: &TcpStream, response: &Response) {
    let mut output = std::io::BufWriter::new(stream);
    // A client that is gone needs no answer.
    let _ = response.write(&mut output);
}

fn respond(context: &Context, request: &Request, path: &[&str]) -> Response {
    match (request.method.as_str(), path) {
        ("GET", [name]) => match assets::page(name) {
            Some((kind, text)) => Response::new(kind, text),
            None => Response::error(404, "there is no such page"),
        },
        ("GET", ["api", "files"]) => Response::json(&files(context)),
        ("GET", ["api", "file"]) => read_file(context, request.value("path").unwrap_or_default()),
        ("GET", ["api", "example"]) => example(request.value("name").unwrap_or_default()),
        ("PUT", ["api", "file"]) => write_file(context, request),
        ("POST", ["api", "ask"]) => with_body(request, |body| ask(context, body)),
        ("POST", ["api", "stop"]) => with_body(request, |body| {
            Response::json(&json!(context.asked.stop(body["id"].as_str().unwrap_or_default())))
        }),
        ("POST", ["api", "run"]) => with_body(request, |body| context.runs.start(context, body)),
        ("POST", ["api", "run", number, "data"]) => with_body(request, |body| context.runs.data(number, body)),
        (_, ["api", "run", number]) => context.runs.answer(request, number, ""),
        (_, ["api", "run", number, what]) => context.runs.answer(request, number, what),
        _ => Response::error(404, "there is no such page"),
    }
}

fn with_body(request: &Request, answer: impl FnOnce(&Value) -> Response) -> Response {
    match serde_json::from_slice::<Value>(&request.body) {
        Ok(body) if body.is_object() => answer(&body),
        Ok(_) => Response::error(400, "a question is an object"),
        Err(error) => Response::error(400, &error.to_string()),
    }
}

fn files(context: &Context) -> Value {
    let examples: Vec<&str> = assets::examples().collect();
    let root = context.root.as_ref();
    json!({
        "directory": root.map(|root| root.directory().display().to_string()),
        "open": root.and_then(|root| root.open.clone()),
        "files": root.map_or_else(Vec::new, |root| root.files(MOST_FILES)),
        "examples": examples,
        "version": env!("CARGO_PKG_VERSION"),
    })
}

fn example(name: &str) -> Response {
    match assets::example(name) {
        Some(text) => Response::new("text/plain; charset=utf-8", text),
        None => Response::error(404, "there is no such example"),
    }
}

fn read_file(context: &Context, name: &str) -> Response {
    let Some(path) = context.root.as_ref().and_then(|root| root.file(name)) else {
        return Response::error(403, "no such file below the directory that was given");
    };
    match std::fs::read(path).map(|bytes| (saving::version(&bytes), String::from_utf8(bytes))) {
        Ok((version, Ok(text))) => {
            Response { version: Some(version), ..Response::new("text/plain; charset=utf-8", text) }
        }
        Ok((_, Err(_))) => Response::error(404, &format!("cannot read `{name}`: the file is not UTF-8")),
        Err(error) => Response::error(404, &format!("cannot read `{name}`: {error}")),
    }
}

fn write_file(context: &Context, request: &Request) -> Response {
    let name = request.value("path").unwrap_or_default();
    let Some(path) = context.root.as_ref().and_then(|root| root.file(name)) else {
        return Response::error(403, "no such file below the directory that was given");
    };
    let Ok(text) = std::str::from_utf8(&request.body) else {
        return Response::error(400, "a file is written as UTF-8");
    };
    let before = std::fs::read(&path).ok();
    if let Some(objection) = saving::objection(before.as_deref(), request.header("if-match")) {
        return Response::error(412, &format!("`{name}` {objection}"));
    }
    let after = saving::written(before.as_deref().unwrap_or_default(), text);
    match saving::replace(&path, &after) {
        Ok(()) => Response { version: Some(saving::version(&after)), ..Response::json(&json!(true)) },
        Err(error) => Response::error(409, &format!("cannot write `{name}`: {error}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Only what a server made, and left, is removed: names are anybody's.
    #[test]
    fn directories_of_others_are_left_alone() {
        let temporary = std::env::temp_dir().join(format!("modeshift-leftovers-{}", std::process::id()));
        std::fs::create_dir_all(&temporary).expect("a temporary directory");
        let make = |name: &str, marker: Option<&str>| {
            std::fs::create_dir(temporary.join(name)).expect("a directory");
            if let Some(text) = marker {
                std::fs::write(temporary.join(name).join(MARKER), text).expect("a file");
            }
        };
        // Nobody listens on port 1.
        let [foreign, copied] = ["modeshift-serve-mine-1", "modeshift-serve-copy-1"];
        make(foreign, None);
        make(copied, Some("modeshift-serve-abc-1"));
        let left = private_directory(&temporary, 1).expect("a directory");
        std::fs::create_dir(left.join("run1")).expect("a directory");
        remove_leftovers(&temporary);
        assert!(temporary.join(foreign).is_dir() && temporary.join(copied).is_dir() && !left.exists());
        std::fs::remove_dir_all(&temporary).expect("it can go");
    }
}
