//! Simulations: each is a process with a directory for what it writes; started, watched, stopped, read.

use std::collections::BTreeMap;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::process::Child;
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

use crate::http::{Request, Response};
use crate::questions::{all, command, locked, start};
use crate::routes::Context;

/// How many runs are kept; the oldest go first.
const MOST_KEPT: usize = 12;

/// All runs by number.
#[derive(Default)]
pub struct Runs {
    runs: Mutex<BTreeMap<usize, Arc<Run>>>,
}

/// One run.
pub struct Run {
    child: Mutex<Child>,
    directory: PathBuf,
    /// What it wrote to standard output and standard error, when it has ended.
    said: Arc<Mutex<Option<(String, String)>>>,
    stopped: Mutex<bool>,
    table: Mutex<Option<Arc<Table>>>,
}

impl Drop for Run {
    fn drop(&mut self) {
        let child = self.child.get_mut().unwrap_or_else(std::sync::PoisonError::into_inner);
        let _ = child.kill();
        let _ = child.wait();
        let _ = std::fs::remove_dir_all(&self.directory);
    }
}

/// A result column by column.
pub struct Table {
    names: Vec<String>,
    columns: Vec<Vec<f64>>,
}

impl Runs {
    /// Starts a run: its number.
    pub fn start(&self, context: &Context, body: &Value) -> Response {
        let mut body = body.clone();
        body["command"] = json!("simulate");
        let (mut command, text) = match command(context, &body) {
            Ok(both) => both,
            Err(message) => return Response::error(400, &message),
        };
        let mut runs = locked(&self.runs);
        let number = runs.keys().next_back().map_or(1, |last| last + 1);
        let directory = context.directory.join(format!("run{number}"));
        if let Err(error) = std::fs::create_dir_all(&directory) {
            return Response::error(500, &format!("no place for the result: {error}"));
        }
        let file = |name: &str| directory.join(name).into_os_string();
        command.arg("-o").arg(file("result.csv")).arg("--events").arg(file("events.json"));
        let Ok(mut child) = start(command, text) else { return Response::error(500, "the program cannot be started") };
        let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
        let said = Arc::new(Mutex::new(None));
        let heard = said.clone();
        std::thread::spawn(move || {
            let messages = std::thread::spawn(move || all(stderr));
            let result = all(stdout);
            *locked(&heard) = Some((result, messages.join().unwrap_or_default()));
        });
        let run =
            Run { child: Mutex::new(child), directory, said, stopped: Mutex::new(false), table: Mutex::new(None) };
        runs.insert(number, Arc::new(run));
        while runs.len() > MOST_KEPT {
            runs.pop_first();
        }
        Response::json(&json!({"run": number}))
    }

    /// What is asked about a run.
    pub fn answer(&self, request: &Request, number: &str, what: &str) -> Response {
        let run = number.parse().ok().and_then(|number: usize| locked(&self.runs).get(&number).cloned());
        let Some(run) = run else { return Response::error(404, "there is no such run") };
        match (request.method.as_str(), what) {
            ("GET", "") => Response::json(&run.state()),
            ("POST", "stop") => {
                *locked(&run.stopped) = true;
                let _ = locked(&run.child).kill();
                Response::json(&run.state())
            }
            ("GET", "columns") => match run.table() {
                Some(table) => Response::json(&json!({"names": table.names, "rows": table.columns[0].len()})),
                None => Response::error(404, "there is no result"),
            },
            ("GET", "data") => run.data(request),
            ("GET", "events") => run.file("events.json", "application/json", None),
            ("GET", "csv") => run.file("result.csv", "text/csv; charset=utf-8", Some(format!("run{number}.csv"))),
            _ => Response::error(404, "there is no such thing"),
        }
    }
}

impl Run {
    fn state(&self) -> Value {
        let ended = locked(&self.child).try_wait().ok().flatten();
        let stopped = *locked(&self.stopped);
        let said = locked(&self.said).clone();
        let (state, summary, messages) = match (ended, said) {
            (Some(_), Some((result, messages))) => {
                let summary = serde_json::from_str::<Value>(&result).unwrap_or(Value::Null);
                (if stopped { "stopped" } else { "done" }, summary, messages)
            }
            _ => ("running", Value::Null, String::new()),
        };
        json!({"state": state, "time": last_time(&self.directory.join("result.csv")), "summary": summary, "messages": messages})
    }

    fn file(&self, name: &str, kind: &'static str, save_as: Option<String>) -> Response {
        match std::fs::read(self.directory.join(name)) {
            Ok(bytes) => Response { file_name: save_as, ..Response::new(kind, bytes) },
            Err(_) => Response::error(404, "there is no result"),
        }
    }

    fn table(&self) -> Option<Arc<Table>> {
        let mut kept = locked(&self.table);
        if kept.is_none() {
            let text = std::fs::read_to_string(self.directory.join("result.csv")).ok()?;
            let table = Arc::new(Table::read(&text)?);
            // What a run still writes is read again the next time.
            if locked(&self.child).try_wait().ok().flatten().is_none() {
                return Some(table);
            }
            *kept = Some(table);
        }
        kept.clone()
    }

    /// Columns as they lie in memory, least byte first, one behind the other; time first.
    fn data(&self, request: &Request) -> Response {
        let Some(table) = self.table() else { return Response::error(404, "there is no result") };
        let mut bytes = Vec::new();
        let wanted = request.query.iter().filter(|(name, _)| name == "column").map(|(_, value)| value.as_str());
        for name in std::iter::once("time").chain(wanted) {
            let Some(at) = table.names.iter().position(|known| known == name) else {
                return Response::error(404, "there is no such column");
            };
            table.columns[at].iter().for_each(|value| bytes.extend(value.to_le_bytes()));
        }
        Response::new("application/octet-stream", bytes)
    }
}

impl Table {
    /// Reads a result; a last line that is cut off is left out.
    fn read(text: &str) -> Option<Table> {
        let (head, rest) = text.split_once('\n')?;
        let names = fields(head.trim_end_matches('\r'));
        let mut columns: Vec<Vec<f64>> = vec![Vec::new(); names.len()];
        for line in rest.split_inclusive('\n').filter_map(|line| line.strip_suffix('\n')) {
            let mut values = line.trim_end_matches('\r').split(',');
            for column in &mut columns {
                // A variable that is not there in a mode has an empty field.
                column.push(values.next().and_then(|value| value.parse().ok()).unwrap_or(f64::NAN));
            }
        }
        Some(Table { names, columns })
    }
}

/// The fields of a line, of which some are quoted.
fn fields(line: &str) -> Vec<String> {
    let (mut fields, mut field, mut quoted) = (Vec::new(), String::new(), false);
    let mut letters = line.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '"' if quoted && letters.peek() == Some(&'"') => {
                field.push('"');
                letters.next();
            }
            '"' => quoted = !quoted,
            ',' if !quoted => fields.push(std::mem::take(&mut field)),
            _ => field.push(letter),
        }
    }
    fields.push(field);
    fields
}

/// The time of the last whole row that was written.
fn last_time(path: &Path) -> Option<f64> {
    const TAIL: u64 = 64 << 10;
    let mut file = std::fs::File::open(path).ok()?;
    let length = file.metadata().ok()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(TAIL))).ok()?;
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes).ok()?;
    let text = String::from_utf8_lossy(&bytes);
    let (whole, _) = text.rsplit_once('\n')?;
    whole.rsplit('\n').next()?.split(',').next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_result_is_read_column_by_column() {
        let table = Table::read("time,\"a[1,2]\",\"q\"\"\"\n0,1,\n0.5,2,3\n1,cut").expect("a header");
        assert_eq!(table.names, ["time", "a[1,2]", "q\""]);
        assert_eq!((&table.columns[0], &table.columns[1]), (&vec![0.0, 0.5], &vec![1.0, 2.0]));
        assert!(table.columns[2][0].is_nan() && table.columns[2][1] == 3.0);
    }
}
