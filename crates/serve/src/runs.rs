//! Simulations: each is a process with a directory for what it writes; started, watched, stopped, read.

use std::collections::BTreeMap;
use std::io::{Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::Child;
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

use crate::http::{Request, Response};
use crate::questions::{all as everything, command, locked, start};
use crate::routes::Context;

/// How many runs of one page are kept; the oldest go first.
const MOST_OF_A_PAGE: usize = 12;

/// How many are kept in all: pages come and go, and nobody says when.
const MOST_IN_ALL: usize = 96;

/// How many may run at once: each has a process.
const MOST_RUNNING: usize = 16;

/// Why there is no result.
const NO_RESULT: &str = "the run has written no result: what it said is why";

/// All runs by number.
#[derive(Default)]
pub struct Runs {
    all: Mutex<Numbered>,
}

/// Runs, and the number of the last one: numbers are not used again.
#[derive(Default)]
struct Numbered {
    last: usize,
    runs: BTreeMap<usize, Arc<Run>>,
}

impl Numbered {
    /// Drops what has ended and nobody compares any more: of this page, then of all.
    fn drop_old(&mut self, page: &str) {
        let own = |run: &Run| run.page == page;
        self.drop_ended(MOST_OF_A_PAGE, own);
        self.drop_ended(MOST_IN_ALL, |_| true);
    }

    fn drop_ended(&mut self, most: usize, counts: impl Fn(&Run) -> bool) {
        let of_those: Vec<usize> = self.runs.iter().filter(|(_, run)| counts(run)).map(|(number, _)| *number).collect();
        let too_many = of_those.len().saturating_sub(most);
        let ended = of_those.into_iter().filter(|number| !self.runs[number].is_running()).take(too_many);
        for number in ended.collect::<Vec<_>>() {
            self.runs.remove(&number);
        }
    }
}

/// One run.
pub struct Run {
    /// The page that started it.
    page: String,
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
        let mut all = locked(&self.all);
        if all.runs.values().filter(|run| run.is_running()).count() >= MOST_RUNNING {
            return Response::error(429, &format!("{MOST_RUNNING} runs are under way already: stop one of them"));
        }
        let number = all.last + 1;
        let directory = context.directory.join(format!("run{number}"));
        if let Err(error) = std::fs::create_dir_all(&directory) {
            return Response::error(500, &format!("no place for the result: {error}"));
        }
        let file = |name: &str| directory.join(name).into_os_string();
        command.arg("-o").arg(file("result.csv")).arg("--events").arg(file("events.json"));
        let Ok(mut child) = start(command, text) else { return Response::error(500, "the program cannot be started") };
        let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
        let said = Arc::new(Mutex::new(None));
        let (heard, keeper, kept) = (said.clone(), context.keeper.clone(), context.keeper.keep(&child));
        std::thread::spawn(move || {
            let messages = std::thread::spawn(move || everything(stderr));
            let result = everything(stdout);
            let messages = messages.join().unwrap_or_default();
            keeper.forget(kept);
            *locked(&heard) = Some((result, messages));
        });
        let page = body["page"].as_str().unwrap_or_default().to_string();
        all.drop_old(&page);
        let (child, stopped, table) = (Mutex::new(child), Mutex::new(false), Mutex::new(None));
        all.runs.insert(number, Arc::new(Run { page, child, directory, said, stopped, table }));
        all.last = number;
        Response::json(&json!({"run": number}))
    }

    /// What is asked about a run.
    pub fn answer(&self, request: &Request, number: &str, what: &str) -> Response {
        let run = match self.run(number) {
            Ok(run) => run,
            Err(refusal) => return refusal,
        };
        match (request.method.as_str(), what) {
            ("GET", "") => Response::json(&run.state()),
            ("POST", "stop") => {
                *locked(&run.stopped) = true;
                let _ = locked(&run.child).kill();
                Response::json(&run.state())
            }
            ("GET", "columns") => match run.table() {
                Some(table) => Response::json(&json!({"names": table.names, "rows": table.columns[0].len()})),
                None => Response::error(404, NO_RESULT),
            },
            ("GET", "data") => {
                let wanted = request.query.iter().filter(|(name, _)| name == "column");
                run.data(wanted.map(|(_, value)| value.as_str()), 0..usize::MAX)
            }
            ("GET", "events") => run.file("events.json", "application/json", None),
            ("GET", "csv") => run.file("result.csv", "text/csv; charset=utf-8", Some(format!("run{number}.csv"))),
            _ => Response::error(404, "there is no such thing"),
        }
    }

    /// Columns by name, as many as there are: `columns`, of the rows `from` to `to` where they are given.
    pub fn data(&self, number: &str, body: &Value) -> Response {
        let wanted = body["columns"].as_array().into_iter().flatten().filter_map(Value::as_str);
        let row = |name: &str, otherwise| body[name].as_u64().map_or(otherwise, |it| it as usize);
        let rows = row("from", 0)..row("to", usize::MAX);
        self.run(number).map_or_else(|refusal| refusal, |run| run.data(wanted, rows))
    }

    /// The run of a number; or why there is none.
    fn run(&self, number: &str) -> Result<Arc<Run>, Response> {
        let all = locked(&self.all);
        let number = number.parse::<usize>().ok();
        number.and_then(|number| all.runs.get(&number).cloned()).ok_or_else(|| {
            let was = number.is_some_and(|number| (1..=all.last).contains(&number));
            let gone = format!("the result of run {} is no longer kept: run it again", number.unwrap_or_default());
            Response::error(404, if was { &gone } else { "there is no such run" })
        })
    }
}

impl Run {
    fn is_running(&self) -> bool {
        matches!(locked(&self.child).try_wait(), Ok(None))
    }

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
            Err(_) => Response::error(404, NO_RESULT),
        }
    }

    fn table(&self) -> Option<Arc<Table>> {
        let mut kept = locked(&self.table);
        if kept.is_none() {
            // What a run still writes is read again the next time.
            let is_running = self.is_running();
            let text = std::fs::read_to_string(self.directory.join("result.csv")).ok()?;
            let table = Arc::new(Table::read(&text)?);
            if is_running {
                return Some(table);
            }
            *kept = Some(table);
        }
        kept.clone()
    }

    /// Columns as they lie in memory, least byte first, one behind the other; time first.
    fn data<'a>(&self, wanted: impl Iterator<Item = &'a str>, rows: Range<usize>) -> Response {
        let Some(table) = self.table() else { return Response::error(404, NO_RESULT) };
        let columns: BTreeMap<&str, &Vec<f64>> = table.names.iter().map(String::as_str).zip(&table.columns).collect();
        let mut bytes = Vec::new();
        for name in std::iter::once("time").chain(wanted) {
            let Some(column) = columns.get(name) else {
                return Response::error(404, &format!("the result has no column `{name}`"));
            };
            let end = rows.end.min(column.len());
            column[rows.start.min(end)..end].iter().for_each(|value| bytes.extend(value.to_le_bytes()));
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
