//! The order of equations means nothing: models with their equations in another order run alike.

use crate::support::random;
use crate::support::runs as support;
use std::collections::BTreeMap;

use modeshift_diagnostics::{Diagnostics, Span};
use modeshift_syntax::ast::{Class, ClassBody, Element, ElementKind, Equation, EquationKind};
use random::Random;
use support::{How, Ran, check, file, paper_model, run_text};

/// Puts a list into another order.
fn shuffle<T>(list: &mut [T], random: &mut Random) {
    for at in (1..list.len()).rev() {
        list.swap(at, random.below(at + 1));
    }
}

/// The text of a file with the equations of every section, branch, loop and `when` in another order.
fn permuted(text: &str, random: &mut Random) -> String {
    let parsed = modeshift_syntax::parse(Span::default().file, text, &mut Diagnostics::new()).definition();
    let mut lists = Vec::new();
    parsed.classes.iter().for_each(|class| sections(class, &mut lists));
    rewritten(text, 0..text.len(), &lists, random)
}

fn sections<'a>(class: &'a Class, lists: &mut Vec<&'a [Equation]>) {
    let (ClassBody::Long(body) | ClassBody::Extends(_, body)) = &class.body else { return };
    let nested = |element: &'a Element| if let ElementKind::Class(class) = &element.kind { Some(class) } else { None };
    body.elements.iter().filter_map(nested).for_each(|class| sections(class, lists));
    lists.extend(body.equations.iter().map(|section| section.equations.as_slice()));
}

/// A part of the text in which these lists of equations are permuted, and the lists inside of them.
fn rewritten(text: &str, part: std::ops::Range<usize>, lists: &[&[Equation]], random: &mut Random) -> String {
    let mut places: Vec<(Span, String)> = Vec::new();
    for list in lists {
        let mut texts: Vec<String> = list
            .iter()
            .map(|equation| {
                let range = equation.span.start as usize..equation.span.end as usize;
                rewritten(text, range, &inner_lists(equation), random)
            })
            .collect();
        shuffle(&mut texts, random);
        places.extend(list.iter().map(|equation| equation.span).zip(texts));
    }
    places.sort_by_key(|(span, _)| span.start);
    let (mut result, mut at) = (String::new(), part.start);
    for (span, replacement) in places {
        result.push_str(&text[at..span.start as usize]);
        result.push_str(&replacement);
        at = span.end as usize;
    }
    result + &text[at..part.end]
}

fn inner_lists(equation: &Equation) -> Vec<&[Equation]> {
    match &equation.kind {
        EquationKind::If { branches, otherwise } => {
            branches.iter().map(|(_, list)| list.as_slice()).chain([otherwise.as_slice()]).collect()
        }
        EquationKind::For { body, .. } => vec![body],
        EquationKind::When(branches) => branches.iter().map(|(_, list)| list.as_slice()).collect(),
        _ => Vec::new(),
    }
}

/// The last values by name; nothing for what does not exist then.
fn last_values(ran: &Ran) -> BTreeMap<String, Option<f64>> {
    let columns = &ran.result.columns().columns;
    columns.iter().map(|column| (column.name.to_string(), ran.result.last(&column.name))).collect()
}

/// The mode after each event, by the names of mode variables.
fn modes(ran: &Ran) -> Vec<BTreeMap<String, bool>> {
    let names = &ran.result.columns().mode_variables;
    let mode = |to: &modeshift_dae::Mode| names.iter().map(|name| name.to_string()).zip(to.values()).collect();
    ran.events().iter().map(|event| mode(&event.to)).collect()
}

fn check_permutations(text: &str, how: &How) {
    let tolerance = how.tolerance.unwrap_or(1e-6);
    let how = how.clone().tolerance(tolerance);
    let original = run_text(text, &how).finished();
    let mut random = Random(17);
    for _ in 0..4 {
        let mut other_texts = std::iter::repeat_with(|| permuted(text, &mut random));
        let other_text = other_texts.find(|other| other != text).expect("there is something to permute");
        let other = run_text(&other_text, &how).finished();
        assert_eq!(modes(&original), modes(&other), "{other_text}");
        let times = original.event_times().into_iter().zip(other.event_times());
        times.for_each(|(expected, found)| check("event", found, expected, tolerance));
        let (expected, found) = (last_values(&original), last_values(&other));
        assert_eq!(expected.keys().collect::<Vec<_>>(), found.keys().collect::<Vec<_>>());
        for (name, expected) in expected {
            match (expected, found[&name]) {
                (Some(expected), Some(found)) => check(&name, found, expected, tolerance),
                (expected, found) => assert_eq!(expected, found, "{name}"),
            }
        }
    }
}

#[test]
fn a_permutation_moves_equations_of_branches_too() {
    let text = "model M Real x, y; equation if time > 1 then x = 1; y = 2; else x = 3; y = 4; end if; end M;";
    let mut seen: Vec<String> = (1..20).map(|seed| permuted(text, &mut Random(seed))).collect();
    seen.sort();
    seen.dedup();
    assert_eq!(seen.len(), 4, "{seen:#?}");
    assert!(seen.iter().any(|it| it.contains("then y = 2; x = 1; else x = 3; y = 4; end if")), "{seen:#?}");
}

#[test]
fn the_papers_models_run_alike_in_any_order_of_equations() {
    for name in [
        "TwoEquations.mo",
        "WaterTank.mo",
        "ClutchBasic.mo",
        "CupAndBall.mo",
        "CupAndBallElastic.mo",
        "RLDC2.mo",
        "BreakingCapacitor.mo",
        "BreakingInductor.mo",
        "BreakingShaft.mo",
        "DiodeInductor.mo",
        "DiodeCapacitor.mo",
        "FaultyCoaxial.mo",
        "FaultyCoaxialVariableDimension.mo",
    ] {
        check_permutations(&paper_model(name), &How::default());
    }
}

#[test]
fn a_long_chain_and_a_bridge_of_diodes_do_too() {
    check_permutations(&paper_model("ClutchChain.mo"), &How::default().set("N", "20").set("J", "2"));
    check_permutations(&file("tests/data/multimode/DiodeBridgeR.mo"), &How::until(0.04));
}
