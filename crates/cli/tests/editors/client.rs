//! A client of the language server, over standard input and output.

use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

pub struct Client {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    next: u64,
    heard: Vec<Value>,
    pub text: String,
    pub uri: String,
    version: i64,
}

impl Client {
    pub fn new() -> Client {
        Client::with(&[])
    }

    pub fn with(environment: &[(&str, &Path)]) -> Client {
        Client::started(environment, &Value::Null)
    }

    /// With a folder that it works in, whose packages are found.
    pub fn working_in(folder: &Path) -> Client {
        Client::started(&[("MODELICAPATH", folder)], &json!(format!("file://{}", folder.display())))
    }

    fn started(environment: &[(&str, &Path)], root: &Value) -> Client {
        let mut command = Command::new(env!("CARGO_BIN_EXE_modeshift"));
        command.arg("lsp").env_remove("MODELICAPATH").envs(environment.iter().copied());
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("the program was built");
        let (input, output) = (child.stdin.take(), BufReader::new(child.stdout.take().expect("piped")));
        let (text, uri) = (String::new(), String::new());
        let mut client = Client { child, input, output, next: 0, heard: Vec::new(), text, uri, version: 0 };
        let edits = json!({"documentChanges": true, "resourceOperations": ["rename"]});
        client.request("initialize", json!({"capabilities": {"workspace": {"workspaceEdit": edits}}, "rootUri": root}));
        client.notify("initialized", json!({}));
        client
    }

    /// With a document that was opened.
    pub fn open(path: &Path, text: &str) -> Client {
        let mut client = Client::new();
        client.also_open(path, text);
        client
    }

    pub fn also_open(&mut self, path: &Path, text: &str) {
        (self.uri, self.text) = (format!("file://{}", path.display()), text.to_string());
        self.version += 1;
        let (uri, version) = (&self.uri, self.version);
        let item = json!({"uri": uri, "languageId": "modelica", "version": version, "text": text});
        self.notify("textDocument/didOpen", json!({"textDocument": item}));
    }

    fn send(&mut self, message: &Value) {
        let body = message.to_string();
        let input = self.input.as_mut().expect("open");
        write!(input, "Content-Length: {}\r\n\r\n{body}", body.len()).expect("the server reads");
        input.flush().expect("the server reads");
    }

    fn receive(&mut self) -> Value {
        let mut length = 0;
        loop {
            let mut line = String::new();
            assert!(self.output.read_line(&mut line).expect("the server writes") > 0, "the server ended");
            match line.trim_end().split_once(": ") {
                Some(("Content-Length", value)) => length = value.parse().expect("a number"),
                _ => break,
            }
        }
        let mut body = vec![0; length];
        self.output.read_exact(&mut body).expect("the server writes");
        serde_json::from_slice(&body).expect("JSON")
    }

    pub fn notify(&mut self, method: &str, parameters: Value) {
        self.send(&json!({"jsonrpc": "2.0", "method": method, "params": parameters}));
    }

    /// The whole response.
    pub fn respond(&mut self, method: &str, parameters: Value) -> Value {
        self.next += 1;
        let id = json!(self.next);
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": parameters}));
        loop {
            let message = self.receive();
            if message["id"] == id {
                return message;
            }
            self.heard.push(message);
        }
    }

    pub fn request(&mut self, method: &str, parameters: Value) -> Value {
        let response = self.respond(method, parameters);
        assert!(response["error"].is_null(), "{method}: {response}");
        response["result"].clone()
    }

    /// A request about the open document.
    pub fn ask(&mut self, what: &str, more: Value) -> Value {
        let mut parameters = json!({"textDocument": {"uri": self.uri}});
        for (name, value) in more.as_object().expect("an object") {
            parameters[name] = value.clone();
        }
        self.request(&format!("textDocument/{what}"), parameters)
    }

    /// A request about the place of the `§` in a piece of the text.
    pub fn at(&mut self, what: &str, piece: &str, more: Value) -> Value {
        let mut parameters = more;
        parameters["position"] = self.place(piece);
        self.ask(what, parameters)
    }

    /// The place of the `§` in a piece of the text, of which there is one.
    pub fn place(&self, piece: &str) -> Value {
        let (before, behind) = piece.split_once('§').expect("a mark");
        let at = self.text.find(&format!("{before}{behind}")).unwrap_or_else(|| panic!("`{piece}` is there"));
        position(&self.text, at + before.len())
    }

    /// Replaces a range of bytes, as typing does.
    pub fn edit(&mut self, range: std::ops::Range<usize>, with: &str) {
        let (start, end) = (position(&self.text, range.start), position(&self.text, range.end));
        self.text.replace_range(range, with);
        self.version += 1;
        let changes = json!([{"range": {"start": start, "end": end}, "text": with}]);
        let document = json!({"uri": self.uri, "version": self.version});
        self.notify("textDocument/didChange", json!({"textDocument": document, "contentChanges": changes}));
    }

    /// Replaces a piece of the text, of which there is one.
    pub fn replace(&mut self, piece: &str, with: &str) {
        let at = self.text.find(piece).unwrap_or_else(|| panic!("`{piece}` is there"));
        self.edit(at..at + piece.len(), with);
    }

    /// Waits until this is said of a document.
    pub fn wait_for(&mut self, uri: &str, is_said: impl Fn(&[Value]) -> bool) {
        let is_wanted = |message: &Value| {
            let parameters = &message["params"];
            parameters["uri"] == json!(uri) && parameters["diagnostics"].as_array().is_some_and(|it| is_said(it))
        };
        while !self.heard.drain(..).any(|message| is_wanted(&message)) {
            let message = self.receive();
            self.heard.push(message);
        }
    }

    /// The diagnostics of the text as it is now.
    pub fn diagnostics(&mut self) -> Vec<Value> {
        let (uri, version) = (json!(self.uri), json!(self.version));
        let is_wanted = |message: &Value| {
            let parameters = &message["params"];
            message["method"] == json!("textDocument/publishDiagnostics")
                && parameters["uri"] == uri
                && parameters["version"] == version
        };
        loop {
            if let Some(at) = self.heard.iter().position(is_wanted) {
                let found = self.heard.swap_remove(at);
                self.heard.clear();
                return found["params"]["diagnostics"].as_array().expect("a list").clone();
            }
            let message = self.receive();
            self.heard.push(message);
        }
    }

    /// Waits until what the analysis found is there: the first lens can be told without asking the worker again.
    pub fn wait_for_facts(&mut self) {
        self.diagnostics();
        let range = json!({"start": {"line": 0, "character": 0}, "end": {"line": 100_000, "character": 0}});
        for _ in 0..400 {
            if self.ask("inlayHint", json!({"range": range})).as_array().is_some_and(|hints| !hints.is_empty()) {
                return;
            }
            std::thread::sleep(std::time::Duration::from_millis(50));
        }
        panic!("no facts came");
    }

    /// Says goodbye; the server ends well.
    pub fn end(mut self) {
        self.request("shutdown", Value::Null);
        self.leave();
    }

    /// Goes, after goodbye was said.
    pub fn leave(mut self) {
        self.notify("exit", Value::Null);
        self.input.take();
        assert_eq!(self.child.wait().expect("it ends").code(), Some(0));
    }
}

/// Line and character of a byte, in units of UTF-16.
pub fn position(text: &str, at: usize) -> Value {
    let line = text[..at].matches('\n').count();
    let start = text[..at].rfind('\n').map_or(0, |newline| newline + 1);
    json!({"line": line, "character": text[start..at].encode_utf16().count()})
}

/// A text with edits applied.
pub fn edited(text: &str, edits: &Value) -> String {
    let offset = |position: &Value| {
        let line = position["line"].as_u64().expect("a line") as usize;
        let start: usize = text.split_inclusive('\n').take(line).map(str::len).sum();
        let mut units = position["character"].as_u64().expect("a character") as usize;
        let mut at = start;
        for letter in text[start..].chars() {
            if units == 0 {
                break;
            }
            units -= letter.len_utf16();
            at += letter.len_utf8();
        }
        at
    };
    let mut all: Vec<(usize, usize, &str)> = edits
        .as_array()
        .into_iter()
        .flatten()
        .map(|edit| {
            let range = &edit["range"];
            (offset(&range["start"]), offset(&range["end"]), edit["newText"].as_str().expect("a text"))
        })
        .collect();
    all.sort();
    let mut result = text.to_string();
    for (start, end, with) in all.into_iter().rev() {
        result.replace_range(start..end, with);
    }
    result
}
