//! Modes that differ little: what is taken over from one to the next is what a search from nothing finds.

use std::sync::Arc;

use crate::one_mode::{EquationTapes, Jet, ModeEquations, Residuals};
use modeshift_dae::{Id, ModeVariableId, MultimodeDae};
use modeshift_numerics::{Input, NativeFunctions};
use modeshift_structure::one_mode::signature_in;
use modeshift_structure::one_mode::{Block, ModeStructure};
use modeshift_testkit::multimode_dae;

fn model(text: &str, size: usize) -> MultimodeDae {
    multimode_dae(text, &[("N", size.to_string())]).unwrap_or_else(|diagnostics| panic!("{diagnostics:#?}"))
}

/// Numbers that look random, the same every time.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % bound
    }
}

fn sorted_blocks(structure: &ModeStructure) -> Vec<Block> {
    let mut blocks = structure.blocks().to_vec();
    blocks.sort_by_key(|block| block.rows[0]);
    blocks
}

/// A walk through modes, of which some are singular.
fn check_walk(text: &str, size: usize, steps: usize) {
    let dae = model(text, size);
    let mut values = vec![false; dae.mode_variables.len()];
    let mut numbers = Numbers(size as u64);
    let mut known: Option<ModeStructure> = None;
    for _ in 0..steps {
        let signature = signature_in(&dae, |mode| values[mode.index()]);
        let scratch = ModeStructure::of_signature(&signature);
        if let Some(near) = &known {
            let found = ModeStructure::of_signature_near(&signature, near);
            match (&found, &scratch) {
                (Ok(found), Ok(scratch)) => {
                    for row in scratch.rows() {
                        assert_eq!(found.equation_offset(row), scratch.equation_offset(row));
                        let matched = found.matched_column(row);
                        assert_eq!(found.matched_row(matched), row);
                    }
                    for column in scratch.columns() {
                        assert_eq!(found.variable_offset(column), scratch.variable_offset(column));
                    }
                    assert_eq!(sorted_blocks(found), sorted_blocks(scratch));
                }
                (found, scratch) => assert_eq!(found.as_ref().err(), scratch.as_ref().err()),
            }
            known = found.ok().or(known);
        } else {
            known = scratch.ok();
        }
        for _ in 0..=numbers.below(3) {
            let flipped = numbers.below(values.len());
            values[flipped] = !values[flipped];
        }
    }
}

#[test]
fn structures_from_the_mode_before_are_those_from_nothing() {
    check_walk(include_str!("../../../models/ClutchChain.mo"), 12, 300);
    check_walk(include_str!("../../../models/FaultyCoaxial.mo"), 6, 300);
    check_walk(include_str!("../../../models/FaultyCoaxialVariableDimension.mo"), 6, 300);
}

#[test]
fn hints_of_a_mode_that_has_nothing_in_common_do_no_harm() {
    let dae = model(include_str!("../../../models/ClutchChain.mo"), 30);
    let structure = |engaged: bool| signature_in(&dae, |_| engaged);
    let free = ModeStructure::of_signature(&structure(false)).expect("regular");
    let rigid = ModeStructure::of_signature_near(&structure(true), &free).expect("regular");
    let again = ModeStructure::of_signature_near(&structure(false), &rigid).expect("regular");
    assert_eq!(sorted_blocks(&again), sorted_blocks(&free));
    assert_eq!(rigid.blocks().len(), 1, "all speeds and torques in one block");
}

#[test]
fn modes_that_share_tapes_compute_what_they_compute_alone() {
    let dae = model(include_str!("../../../models/FaultyCoaxial.mo"), 3);
    let (natives, tapes) = (NativeFunctions::default(), Arc::new(EquationTapes::default()));
    for faulty in [None, Some(0), Some(3), None] {
        let mode = move |id: ModeVariableId| Some(id.index()) == faulty;
        let structure = ModeStructure::of_signature(&signature_in(&dae, mode)).expect("regular");
        let constants = |input: Input| match input {
            Input::Mode(id) => Some(f64::from(u8::from(mode(id)))),
            Input::Variable(id, 0) => dae.model.expressions.literal(dae.model.variables[id].binding?),
            _ => None,
        };
        let alone = ModeEquations::new(&dae.model, &natives, &structure, constants);
        let shared = ModeEquations::sharing(tapes.clone(), &dae.model, &natives, &structure, constants);
        let values = |column: usize| [0, 1, 2].map(|order| ((3 * column + order) as f64).sin());
        let jet = Jet::new(0.5, (0..structure.size()).map(values));
        for row in structure.rows() {
            assert_eq!(shared.residual(row, &jet, 1), alone.residual(row, &jet, 1));
            let flat = |equations: &ModeEquations<'_>| {
                let partials = equations.partials(row, &jet, 0);
                partials.into_iter().map(|it| (it.column, it.order, it.derivatives)).collect::<Vec<_>>()
            };
            assert_eq!(flat(&shared), flat(&alone));
        }
    }
}
