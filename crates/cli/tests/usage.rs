//! Arguments, files, exit status, what goes where.

use crate::support;
use std::process::{Command, Stdio};

use support::{modeshift, modeshift_reading, root, temporary};

const DECAY: &str = "model Decay Real x(start = 1, fixed = true); equation der(x) = -x; end Decay;";

/// The status, and that standard error contains these words and standard output nothing.
fn check_error(input: &[u8], arguments: &[&str], status: i32, words: &str) {
    let outcome = modeshift_reading(input, arguments);
    assert_eq!(outcome.status, status, "{arguments:?}\n{}{}", outcome.stdout, outcome.stderr);
    assert!(outcome.stderr.contains(words), "{arguments:?} should say `{words}`\n{}", outcome.stderr);
    assert!(!outcome.stderr.contains("panicked"), "{}", outcome.stderr);
}

#[test]
fn a_good_model_exits_with_0_and_says_so_on_standard_output() {
    for command in ["parse", "check", "flatten", "analyze"] {
        let outcome = modeshift_reading(DECAY.as_bytes(), &[command, "-"]);
        assert_eq!((outcome.status, outcome.stderr.as_str()), (0, ""), "{command}");
        assert!(!outcome.stdout.is_empty(), "{command}");
    }
    assert_eq!(
        modeshift_reading(DECAY.as_bytes(), &["check", "-"]).stdout,
        "Decay: all well; 1 mode, regular; 1 guarded equation, 1 unknown\n"
    );
}

#[test]
fn a_wrong_model_exits_with_1() {
    check_error(b"model A Real x equation x = 1; end A;", &["parse", "-"], 1, "missing `;`");
    check_error(b"model A Real x; equation x = y; end A;", &["check", "-"], 1, "y");
    check_error(b"model A Real x; equation x = y; end A;", &["flatten", "-"], 1, "y");
    check_error(b"model A Real x; end A;", &["analyze", "-"], 1, "add an equation for `x`");
}

#[test]
fn wrong_usage_exits_with_2() {
    check_error(b"", &[], 2, "Usage");
    check_error(b"", &["frobnicate"], 2, "unrecognized subcommand");
    check_error(b"", &["check"], 2, "<FILE>");
    check_error(b"", &["check", "-", "--format", "svg"], 2, "svg");
    check_error(b"", &["check", "-", "--set", "N"], 2, "NAME=VALUE");
    check_error(b"", &["check", "-", "--time-limit", "-1"], 2, "time-limit");
    check_error(DECAY.as_bytes(), &["check", "-", "-L", "no/such/directory"], 2, "no such directory");
}

#[test]
fn files_that_cannot_be_read_exit_with_2() {
    check_error(b"", &["check", "no/such/file.mo"], 2, "cannot read `no/such/file.mo`: no such file or directory");
    check_error(b"", &["check", "models"], 2, "cannot read `models`: it is a directory");
    check_error(
        b"model A\n\xff\xfe end A;",
        &["check", "-"],
        2,
        "cannot read `<stdin>`: it is not UTF-8 text (line 2, byte 8)",
    );
    let garbage: Vec<u8> = (0..4096u32).map(|at| (at.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
    check_error(&garbage, &["parse", "-"], 2, "is not UTF-8 text");
}

#[test]
fn one_unreadable_file_does_not_hide_what_is_wrong_with_the_others() {
    let path = temporary("wrong.mo");
    std::fs::write(&path, "model A Real end A;").expect("can be written");
    let outcome = modeshift(&["parse", "no/such/file.mo", path.to_str().expect("UTF-8")]);
    assert_eq!(outcome.status, 2);
    assert!(outcome.stderr.contains("cannot read") && outcome.stderr.contains("error[E01"), "{}", outcome.stderr);
}

/// Whoever asked for JSON reads JSON, also where nothing could be looked at.
#[test]
fn a_library_that_is_not_there_is_told_as_json_too() {
    for command in ["check", "flatten", "analyze", "init", "changes", "simulate"] {
        let outcome = modeshift(&[command, "models/ClutchBasic.mo", "-L", "no/such/directory", "--format", "json"]);
        assert_eq!(outcome.status, 2, "{command}");
        let report = outcome.json();
        assert_eq!(report["ok"], false, "{command}");
        let message = report["diagnostics"][0]["message"].as_str().unwrap_or_default();
        assert!(message.contains("no/such/directory"), "{command}: {message}");
    }
}

#[test]
fn a_result_that_cannot_be_written_exits_with_2() {
    check_error(DECAY.as_bytes(), &["flatten", "-", "-o", "no/such/directory/x"], 2, "cannot write");
}

#[test]
fn a_result_goes_to_the_named_file_and_nowhere_else() {
    let path = temporary("flat.txt");
    let outcome = modeshift_reading(DECAY.as_bytes(), &["flatten", "-", "-o", path.to_str().expect("UTF-8")]);
    assert_eq!((outcome.status, outcome.stdout.as_str()), (0, ""));
    assert!(std::fs::read_to_string(path).expect("was written").starts_with("model Decay\n"));
}

#[test]
fn a_scenario_that_does_not_exist_is_refused() {
    let file = "models/ClutchBasic.mo";
    check_error(b"", &["init", file, "--at", "g=true", "--scenario", "s"], 2, "the model has no scenarios");
}

#[test]
fn whoever_stops_reading_does_no_harm() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_modeshift"))
        .args(["analyze", "models/BuildingCompressible.mel", "--set", "N=20", "--format", "json"])
        .current_dir(root())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program was built");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("ends");
    assert_eq!(
        (output.status.code(), output.stderr.len()),
        (Some(0), 0),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

#[test]
fn a_class_is_chosen_by_name_and_parameters_are_overridden() {
    let text = b"model A parameter Integer N = 1; Real x[N]; equation for i in 1:N loop x[i] = i; end for; end A; model B end B;";
    let outcome = modeshift_reading(text, &["check", "-", "-m", "A", "--set", "N=7"]);
    assert_eq!(outcome.stdout, "A: all well; 1 mode, regular; 7 guarded equations, 7 unknowns\n");
    assert!(modeshift_reading(text, &["check", "-"]).stdout.starts_with("B: "));
    check_error(text, &["check", "-", "-m", "C"], 1, "there is no class `C`");
}

#[test]
fn libraries_are_found_by_option_and_by_environment() {
    let directory = temporary("library");
    std::fs::create_dir_all(directory.join("Lib")).expect("can be made");
    std::fs::write(directory.join("Lib/package.mo"), "package Lib end Lib;").expect("can be written");
    std::fs::write(directory.join("Lib/Decay.mo"), format!("within Lib; {DECAY}")).expect("can be written");
    let path = directory.to_str().expect("UTF-8");
    let expected = "Lib.Decay: all well; 1 mode, regular; 1 guarded equation, 1 unknown\n";
    assert_eq!(modeshift(&["check", "-", "-m", "Lib.Decay", "-L", path]).stdout, expected);
    let output = Command::new(env!("CARGO_BIN_EXE_modeshift"))
        .args(["check", "-", "-m", "Lib.Decay"])
        .env("MODELICAPATH", path)
        .stdin(Stdio::null())
        .output()
        .expect("runs");
    assert_eq!(String::from_utf8_lossy(&output.stdout), expected);
}

#[test]
fn a_package_is_given_by_its_directory_or_by_any_of_its_files() {
    let directory = temporary("package");
    std::fs::create_dir_all(directory.join("Lib/Sub")).expect("can be made");
    let write = |name: &str, text: &str| std::fs::write(directory.join(name), text).expect("can be written");
    write("Lib/package.mo", "package Lib end Lib;");
    write("Lib/Decay.mo", &format!("within Lib; {DECAY}"));
    write("Lib/Sub/package.mo", "within Lib; package Sub model Twice Decay a; Decay b; end Twice; end Sub;");
    std::fs::create_dir_all(directory.join("elsewhere")).expect("can be made");
    let link = directory.join("elsewhere/package.mo");
    let _ = std::fs::remove_file(&link);
    std::os::unix::fs::symlink(directory.join("Lib/package.mo"), link).expect("can be made");
    let path = |name: &str| directory.join(name).to_str().expect("UTF-8").to_string();
    let files = ["Lib", "Lib/", "Lib/package.mo", "Lib/Decay.mo", "Lib/Sub", "Lib/Sub/package.mo"];
    for file in files.into_iter().chain(["elsewhere/package.mo"]) {
        let outcome = modeshift(&["check", &path(file), "-m", "Lib.Sub.Twice"]);
        let expected = "Lib.Sub.Twice: all well; 1 mode, regular; 2 guarded equations, 2 unknowns\n";
        assert_eq!((outcome.stdout.as_str(), outcome.stderr.as_str()), (expected, ""), "{file}");
    }
    assert_eq!(modeshift(&["parse", &path("Lib")]).stdout, "no syntax errors in 3 files\n");
    check_error(b"", &["check", &path("Lib")], 1, "such as `Lib.Decay`, `Lib.Sub.Twice`");
    check_error(b"", &["check", &path("")], 2, "it is a directory without a `package.mo`");
}

#[test]
fn timings_go_to_standard_error() {
    let outcome = modeshift_reading(DECAY.as_bytes(), &["analyze", "-", "--timings"]);
    assert_eq!(outcome.status, 0);
    for phase in ["parsing", "flattening", "finding modes", "analyzing", "total"] {
        assert!(outcome.stderr.contains(phase), "{}", outcome.stderr);
    }
}

#[test]
fn limits_end_with_what_was_being_computed() {
    let line = ["analyze", "models/FaultyCoaxial.mo", "--set", "N=2000"];
    check_error(
        b"",
        &[&line[..], &["--node-limit", "100"]].concat(),
        1,
        "the limit of 100 decision-diagram nodes was reached while",
    );
    let line = ["analyze", "models/FaultyCoaxial.mo", "--set", "N=100000"];
    check_error(b"", &[&line[..], &["--time-limit", "0.2"]].concat(), 1, "the time limit of 0.2 s was reached while");
}

#[test]
fn help_shows_examples_and_every_command() {
    let help = modeshift(&["--help"]);
    assert_eq!(help.status, 0);
    for word in [
        "Examples:",
        "parse",
        "flatten",
        "check",
        "analyze",
        "init",
        "changes",
        "simulate",
        "rimis",
        "semantics",
        "explain",
    ] {
        assert!(help.stdout.contains(word), "{word}");
    }
}

#[test]
fn a_file_that_is_missing_is_said_in_json_too() {
    for command in ["check", "flatten", "analyze", "init", "changes", "simulate", "semantics", "linearize"] {
        let outcome = modeshift(&[command, "no/such.mo", "--format", "json"]);
        assert_eq!(outcome.status, 2, "{command}: {}", outcome.stderr);
        let report = outcome.json();
        let diagnostic = &report["diagnostics"][0];
        assert_eq!((report["ok"].as_bool(), diagnostic["code"].as_str()), (Some(false), Some("E0001")), "{command}");
        assert!(diagnostic["message"].as_str().is_some_and(|it| it.contains("no/such.mo")), "{command}");
    }
}

#[test]
fn a_file_that_is_no_text_is_said_in_json_too() {
    let folder = temporary("no_text");
    std::fs::create_dir_all(&folder).expect("a directory");
    let file = folder.join("Bytes.mo");
    std::fs::write(&file, b"model M\n\xff\xfe end M;").expect("written");
    let empty = folder.join("empty");
    std::fs::create_dir_all(&empty).expect("a directory");
    for path in [&file, &empty] {
        let outcome = modeshift(&["check", &path.display().to_string(), "--format", "json"]);
        assert_eq!((outcome.status, outcome.json()["ok"].as_bool()), (2, Some(false)), "{}", outcome.stderr);
    }
}

/// Something that never writes must not let a command wait for ever.
#[cfg(unix)]
#[test]
fn a_pipe_without_a_writer_is_refused() {
    let pipe = temporary("pipe_without_a_writer.mo");
    let _ = std::fs::remove_file(&pipe);
    let made = Command::new("mkfifo").arg(&pipe).status().expect("`mkfifo` runs");
    assert!(made.success());
    check_error(b"", &["check", &pipe.display().to_string()], 2, "nothing writes into it");
}

/// Neither must something that never reads.
#[cfg(unix)]
#[test]
fn a_pipe_without_a_reader_is_refused() {
    let pipe = temporary("pipe_without_a_reader.csv");
    let _ = std::fs::remove_file(&pipe);
    let made = Command::new("mkfifo").arg(&pipe).status().expect("`mkfifo` runs");
    assert!(made.success());
    let (pipe, model) = (pipe.display().to_string(), b"model M Real x = time; end M;");
    check_error(model, &["simulate", "-", "-o", &pipe], 2, "nothing reads from it");
    check_error(model, &["flatten", "-", "-o", &pipe], 2, "nothing reads from it");
}

#[test]
fn a_panic_is_told_as_a_fault_of_the_program_in_whichever_thread() {
    for place in ["work", "thread"] {
        let output = Command::new(env!("CARGO_BIN_EXE_modeshift"))
            .args(["check", "-"])
            .env("MODESHIFT_PROVOKE_PANIC", place)
            .stdin(Stdio::null())
            .output()
            .expect("runs");
        assert_eq!(output.status.code(), Some(101), "{place}");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(said.contains("this is a bug in modeshift") && said.contains("please report it"), "{said}");
    }
}

#[test]
fn packages_and_their_files_are_found_through_links() {
    let directory = temporary("linked");
    let _ = std::fs::remove_dir_all(&directory);
    std::fs::create_dir_all(directory.join("real/Lib")).expect("can be made");
    std::fs::create_dir_all(directory.join("alone")).expect("can be made");
    std::fs::create_dir_all(directory.join("aside")).expect("can be made");
    let write = |name: &str, text: &str| std::fs::write(directory.join(name), text).expect("can be written");
    write("real/Lib/package.mo", "package Lib end Lib;");
    write("real/Lib/Decay.mo", &format!("within Lib; {DECAY}"));
    write("real/Lib/Twice.mo", "within Lib; model Twice Decay a; Decay b; end Twice;");
    let link = |to: &str, name: &str| std::os::unix::fs::symlink(to, directory.join(name)).expect("can be made");
    link("real/Lib", "link");
    link("../real/Lib/package.mo", "alone/package.mo");
    link("../real/Lib/Twice.mo", "aside/Twice.mo");
    for file in ["link", "link/package.mo", "link/Twice.mo", "alone/package.mo", "aside/Twice.mo"] {
        let path = directory.join(file).to_str().expect("UTF-8").to_string();
        let outcome = modeshift(&["check", &path, "-m", "Lib.Twice"]);
        let expected = "Lib.Twice: all well; 1 mode, regular; 2 guarded equations, 2 unknowns\n";
        assert_eq!((outcome.stdout.as_str(), outcome.stderr.as_str()), (expected, ""), "{file}");
    }
}
