//! Random multimode systems: the analysis of all modes, evaluated in each mode, agrees with the analysis of that mode.

use crate::common;
use crate::common::single_mode;
use std::collections::BTreeSet;

use common::{Random, System, is_in};
use modeshift_dae::{EquationId, Id, IndexVec, VariableId};
use modeshift_modes::{ModeSet, ModeSpace};
use modeshift_structure::one_mode::Signature;
use modeshift_structure::{Analysis, BlockCap, BlockId};
use single_mode::{Parts, Regular, Structure};

/// The analysis of all modes, looked at in one of them.
struct InMode<'a> {
    analysis: &'a Analysis,
    mode: u32,
    signature: Signature,
    equations: Vec<u32>,
    variables: Vec<u32>,
}

/// A block with its reads, in numbers of the whole system: differentiated equations, writes and reads.
type Block = (Vec<(u32, u32)>, Vec<(u32, u32)>, Vec<(u32, u32)>);

impl InMode<'_> {
    fn is_in(&self, set: ModeSet) -> bool {
        is_in(&self.analysis.space, set, self.mode)
    }

    fn check(&self) {
        let singular = self.is_in(self.analysis.singular_modes());
        match single_mode::analyze(&self.signature) {
            Structure::Regular(regular) => {
                assert!(!singular, "regular in mode {:b}", self.mode);
                self.check_offsets(&regular);
                self.check_graph(&regular);
            }
            Structure::Singular(parts) => {
                assert!(singular, "singular in mode {:b}", self.mode);
                self.check_parts(&parts);
            }
        }
    }

    fn check_offsets(&self, regular: &Regular) {
        for (at, &equation) in self.equations.iter().enumerate() {
            let c = self.analysis.offsets.equations[EquationId(equation)].value(|set| self.is_in(set));
            assert_eq!(c, regular.c[at], "c of e{equation} in mode {:b}", self.mode);
        }
        for (at, &variable) in self.variables.iter().enumerate() {
            let d = self.analysis.offsets.variables[VariableId(variable)].value(|set| self.is_in(set));
            assert_eq!(d, regular.d[at], "d of x{variable} in mode {:b}", self.mode);
        }
    }

    fn check_parts(&self, parts: &Parts) {
        let found = &self.analysis.parts;
        self.check_part(&found.overdetermined_equations, &self.equations, &parts.overdetermined_equations);
        self.check_part(&found.overdetermined_variables, &self.variables, &parts.overdetermined_variables);
        self.check_part(&found.underdetermined_equations, &self.equations, &parts.underdetermined_equations);
        self.check_part(&found.underdetermined_variables, &self.variables, &parts.underdetermined_variables);
    }

    fn check_part<I: Id>(&self, found: &IndexVec<I, ModeSet>, numbers: &[u32], expected: &[u32]) {
        let found: Vec<_> = found.ids().filter(|&id| self.is_in(found[id])).map(|id| id.index() as u32).collect();
        let expected: Vec<_> = expected.iter().map(|&local| numbers[local as usize]).collect();
        assert_eq!(found, expected, "over- or underdetermined part in mode {:b}", self.mode);
    }

    fn check_graph(&self, regular: &Regular) {
        let graph = &self.analysis.graph;
        assert!(!graph.is_truncated());
        let expected: Vec<Block> = regular.blocks.iter().map(|block| self.expected_block(regular, block)).collect();
        let found: Vec<BlockId> =
            graph.blocks().filter(|(_, block)| self.is_in(block.guard)).map(|(id, _)| id).collect();
        let blocks: BTreeSet<Block> = found.iter().map(|&id| self.found_block(id)).collect();
        assert_eq!(blocks.len(), found.len(), "blocks are different in mode {:b}", self.mode);
        assert_eq!(blocks, expected.iter().cloned().collect(), "blocks in mode {:b}", self.mode);

        let depends = |from: &Block, to: &Block| from.1.iter().any(|write| to.2.contains(write));
        let pairs = expected.iter().flat_map(|from| expected.iter().map(move |to| (from.clone(), to.clone())));
        let expected: BTreeSet<_> = pairs.filter(|(from, to)| depends(from, to)).collect();
        let dependencies = graph.dependencies().iter().filter(|dependency| self.is_in(dependency.modes));
        let dependencies: BTreeSet<_> =
            dependencies.map(|it| (self.found_block(it.from), self.found_block(it.to))).collect();
        assert_eq!(dependencies, expected, "dependencies in mode {:b}", self.mode);
    }

    fn expected_block(&self, regular: &Regular, block: &single_mode::Block) -> Block {
        let variable = |&(local, order): &(u32, u32)| (self.variables[local as usize], order);
        let equations = block.equations.iter().map(|&at| (self.equations[at as usize], regular.c[at as usize]));
        let writes = block.variables.iter().map(|&at| (self.variables[at as usize], regular.d[at as usize]));
        let reads = regular.reads(&self.signature, block);
        (equations.collect(), writes.collect(), reads.iter().map(variable).collect())
    }

    fn found_block(&self, id: BlockId) -> Block {
        let block = self.analysis.graph.block(id);
        assert!(block.reads.iter().all(|read| read.modes == block.guard), "reads are the same in all modes of a block");
        let reads = block.reads.iter().map(|read| (read.variable.of.0, read.variable.order));
        let equations = block.equations.iter().map(|equation| (equation.of.0, equation.order));
        (equations.collect(), block.writes.iter().map(|write| (write.of.0, write.order)).collect(), reads.collect())
    }
}

/// Checks every mode; returns how many are regular and how many singular.
fn check_system(system: &System) -> (usize, usize) {
    let space = ModeSpace::new(system.mode_variables);
    let (incidence, invariant) = system.incidence(&space);
    let analysis = Analysis::of_incidence(space, invariant, incidence, system.order(), BlockCap::default());
    let analysis = analysis.expect("no limit is set");
    let singular = analysis.singular_modes();
    let mut counts = (0, 0);
    for mode in system.modes() {
        let (signature, equations, variables) = system.signature(mode);
        InMode { analysis: &analysis, mode, signature, equations, variables }.check();
        let count = if is_in(&analysis.space, singular, mode) { &mut counts.1 } else { &mut counts.0 };
        *count += 1;
    }
    counts
}

fn check_random_systems(seeds: std::ops::Range<u64>) {
    let mut counts = (0, 0);
    for seed in seeds {
        let system = System::random(&mut Random::new(seed));
        match std::panic::catch_unwind(|| check_system(&system)) {
            Ok((regular, singular)) => counts = (counts.0 + regular, counts.1 + singular),
            Err(_) => panic!("seed {seed}: {system:#?}"),
        }
    }
    println!("{} regular and {} singular modes", counts.0, counts.1);
    let smaller = counts.0.min(counts.1);
    assert!(10 * smaller > counts.0 + counts.1, "at least a tenth of the modes is regular, and a tenth singular");
}

#[test]
fn twenty_thousand_random_systems_agree_with_the_analysis_of_each_mode() {
    check_random_systems(0..20_000);
}

#[test]
#[ignore = "takes minutes: cargo test --release -p modeshift-structure --test suite a_million -- --ignored"]
fn a_million_random_systems_agree_with_the_analysis_of_each_mode() {
    check_random_systems(1_000_000..2_000_000);
}
