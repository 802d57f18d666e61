//! Mode changes of the models of the papers, all pairs at once, in words.

use crate::all_changes::{AllChanges, guard_zeros};
use crate::one_change::{Noise, Past, TransientStructure, WhenLaws, has_new_form, restart};
use crate::one_mode::{Jet, ModeEquations};
use crate::report::Verdict;
use crate::suite::support;
use modeshift_dae::{EquationId, Mode, ModeVariableId, MultimodeDae, VariableId};
use modeshift_modes::ModeSet;
use modeshift_numerics::{Input, NativeFunctions};
use modeshift_structure::one_mode::{Column, ModeStructure};
use modeshift_structure::{Options, analyze};
use modeshift_testkit::multimode_dae;
use support::one_pair::{AllPairs, Counts, all_modes};

fn model(text: &str, overrides: &[(&str, String)]) -> MultimodeDae {
    multimode_dae(text, overrides).unwrap_or_else(|diagnostics| panic!("{diagnostics:#?}"))
}

fn check_changes(text: &str, expected: &str) {
    let dae = model(text, &[]);
    let analysis = analyze(&dae, &Options::default()).expect("no limit was set");
    let changes = AllChanges::new(&dae, &analysis, &Options::default()).expect("no limit was set");
    let reports = changes.reports(&dae, ModeSet::ALL, 64, false).expect("no limit was set").expect("few kinds");
    let found: String = reports.iter().map(|report| report.to_string()).collect();
    let plain = |text: &str| text.lines().map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n");
    assert_eq!(plain(&found), plain(expected), "\n{found}");
}

#[test]
fn the_clutch_engages_with_a_dirac_torque_and_releases_continuously() {
    check_changes(
        include_str!("../../../models/ClutchBasic.mo"),
        "
        pre(g) and not g: determined
          jump: f1, f2
          continuous: w1, w2
        not pre(g) and g: determined
          erased: e3
          impulse orders: [[f1]] = [[f2]] = 1
          jump: w1, w2
          level 1: e1 e2 e3 e4 -> w1 w2 f1 f2
            w1 = (j1*pre(w1) + j2*pre(w2))/(j2 + j1)
            w2 = (j1*pre(w1) + j2*pre(w2))/(j2 + j1)
            weight of f1 = j1/(j2 + j1)*(j1*pre(w1) + j2*pre(w2)) - j1*pre(w1)
            weight of f2 = j2/(j2 + j1)*(j1*pre(w1) + j2*pre(w2)) - j2*pre(w2)",
    );
}

#[test]
fn the_rope_erases_its_constraint_and_its_derivative_and_keeps_positions() {
    check_changes(
        include_str!("../../../models/CupAndBall.mo"),
        "
        pre(gamma) and not gamma: determined
          jump: lambda, s
          continuous: u, v
        not pre(gamma) and gamma: determined
          erased: k1, k1'
          impulse orders: [[lambda]] = [[s]] = 1
          jump: u, v
          continuous: x, y
          level 1: ex ey e1 e2 k1' -> x' y' u v lambda
            x' = pre(u) - pre(x)/(2*pre(x)*pre(x) + 2*pre(y)*pre(y))*(2*pre(x)*pre(u) + 2*pre(y)*pre(v))
            y' = pre(v) - pre(y)/(2*pre(x)*pre(x) + 2*pre(y)*pre(y))*(2*pre(x)*pre(u) + 2*pre(y)*pre(v))
            u = pre(u) - pre(x)/(2*pre(x)*pre(x) + 2*pre(y)*pre(y))*(2*pre(x)*pre(u) + 2*pre(y)*pre(v))
            v = pre(v) - pre(y)/(2*pre(x)*pre(x) + 2*pre(y)*pre(y))*(2*pre(x)*pre(u) + 2*pre(y)*pre(v))
            weight of lambda = (2*pre(x)*pre(u) + 2*pre(y)*pre(v))/(2*pre(x)*pre(x) + 2*pre(y)*pre(y))
          level 1: k2 -> s
            weight of s = -(2*pre(x)*pre(u) + 2*pre(y)*pre(v))/(2*pre(x)*pre(x) + 2*pre(y)*pre(y))",
    );
}

#[test]
fn a_new_constraint_gives_way_to_what_held_before_also_where_that_is_a_derivative() {
    // x' is remembered, y' is not: the derivative of a says what it was, and c contradicts it.
    check_changes(
        "model M Real x; Real y; Real z; Boolean g = time > 1;
         equation
           /* a: */ x + y = 1;
           if g then /* c: */ der(x) + 2*der(y) = 3; else /* b: */ y = sin(time); end if;
           /* d: */ der(der(x)) + z = 5;
         end M;",
        "
        pre(g) and not g: determined
          erased: b, b'
          impulse orders: [[z]] = 2
          jump: x, y
          level 2: b -> y
          level 2: a -> x
          level 2: d -> z
          level 1: b' -> y'
          level 1: a' -> x'
          level 1: d -> z
        not pre(g) and g: determined
          erased: c
          impulse orders: [[z]] = 1
          continuous: x, y
          level 1: a' c -> x' y'
            x' = -3
            y' = 3
          level 1: d -> z
            weight of z = 3 + pre(der(x))",
    );
}

#[test]
fn a_constraint_between_values_that_are_kept_is_erased() {
    // Neither is a state before, and c determines only one of them: both keep their values, which c contradicts.
    check_changes(
        "model M Real x; Real y; Boolean g = time > 1;
         equation
           if g then /* a: */ der(x) + 2*der(y) = 1; else /* b: */ x = sin(time); end if;
           if g then /* c: */ 3*x + 4*y = 5; else /* d: */ y = cos(time); end if;
         end M;",
        "
        pre(g) and not g: determined
          jump: x, y
        not pre(g) and g: determined
          erased: c
          jump: x, y
          level 1: a c -> x y
            x = pre(x) + 2*pre(y) + (5 - 3*(pre(x) + 2*pre(y)))
            y = -(5 - 3*(pre(x) + 2*pre(y)))/2",
    );
}

#[test]
fn powers_of_impulses_have_fractional_orders_and_exponentials_infinite_ones() {
    check_changes(
        "model Powers
           Real w1, w2, f, x, y, z;
           Boolean g;
         equation
           g = (time >= 1);
           der(w1) = f;
           der(w2) = -f;
           if g then w1 = w2; else f = 0; end if;
           x^2 = f;
           y = x + 1;
           z = exp(f);
         end Powers;",
        "
        pre(g) and not g: determined
          jump: f, x, y, z
          continuous: w1, w2
        not pre(g) and g: determined
          erased: e3
          impulse orders: [[f]] = 1, [[x]] = [[y]] = 1/2, [[z]] = inf
          jump: w1, w2
          warning: in e5, x is impulsive (order 1/2) inside a nonlinear function
          warning: in e7, f is impulsive (order 1) inside a nonlinear function
          level 1: e1 e2 e3 -> w1 w2 f
            w1 = pre(w1) + 0.5*(pre(w2) - pre(w1))
            w2 = pre(w2) - 0.5*(pre(w2) - pre(w1))
            weight of f = (pre(w2) - pre(w1))/2",
    );
}

#[test]
fn when_clauses_that_have_nothing_to_do_with_each_other_are_no_cycle() {
    // Each looks at a speed that only its own law lets jump; both may fire in one instant.
    let dae = model(
        "model Two
           Real v1, v2, a1, a2;
           Boolean b1, b2;
         equation
           b1 = (v1 < -5);
           b2 = (v2 < -6);
           der(v1) = a1;
           der(v2) = a2;
           0 = if b1 then a1 + v1 else a1 + 1;
           0 = if b2 then a2 + v2 else a2 + 1;
           when b1 then reinit(v1, -pre(v1)); end when;
           when b2 then reinit(v2, -pre(v2)); end when;
         end Two;",
        &[],
    );
    let analysis = analyze(&dae, &Options::default()).expect("no limit was set");
    let changes = AllChanges::new(&dae, &analysis, &Options::default()).expect("no limit was set");
    assert_eq!(changes.firings.len(), 2);
    let reports = changes.reports(&dae, ModeSet::ALL, 64, false).expect("no limit was set").expect("few kinds");
    for report in reports {
        assert_eq!(report.verdict, Verdict::Determined, "{report}");
    }
}

/// Compares all pairs of modes of a model with one after the other.
fn check_all_pairs(name: &str, dae: &MultimodeDae, counts: &mut Counts) {
    let analysis = analyze(dae, &Options::default()).expect("no limit was set");
    let changes = AllChanges::new(dae, &analysis, &Options::default()).expect("no limit was set");
    assert!(changes.firings.is_empty(), "{name} has restart laws");
    let all = AllPairs::new(&changes.pairs, &analysis, &changes.is_new, &changes.memory, &changes.defects);
    let zeros = guard_zeros(dae);
    let has_start = |variable: VariableId| dae.model.variables[variable].start.is_some();
    let modes: Vec<Mode> = all_modes(dae.mode_variables.len()).collect();
    for (before, after) in modes.iter().flat_map(|before| modes.iter().map(move |after| (before, after))) {
        let is_new = |equation: EquationId| {
            let guard = analysis.incidence.equations()[equation].guard;
            !analysis.space.evaluate(guard, |variable| before[ModeVariableId(variable.0)])
                || has_new_form(&dae.model, equation, before, after, &|_| false)
        };
        let is_satisfied = |equation: EquationId, order: u32| {
            let own = zeros.iter().filter(|zero| zero.equation == equation && order == 0);
            own.into_iter().any(|zero| before[zero.mode] != zero.becomes && after[zero.mode] == zero.becomes)
        };
        all.check((before, after), &is_new, &has_start, &is_satisfied, counts, name);
    }
}

#[test]
fn all_pairs_of_the_papers_models_at_once_agree_with_one_after_the_other() {
    let mut counts = Counts::default();
    for (name, text, size) in [
        ("BreakingCapacitor", include_str!("../../../models/BreakingCapacitor.mo"), None),
        ("BreakingInductor", include_str!("../../../models/BreakingInductor.mo"), None),
        ("BreakingShaft", include_str!("../../../models/BreakingShaft.mo"), None),
        ("ClutchBasic", include_str!("../../../models/ClutchBasic.mo"), None),
        ("ClutchChain", include_str!("../../../models/ClutchChain.mo"), Some(6)),
        ("CupAndBall", include_str!("../../../models/CupAndBall.mo"), None),
        ("DiodeCapacitor", include_str!("../../../models/DiodeCapacitor.mo"), None),
        ("DiodeInductor", include_str!("../../../models/DiodeInductor.mo"), None),
        ("FaultyCoaxial", include_str!("../../../models/FaultyCoaxial.mo"), Some(3)),
        ("variable dimension", include_str!("../../../models/FaultyCoaxialVariableDimension.mo"), Some(3)),
        ("RLDC2", include_str!("../../../models/RLDC2.mo"), None),
        ("RLDC2Printed", include_str!("../../../models/RLDC2Printed.mo"), None),
        ("TransmissionTree", include_str!("../../../models/TransmissionTree.mo"), Some(3)),
        ("TwoEquations", include_str!("../../../models/TwoEquations.mo"), None),
        ("WaterTank", include_str!("../../../models/WaterTank.mo"), None),
    ] {
        let size: Vec<(&str, String)> = size.iter().map(|size: &u32| ("N", size.to_string())).collect();
        check_all_pairs(name, &model(text, &size), &mut counts);
    }
    println!("{counts:?}");
    assert!(counts.pairs > 1_000 && counts.erased > 100 && counts.jumps > 1_000 && counts.impulses > 100, "{counts:?}");
}

/// Parameters and constants by their literal bindings, mode variables all true.
fn constants(dae: &MultimodeDae, input: Input) -> Option<f64> {
    match input {
        Input::Variable(variable, 0) | Input::LeftVariable(variable, 0) => {
            dae.model.expressions.literal(dae.model.variables[variable].binding?)
        }
        Input::Mode(_) => Some(1.0),
        _ => None,
    }
}

#[test]
fn the_elastic_rope_of_the_paper_takes_its_impact_law_from_the_when() {
    // E22 §8.4 with α = 0.8: the vertical velocity is reversed, the impulse acts along the rope.
    let dae = model(include_str!("../../../models/CupAndBallElastic.mo"), &[]);
    let analysis = analyze(&dae, &Options::default()).expect("no limit was set");
    let structure = ModeStructure::of_signature(&analysis.signature(|_| true)).expect("a regular mode");
    let natives = NativeFunctions::default();
    let actions = &dae.model.when_clauses[0].branches[0].actions;
    let laws =
        WhenLaws::new(&dae.model, &natives, &structure, actions, |input| constants(&dae, input)).expect("numbers");
    let equations = ModeEquations::new(&dae.model, &natives, &structure, |input| constants(&dae, input));
    let row_named = |name: &str| {
        structure.rows().find(|&row| &*dae.model.equations[structure.equation(row)].name == name).expect("a row")
    };
    let column_named = |name: &str| {
        let named = |&column: &Column| &*dae.model.variables[structure.variable(column)].name == name;
        structure.columns().find(named).expect("a column")
    };
    let instantaneous = structure.rows().map(|row| row == row_named("k1")).collect();
    let without = TransientStructure::new(&structure, &instantaneous, &[]);
    assert!(!without.undetermined(&structure).is_empty(), "an impact law is missing");
    let transient = laws.levels(&structure, &instantaneous);
    assert!(transient.undetermined(&structure).is_empty());
    let (x, y, u, v) = (0.6, -0.8, 0.8, -4.0);
    let mut left = Jet::unknown(0.0, structure.size());
    for (name, values) in
        [("x", vec![x, u]), ("y", vec![y, v]), ("u", vec![u]), ("v", vec![v]), ("lambda", vec![0.0]), ("s", vec![0.0])]
    {
        values.iter().enumerate().for_each(|(order, &value)| left.set(column_named(name), order as u32, value));
    }
    let result = transient.restart(&structure, &equations, &laws, &left).expect("a restart");
    let right = |name: &str| result.right.get(column_named(name), 0);
    assert!((right("v") - 3.2).abs() < 1e-12 && (right("u") - (u - 1.8 * v / y * x)).abs() < 1e-12);
    assert_eq!((right("x"), right("y")), (x, y));
}

#[test]
fn a_chain_of_a_thousand_engaged_clutches_restarts_at_its_mean_speed() {
    // All clutches engage at once: one block of all speeds and torques, solved sparsely.
    let count = 1000;
    let dae = model(include_str!("../../../models/ClutchChain.mo"), &[("N", count.to_string())]);
    let analysis = analyze(&dae, &Options::default()).expect("no limit was set");
    let natives = NativeFunctions::default();
    let structure =
        |engaged: bool| ModeStructure::of_signature(&analysis.signature(|_| engaged)).expect("a regular mode");
    let (free, rigid) = (structure(false), structure(true));
    let mut left = Jet::unknown(0.0, free.size());
    let is_speed = |structure: &ModeStructure, column: Column| structure.variable_offset(column) == 1;
    for (k, column) in free.columns().filter(|&column| is_speed(&free, column)).enumerate() {
        left.set(column, 0, (k + 1) as f64);
        left.set(column, 1, 0.0);
    }
    for column in free.columns().filter(|&column| !is_speed(&free, column)) {
        left.set(column, 0, 0.0);
    }
    let [all_free, all_rigid] = [false, true].map(|engaged| Mode::from_fn(dae.mode_variables.len(), |_| engaged));
    let new_form = |equation| has_new_form(&dae.model, equation, &all_free, &all_rigid, &|_| false);
    let past = Past::between(&free, &left, &rigid, new_form, |_| None);
    let equations = ModeEquations::new(&dae.model, &natives, &rigid, |input| constants(&dae, input));
    let result = restart(&rigid, &equations, &past, &Noise::default());
    assert!(result.is_determined(), "{:?}", result.notes);
    assert_eq!(result.memory.erased.len(), count - 1);
    let mean = (count + 1) as f64 / 2.0;
    for column in rigid.columns().filter(|&column| is_speed(&rigid, column)) {
        assert!((result.right.get(column, 0) - mean).abs() < 1e-9 * mean);
    }
}

/// `cargo test --release -p modeshift-mode-changes --test models -- --ignored --nocapture`
#[test]
#[ignore = "a measurement"]
fn all_changes_of_long_chains_take_near_linear_time() {
    let chains = [
        ("clutch chain", include_str!("../../../models/ClutchChain.mo")),
        ("transmission line", include_str!("../../../models/FaultyCoaxial.mo")),
    ];
    for (name, text) in chains {
        for size in [1000, 3000, 10_000] {
            let dae = model(text, &[("N", size.to_string())]);
            let start = std::time::Instant::now();
            let analysis = analyze(&dae, &Options::default()).expect("no limit was set");
            let analyzed = start.elapsed();
            let changes = AllChanges::new(&dae, &analysis, &Options::default()).expect("no limit was set");
            let erased = changes.memory.erased.len();
            let nodes = changes.pairs.space.node_count();
            let took = start.elapsed() - analyzed;
            println!("{name} N = {size}: modes {analyzed:.2?}, changes {took:.2?}, {erased} erased, {nodes} nodes");
        }
    }
}

/// `cargo test --release -p modeshift-mode-changes --test models -- --ignored --nocapture`
#[test]
#[ignore = "a measurement"]
fn one_clutch_of_many_engages_in_time_linear_in_the_model() {
    for count in [1000, 10_000] {
        let dae = model(include_str!("../../../models/ClutchChain.mo"), &[("N", count.to_string())]);
        let analysis = analyze(&dae, &Options::default()).expect("no limit was set");
        let natives = NativeFunctions::default();
        let middle = ModeVariableId(count / 2);
        let before = Mode::all_false(dae.mode_variables.len());
        let after = before.with(middle, true);
        let structure =
            |mode: &Mode| ModeStructure::of_signature(&analysis.signature(|id| mode[id])).expect("a regular mode");
        let start = std::time::Instant::now();
        let (free, rigid) = (structure(&before), structure(&after));
        let structured = start.elapsed();
        let mut left = Jet::unknown(0.0, free.size());
        for (k, column) in free.columns().enumerate() {
            (0..=free.variable_offset(column)).for_each(|order| left.set(column, order, (k % 7) as f64));
        }
        let new_form = |equation| has_new_form(&dae.model, equation, &before, &after, &|_| false);
        let past = Past::between(&free, &left, &rigid, new_form, |_| None);
        let modes = |input: Input| match input {
            Input::Mode(mode) => Some(f64::from(u8::from(mode == middle))),
            other => constants(&dae, other),
        };
        let equations = ModeEquations::new(&dae.model, &natives, &rigid, modes);
        let start = std::time::Instant::now();
        let result = restart(&rigid, &equations, &past, &Noise::default());
        let took = start.elapsed();
        let jumped = rigid.columns().filter(|&c| result.right.get(c, 0) != past.jet.get(c, 0)).count();
        println!("N = {count}: two structures {structured:.2?}, restart {took:.2?}, {jumped} values changed");
        assert!(result.is_determined() && jumped <= 3, "{jumped}");
    }
}
