//! Which path does what.

use std::io::BufReader;
use std::net::{Ipv4Addr, TcpStream};
use std::path::PathBuf;
use std::time::Duration;

use serde_json::{Value, json};

use crate::access::{Access, Root, token};
use crate::http::{Request, Response, read_request};
use crate::questions::{Asked, ask};
use crate::runs::Runs;
use crate::{Settings, assets, saving, socket};

/// How long a client may take to say what it wants.
const PATIENCE: Duration = Duration::from_secs(20);

/// What the directories of servers are called.
const PREFIX: &str = "modeshift-serve-";

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
}

impl Context {
    pub fn new(settings: Settings, port: u16) -> std::io::Result<Context> {
        remove_leftovers();
        let directory = private_directory(port)?;
        Ok(Context {
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
fn private_directory(port: u16) -> std::io::Result<PathBuf> {
    let directory = std::env::temp_dir().join(format!("{PREFIX}{}-{port}", token()?));
    let mut builder = std::fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(&directory)?;
    Ok(directory)
}

/// Removes what servers left behind that were ended: where nobody listens on the port in its name, nobody needs it.
fn remove_leftovers() {
    for entry in std::fs::read_dir(std::env::temp_dir()).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let port = name.to_str().and_then(|name| name.strip_prefix(PREFIX)?.rsplit('-').next()?.parse::<u16>().ok());
        if let Some(port) = port
            && TcpStream::connect((Ipv4Addr::LOCALHOST, port)).is_err()
        {
            // What cannot be removed belongs to somebody else.
            let _ = std::fs::remove_dir_all(entry.path());
        }
    }
}

/// Serves a connection.
pub fn answer(context: &Context, stream: TcpStream) {
    let _ = stream.set_read_timeout(Some(PATIENCE));
    let Ok(reading) = stream.try_clone() else { return };
    let mut input = BufReader::new(reading);
    let request = match read_request(&mut input) {
        Ok(request) => request,
        Err(error) => return send(&stream, &Response::error(400, &error.to_string())),
    };
    if let Err(refusal) = context.access.check(&request) {
        return send(&stream, &refusal);
    }
    let path: Vec<&str> = request.path.iter().skip(1).map(String::as_str).collect();
    if path == ["lsp"] && socket::is_wanted(&request) {
        // A page that goes away ends its language server; there is nobody to tell about it.
        let _ = socket::language_server(context, &request, &mut input, &stream);
        return;
    }
    send(&stream, &respond(context, &request, &path));
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
        (_, ["api", "run", number]) => context.runs.answer(request, number, ""),
        (_, ["api", "run", number, what]) => context.runs.answer(request, number, what),
        _ => Response::error(404, "there is no such page"),
    }
}

fn with_body(request: &Request, answer: impl FnOnce(&Value) -> Response) -> Response {
    match serde_json::from_slice(&request.body) {
        Ok(body) => answer(&body),
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
    match std::fs::write(path, &after) {
        Ok(()) => Response { version: Some(saving::version(&after)), ..Response::json(&json!(true)) },
        Err(error) => Response::error(409, &format!("cannot write `{name}`: {error}")),
    }
}
