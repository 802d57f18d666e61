//! The papers' conditional dependency graphs, in the papers' notation.

use modeshift_dae::MultimodeDae;
use modeshift_structure::{Analysis, GraphText, Options, analyze};
use modeshift_testkit::multimode_dae;

fn model(text: &str, overrides: &[(&str, &str)]) -> MultimodeDae {
    multimode_dae(text, overrides).unwrap_or_else(|diagnostics| panic!("{diagnostics:#?}"))
}

fn file(name: &str) -> String {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models").join(name);
    std::fs::read_to_string(path).expect("a model of the repository")
}

fn with_names<R>(dae: &MultimodeDae, show: impl FnOnce(&Analysis, &[String]) -> R) -> R {
    let analysis = analyze(dae, &Options::default()).expect("no limit is set");
    let names: Vec<String> = dae.mode_variables.iter().map(|mode| mode.name.to_string()).collect();
    show(&analysis, &names)
}

/// The blocks and dependencies of a model are these, in any order.
fn check_graph(dae: &MultimodeDae, expected: &str) {
    let found = with_names(dae, |analysis, names| {
        let formulas = analysis.formulas(names);
        GraphText { incidence: &analysis.incidence, formulas: &formulas, graph: &analysis.graph }.to_string()
    });
    let lines = |text: &str| -> Vec<String> {
        let mut lines: Vec<String> =
            text.lines().map(|line| line.trim().to_string()).filter(|it| !it.is_empty()).collect();
        lines.sort();
        lines
    };
    assert_eq!(lines(&found).join("\n"), lines(expected).join("\n"));
}

#[test]
fn leading_variable_depends_on_the_mode() {
    // E22, Figures 1 and 2a.
    check_graph(
        &model(&file("TwoEquations.mo"), &[]),
        "p: e -> x
         not p: e -> x'",
    );
}

#[test]
fn water_tank_solves_its_balance_for_the_level_or_for_a_correction() {
    // E22, Figure 7; the blocks are readable from Figure 29, the dependencies from RR9459, Figure 10.
    check_graph(
        &model(&file("WaterTank.mo"), &[]),
        "e1 -> z
         bh: eh2' -> x'
         not bh: eh2 -> yh
         bl: el2' -> x'
         not bl: el2 -> yl
         not (bh or bl): yh yl z -- e2 -> x'
         bh: x' yl z -- e2 -> yh
         bl: x' yh z -- e2 -> yl
         bh: yh -- eh1 -> sh
         not bh: x -- eh1 -> sh
         bl: yl -- el1 -> sl
         not bl: x -- el1 -> sl
         not (bh or bl): e1 => e2
         bh: e1 => e2
         bl: e1 => e2
         not (bh or bl): eh2 => e2
         bl: eh2 => e2
         not (bh or bl): el2 => e2
         bh: el2 => e2
         bh: eh2' => e2
         bl: el2' => e2
         bh: e2 => eh1
         bl: e2 => el1",
    );
}

#[test]
fn water_tank_without_its_assertion_is_singular_when_full_and_empty() {
    let text: String =
        file("WaterTank.mo").lines().filter(|line| !line.contains("assert")).collect::<Vec<_>>().join("\n");
    let dae = model(&text, &[]);
    with_names(&dae, |analysis, names| {
        assert_eq!(analysis.formulas(names).print(analysis.singular_modes()).text, "bh and bl");
        let equations = analysis.incidence.equations();
        let variables = analysis.incidence.variables();
        let all: Vec<_> = equations.ids().collect();
        let overdetermined = analysis.smallest_overdetermined(&all, |_| true).expect("too many equations");
        let names: Vec<_> = overdetermined.equations.iter().map(|&it| &*equations[it].name).collect();
        assert_eq!(names, ["eh2", "el2"]);
        let names: Vec<_> = overdetermined.variables.iter().map(|&it| &*variables[it].name).collect();
        assert_eq!(names, ["x"]);
        assert_eq!(analysis.smallest_overdetermined(&all, |mode| mode.0 == 0), None);
    });
}

#[test]
fn engaged_clutch_is_one_block_with_a_differentiated_constraint() {
    // E22, Figure 11.
    check_graph(
        &model(&file("ClutchBasic.mo"), &[]),
        "g: e1 e2 e3' e4 -> w1' w2' f1 f2
         not g: f1 -- e1 -> w1'
         not g: f2 -- e2 -> w2'
         not g: e3 -> f1
         not g: f1 -- e4 -> f2
         not g: e3 => e1
         not g: e4 => e2
         not g: e3 => e4",
    );
}

#[test]
fn one_element_of_the_line_changes_its_leading_variables() {
    // E22, Figure 16.
    check_graph(
        &model(&file("FaultyCoaxialVariableDimension.mo"), &[("N", "1")]),
        "src.u -> element[1].u1
         src.i -> element[1].i2
         element[1].open: element[1].opCir -> element[1].i1
         not element[1].open: element[1].u1 element[1].u2 -- element[1].notOpCirKir -> element[1].v
         not element[1].open: element[1].v -- element[1].notOpCirIndOhm -> element[1].i1'
         element[1].short: element[1].shCir -> element[1].u2
         not element[1].short: element[1].i1 element[1].i2 -- element[1].notShCirKir -> element[1].j
         not element[1].short: element[1].j -- element[1].notShCirCap -> element[1].u2'
         not element[1].open: src.u => element[1].notOpCirKir
         element[1].short: element[1].shCir => element[1].notOpCirKir
         not element[1].open: element[1].notOpCirKir => element[1].notOpCirIndOhm
         not element[1].short: src.i => element[1].notShCirKir
         element[1].open: element[1].opCir => element[1].notShCirKir
         not element[1].short: element[1].notShCirKir => element[1].notShCirCap",
    );
}
