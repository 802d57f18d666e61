//! The generated part of the reference: commands from the program's own help, codes from the register.

use std::fmt::Write as _;

use expect_test::expect_file;
use modeshift_diagnostics::{Code, Stage};
use modeshift_driver::report::schema::{event_log_schema, schemas};
use serde_json::Value;

use super::page::{Page, anchor, sources};
use crate::support::{modeshift, temporary};

/// The help of a command, or of the program.
fn help(command: Option<&str>) -> String {
    let outcome = modeshift(&["help"].into_iter().chain(command).collect::<Vec<_>>());
    assert_eq!(outcome.status, 0, "{}", outcome.stderr);
    outcome.stdout.lines().map(|line| line.trim_end().to_string() + "\n").collect()
}

/// The commands that the program lists.
fn commands() -> Vec<String> {
    let help = help(None);
    let lines = help.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    let names = lines.filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    names.filter_map(|line| line.split_whitespace().next()).filter(|name| *name != "help").map(str::to_string).collect()
}

#[test]
fn the_page_of_commands_is_the_help_of_the_program() {
    let mut page = "# Commands and options\n\n".to_string();
    page += "Made from the program's own help by a test (`UPDATE_EXPECT=1 cargo test`). `modeshift help COMMAND` prints the same.\n\n";
    let _ = writeln!(page, "```text\n{}```", help(None));
    for command in commands() {
        let _ = writeln!(page, "\n## {command}\n\n```text\n{}```", help(Some(&command)));
    }
    expect_file![sources().join("reference/commands.md")].assert_eq(&page);
}

#[test]
fn every_option_of_every_command_is_in_the_reference() {
    let page = Page::read(sources().join("reference/commands.md")).text;
    for command in commands() {
        let section =
            page.split(&format!("\n## {command}\n")).nth(1).unwrap_or_else(|| panic!("no section on {command}"));
        let section = section.split("\n## ").next().unwrap_or_default();
        let help = help(Some(&command));
        for option in help.split_whitespace().filter(|word| word.starts_with("--")) {
            assert!(section.contains(option), "{command} {option}");
        }
    }
}

/// The file with the pages of the codes of a stage.
fn stage_file(stage: Stage) -> String {
    format!("{}.md", anchor(stage.title()))
}

/// The heading of the page of a code.
fn heading(code: Code) -> &'static str {
    code.page().lines().next().expect("a page has a heading").trim_start_matches("# ")
}

#[test]
fn the_pages_of_codes_are_made_from_the_register() {
    let mut table = "# Codes\n\n".to_string();
    table += "Made from the register of codes by a test (`UPDATE_EXPECT=1 cargo test`). The letter is the severity (`E` error, `W` warning, `N` \
              note), the\nfirst two digits are the stage. A code is stable once released. `modeshift explain E0601` prints the page of a code.\n";
    for stage in Stage::ALL {
        let _ = writeln!(table, "\n## {}\n\n| code | exit status | meaning |\n|---|---|---|", stage.title());
        let mut pages = format!("# {}\n", stage.title());
        for &code in Code::ALL.iter().filter(|code| code.stage() == stage) {
            let (file, place) = (stage_file(stage), anchor(heading(code)));
            let _ = writeln!(
                table,
                "| [{code}](codes/{file}#{place}) | {} | {} |",
                code.exit_status() as i32,
                code.sentence()
            );
            let _ = write!(pages, "\n{{{{#include ../../../../../crates/diagnostics/pages/{code}.md}}}}\n");
        }
        expect_file![sources().join("reference/codes").join(stage_file(stage))].assert_eq(&pages);
    }
    expect_file![sources().join("reference/codes.md")].assert_eq(&table);
}

#[test]
fn every_code_has_a_heading_in_the_reference() {
    for stage in Stage::ALL {
        let anchors = Page::read(sources().join("reference/codes").join(stage_file(stage))).anchors();
        for &code in Code::ALL.iter().filter(|code| code.stage() == stage) {
            assert!(anchors.contains(&anchor(heading(code))), "{code}");
        }
    }
}

/// All keys of objects that a schema describes.
fn keys(schema: &Value, found: &mut Vec<String>) {
    match schema {
        Value::Object(object) => {
            for (name, value) in object {
                if name == "properties" {
                    found.extend(value.as_object().into_iter().flat_map(|it| it.keys().cloned()));
                }
                keys(value, found);
            }
        }
        Value::Array(values) => values.iter().for_each(|value| keys(value, found)),
        _ => {}
    }
}

#[test]
fn every_key_of_every_json_is_in_the_reference() {
    let page = Page::read(sources().join("reference/json.md")).expanded();
    let mut found = Vec::new();
    schemas().iter().for_each(|(_, schema)| keys(schema, &mut found));
    keys(&event_log_schema(), &mut found);
    assert!(found.len() > 100, "schemas have properties");
    // A row of a table, or a sentence on what may be an object.
    let has = |line: &str, key: &str| {
        line.starts_with(&format!("| `{key}` | "))
            || line.starts_with("Written as ") && line.contains(&format!("`{key}`"))
    };
    let missing: Vec<&String> = found.iter().filter(|key| !page.lines().any(|line| has(line, key))).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

#[test]
fn every_command_that_writes_json_has_its_keys_in_the_reference() {
    let page = Page::read(sources().join("reference/json.md")).expanded();
    let writers: Vec<String> = commands().into_iter().filter(|command| writes_json(&help(Some(command)))).collect();
    assert!(["check", "compare", "linearize"].iter().all(|name| writers.iter().any(|it| it == name)), "{writers:?}");
    for command in writers {
        assert!(schemas().iter().any(|(name, _)| *name == command), "{command} has no schema");
        assert!(page.contains(&format!("\n## `{command} --format json`\n")), "{command} has no section");
    }
}

/// Whether `json` is a value of `--format`.
fn writes_json(help: &str) -> bool {
    let behind = help.split("--format").nth(1).unwrap_or_default();
    let values = behind.split("possible values:").nth(1).and_then(|it| it.split(']').next()).unwrap_or_default();
    values.split(',').any(|value| value.trim() == "json")
}

/// A plan with a key that is not known is answered with those that are.
#[test]
fn every_key_of_a_plan_is_in_the_reference() {
    let page = Page::read(sources().join("reference/sweeps.md")).expanded();
    let plan = temporary("plan.toml");
    for (text, known) in [("none = 1", "a plan has "), ("model = 'M.mo'\n[vary]\nx = { none = 1 }", "there are ")] {
        std::fs::write(&plan, text).expect("a plan");
        let said = modeshift(&["sweep", &plan.display().to_string()]).stderr;
        let keys = said.split(known).nth(1).unwrap_or_else(|| panic!("{said}"));
        let keys: Vec<&str> = keys.split(',').map(|key| key.trim().trim_matches(['[', ']'])).collect();
        assert!(keys.len() > 5, "{said}");
        let words: Vec<&str> = page.split(|letter: char| !letter.is_alphanumeric() && letter != '_').collect();
        let missing: Vec<&&str> = keys.iter().filter(|key| !words.contains(key)).collect();
        assert!(missing.is_empty(), "{missing:?}");
    }
}

/// What the page of results says of the log of events is all there is in it.
#[test]
fn every_key_of_an_event_is_on_the_page_of_results() {
    let page = Page::read(sources().join("reference/results.md")).text;
    let schema = event_log_schema();
    let event = schema["items"]["$ref"].as_str().and_then(|name| name.strip_prefix("#/$defs/")).expect("a reference");
    let keys: Vec<&String> = schema["$defs"][event]["properties"].as_object().expect("keys").keys().collect();
    let missing: Vec<&&String> = keys.iter().filter(|key| !page.contains(&format!("`{key}`"))).collect();
    assert!(missing.is_empty(), "{missing:?}");
}
