//! Asking the program: each question of the page is a command line, whose text comes from standard input, so that what is
//! not saved yet counts too.

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::{Value, json};

use crate::http::Response;
use crate::routes::Context;

/// How long a question may take, in seconds.
const TIME_LIMIT: &str = "120";

/// The commands that the page may ask for, with the options it may give to each.
const COMMANDS: [(&str, &[&str]); 8] = [
    ("check", &["as-other-tools"]),
    ("flatten", &[]),
    ("analyze", &["at", "method"]),
    ("init", &["at", "scenario"]),
    ("changes", &["from", "to"]),
    ("semantics", &["at"]),
    ("rimis", &["check", "plain"]),
    ("simulate", &["stop", "start", "interval", "tolerance", "solver", "scenario", "impulsive-start"]),
];

/// The processes that answer questions, by the name that the page gave them, each with its number: the newest counts.
#[derive(Default)]
pub struct Asked(Mutex<BTreeMap<String, Numbered>>);

/// A process with the number of its question.
type Numbered = (u64, Arc<Mutex<Child>>);

/// What a lock guards is as good as before, even if somebody panicked.
pub fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Asked {
    /// Ends the older of two questions of one name; requests may overtake each other.
    fn replace(&self, name: &str, number: u64, child: &Arc<Mutex<Child>>) {
        let mut asked = locked(&self.0);
        match asked.get(name) {
            Some((newer, _)) if *newer > number => drop(locked(child).kill()),
            _ => {
                if let Some((_, before)) = asked.insert(name.to_string(), (number, child.clone())) {
                    // One that has ended cannot be ended again, which is as well.
                    let _ = locked(&before).kill();
                }
            }
        }
    }

    fn forget(&self, name: &str, child: &Arc<Mutex<Child>>) {
        let mut asked = locked(&self.0);
        if asked.get(name).is_some_and(|(_, other)| Arc::ptr_eq(other, child)) {
            asked.remove(name);
        }
    }

    /// Ends a question that nobody waits for any more.
    pub fn stop(&self, name: &str) -> bool {
        match locked(&self.0).remove(name) {
            Some((_, child)) => locked(&child).kill().is_ok(),
            None => false,
        }
    }
}

/// The command line of a question of the page, or what is wrong with the question.
pub fn command(context: &Context, body: &Value) -> Result<(Command, String), String> {
    let wanted = body["command"].as_str().unwrap_or_default();
    let Some((name, options)) = COMMANDS.iter().find(|(name, _)| *name == wanted) else {
        return Err(format!("there is no command `{wanted}`"));
    };
    let file = body["file"].as_str().unwrap_or_default();
    let mut command = Command::new(&context.program);
    command.arg(name).arg("--stdin").args(["--time-limit", TIME_LIMIT]).args(context.library_arguments());
    if body["example"] == json!(true) {
        // An example is no file: nothing lies beside it.
        let is_name =
            !file.is_empty() && !file.starts_with('-') && file.chars().all(|it| it.is_alphanumeric() || it == '.');
        if !is_name {
            return Err("there is no such example".to_string());
        }
        command.current_dir(&context.directory).arg(file);
    } else {
        let root = context.root.as_ref().ok_or("no directory was given to look for files in")?;
        let path = root.file(file).ok_or("no such file below the directory that was given")?;
        command.current_dir(root.directory()).arg(no_option(path.strip_prefix(root.directory()).unwrap_or(&path)));
    }
    if let Some(model) = body["model"].as_str().filter(|it| !it.is_empty()) {
        command.arg(format!("--model={model}"));
    }
    for (name, value) in body["set"].as_object().into_iter().flatten() {
        command.arg(format!("--set={name}={}", plain(value)));
    }
    for option in *options {
        match &body[*option] {
            Value::Null | Value::Bool(false) => {}
            Value::Bool(true) => drop(command.arg(format!("--{option}"))),
            value => drop(command.arg(format!("--{option}={}", plain(value)))),
        }
    }
    if !matches!(*name, "rimis") {
        command.arg("--format=json");
    }
    Ok((command, body["text"].as_str().unwrap_or_default().to_string()))
}

/// A path that no command line takes for an option.
fn no_option(path: &Path) -> PathBuf {
    match path.as_os_str().as_encoded_bytes().starts_with(b"-") {
        true => Path::new(".").join(path),
        false => path.to_path_buf(),
    }
}

/// A value as one writes it on a command line.
fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_string)
}

/// Starts a process and gives it a text to read.
pub fn start(mut command: Command, text: String) -> std::io::Result<Child> {
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    if let Some(mut input) = child.stdin.take() {
        // Who does not read everything has seen enough.
        let write = move || drop(input.write_all(text.as_bytes()));
        std::thread::Builder::new().name("text".into()).spawn(write)?;
    }
    Ok(child)
}

/// Asks, waits and answers.
pub fn ask(context: &Context, body: &Value) -> Response {
    let (command, text) = match command(context, body) {
        Ok(both) => both,
        Err(message) => return Response::error(400, &message),
    };
    let Ok(mut child) = start(command, text) else { return Response::error(500, "the program cannot be started") };
    let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
    let kept = context.keeper.keep(&child);
    let child = Arc::new(Mutex::new(child));
    let name = body["id"].as_str().unwrap_or_default().to_string();
    let number = body["number"].as_u64().unwrap_or(0);
    context.asked.replace(&name, number, &child);
    let messages = std::thread::spawn(move || all(stderr));
    let result = all(stdout);
    let messages = messages.join().unwrap_or_default();
    context.keeper.forget(kept);
    let status = locked(&child).wait().ok().and_then(|status| status.code());
    context.asked.forget(&name, &child);
    // A report goes to the page as it is: some have many megabytes. Of a question that was ended there is none.
    let is_report = status.is_some() && result.starts_with(['{', '[']);
    let result = match is_report {
        true => result,
        false => json!(result).to_string(),
    };
    let (status, messages) = (json!(status), json!(messages));
    Response::new("application/json", format!("{{\"status\":{status},\"messages\":{messages},\"result\":{result}}}"))
}

/// Everything that a process writes.
pub fn all(output: Option<impl Read>) -> String {
    let mut bytes = Vec::new();
    if let Some(mut output) = output {
        // What came before an error is what there is.
        let _ = output.read_to_end(&mut bytes);
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
