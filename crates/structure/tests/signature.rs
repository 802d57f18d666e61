//! Two readings of a model agree: that of all modes, restricted to a mode, and that of the mode alone.

use modeshift_dae::{Id, ModeVariableId, MultimodeDae};
use modeshift_structure::one_mode::{Signature, signature_in};
use modeshift_structure::{Options, analyze};
use modeshift_testkit::{NO_OVERRIDES, multimode_dae_of_mel};

fn model(text: &str) -> MultimodeDae {
    let dae = multimode_dae_of_mel("Test", text, &NO_OVERRIDES);
    dae.unwrap_or_else(|diagnostics| panic!("{diagnostics:#?}"))
}

fn rows(signature: &Signature) -> Vec<Vec<(u32, u32)>> {
    (0..signature.equation_count() as u32).map(|row| signature.entries(row).to_vec()).collect()
}

/// Compares in every mode, valid or not: without invariants they are all valid.
fn check_all_modes(text: &str) {
    let dae = model(text);
    let analysis = analyze(&dae, &Options::default()).expect("no limit");
    let count = dae.mode_variables.len();
    for mode in 0..1u32 << count {
        let value = |variable: ModeVariableId| mode >> variable.index() & 1 == 1;
        let (all, one) = (analysis.signature(value), signature_in(&dae, value));
        assert_eq!((&all.equations, &all.variables), (&one.equations, &one.variables), "mode {mode:b}");
        assert_eq!(rows(&all.signature), rows(&one.signature), "mode {mode:b}");
    }
}

#[test]
fn guards_conditions_and_orders_are_read_alike() {
    check_all_modes(
        "a : boolean; b : boolean; c : boolean;
         x : real; y : real; if a | !b then z : real end;
         e1 : equation der(der(x)) + (if a & b then y else der(y)) = (if c then (if a then x else y) else 0);
         if b then e2 : equation y = (if c then der(x) else 2*x) end;
         if !b then e3 : equation z = y*(if a then x else 1) end;
         e4 : equation (if a then x + y else x + y) = (if !c then x + y else last(x))",
    );
}

#[test]
fn the_building_is_read_alike() {
    let text = include_str!("../../../models/BuildingIncompressible.mel").replace("invariant", "// ");
    check_all_modes(&text);
}

#[test]
fn many_mode_variables_in_one_equation_are_read_in_linear_time() {
    // A literal zero and `x` in the branches of 20,000 conditions: both are shared by all of them.
    let text = "x : real; y : real; e0 : equation der(x) = 1; foreach i in 1 .. 20000 do b[i] : boolean; done;
        e : equation y = SUM";
    let sum: Vec<String> = (1..=20_000).map(|i| format!("(if b[{i}] then x else 0)")).collect();
    let dae = model(&text.replace("SUM", &sum.join(" + ")));
    let analysis = analyze(&dae, &Options { node_limit: Some(2_000_000), ..Options::default() }).expect("few nodes");
    assert!(analysis.is_regular());
}
