//! A program that nobody can hurt: limits, files that are not written over, and the command line around `check`.

use std::io::{BufRead as _, BufReader, Read as _};
use std::process::{Command, Stdio};

use crate::support::{modeshift, modeshift_reading, root, temporary};

fn trust(model: &str) -> String {
    format!("crates/cli/tests/repro/trust/{model}.mo")
}

/// The codes that `check` says of a small model, without notes, and all that it says.
fn said(model: &str) -> (Vec<String>, String) {
    let outcome = modeshift(&["check", &trust(model), "--format", "json"]);
    let diagnostics = outcome.json()["diagnostics"].as_array().cloned().unwrap_or_default();
    let codes = diagnostics.iter().map(|it| it["code"].as_str().unwrap_or_default().to_string());
    (codes.filter(|code| !code.starts_with('N')).collect(), outcome.stdout)
}

fn check_says(model: &str, codes: &[&str], words: &str) {
    let (found, text) = said(model);
    assert_eq!(found, codes, "{model}: {text}");
    assert!(text.contains(words), "{model}: {text}");
}

/// A file in the tests' own directory.
fn written(name: &str, text: &str) -> String {
    let path = temporary(name);
    std::fs::write(&path, text).expect("a temporary file can be written");
    path.display().to_string()
}

const DECAY: &str = "model Decay Real x(start = 1, fixed = true); equation der(x) = -x; end Decay;\n";

#[test]
fn small_models_are_told_as_they_should_be() {
    check_says("m05_unit_mismatch", &["W0322", "W0322"], "`F` is in N, `x` in m");
    check_says("m11_protected", &["E0233"], "make `tau` public");
    check_says("m16_discrete_in_equation", &["E0303", "E0237"], "`n` is discrete");
    check_says("m20_eq_compare", &["W0321"], "write `>=`");
    check_says("m21_forgot_der", &["E0701"], "write `der(T)`");
    check_says("m27_unbalanced_component", &["E0606"], "add `p.i + n.i = 0` to `Lamp`");
    check_says("n01_two_grounds_same", &["E0601"], "remove `g2`: there is another");
    check_says("integer_overflow_silent", &["E0317"], "more than 64 bits");
    check_says("hang_iterator_product", &["E0603"], "loops go round");
    let implicit = modeshift(&["check", &trust("note_implicit_false")]);
    assert_eq!((implicit.status, implicit.stderr.as_str()), (0, ""));
}

#[test]
fn integers_that_do_not_fit_are_refused_where_they_are_written() {
    for expression in
        ["9223372036854775807 + 1", "4000000000*4000000000", "abs(-9223372036854775807 - 1)", "integer(1e300)"]
    {
        let model = format!("model M constant Integer k = {expression}; Real x = k; end M;");
        let outcome = modeshift_reading(model.as_bytes(), &["check", "-"]);
        assert!(outcome.stderr.contains("E0317"), "{expression}: {}", outcome.stderr);
    }
    let exact = "model M constant Integer k = mod(-9223372036854775807, 10); Real x = k; end M;";
    let outcome = modeshift_reading(exact.as_bytes(), &["flatten", "-"]);
    assert!(outcome.stdout.contains('3'), "{}", outcome.stdout);
}

#[test]
fn components_without_end_are_refused_before_memory_is() {
    let outcome = modeshift(&["check", &trust("alloc_abort_2pow33_components")]);
    assert_eq!(outcome.status, 1);
    assert!(outcome.stderr.contains("E0603") && outcome.stderr.contains("2000000 components"), "{}", outcome.stderr);
}

#[test]
fn rimis_says_which_instants_it_cannot_write() {
    let outcome = modeshift(&["rimis", &trust("rimis_panic_transient_when")]);
    assert_eq!(outcome.status, 1);
    assert!(outcome.stderr.contains("E0916") && outcome.stderr.contains("when: touch"), "{}", outcome.stderr);
}

#[test]
fn what_was_read_is_not_written_over_by_any_name() {
    let file = written("overwritten.mo", DECAY);
    let link = temporary("overwritten_link.mo");
    let _ = std::fs::remove_file(&link);
    std::os::unix::fs::symlink(&file, &link).expect("a link can be made");
    let link = link.display().to_string();
    let attempts: [&[&str]; 6] = [
        &["rimis", &file, "-o", &file],
        &["rimis", &file, "-o", &link],
        &["check", &file, "-o", &link],
        &["flatten", &link, "-o", &file],
        &["simulate", &file, "--events", &link],
        &["analyze", &file, "--format", "json", "-o", &file],
    ];
    for arguments in attempts {
        let outcome = modeshift(arguments);
        assert_eq!(outcome.status, 2, "{arguments:?}: {}", outcome.stderr);
        assert_eq!(std::fs::read_to_string(&file).expect("it is there"), DECAY, "{arguments:?}");
    }
}

#[test]
fn a_file_that_another_run_writes_is_refused() {
    let (file, result) = (written("locked.mo", DECAY), temporary("locked.csv"));
    let other = std::fs::File::create(&result).expect("a file");
    other.try_lock().expect("nobody else has it");
    let outcome = modeshift(&["simulate", &file, "-o", &result.display().to_string()]);
    assert_eq!(outcome.status, 2, "{}", outcome.stderr);
    assert!(outcome.stderr.contains("is being written by another run"), "{}", outcome.stderr);
}

#[test]
fn a_full_disk_leaves_whole_rows_and_their_number() {
    // Files of at most 8 kB stand for a disk.
    let (file, result) = (written("full.mo", DECAY), temporary("full.csv"));
    let _ = std::fs::remove_file(&result);
    let program = env!("CARGO_BIN_EXE_modeshift");
    let line =
        format!("trap '' XFSZ; ulimit -f 8; exec {program} simulate {file} --interval 1e-4 -o {}", result.display());
    let output = Command::new("bash").args(["-c", &line]).output().expect("a shell");
    let (said, table) =
        (String::from_utf8_lossy(&output.stderr).to_string(), std::fs::read_to_string(&result).expect("a result"));
    assert_eq!(output.status.code(), Some(2), "{said}");
    let rows: Vec<&str> = table.lines().skip(1).collect();
    assert!(table.ends_with('\n') && rows.iter().all(|row| row.split(',').count() == 2), "{table}");
    assert!(said.contains(&format!("its first {} rows are there", rows.len())), "{} rows: {said}", rows.len());
}

#[test]
fn devices_are_not_read() {
    let outcome = modeshift(&["check", "/dev/zero"]);
    assert_eq!(outcome.status, 2);
    assert!(outcome.stderr.contains("it is a device"), "{}", outcome.stderr);
}

#[test]
fn a_run_without_duration_is_one_row() {
    let (file, result) = (written("instant.mo", DECAY), temporary("instant.csv"));
    let name = result.display().to_string();
    assert_eq!(modeshift(&["simulate", &file, "--start", "1", "--stop", "1", "-o", &name]).status, 0);
    assert_eq!(std::fs::read_to_string(&result).expect("a result"), "time,x\n1,1\n");
}

#[test]
fn a_start_value_can_be_set() {
    let (file, result) = (written("start.mo", DECAY), temporary("start.csv"));
    let name = result.display().to_string();
    let run = modeshift(&["simulate", &file, "--set", "x.start=3", "--stop", "0", "-o", &name]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    assert_eq!(std::fs::read_to_string(&result).expect("a result"), "time,x\n0,3\n");
    let unknown = modeshift(&["check", &file, "--set", "y.start=3"]);
    assert!(unknown.stderr.contains("no variable `y`"), "{}", unknown.stderr);
}

#[test]
fn inputs_follow_the_columns_of_a_table() {
    let model = "model Driven input Real u; input Boolean on; Real x(start = 0, fixed = true); equation
        der(x) = if on then u else 0; end Driven;";
    // A ramp from 0 to 2, a jump to 5, and a switch that opens at 1.5: x = t^2 until 1, then grows by 5 each second.
    let table = "time,u,on\n0,0,true\n1,2,true\n1,5,true\n1.5,5,false\n2,5,false\n";
    let (file, input, result) = (written("driven.mo", model), written("driven_in.csv", table), temporary("driven.csv"));
    let log = temporary("driven.json");
    let (result_name, log_name) = (result.display().to_string(), log.display().to_string());
    let options = ["--input", &input, "--stop", "2", "--interval", "0.5", "-o", &result_name, "--events", &log_name];
    let run = modeshift(&[&["simulate", file.as_str()][..], &options].concat());
    assert_eq!(run.status, 0, "{}", run.stderr);
    let table = std::fs::read_to_string(&result).expect("a result");
    let header: Vec<&str> = table.lines().next().expect("names").split(',').collect();
    assert!(!header.iter().any(|name| name.contains("inputs")), "{header:?}");
    assert!(!run.stderr.contains("inputs"), "{}", run.stderr);
    let x = header.iter().position(|name| *name == "x").expect("a column");
    for (time, expected) in [("0.5", 0.25), ("1", 1.0), ("1.5", 3.5), ("2", 3.5)] {
        let row =
            table.lines().rfind(|row| row.split(',').next() == Some(time)).unwrap_or_else(|| panic!("{time}\n{table}"));
        let found: f64 = row.split(',').nth(x).expect("a cell").parse().expect("a number");
        assert!((found - expected).abs() < 1e-5, "x({time}) = {found}, not {expected}\n{table}");
    }
    let over = modeshift(&["simulate", &file, "--input", &input, "-o", &input]);
    assert_eq!(over.status, 2, "{}", over.stderr);
    let wrong = modeshift(&["simulate", &file, "--input", &written("driven_bad.csv", "time,v\n0,1\n")]);
    assert!(wrong.stderr.contains("E0009") && wrong.stderr.contains("no input `v`"), "{}", wrong.stderr);
    assert_eq!(wrong.status, 2);
}

/// A model whose edit inserts a line, with the line ends of another system.
#[test]
fn edits_keep_the_line_ends_of_a_file() {
    let model = "connector Pin\n  Real v;\n  flow Real i;\nend Pin;\nmodel Ground\n  Pin p;\nequation\n  p.v = 0;\nend Ground;\n\
                 model Lamp\n  Pin p, n;\nequation\n  p.v - n.v = p.i;\nend Lamp;\n\
                 model M\n  Lamp lamp;\n  Ground ground;\nequation\n  connect(lamp.n, ground.p);\nend M;\n";
    let file = written("line_ends.mo", &model.replace('\n', "\r\n"));
    let outcome = modeshift(&["check", &file, "--fix", "--write"]);
    let text = std::fs::read_to_string(&file).expect("the file");
    assert!(text.contains("p.i + n.i = 0"), "{}{}", outcome.stdout, outcome.stderr);
    assert_eq!(text.matches('\n').count(), text.matches("\r\n").count(), "{text:?}");
}

const MISSPELT: &str =
    "model Decay\n  Real level(start = 1, fixed = true);\nequation\n  der(level) = -levle;\nend Decay;\n";

#[test]
fn the_tested_edit_is_shown_and_written() {
    let file = written("misspelt.mo", MISSPELT);
    let shown = modeshift(&["check", &file, "--fix"]);
    assert_eq!(shown.status, 1);
    assert!(shown.stdout.contains("-  der(level) = -levle;\n+  der(level) = -level;\n"), "{}", shown.stdout);
    assert_eq!(std::fs::read_to_string(&file).expect("it is there"), MISSPELT, "only --write writes");
    assert_eq!(modeshift(&["check", &file, "--fix", "--write"]).status, 0);
    assert_eq!(std::fs::read_to_string(&file).expect("it is there"), MISSPELT.replace("levle", "level"));
    assert_eq!(modeshift(&["check", &file]).status, 0);
}

#[test]
fn edits_are_in_the_json_with_their_places() {
    let outcome = modeshift(&["check", &written("edits.mo", MISSPELT), "--format", "json"]);
    let edit = &outcome.json()["diagnostics"][0]["edits"][0];
    assert_eq!(edit["text"], "level");
    let span = &edit["span"];
    assert_eq!([&span["line"], &span["column"], &span["end_line"], &span["end_column"]], [4, 17, 4, 22]);
}

#[test]
fn several_files_are_checked_at_once() {
    let (good, bad) = (written("good.mo", DECAY), written("bad.mo", MISSPELT));
    let outcome = modeshift(&["check", &good, &bad]);
    assert_eq!(outcome.status, 1);
    assert!(outcome.stdout.contains("Decay: all well") && outcome.stdout.contains("1 error"), "{}", outcome.stdout);
    let json = modeshift(&["check", &good, &bad, "--format", "json"]).json();
    assert_eq!((&json[0]["ok"], &json[1]["ok"]), (&true.into(), &false.into()));
}

#[test]
fn a_watched_file_is_checked_again_when_it_changes() {
    let file = written("watched.mo", MISSPELT);
    let mut child = Command::new(env!("CARGO_BIN_EXE_modeshift"))
        .args(["check", &file, "--watch"])
        .current_dir(root())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("the program was built");
    let mut lines = BufReader::new(child.stdout.take().expect("piped")).lines();
    let first = lines.next().expect("a line").expect("text");
    std::fs::write(&file, DECAY).expect("it can be written");
    let second = lines.next().expect("another line").expect("text");
    child.kill().expect("it still runs");
    child.wait().expect("it ends");
    assert!(first.contains("1 error") && second.contains("all well"), "{first}\n{second}");
}

#[test]
fn the_matrix_of_a_mode_has_offsets_and_blocks() {
    let outcome = modeshift(&["analyze", "models/ClutchBasic.mo", "--at", "g=true", "--matrix"]);
    assert_eq!(outcome.status, 0, "{}", outcome.stderr);
    for words in ["mode: g = true", "structural index 2", "1 degree of freedom"] {
        assert!(outcome.stdout.contains(words), "{words}\n{}", outcome.stdout);
    }
}

#[test]
fn a_name_is_looked_at_with_what_is_around_it() {
    let part = modeshift(&["analyze", "models/ClutchChain.mo", "--focus", "w[1]", "--depth", "0", "--format", "json"]);
    let all = modeshift(&["analyze", "models/ClutchChain.mo", "--format", "json"]);
    let blocks = |json: serde_json::Value| json["blocks"].as_array().map_or(0, Vec::len);
    let (part, all) = (blocks(part.json()), blocks(all.json()));
    assert!(0 < part && part < all, "{part} of {all}");
    let unknown = modeshift(&["analyze", "models/ClutchBasic.mo", "--focus", "nobody"]);
    assert_eq!(unknown.status, 2);
}

#[test]
fn shells_and_man_know_every_option() {
    let bash = modeshift(&["completions", "bash"]).stdout;
    let manual = modeshift(&["manual"]).stdout;
    for option in ["--fix", "--plot-vars", "--node-limit", "--focus"] {
        assert!(bash.contains(option), "{option}");
        assert!(manual.contains(&option.replace('-', "\\-")), "{option}");
    }
    let mut shell = Command::new("bash").args(["-n"]).stdin(Stdio::piped()).stderr(Stdio::piped()).spawn();
    if let Ok(shell) = &mut shell {
        let mut errors = String::new();
        std::io::Write::write_all(&mut shell.stdin.take().expect("piped"), bash.as_bytes()).expect("it reads");
        shell.stderr.take().expect("piped").read_to_string(&mut errors).expect("text");
        assert!(shell.wait().expect("it ends").success(), "{errors}");
    }
}
