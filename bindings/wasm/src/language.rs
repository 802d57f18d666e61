//! The language server without a process: what it wants of its worker is handed to the page, which has one.

use std::cell::RefCell;
use std::rc::Rc;

use modeshift_driver::Parsed;
use modeshift_lsp::server::Embedded;
use modeshift_lsp::worker::{Said, Workers, answers};
use serde_json::{Value, json};

/// What the page is to do with the worker, in order.
type Wishes = Rc<RefCell<Vec<Value>>>;

/// Workers that the page has.
struct OfThePage(Wishes);

impl Workers for OfThePage {
    fn start(&mut self, number: u64) -> bool {
        self.0.borrow_mut().push(json!({"start": number}));
        true
    }

    fn send(&mut self, line: &str) -> bool {
        self.0.borrow_mut().push(json!({"send": line}));
        true
    }

    fn end(&mut self) {
        self.0.borrow_mut().push(json!({"end": true}));
    }
}

thread_local! {
    static SERVER: (RefCell<Embedded>, Wishes) = {
        let wishes = Wishes::default();
        (RefCell::new(Embedded::new(Box::new(OfThePage(wishes.clone())))), wishes)
    };
    static PARSED: Parsed = Parsed::default();
}

/// Takes `message` of the editor, `answer` or `ended` of the worker of a `number`, or nothing but the time that passes.
pub fn message(given: &Value) -> String {
    SERVER.with(|(server, wishes)| {
        let mut server = server.borrow_mut();
        let number = given["number"].as_u64().unwrap_or(0);
        let messages = match given {
            _ if given.get("message").is_some() => server.message(&given["message"]),
            _ if given.get("answer").is_some() => server.worker_said(Said::Answer(number, given["answer"].clone())),
            _ if given.get("ended").is_some() => server.worker_said(Said::Ended(number)),
            _ => server.go_on(),
        };
        let wait = server.time_to_wait().as_millis() as u64;
        json!({"messages": messages, "worker": wishes.take(), "wait": wait}).to_string()
    })
}

/// The worker's answer to a question of the language server.
pub fn work(question: &Value) -> String {
    PARSED.with(|parsed| answers::answer(question, parsed)).to_string()
}
