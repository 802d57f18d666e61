//! Models of what happens at events, each against a reference that knows nothing of this program.
//!
//! `models/KIND.json` says what must come out of `models/KIND/NAME.mo`: closed forms and event-exact runs, computed by
//! `tools/references`. A run is right if every value is within ten tolerances of the variable's largest value (not
//! below 1e-12), times the model's own amplification of a perturbed start.
//!
//! | file | what it does |
//! |---|---|
//! | `reference` | reads what must come out |
//! | `runner` | runs the program and judges its table |
//! | `variants` | the same model in other units, in another order, beside a copy of itself |
//! | `visited` | runs enter only modes that `analyze` calls regular or harmless |
//! | `not_yet` | models that are known to fail, with the symptom |
//! | `networks/` | random networks of ideal parts against time-stepping |
//! | `programs/` | random programs of clauses against an interpreter |
//!
//! `INSTANT=NAME cargo test -p modeshift-cli --test suite instant` runs the models whose names contain NAME;
//! `-- --ignored` adds all solvers, tolerances and variants.

mod networks;
mod not_yet;
mod programs;
mod reference;
mod runner;
mod variants;
mod visited;

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use not_yet::NOT_YET;
use reference::{Reference, of_kind};
use runner::{LITTLE_PATIENCE, PATIENCE, Settings, judge};
use variants::{TIMES_AND_SIZES, Variant};

/// How many runs are under way at a time.
const AT_ONCE: usize = 3;

/// Runs every case on some threads; what was said of each, in order.
fn of_all<Case: Sync>(cases: &[Case], run: impl Fn(&Case) -> Option<String> + Sync) -> Vec<String> {
    let (next, said) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(|| {
                while let Some(case) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let line = run(case);
                    said.lock().expect("no thread panics while it writes").extend(line);
                }
            });
        }
    });
    let mut said = said.into_inner().expect("no thread panics while it writes");
    said.sort();
    said
}

/// What is wrong with a model at the default settings, compared with what is known to be.
fn surprise(reference: &Reference) -> Option<String> {
    let known = NOT_YET.iter().find(|(name, _)| *name == reference.path());
    let patience = if known.is_some() { LITTLE_PATIENCE } else { PATIENCE };
    let settings = Settings { patience, ..Settings::of(reference) };
    match (judge(reference, &settings, &Variant::Plain), known) {
        (Ok(_), None) | (Err(_), Some(_)) => None,
        (Ok(_), Some((name, symptom))) => Some(format!("{name} is right now: take it out of the table ({symptom})")),
        (Err(wrong), None) => Some(format!("{}: {wrong}", reference.path())),
    }
}

/// Every model of a kind, once.
fn check_kind(kind: &str) {
    let surprises = of_all(&of_kind(kind), surprise);
    assert!(surprises.is_empty(), "{} surprises:\n{}", surprises.len(), surprises.join("\n"));
}

#[test]
fn power_electronics_commutate_as_their_networks_do() {
    check_kind("power");
}

#[test]
fn mechanics_collide_stick_and_slip_as_they_should() {
    check_kind("mechanics");
}

#[test]
fn tanks_fill_and_run_dry_as_they_should() {
    check_kind("hydraulics");
}

#[test]
fn controllers_switch_when_they_should() {
    check_kind("control");
}

#[test]
fn what_is_put_together_shares_charge_flux_and_momentum() {
    check_kind("impulses");
}

#[test]
fn clauses_mean_what_the_language_says() {
    check_kind("discrete");
}

#[test]
fn expectations_hold() {
    check_kind("expectations");
}

#[test]
fn all_that_is_known_to_fail_exists() {
    let all: Vec<String> = reference::all().iter().map(Reference::path).collect();
    let unknown: Vec<_> = NOT_YET.iter().filter(|(name, _)| !all.iter().any(|it| it == name)).collect();
    assert!(unknown.is_empty(), "not models of these tests: {unknown:?}");
}

/// Runs all models that are right by default in all of these ways; without settings, with those of the model.
fn check_variants(settings: &[Settings], variants: &[Variant]) {
    let models: Vec<Reference> = reference::all().into_iter().filter(|it| !is_known_to_fail(it)).collect();
    let cases: Vec<_> = models.iter().flat_map(|model| ways(model, settings, variants)).collect();
    let wrong = of_all(&cases, |(model, how, variant)| {
        let wrong = judge(model, how, variant).err()?;
        Some(format!("{} {} {:e} {variant:?}: {wrong}", model.path(), how.solver, how.tolerance))
    });
    assert!(wrong.is_empty(), "{} of {} are wrong:\n{}", wrong.len(), cases.len(), wrong.join("\n"));
}

/// The ways that suit a model.
fn ways<'a>(
    model: &'a Reference,
    settings: &[Settings],
    variants: &[Variant],
) -> Vec<(&'a Reference, Settings, Variant)> {
    let settings = if settings.is_empty() { vec![Settings::of(model)] } else { settings.to_vec() };
    let settings = settings.into_iter().filter(|how| !(model.is_stiff && how.solver == "explicit"));
    let variants: Vec<&Variant> = variants.iter().filter(|variant| variant.suits(model)).collect();
    settings.flat_map(|how| variants.iter().map(move |&variant| (model, how.clone(), variant.clone()))).collect()
}

fn is_known_to_fail(reference: &Reference) -> bool {
    NOT_YET.iter().any(|(name, _)| *name == reference.path())
}

#[test]
#[ignore = "twelve runs of every model; cargo test --release -p modeshift-cli --test suite instant -- --ignored"]
fn every_solver_is_right_at_every_tolerance() {
    let tolerances = [1e-4, 1e-6, 1e-8, 1e-10];
    let all = ["bdf", "esdirk", "explicit"].map(|solver| tolerances.map(|tolerance| Settings::new(solver, tolerance)));
    check_variants(&all.concat(), &[Variant::Plain]);
}

#[test]
#[ignore = "six runs of every model; cargo test --release -p modeshift-cli --test suite instant -- --ignored"]
fn other_units_give_the_same_run() {
    check_variants(&[], &TIMES_AND_SIZES);
}

#[test]
#[ignore = "long runs of every model; cargo test --release -p modeshift-cli --test suite instant -- --ignored"]
fn the_stop_time_changes_nothing_before_it() {
    check_variants(&[], &[Variant::Stop(10.0), Variant::Stop(1000.0)]);
}

#[test]
#[ignore = "five runs of every model; cargo test --release -p modeshift-cli --test suite instant -- --ignored"]
fn order_outputs_and_neighbours_change_nothing() {
    let variants = [Variant::Interval(0.1), Variant::Interval(10.0), Variant::Shuffled(1), Variant::Shuffled(2)];
    check_variants(&[], &variants);
    check_variants(&[], &[Variant::Neighbour]);
}
