//! `sweep`: many runs from the command line.

use std::path::{Path, PathBuf};

use crate::support::modeshift;

const MODEL: &str = "model Decay parameter Real k = 1; Real x(start = 1, fixed = true); equation der(x) = -k*x;
  assert(k < 5, \"too fast\"); end Decay;";

/// A directory of its own with a model and a plan.
struct Place(PathBuf);

impl Place {
    fn new(name: &str, plan: &str) -> Self {
        let directory = std::env::temp_dir().join(format!("modeshift_sweep_{name}_{}", std::process::id()));
        std::fs::create_dir_all(&directory).expect("a directory");
        std::fs::write(directory.join("Decay.mo"), MODEL).expect("a file");
        std::fs::write(directory.join("plan.toml"), plan).expect("a file");
        Place(directory)
    }

    fn path(&self, name: &str) -> String {
        self.0.join(name).display().to_string()
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[test]
fn a_sweep_has_one_row_per_run_and_goes_on_after_a_failure() {
    let place = Place::new("rows", "model = \"Decay.mo\"\nstop = 1\n[vary]\nk = [1, 9, 2]\n");
    let outcome = modeshift(&["sweep", &place.path("plan.toml"), "-o", &place.path("r.csv"), "-j", "2"]);
    assert_eq!(outcome.status, 1, "{}", outcome.stderr);
    assert!(outcome.stderr.contains("3 runs, 1 without success"), "{}", outcome.stderr);
    assert!(outcome.stderr.contains("too fast"), "{}", outcome.stderr);
    let text = std::fs::read_to_string(place.path("r.csv")).expect("a table");
    let rows: Vec<&str> = text.lines().filter(|line| line.starts_with(|it: char| it.is_ascii_digit())).collect();
    assert!(rows[0].starts_with("0,1,stop,1,0,0.3678") && rows[1].starts_with("1,9,failed"), "{text}");
    assert!(!Path::new(&place.path("r.journal.csv")).exists());
}

#[test]
fn the_number_of_threads_does_not_show_in_the_tables() {
    let plan =
        "model = \"Decay.mo\"\ndesign = \"latin\"\nsamples = 20\nsignals = [\"x\"]\n[vary]\nk = { from = 1, to = 4 }\n";
    let place = Place::new("threads", plan);
    let table = |jobs: &str| {
        let outcome = modeshift(&["sweep", &place.path("plan.toml"), "-o", &place.path("r.parquet"), "-j", jobs]);
        assert_eq!(outcome.status, 0, "{}", outcome.stderr);
        ["r.parquet", "r.signals.parquet"].map(|name| std::fs::read(place.path(name)).expect("a table"))
    };
    assert_eq!(table("1"), table("4"));
}

#[test]
fn a_sweep_does_not_write_over_its_plan() {
    let place = Place::new("plan", "");
    let plan = place.path("plan.csv");
    std::fs::write(&plan, "k\n1\n2\n").expect("a file");
    let outcome = modeshift(&["sweep", &plan, &place.path("Decay.mo"), "-o", &plan]);
    assert_eq!(outcome.status, 2, "{}", outcome.stderr);
    assert!(outcome.stderr.contains("it was read"), "{}", outcome.stderr);
    assert_eq!(std::fs::read_to_string(&plan).expect("it is there"), "k\n1\n2\n");
}

#[test]
fn a_sweep_that_another_one_makes_is_refused() {
    let place = Place::new("twice", "model = \"Decay.mo\"\nstop = 1\n[vary]\nk = [1, 2]\n");
    let journal = std::fs::File::create(place.path("r.journal.csv")).expect("a file");
    journal.lock().expect("it is ours");
    let outcome = modeshift(&["sweep", &place.path("plan.toml"), "-o", &place.path("r.csv")]);
    assert_eq!(outcome.status, 2, "{}", outcome.stderr);
    assert!(outcome.stderr.contains("being written by another sweep"), "{}", outcome.stderr);
}

#[test]
fn what_another_sweep_has_left_is_not_taken_for_its_own() {
    let place = Place::new("left", "model = \"Decay.mo\"\n[vary]\nk = [1]\n");
    let journal = [&b"modeshift sweep 2\n"[..], &[7; 8]].concat();
    std::fs::write(place.path("r.journal.csv"), journal).expect("a file");
    let arguments = ["sweep", &place.path("plan.toml"), "-o", &place.path("r.csv")];
    let outcome = modeshift(&arguments);
    assert_eq!(outcome.status, 2);
    assert!(outcome.stderr.contains("another sweep"), "{}", outcome.stderr);
    assert_eq!(modeshift(&[&arguments[..], &["--restart"]].concat()).status, 0);
}

#[test]
fn wrong_plans_are_usage_errors_and_wrong_names_are_the_models() {
    let place = Place::new("wrong", "model = \"Decay.mo\"\nruns = 3\n");
    let sweep = || modeshift(&["sweep", &place.path("plan.toml"), "-o", &place.path("r.csv")]);
    let outcome = sweep();
    assert_eq!(outcome.status, 2);
    assert!(outcome.stderr.contains("line 2: `runs` is not known"), "{}", outcome.stderr);
    std::fs::write(place.path("plan.toml"), "model = \"Decay.mo\"\n[vary]\nq = [1]\n").expect("a file");
    let outcome = sweep();
    assert_eq!(outcome.status, 1);
    assert!(outcome.stderr.contains('q'), "{}", outcome.stderr);
    std::fs::write(place.path("plan.toml"), "[vary]\nk = [1]\n").expect("a file");
    let outcome = sweep();
    assert_eq!(outcome.status, 2);
    assert!(outcome.stderr.contains("which model?"), "{}", outcome.stderr);
}

#[test]
fn an_fmu_needs_the_engines_library_and_says_how_to_get_it() {
    let place = Place::new("fmu", "");
    let outcome = modeshift(&["fmu", &place.path("Decay.mo"), "-o", &place.path("d.fmu")]);
    if outcome.status == 0 {
        eprintln!("skipped: the library is there");
        return;
    }
    assert_eq!(outcome.status, 2);
    assert!(outcome.stderr.contains("MODESHIFT_FMI_LIBRARY"), "{}", outcome.stderr);
}

#[test]
fn a_sweep_does_not_go_on_with_another_version_of_a_library() {
    let place = Place::new(
        "versions",
        "model = \"Uses.mo\"\nlibraries = [\".\"]\nstop = 1\nevents = true\n[vary]\nk = [1, 2]\n",
    );
    let write = |name: &str, text: &str| std::fs::write(place.0.join(name), text).expect("a file");
    std::fs::create_dir_all(place.0.join("P")).expect("a directory");
    write("P/package.mo", "package P end P;");
    let part = |slope: &str| {
        let text = format!(
            "within P; model Part parameter Real k = 1; Real x(start = 1, fixed = true); equation der(x) = {slope}*k; end Part;"
        );
        write("P/Part.mo", &text);
    };
    part("1");
    write("Uses.mo", "model Uses extends P.Part; end Uses;");
    // The runs are made, and their tables cannot be written.
    std::fs::create_dir_all(place.0.join("r.events.csv")).expect("a directory");
    let sweep = |more: &[&str]| {
        let (plan, table) = (place.path("plan.toml"), place.path("r.csv"));
        modeshift(&[&["sweep", &plan, "-o", &table], more].concat())
    };
    let outcome = sweep(&[]);
    assert_eq!(outcome.status, 2, "{}", outcome.stderr);
    std::fs::remove_dir_all(place.0.join("r.events.csv")).expect("the directory goes");
    part("5");
    let outcome = sweep(&[]);
    assert_eq!(outcome.status, 2, "{}", outcome.stderr);
    assert!(
        outcome.stderr.contains("Part.mo` has changed") && outcome.stderr.contains("--restart"),
        "{}",
        outcome.stderr
    );
    part("1");
    let outcome = sweep(&[]);
    assert!(outcome.status == 0 && outcome.stderr.contains("2 of 2 runs are there"), "{}", outcome.stderr);
}
