//! The scalable models at a size that cannot be enumerated: sampled modes agree with the analysis of these modes.

use crate::common::scalable;
use crate::common::single_mode;
use std::collections::BTreeSet;

use modeshift_structure::long_range::{NotSwept, long_range};
use modeshift_structure::one_mode::signature_in;
use modeshift_structure::{Analysis, Options, analyze};
use scalable::Plan;
use single_mode::Structure;

const SAMPLES: u64 = 6;

/// The first samples are all false and all true, the others random; made valid.
fn sampled_mode(plan: &Plan, sample: u64) -> Vec<bool> {
    let mut state = sample.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let mut random = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state >> 32 & 1 == 1
    };
    let mut mode: Vec<bool> = (0..plan.mode_count()).map(|_| if sample < 2 { sample == 1 } else { random() }).collect();
    plan.make_valid(&mut mode);
    mode
}

fn check_mode(plan: &Plan, analysis: &Analysis, mode: &[bool]) {
    let (signature, equations, variables) = plan.signature(mode);
    let found = analysis.blocks_at(|variable| mode[variable.0 as usize]);
    let Structure::Regular(regular) = single_mode::analyze(&signature) else {
        assert!(found.is_none(), "the mode is singular");
        return;
    };
    let expected: BTreeSet<_> = regular
        .blocks
        .iter()
        .map(|block| {
            let of_equation = |&at: &u32| (equations[at as usize], regular.c[at as usize]);
            let of_variable = |&at: &u32| (variables[at as usize], regular.d[at as usize]);
            let reads = regular.reads(&signature, block);
            (
                block.equations.iter().map(of_equation).collect::<Vec<_>>(),
                block.variables.iter().map(of_variable).collect::<Vec<_>>(),
                reads.into_iter().map(|(at, order)| (variables[at as usize], order)).collect::<Vec<_>>(),
            )
        })
        .collect();
    let found: BTreeSet<_> = found
        .expect("the mode is regular")
        .into_iter()
        .map(|block| {
            (
                block.equations.iter().map(|it| (it.of.0, it.order)).collect::<Vec<_>>(),
                block.writes.iter().map(|it| (it.of.0, it.order)).collect::<Vec<_>>(),
                block.reads.iter().map(|it| (it.of.0, it.order)).collect::<Vec<_>>(),
            )
        })
        .collect();
    assert_eq!(found, expected);
}

fn check_samples(plan: Plan) {
    let analysis = analyze(&plan.natural(), &Options::default()).expect("no limit is set");
    for sample in 0..SAMPLES {
        check_mode(&plan, &analysis, &sampled_mode(&plan, sample));
    }
}

#[test]
fn transmission_line() {
    check_samples(scalable::transmission_line(1000, false));
    check_samples(scalable::transmission_line(1000, true));
}

#[test]
fn a_large_model_in_any_order_has_the_structure_of_its_modes() {
    // Large enough, and far enough from any order of nearness, to be renumbered for the analysis.
    let dae = scalable::transmission_line(3000, false).scrambled();
    let analysis = analyze(&dae, &Options::default()).expect("no limit is set");
    for period in [2, 3, 5] {
        // Of neighbours some are open, some short, some neither: never both.
        let element = |name: &str| -> usize {
            name.chars().filter(char::is_ascii_digit).collect::<String>().parse().expect("a number in the name")
        };
        let value = |mode: modeshift_dae::ModeVariableId| {
            let name = &dae.mode_variables[mode].name;
            element(name) % period == if name.contains("open") { 0 } else { 1 }
        };
        let modeshift_structure::one_mode::ModeSignature { signature, equations, variables } =
            signature_in(&dae, value);
        let Structure::Regular(regular) = single_mode::analyze(&signature) else { panic!("the line is regular") };
        let is_in = |set| analysis.space.evaluate(set, |variable| value(modeshift_dae::ModeVariableId(variable.0)));
        for (row, &equation) in equations.iter().enumerate() {
            assert_eq!(analysis.offsets.equations[equation].value(is_in), regular.c[row]);
        }
        for (column, &variable) in variables.iter().enumerate() {
            assert_eq!(analysis.offsets.variables[variable].value(is_in), regular.d[column]);
        }
        let found: BTreeSet<_> = analysis
            .graph
            .blocks()
            .filter(|(_, block)| is_in(block.guard))
            .map(|(_, block)| block.equations.iter().map(|it| it.of).collect::<Vec<_>>())
            .collect();
        let expected: BTreeSet<_> = regular
            .blocks
            .iter()
            .map(|block| block.equations.iter().map(|&row| equations[row as usize]).collect::<Vec<_>>())
            .collect();
        assert_eq!(found, expected);
    }
}

#[test]
fn transmission_tree() {
    check_samples(scalable::transmission_tree(1000));
}

#[test]
fn building() {
    check_samples(scalable::building(1000, true));
    check_samples(scalable::building(1000, false));
}

#[test]
fn westinghouse() {
    check_samples(scalable::westinghouse(1000));
}

#[test]
fn clutch_chain() {
    check_samples(scalable::clutch_chain(1000));
}

#[test]
fn valve_grid() {
    check_samples(scalable::valve_grid(32));
}

#[test]
fn valve_pipe_where_most_modes_are_singular() {
    check_samples(scalable::valve_pipe(60));
}

/// Analyzes the modes around one: those in which only these mode variables may have another value.
fn analyze_around(plan: &Plan, mode: &[bool], free: &[usize]) -> Analysis {
    let given = (0..mode.len()).filter(|at| !free.contains(at));
    let within = given.map(|at| (modeshift_dae::ModeVariableId(at as u32), mode[at])).collect();
    analyze(&plan.natural(), &Options { within, ..Options::default() }).expect("no limit is set")
}

#[test]
fn valve_pipe_around_sampled_modes() {
    // All 2^1000 modes at once are out of reach here: where a mode is singular depends on valves at any distance. So
    // each sample is analyzed with the 2^8 modes in which some valves, near each other and far, are open or closed.
    let plan = scalable::valve_pipe(1000);
    let free = [0, 1, 2, 300, 301, 500, 998, 999];
    let mut regular = 0;
    for sample in 0..SAMPLES {
        let mut mode = sampled_mode(&plan, sample);
        let analysis = analyze_around(&plan, &mode, &free);
        for turned in [0b0000_0000, 0b0000_0001, 0b0001_0000, 0b1000_0010, 0b0010_1001, 0b1111_1111] {
            for (bit, &at) in free.iter().enumerate() {
                mode[at] = turned >> bit & 1 == 0;
            }
            check_mode(&plan, &analysis, &mode);
            regular += usize::from(analysis.blocks_at(|variable| mode[variable.0 as usize]).is_some());
        }
    }
    assert!(regular >= 3, "some sampled modes are regular: all valves open, or all but one");
}

/// A table written as `if x < 1 then … elseif x < 2 then …`, its thresholds in this order.
fn table(thresholds: &[usize]) -> modeshift_dae::MultimodeDae {
    let branch = |(at, threshold): (usize, &usize)| {
        let word = if at == 0 { "if" } else { "elseif" };
        format!("{word} x < {threshold} then y = {at};\n")
    };
    let branches: String = thresholds.iter().enumerate().map(branch).collect();
    let text = format!("model T Real x; Real y; equation der(x) = 1;\n{branches}else y = -1; end if; end T;");
    modeshift_testkit::multimode_dae(&text, &modeshift_testkit::NO_OVERRIDES).expect("a correct model")
}

/// Whether a threshold is above this number: what `x < 7` is where `x` is a little less than 7.
fn is_below(dae: &modeshift_dae::MultimodeDae, above: usize, mode: modeshift_dae::ModeVariableId) -> bool {
    let name = &dae.mode_variables[mode].name;
    name.trim_start_matches("x < ").parse::<usize>().expect("a name such as `x < 7`") > above
}

#[test]
fn a_table_of_many_branches_takes_few_nodes_for_each() {
    const BRANCHES: usize = 2_000;
    let dae = table(&(1..=BRANCHES).collect::<Vec<_>>());
    let analysis = analyze(&dae, &Options::default()).expect("no limit");
    assert!(analysis.is_regular());
    let nodes = analysis.space.node_count();
    assert!(nodes < 100 * BRANCHES, "{nodes} nodes");
    // `x` between two thresholds: those above it hold, and one equation alone says what `y` is.
    for above in [0, 1, 700, BRANCHES - 1, BRANCHES] {
        let holds = |mode| is_below(&dae, above, mode);
        let blocks = analysis.blocks_at(holds).expect("a regular mode");
        let solved: Vec<&str> =
            blocks.iter().flat_map(|block| &block.equations).map(|it| &*dae.model.equations[it.of].name).collect();
        assert_eq!(solved.len(), 2, "{above}: {solved:?}");
    }
}

/// All branches say what `y` is, so each is there in a step with modes of its own: no sweep, and that is known before a square of nodes
/// is made.
#[test]
fn a_table_is_no_model_for_a_sweep() {
    const BRANCHES: usize = 2_000;
    let mut dae = table(&(1..=BRANCHES).collect::<Vec<_>>());
    let options = Options { node_limit: Some(100 * BRANCHES), ..Options::default() };
    let refused = long_range(&mut dae, &options, &|_| None).err();
    assert!(matches!(refused, Some(NotSwept::ManyModes(_))), "{refused:?}");
}

#[test]
fn a_table_is_analyzed_as_each_of_its_modes_whatever_the_order_of_its_thresholds() {
    const BRANCHES: usize = 100;
    let scrambled: Vec<usize> = (0..BRANCHES).map(|at| at * 37 % BRANCHES + 1).collect();
    let dae = table(&scrambled);
    let analysis = analyze(&dae, &Options::default()).expect("no limit");
    for above in 0..=BRANCHES {
        let holds = |mode| is_below(&dae, above, mode);
        let blocks = analysis.blocks_at(holds).expect("a regular mode");
        let taken = scrambled.iter().position(|&threshold| threshold > above).unwrap_or(BRANCHES);
        let guard_holds = |it: &modeshift_dae::EquationId| {
            let formula = dae.model.equations[*it].guard;
            let mut formulas = modeshift_structure::Formulas::new(&analysis.space, &dae.model.expressions);
            let modes = formulas.modes(formula).expect("a formula");
            analysis.space.evaluate(modes, |variable| holds(modeshift_dae::ModeVariableId(variable.0)))
        };
        let solved: Vec<_> = blocks.iter().flat_map(|block| &block.equations).map(|it| it.of).collect();
        assert!(solved.iter().all(guard_holds), "{above}: branch {taken}");
        assert_eq!(solved.len(), 2, "{above}: branch {taken}");
    }
}
