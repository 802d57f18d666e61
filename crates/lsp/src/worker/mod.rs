//! The analysis, in a worker of its own, outside a browser a process: whatever a model does to it, the server goes on
//! answering. What nobody waits for any more is left to end, or ended where it takes long; a fault ends the worker alone,
//! which is then said.
//!
//! | module | purpose |
//! |---|---|
//! | `answers` | the worker's side: from a question to its answer |
//! | `process` | workers that are processes |
//! | `repairs` | edits that mend what a diagnostic says, each tried out |

pub mod answers;
pub mod process;
mod repairs;

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use modeshift_driver::clock::Instant;
use serde_json::{Value, json};

/// An answer that nobody waits for is waited for so long; then the worker is ended and started again.
const PATIENCE_WITH_THE_STALE: Duration = Duration::from_millis(700);

/// What starts workers, one at a time. What they say is told to the server's loop.
pub trait Workers {
    /// Starts the worker of this number; whether that could be done.
    fn start(&mut self, number: u64) -> bool;
    /// Gives it a question, one line; whether it took it.
    fn send(&mut self, line: &str) -> bool;
    /// Ends it, where there is one.
    fn end(&mut self);
}

/// What is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The diagnostics of a document.
    Check,
    /// What there is to show beside the text.
    Facts,
    /// One line about a class, for this request of the client.
    Summary(Value),
    /// The edits for a range, for this request of the client.
    Repairs(Value),
}

impl Kind {
    /// The word that the worker knows.
    fn word(&self) -> &'static str {
        match self {
            Kind::Check => "check",
            Kind::Facts => "facts",
            Kind::Summary(_) => "summary",
            Kind::Repairs(_) => "repairs",
        }
    }
}

/// A question about a text.
#[derive(Clone, Debug)]
pub struct Request {
    /// What is asked for.
    pub kind: Kind,
    /// The document.
    pub uri: String,
    /// The number of its text.
    pub changes: u64,
    /// What the worker needs to know.
    pub body: Value,
}

/// What a worker says, told to the server's loop.
#[derive(Debug)]
pub enum Said {
    /// An answer of the worker of this number.
    Answer(u64, Value),
    /// The worker of this number has ended.
    Ended(u64),
}

/// Tells the server's loop what a worker said.
pub type Tell = Arc<dyn Fn(Said) + Send + Sync>;

/// The server's side of the worker.
pub struct Analyst {
    workers: Box<dyn Workers>,
    tell: Tell,
    has_worker: bool,
    /// The number of the worker: what an earlier one said is not listened to.
    number: u64,
    running: Option<(Request, Instant)>,
    waiting: VecDeque<Request>,
}

impl Analyst {
    /// An analyst that starts its worker when there is something to do.
    pub fn new(workers: Box<dyn Workers>, tell: Tell) -> Self {
        Analyst { workers, tell, has_worker: false, number: 0, running: None, waiting: VecDeque::new() }
    }

    /// Asks, instead of what was asked about the same before.
    pub fn ask(&mut self, request: Request) {
        let is_same = |other: &Request| other.uri == request.uri && other.kind == request.kind;
        self.waiting.retain(|other| !is_same(other));
        match request.kind {
            Kind::Check => self.waiting.push_front(request),
            _ => self.waiting.push_back(request),
        }
        self.go_on();
    }

    /// Takes back what was asked for a request of the client; whether there was such a thing.
    pub fn forget(&mut self, id: &Value) -> bool {
        let before = self.waiting.len();
        self.waiting.retain(|it| !matches!(&it.kind, Kind::Summary(of) | Kind::Repairs(of) if of == id));
        self.waiting.len() < before
    }

    /// What is being worked on, and since when.
    pub fn running(&self) -> Option<(&Request, Instant)> {
        self.running.as_ref().map(|(request, since)| (request, *since))
    }

    /// Whether there is nothing to do.
    pub fn is_idle(&self) -> bool {
        self.running.is_none() && self.waiting.is_empty()
    }

    /// Ends work that nobody waits for and that takes long.
    pub fn give_up_on(&mut self, is_stale: impl Fn(&Request) -> bool) {
        let is_late = |since: &Instant| since.elapsed() > PATIENCE_WITH_THE_STALE;
        if self.running.as_ref().is_some_and(|(request, since)| is_late(since) && is_stale(request)) {
            self.end();
            self.running = None;
            self.go_on();
        }
    }

    /// Goes on without the worker that was ended: what it was asked.
    pub fn ended(&mut self) -> Option<Request> {
        let ended = self.running.take().map(|(request, _)| request);
        self.go_on();
        ended
    }

    /// Takes note of an answer: what was asked, and what came. An answer to nothing is none.
    pub fn answered(&mut self, said: Said) -> Option<(Request, Duration, Option<Value>)> {
        let (number, answer) = match said {
            Said::Answer(number, answer) => (number, Some(answer)),
            Said::Ended(number) => (number, None),
        };
        if number != self.number {
            return None;
        }
        if answer.is_none() {
            self.end();
        }
        let (request, since) = self.running.take()?;
        self.go_on();
        Some((request, since.elapsed(), answer))
    }

    fn go_on(&mut self) {
        while self.running.is_none()
            && let Some(request) = self.waiting.pop_front()
        {
            let mut body = request.body.clone();
            body["kind"] = json!(request.kind.word());
            let line = format!("{body}\n");
            self.running = Some((request, Instant::now()));
            let sent = self.is_there_a_worker() && self.workers.send(&line);
            if !sent {
                (self.tell)(Said::Ended(self.number));
            }
        }
    }

    /// Starts a worker where there is none.
    fn is_there_a_worker(&mut self) -> bool {
        if !self.has_worker {
            self.number += 1;
            self.has_worker = self.workers.start(self.number);
        }
        self.has_worker
    }

    /// Ends the worker; what it still says is not listened to.
    pub fn end(&mut self) {
        self.number += 1;
        self.has_worker = false;
        self.workers.end();
    }
}

impl Drop for Analyst {
    fn drop(&mut self) {
        self.end();
    }
}
