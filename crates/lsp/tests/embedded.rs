//! A server without a loop and without processes, as a page has it that has no server.

use std::sync::{Arc, Mutex};

use modeshift_driver::Parsed;
use modeshift_lsp::server::Embedded;
use modeshift_lsp::worker::{Said, Workers, answers};
use serde_json::{Value, json};

/// What the server wants of a worker, for the test to do.
#[derive(Clone, Default)]
struct Wishes(Arc<Mutex<(u64, Vec<String>)>>);

impl Workers for Wishes {
    fn start(&mut self, number: u64) -> bool {
        self.0.lock().expect("one thread").0 = number;
        true
    }

    fn send(&mut self, line: &str) -> bool {
        self.0.lock().expect("one thread").1.push(line.to_string());
        true
    }

    fn end(&mut self) {}
}

impl Wishes {
    /// The number of the worker, and what it is asked.
    fn next(&self) -> Option<(u64, Value)> {
        let (number, lines) = &mut *self.0.lock().expect("one thread");
        lines.pop().map(|line| (*number, serde_json::from_str(&line).expect("JSON")))
    }
}

fn diagnostics(said: &[Value]) -> Option<&Value> {
    let published = said.iter().find(|it| it["method"] == json!("textDocument/publishDiagnostics"));
    published.map(|it| &it["params"]["diagnostics"])
}

fn opened(text: &str) -> (Embedded, Wishes) {
    let wishes = Wishes::default();
    let mut server = Embedded::new(Box::new(wishes.clone()));
    let said = server.message(&json!({"id": 1, "method": "initialize", "params": {"capabilities": {}}}));
    assert!(said.iter().any(|it| it["id"] == json!(1) && it["result"]["capabilities"].is_object()), "{said:?}");
    let item = json!({"uri": "example:/M.mo", "version": 1, "text": text});
    server.message(&json!({"method": "textDocument/didOpen", "params": {"textDocument": item}}));
    (server, wishes)
}

#[test]
fn what_the_worker_of_the_host_finds_is_published_and_requests_are_answered_at_once() {
    let (mut server, wishes) = opened("model M\n  Real x = yy;\nend M;\n");
    let (number, question) = wishes.next().expect("a check");
    let place = json!({"line": 1, "character": 7});
    let parameters = json!({"textDocument": {"uri": "example:/M.mo"}, "position": place});
    let said = server.message(&json!({"id": 2, "method": "textDocument/hover", "params": parameters}));
    assert!(said[0]["result"]["contents"]["value"].as_str().is_some_and(|it| it.contains("Real x")), "{said:?}");
    let answer = answers::answer(&question, &Parsed::default());
    let said = server.worker_said(Said::Answer(number, answer));
    assert_eq!(diagnostics(&said).expect("diagnostics")[0]["code"], json!("E0201"));
    assert_eq!(wishes.next().map(|(_, question)| question["kind"].clone()), Some(json!("facts")));
}

#[test]
fn a_worker_of_the_host_that_ends_is_said_to_have_ended() {
    let (mut server, wishes) = opened("model M\n  Real x = 1;\nend M;\n");
    let (number, _) = wishes.next().expect("a check");
    let said = server.worker_said(Said::Ended(number));
    let message = diagnostics(&said).expect("diagnostics")[0]["message"].clone();
    assert!(message.as_str().is_some_and(|it| it.contains("fault of the program")), "{message}");
    assert!(server.worker_said(Said::Answer(number, json!({}))).is_empty(), "nobody listens to it any more");
}
