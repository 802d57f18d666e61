//! The page: by plain requests, and in a real browser where there is one.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};

use crate::support::{modeshift, root};

/// A server that ends with the test.
struct Page {
    child: Child,
    host: String,
    token: String,
}

impl Page {
    fn new(arguments: &[&str]) -> Page {
        let mut command = Command::new(env!("CARGO_BIN_EXE_modeshift"));
        command.arg("serve").args(arguments).current_dir(root()).env_remove("MODELICAPATH");
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("the program was built");
        let mut address = String::new();
        BufReader::new(child.stdout.take().expect("piped")).read_line(&mut address).expect("an address");
        let rest = address.trim().strip_prefix("http://").expect("an address");
        let (host, token) = rest.trim_end_matches('/').split_once('/').expect("a token");
        Page { child, host: host.to_string(), token: token.to_string() }
    }

    /// The status and the body of a response.
    fn send(&self, method: &str, path: &str, headers: &str, body: &str) -> (u16, String) {
        let text = self.response(method, path, headers, body);
        let status = text.split(' ').nth(1).and_then(|it| it.parse().ok()).expect("a status");
        (status, text.split_once("\r\n\r\n").map(|(_, body)| body.to_string()).unwrap_or_default())
    }

    fn response(&self, method: &str, path: &str, headers: &str, body: &str) -> String {
        let mut stream = TcpStream::connect(&self.host).expect("it listens");
        let (host, length) = (&self.host, body.len());
        write!(stream, "{method} {path} HTTP/1.1\r\nHost: {host}\r\n{headers}Content-Length: {length}\r\n\r\n{body}")
            .expect("it reads");
        let mut bytes = Vec::new();
        stream.read_to_end(&mut bytes).expect("it answers");
        String::from_utf8_lossy(&bytes).into_owned()
    }

    /// A header of a response, by its name in small letters.
    fn header(&self, method: &str, path: &str, name: &str) -> Option<String> {
        let text = self.response(method, path, "", "");
        let lines = text.split("\r\n\r\n").next()?.lines();
        let mut headers = lines.filter_map(|line| line.split_once(": "));
        headers.find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value.to_string())
    }

    fn get(&self, path: &str) -> (u16, String) {
        self.send("GET", &format!("/{}/{path}", self.token), "", "")
    }

    fn post(&self, path: &str, body: &Value) -> Value {
        let (status, body) = self.send("POST", &format!("/{}/{path}", self.token), "", &body.to_string());
        assert_eq!(status, 200, "{body}");
        serde_json::from_str(&body).expect("JSON")
    }
}

impl Drop for Page {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn the_page_answers_as_the_command_line_does() {
    let page = Page::new(&[]);
    assert!(page.get("").1.contains("<title>Modeshift</title>"));
    let text = page.get("api/example?name=WaterTank.mo").1;
    let asked = json!({"id": "1", "command": "analyze", "file": "WaterTank.mo", "example": true, "text": text});
    let answer = page.post("api/ask", &asked);
    assert_eq!((&answer["status"], &answer["result"]["mode_count"]), (&json!(0), &json!("3")));
    let run = page.post("api/run", &json!({"file": "WaterTank.mo", "example": true, "text": text, "stop": "0.5"}));
    let number = &run["run"];
    let state = loop {
        let state: Value = serde_json::from_str(&page.get(&format!("api/run/{number}")).1).expect("JSON");
        if state["state"] != json!("running") {
            break state;
        }
        std::thread::sleep(std::time::Duration::from_millis(20));
    };
    assert_eq!((&state["state"], &state["summary"]["events"]), (&json!("done"), &json!(3)));
    let columns: Value = serde_json::from_str(&page.get(&format!("api/run/{number}/columns")).1).expect("JSON");
    assert!(columns["names"].as_array().is_some_and(|names| names.contains(&json!("yl"))), "{columns}");
    assert_eq!(page.get(&format!("api/run/{number}/data?column=none")).0, 404);
}

#[test]
fn the_page_is_for_its_owner_alone() {
    let page = Page::new(&["models/WaterTank.mo"]);
    let own = format!("/{}/api/files", page.token);
    assert_eq!(page.send("GET", &own, "", "").0, 200);
    assert_eq!(page.send("GET", "/api/files", "", "").0, 403);
    assert_eq!(page.send("GET", &own, "Origin: http://evil.example\r\n", "").0, 403);
    for path in ["../Cargo.toml", "%2e%2e/README.md", "/etc/passwd", "../crates/flatten/src/classes/builtin_library.mo"]
    {
        assert_eq!(page.get(&format!("api/file?path={path}")).0, 403, "{path}");
    }
    assert_eq!(page.get("api/file?path=WaterTank.mo").0, 200);
    let body = json!({"command": "check", "file": "--output=x.mo", "example": true, "text": ""}).to_string();
    assert_eq!(page.send("POST", &format!("/{}/api/ask", page.token), "", &body).0, 400, "an option is no file");
    let body = json!({"command": "explain", "file": "a.mo", "example": true, "text": ""}).to_string();
    assert_eq!(page.send("POST", &format!("/{}/api/ask", page.token), "", &body).0, 400);
}

/// A file is written by those who have read it as it is, and keeps its byte order mark and its ends of lines.
#[test]
fn a_file_that_was_changed_outside_is_not_overwritten() {
    let directory = crate::support::temporary("saved");
    let _ = std::fs::remove_dir_all(&directory);
    std::fs::create_dir_all(&directory).expect("a temporary directory");
    let file = directory.join("A.mo");
    let written = || std::fs::read_to_string(&file).expect("it is there");
    std::fs::write(&file, "\u{feff}model A\r\nend A;\r\n").expect("a temporary file");
    let page = Page::new(&[file.to_str().expect("a name")]);
    let path = format!("/{}/api/file?path=A.mo", page.token);
    let version = page.header("GET", &path, "etag").expect("a version");
    let read = format!("If-Match: {version}\r\n");
    assert_eq!(page.send("PUT", &path, "", "model B\nend B;\n").0, 412, "nobody knows what was read");
    assert_eq!(page.send("PUT", &path, &read, "model B\nend B;\n").0, 200);
    assert_eq!(written(), "\u{feff}model B\r\nend B;\r\n");
    assert_eq!(page.send("PUT", &path, &read, "model C\nend C;\n").0, 412, "that was another text");
    assert_eq!(written(), "\u{feff}model B\r\nend B;\r\n");
    assert_eq!(page.send("PUT", &path, "If-Match: *\r\n", "model C\nend C;\n").0, 200, "it is wanted");
    std::fs::remove_file(&file).expect("it can go");
    let version = format!("If-Match: {version}\r\n");
    assert_eq!(page.send("PUT", &path, &version, "x").0, 412, "it was removed");
    assert_eq!(page.send("PUT", &path, "", "model D\nend D;\n").0, 200, "a new one");
    assert_eq!(written(), "model D\nend D;\n");
}

#[test]
fn what_cannot_be_served_is_said() {
    let outcome = modeshift(&["serve", "no/such/file.mo"]);
    assert_eq!((outcome.status, outcome.stderr.contains("no/such/file.mo")), (2, true));
    let outcome = modeshift(&["serve", "--export", "somewhere", "--wasm", "README.md"]);
    assert_eq!((outcome.status, outcome.stderr.contains("is no engine for the page")), (2, true));
    let outcome = modeshift(&["serve", "--export", "somewhere", "--wasm", "no/such/file.wasm"]);
    assert_eq!((outcome.status, outcome.stderr.contains("no/such/file.wasm")), (2, true));
}

/// Runs a script of the browser's tests, or says why not.
fn in_a_browser(arguments: &[&str]) {
    let directory = root().join("crates/serve/browser");
    let chromium = std::env::var("CHROMIUM").unwrap_or_else(|_| "/usr/bin/chromium".to_string());
    if !has_node() || !directory.join("node_modules").is_dir() || !std::path::Path::new(&chromium).exists() {
        eprintln!("skipped: crates/serve/browser/README.md says what this needs");
        return;
    }
    let output = Command::new("node").args(arguments).current_dir(&directory).output().expect("node can be started");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
}

fn has_node() -> bool {
    Command::new("node").arg("--version").output().is_ok_and(|output| output.status.success())
}

#[test]
fn the_page_works_in_a_real_browser() {
    in_a_browser(&["page.mjs", env!("CARGO_BIN_EXE_modeshift")]);
}

#[test]
fn the_page_without_a_server_runs_models_as_the_program_does() {
    match std::env::var("MODESHIFT_WASM") {
        Ok(engine) => in_a_browser(&["alone.mjs", env!("CARGO_BIN_EXE_modeshift"), &engine]),
        Err(_) => eprintln!("skipped: MODESHIFT_WASM does not say where the engine as WebAssembly is"),
    }
}

#[test]
fn the_extension_works_in_a_stand_in_for_the_editor() {
    let directory = root().join("editors/vscode");
    if !has_node() || !directory.join("dist/extension.js").is_file() {
        eprintln!("skipped: editors/vscode/README.md says how the extension is built");
        return;
    }
    let mut command = Command::new("node");
    command.args(["test/extension.cjs", env!("CARGO_BIN_EXE_modeshift")]).current_dir(&directory);
    let output = command.output().expect("node can be started");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
}
