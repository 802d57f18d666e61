//! Nothing that an analysis does stops the server from answering.
#![cfg(unix)]

use std::io::{BufReader, Read, Write};
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use modeshift_lsp::rpc::{read_message, write_message};
use modeshift_lsp::server::{Settings, serve};
use modeshift_lsp::worker::process::Program;
use serde_json::{Value, json};

/// A server whose worker is some other program.
struct Session {
    input: std::os::unix::net::UnixStream,
    messages: Receiver<Value>,
}

impl Session {
    fn with_worker(program: &str, arguments: &[&str]) -> Session {
        let (input, server_input) = std::os::unix::net::UnixStream::pair().expect("a pair of sockets");
        let (output, server_output) = std::os::unix::net::UnixStream::pair().expect("a pair of sockets");
        let arguments = arguments.iter().map(|it| it.to_string()).collect();
        let worker = Program { path: PathBuf::from(program), arguments };
        let settings = Settings { worker, libraries: Vec::new() };
        std::thread::spawn(move || serve(BufReader::new(server_input), server_output, settings));
        let (sender, messages) = channel();
        std::thread::spawn(move || {
            let mut output = BufReader::new(output);
            while let Ok(Some(Ok(message))) = read_message(&mut output) {
                let _ = sender.send(message);
            }
            let _ = output.read(&mut [0]);
        });
        let mut session = Session { input, messages };
        session.send(json!({"id": 1, "method": "initialize", "params": {"capabilities": {}}}));
        session.wait_for(|it| it["id"] == json!(1));
        let item = json!({"uri": "file:///m.mo", "version": 1, "text": "model M\n  Real x = 1;\nend M;\n"});
        session.send(json!({"method": "textDocument/didOpen", "params": {"textDocument": item}}));
        session
    }

    fn send(&mut self, message: Value) {
        write_message(&mut self.input, &message).expect("the server reads");
        self.input.flush().expect("the server reads");
    }

    fn wait_for(&mut self, is_it: impl Fn(&Value) -> bool) -> Value {
        loop {
            let message = self.messages.recv_timeout(Duration::from_secs(20)).expect("an answer");
            if is_it(&message) {
                return message;
            }
        }
    }

    fn hover(&mut self, id: u64) -> Value {
        let place = json!({"line": 1, "character": 7});
        let parameters = json!({"textDocument": {"uri": "file:///m.mo"}, "position": place});
        self.send(json!({"id": id, "method": "textDocument/hover", "params": parameters}));
        self.wait_for(|it| it["id"] == json!(id))
    }
}

#[test]
fn requests_are_answered_while_an_analysis_never_ends() {
    let mut session = Session::with_worker("sleep", &["1000"]);
    for id in 2..6 {
        assert!(session.hover(id)["result"]["contents"]["value"].as_str().is_some_and(|it| it.contains("Real x")));
        let change = json!([{"text": "model M\n  Real x = 2;\nend M;\n"}]);
        let document = json!({"uri": "file:///m.mo", "version": id});
        session.send(
            json!({"method": "textDocument/didChange", "params": {"textDocument": document, "contentChanges": change}}),
        );
        // Long enough that the worker is given up on, and another one is started.
        std::thread::sleep(Duration::from_millis(300));
    }
}

#[test]
fn a_fault_of_the_analysis_is_said_and_the_server_goes_on() {
    let mut session = Session::with_worker("false", &[]);
    let said = session.wait_for(|it| it["method"] == json!("textDocument/publishDiagnostics"));
    let message = said["params"]["diagnostics"][0]["message"].as_str().unwrap_or_default().to_string();
    assert!(message.contains("fault of the program"), "{message}");
    assert!(session.hover(2)["error"].is_null());
}
