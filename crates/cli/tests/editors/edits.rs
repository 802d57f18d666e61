//! Random edits of real files: nothing ends the server, and what it says is what a fresh `check` says.

use std::path::PathBuf;

use serde_json::{Value, json};

use super::client::{Client, position};
use crate::support::{modeshift_reading, root, temporary};

/// A sequence of numbers that look random, the same in every run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) as usize % limit.max(1)
    }
}

const PIECES: [&str; 25] = [
    ";",
    "(",
    ")",
    "end",
    "equation",
    " ",
    "\n",
    "x",
    "der(",
    "if ",
    " then ",
    " else ",
    "model ",
    "\"",
    "/*",
    "*/",
    "//",
    "1e5",
    ".",
    "'",
    "ü𝄞",
    "\u{feff}",
    "connect(",
    "[",
    "annotation(",
];

#[test]
fn random_edits_leave_the_server_alive_and_its_verdicts_right() {
    edit_randomly(240, 60);
}

/// `cargo test --release -p modeshift-cli --test suite -- --ignored ten_thousand_random_edits`
#[test]
#[ignore = "long"]
fn ten_thousand_random_edits() {
    edit_randomly(10_000, 100);
}

fn edit_randomly(edits: usize, compared_each: usize) {
    let directories = ["models", "library/Modeshift"];
    let files = directories.iter().flat_map(|it| std::fs::read_dir(root().join(it)).expect("a directory"));
    let mut files: Vec<PathBuf> =
        files.map(|entry| entry.expect("an entry").path()).filter(|it| it.is_file()).collect();
    files.retain(|path| path.extension().is_some_and(|it| it == "mo" || it == "mel"));
    files.sort();
    let mut numbers = Numbers(22);
    let mut client = Client::new();
    let per_file = (edits / files.len()).max(compared_each);
    let mut done = 0;
    while done < edits {
        let file = &files[numbers.below(files.len())];
        let original = std::fs::read_to_string(file).expect("a file of the repository");
        let name = format!("edited-{}", file.file_name().expect("a name").to_string_lossy());
        let path = temporary(&name);
        client.also_open(&path, &original);
        for _ in 0..per_file {
            one_edit(&mut client, &mut numbers, &original);
            done += 1;
            if done % 7 == 0 {
                ask_something(&mut client, &mut numbers);
            }
            if done % compared_each == 0 {
                compare(&mut client, &path);
            }
        }
        let uri = client.uri.clone();
        client.notify("textDocument/didClose", json!({"textDocument": {"uri": uri}}));
    }
    client.end();
}

/// Something is inserted, removed, doubled, or set right again.
fn one_edit(client: &mut Client, numbers: &mut Numbers, original: &str) {
    let boundary = |text: &str, at: usize| (0..=at).rev().find(|it| text.is_char_boundary(*it)).unwrap_or(0);
    let length = client.text.len();
    let at = boundary(&client.text, numbers.below(length + 1));
    match numbers.below(8) {
        0 => {
            let end = boundary(&client.text, (at + numbers.below(40)).min(length)).max(at);
            client.edit(at..end, "");
        }
        1 => {
            let from = boundary(original, numbers.below(original.len() + 1));
            let to = boundary(original, (from + numbers.below(60)).min(original.len())).max(from);
            client.edit(at..at, &original[from..to]);
        }
        2 | 3 => client.edit(0..length, original),
        _ => client.edit(at..at, PIECES[numbers.below(PIECES.len())]),
    }
}

fn ask_something(client: &mut Client, numbers: &mut Numbers) {
    let requests = [
        "hover",
        "definition",
        "completion",
        "signatureHelp",
        "documentSymbol",
        "foldingRange",
        "semanticTokens/full",
        "formatting",
        "codeLens",
        "references",
        "documentHighlight",
        "typeDefinition",
    ];
    let at = numbers.below(client.text.len() + 1);
    let at = (0..=at).rev().find(|it| client.text.is_char_boundary(*it)).unwrap_or(0);
    let place = position(&client.text, at);
    client.ask(requests[numbers.below(requests.len())], json!({"position": place, "options": {}}));
}

fn compare(client: &mut Client, path: &std::path::Path) {
    let published: Vec<(Value, String)> = client
        .diagnostics()
        .iter()
        .map(|it| {
            (
                it["code"].clone(),
                it["message"].as_str().and_then(|it| it.lines().next()).unwrap_or_default().to_string(),
            )
        })
        .collect();
    let name = path.to_str().expect("a path");
    let fresh = modeshift_reading(client.text.as_bytes(), &["check", name, "--stdin", "--format", "json"]).json();
    let fresh: Vec<(Value, String)> = fresh["diagnostics"]
        .as_array()
        .expect("a list")
        .iter()
        // Who writes a file asks for no model of it.
        .filter(|it| it["code"] != json!("E0200"))
        .map(|it| {
            (
                it["code"].clone(),
                it["message"].as_str().and_then(|it| it.lines().next()).unwrap_or_default().to_string(),
            )
        })
        .collect();
    assert_eq!(published, fresh, "of this text:\n{}", client.text);
}
