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
        String::from_utf8_lossy(&self.raw(method, path, headers, body)).into_owned()
    }

    fn raw(&self, method: &str, path: &str, headers: &str, body: &str) -> Vec<u8> {
        let mut stream = TcpStream::connect(&self.host).expect("it listens");
        let (host, length) = (&self.host, body.len());
        write!(stream, "{method} {path} HTTP/1.1\r\nHost: {host}\r\n{headers}Content-Length: {length}\r\n\r\n{body}")
            .expect("it reads");
        let mut bytes = Vec::new();
        stream.read_to_end(&mut bytes).expect("it answers");
        bytes
    }

    /// A header of a response, by its name in small letters.
    fn header(&self, method: &str, path: &str, name: &str) -> Option<String> {
        let text = self.response(method, path, "", "");
        let lines = text.split("\r\n\r\n").next()?.lines();
        let mut headers = lines.filter_map(|line| line.split_once(": "));
        headers.find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value.to_string())
    }

    /// The body of a response as it is.
    fn bytes(&self, method: &str, path: &str, body: &str) -> Vec<u8> {
        let bytes = self.raw(method, path, "", body);
        let head = bytes.windows(4).position(|piece| piece == b"\r\n\r\n").expect("a header");
        bytes[head + 4..].to_vec()
    }

    /// Waits until a run has ended.
    fn wait_for(&self, number: &Value) -> Value {
        loop {
            let state: Value = serde_json::from_str(&self.get(&format!("api/run/{number}")).1).expect("JSON");
            if state["state"] != json!("running") {
                return state;
            }
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
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
    let state = page.wait_for(number);
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

/// What others send, however it looks, leaves the server as it was, and the page its places.
#[test]
fn nothing_that_others_send_keeps_the_page_out() {
    let page = Page::new(&["models/WaterTank.mo"]);
    for body in ["[1]", "\"x\"", "3", "null", "{", ""] {
        for path in ["api/run", "api/ask", "api/stop", "api/run/1/data"] {
            let status = page.send("POST", &format!("/{}/{path}", page.token), "", body).0;
            assert_eq!(status, 400, "{path} {body}");
        }
    }
    // More than are listened to at once, each with a word that it does not end.
    let slow: Vec<TcpStream> = (0..200)
        .map(|_| {
            let mut stream = TcpStream::connect(&page.host).expect("it listens");
            // One that was told to go cannot write.
            let _ = stream.write_all(b"GET /");
            stream
        })
        .collect();
    assert_eq!(page.get("api/files").0, 200, "the page comes in");
    drop(slow);
    // A stranger is answered before it has sent what it announces.
    let mut stream = TcpStream::connect(&page.host).expect("it listens");
    write!(stream, "POST /x HTTP/1.1\r\nHost: {}\r\nContent-Length: 60000000\r\n\r\n", page.host).expect("it reads");
    let mut start = [0; 12];
    stream.read_exact(&mut start).expect("it answers");
    assert_eq!(&start, b"HTTP/1.1 403");
    let long = format!("/{}/api/files?{}", page.token, "x".repeat(70_000));
    let (status, said) = page.send("GET", &long, "", "");
    assert!(status == 431 && said.contains("64 kB"), "{status} {said}");
    let own = format!("Origin: http://{}\r\nOrigin: http://evil.example\r\n", page.host);
    assert_eq!(page.send("GET", &format!("/{}/api/files", page.token), &own, "").0, 403, "two origins");
}

/// A model that does not end by itself soon.
const HUNG: &str = "model Hung\n  Real x(start = 1, fixed = true);\nequation\n  der(x) = x*sin(1e7*time);\n  \
                    annotation (experiment(StopTime = 1e6));\nend Hung;\n";

/// A file may be called like an option; and the columns of a run can be had one row at a time.
#[test]
fn files_that_are_called_like_options_are_files() {
    let directory = crate::support::temporary("options");
    let _ = std::fs::remove_dir_all(&directory);
    std::fs::create_dir_all(&directory).expect("a temporary directory");
    let text = "model A\n  Real x = time;\nend A;\n";
    std::fs::write(directory.join("-o.mo"), text).expect("a temporary file");
    let page = Page::new(&[directory.to_str().expect("a name")]);
    let answer = page.post("api/ask", &json!({"command": "check", "file": "-o.mo", "text": text}));
    assert_eq!((&answer["status"], &answer["result"]["ok"]), (&json!(0), &json!(true)), "{answer}");
    let number = page.post("api/run", &json!({"file": "-o.mo", "text": text}))["run"].clone();
    page.wait_for(&number);
    let body = json!({"columns": ["x"], "from": 3, "to": 4}).to_string();
    let path = format!("/{}/api/run/{number}/data", page.token);
    let response = page.bytes("POST", &path, &body);
    let values: Vec<f64> = response.chunks_exact(8).map(|it| f64::from_le_bytes(it.try_into().expect("8"))).collect();
    assert!(values.len() == 2 && values[0] == values[1] && values[0] > 0.0, "time and x: {values:?}");
}

/// Pages keep their own runs, and what is running is kept in any case.
#[test]
fn one_page_does_not_take_the_runs_of_another() {
    let page = Page::new(&[]);
    let short = "model A\n  Real x = time;\nend A;\n";
    let start = |of: &str, text: &str| {
        let body = json!({"file": "A.mo", "example": true, "text": text, "page": of, "stop": if text == short { "0.1" } else { "1e6" }});
        page.post("api/run", &body)["run"].clone()
    };
    let kept = start("one", short);
    let running = start("two", HUNG);
    let mut last = json!(0);
    for _ in 0..13 {
        last = start("two", short);
        page.wait_for(&last);
    }
    let state = |number: &Value| page.get(&format!("api/run/{number}"));
    assert_eq!((state(&kept).0, state(&running).0, state(&last).0), (200, 200, 200));
    let (status, said) = state(&json!(3));
    assert!(status == 404 && said.contains("no longer kept"), "{status} {said}");
    page.post(&format!("api/run/{running}/stop"), &json!({}));
}

/// A run does not outlive its server, nor does what it wrote.
#[cfg(target_os = "linux")]
#[test]
fn runs_end_with_the_server() {
    let mut page = Page::new(&[]);
    page.post("api/run", &json!({"file": "A.mo", "example": true, "text": HUNG, "stop": "1e6"}));
    let port = page.host.rsplit(':').next().expect("a port").to_string();
    let directory = || {
        let entries = std::fs::read_dir(std::env::temp_dir()).expect("it is there").flatten();
        let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
        names.into_iter().find(|name| name.starts_with("modeshift-serve-") && name.ends_with(&format!("-{port}")))
    };
    let name = directory().expect("runs write somewhere");
    let is_running = || {
        let processes = std::fs::read_dir("/proc").expect("it is there").flatten();
        let commands = processes.filter_map(|process| std::fs::read(process.path().join("cmdline")).ok());
        commands.into_iter().any(|command| {
            let text = String::from_utf8_lossy(&command);
            text.contains("simulate") && text.contains(&name)
        })
    };
    assert!(is_running(), "it has begun");
    page.child.kill().expect("it runs");
    page.child.wait().expect("it ends");
    let ended = (0..200).any(|_| {
        std::thread::sleep(std::time::Duration::from_millis(50));
        !is_running() && directory().is_none()
    });
    assert!(ended, "nothing is left of it");
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
fn what_comes_late_or_in_great_number_goes_well_in_a_real_browser() {
    in_a_browser(&["late.mjs", env!("CARGO_BIN_EXE_modeshift")]);
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
