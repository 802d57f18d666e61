//! Whole small models to flat equations: components, parameters, `if`, `for`, arrays of components.

use crate::support;
use support::{check_equations, flat, flat_with};

const COAXIAL: &str = include_str!("data/FaultyCoaxial.mo");

#[test]
fn every_equation_of_every_branch_has_its_own_guard() {
    check_equations(
        "model M Real x; Boolean b; equation b = time > 1;
         if b then x = 1; elseif x > 2 then x = 2; else x = 3; x = 4; end if; end M;",
        "b = time > 1
         [b] x = 1
         [not b and x > 2] x = 2
         [not b and not x > 2] x = 3
         [not b and not x > 2] x = 4",
    );
}

#[test]
fn the_transmission_line_has_24_guarded_equations_and_optional_variables() {
    let model = flat(COAXIAL);
    let continuous = model.equations.iter().filter(|e| e.kind == modeshift_dae::EquationKind::Continuous).count();
    assert_eq!(continuous, 24);
    let guarded: Vec<String> = support::variables(&model).into_iter().filter(|name| name.starts_with('[')).collect();
    assert_eq!(guarded[..2], ["[not element[1].open] element[1].v", "[not element[1].short] element[1].j"]);
    assert_eq!(guarded.len(), 6);
}

#[test]
fn a_structural_parameter_can_be_set_from_outside() {
    assert_eq!(flat_with(COAXIAL, &[("N", "5")]).equations.len(), 50);
}
