//! Where a mode is a linear system, and where it is none.

use std::collections::BTreeMap;

use modeshift_diagnostics::Diagnostics;
use modeshift_numerics::NativeFunctions;
use modeshift_simulate::run::{Linearization, Linearize, RunModel, RunSettings, linearize};
use modeshift_structure::{Options, Regularized, regularize};
use modeshift_testkit::{NO_OVERRIDES, multimode_dae};

/// The model at its start, where states may have other values.
fn found(text: &str, states: &[(&str, f64)]) -> Result<Linearization, String> {
    let dae = multimode_dae(text, &NO_OVERRIDES).unwrap();
    let Regularized { dae, analysis, .. } = regularize(dae, &Options::default(), &|_| None).expect("no limit");
    let (natives, overrides) = (NativeFunctions::of(&dae.model), BTreeMap::new());
    let model = RunModel { dae: &dae, analysis: &analysis, natives: &natives, overrides: &overrides };
    let states = states.iter().map(|(name, value)| (name.to_string(), *value)).collect();
    let (wanted, mut said) = (Linearize { states, ..Linearize::default() }, Diagnostics::new());
    let found = linearize(&model, &RunSettings::of(&dae.model.experiment), &wanted, &mut said);
    found.ok_or_else(|| said.iter().map(|it| format!("{} {}", it.code, it.message)).collect())
}

fn model(slope: &str) -> String {
    format!(
        "model M
           function bent input Real x; output Real y; algorithm y := if x > 0 then 2*x else x; end bent;
           input Real u(start = 0);
           output Real y = {slope};
           Real x(start = 0, fixed = true), z(start = 1, fixed = true);
         equation
           der(x) = u - z;
           der(z) = -z;
         end M;"
    )
}

#[test]
fn corners_are_refused_where_they_are_and_nowhere_else() {
    let bent = [
        "abs(x)",
        "z*abs(x - u)",
        "max(u, 0)",
        "min(x, u)",
        "noEvent(if x > 0 then x else 2*x)",
        "noEvent(if u > 0 then 1 else 0)*u",
        "bent(x)",
        "z + abs(z - 1)",
    ];
    for slope in bent {
        let text = model(slope);
        let refused = found(&text, &[]).expect_err(slope);
        assert!(refused.contains("E0845") && refused.contains("corner"), "{slope}: {refused}");
    }
    for slope in ["abs(x)", "z*abs(x - u)", "min(x, u)", "noEvent(if x > 0 then x else 2*x)", "bent(x)"] {
        for x in [0.5, -0.5, 1e-3] {
            found(&model(slope), &[("x", x)]).unwrap_or_else(|said| panic!("{slope} at {x}: {said}"));
        }
    }
}

#[test]
fn where_both_sides_have_the_same_derivatives_there_is_no_corner() {
    let smooth = [
        ("smooth(1, noEvent(if x >= 0 then x^2 else -x^2))", 0.0),
        ("x*abs(x)", 0.0),
        ("noEvent(if x > 0 then 3*x + x^2 else 3*x)", 3.0),
        ("abs(x + 1e-3)", 1.0),
        ("abs(time) + 2*x", 2.0),
        ("max(0, -1)*x + x", 1.0),
    ];
    for (slope, expected) in smooth {
        let found = found(&model(slope), &[]).unwrap_or_else(|said| panic!("{slope}: {said}"));
        assert!((found.c[0][0] - expected).abs() < 1e-9, "{slope}: {:?}", found.c);
    }
}

#[test]
fn delays_are_no_linear_system() {
    let text =
        "model M input Real u(start = 0); Real x(start = 1, fixed = true); equation der(x) = u - delay(x, 0.1); end M;";
    let refused = found(text, &[]).expect_err("the past counts");
    assert!(refused.contains("E0845") && refused.contains("delay"), "{refused}");
}
