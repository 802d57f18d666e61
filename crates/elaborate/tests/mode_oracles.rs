//! Second opinions on modes: invariants against all points of a line, formulas against the conditions they stand
//! for, and systems against the same system in another order.

use std::collections::BTreeSet;

use modeshift_dae::{
    DaeText, ExpressionId, Expressions, Id, ModeVariableId, MultimodeDae, PartialEvaluation, VariableId, assume_modes,
};
use modeshift_diagnostics::{Diagnostics, SourceMap};
use modeshift_elaborate::elaborate;
use modeshift_flatten::flatten_mel;
use modeshift_syntax::mel::{Program, Statement, StatementKind};
use proptest::prelude::*;

fn program(text: &str) -> Program {
    let mut diagnostics = Diagnostics::new();
    let file = SourceMap::default().add("model.mel", text);
    let program = modeshift_syntax::parse_mel(file, text, &mut diagnostics);
    assert!(diagnostics.is_empty(), "{diagnostics:?}\n{text}");
    program
}

fn elaborated(program: &Program) -> MultimodeDae {
    let mut diagnostics = Diagnostics::new();
    flatten_mel("M", program, &[], &mut diagnostics)
        .and_then(|model| elaborate(model, &mut diagnostics))
        .unwrap_or_else(|_| panic!("{diagnostics:?}"))
}

/// The values of all mode variables where the variable `n` has the given value, as bits.
fn mode_at(dae: &MultimodeDae, value: f64) -> u32 {
    let mut expressions = dae.model.expressions.clone();
    let literal = expressions.real(value);
    let mut bits = 0;
    for (id, mode) in dae.mode_variables.iter_enumerated() {
        let definition = mode.definition.expect("a relation has a definition");
        bits |= u32::from(truth(&mut expressions, definition, literal)) << id.index();
    }
    bits
}

fn truth(expressions: &mut Expressions, condition: ExpressionId, value: ExpressionId) -> bool {
    let result = PartialEvaluation::new(|_| None, |_: VariableId| Some(value)).of(expressions, condition);
    expressions.literal_boolean(result).expect("a relation over one variable has a value")
}

fn holds(dae: &MultimodeDae, formula: ExpressionId, mode: u32) -> bool {
    let mut expressions = dae.model.expressions.clone();
    let result = assume_modes(&mut expressions, formula, |id: ModeVariableId| Some(mode >> id.index() & 1 == 1));
    expressions.literal_boolean(result).expect("a formula over mode variables")
}

fn allowed_modes(dae: &MultimodeDae) -> BTreeSet<u32> {
    let allowed = |&mode: &u32| dae.model.invariants.iter().all(|invariant| holds(dae, invariant.condition, mode));
    (0..1 << dae.mode_variables.len()).filter(allowed).collect()
}

fn relation() -> impl Strategy<Value = String> {
    let operator = prop::sample::select(vec!["<", "<=", ">", ">=", "==", "<>"]);
    let form =
        prop::sample::select(vec!["n {op} {c}", "{c} {op} n", "n - {c} {op} 0", "2*n {op} 2*{c}", "-n {op} -{c}"]);
    (form, operator, 0..4i32)
        .prop_map(|(form, operator, bound)| form.replace("{op}", operator).replace("{c}", &bound.to_string()))
}

fn conditions_on(ty: &str, relations: &[String]) -> String {
    let terms: Vec<String> = relations.iter().map(|relation| format!("(if {relation} then x else y)")).collect();
    format!("n : {ty}; x : real; y : real; d : equation n = 0; e : equation y = {};", terms.join(" + "))
}

proptest! {
    #[test]
    fn the_invariant_admits_exactly_the_modes_of_some_real(relations in prop::collection::vec(relation(), 1..7)) {
        let dae = elaborated(&program(&conditions_on("real", &relations)));
        let line = (-2..=10).map(|step| f64::from(step) * 0.5);
        let realised: BTreeSet<u32> = line.map(|value| mode_at(&dae, value)).collect();
        prop_assert_eq!(allowed_modes(&dae), realised);
    }

    #[test]
    fn the_invariant_admits_exactly_the_modes_of_some_integer(relations in prop::collection::vec(relation(), 1..7)) {
        let dae = elaborated(&program(&conditions_on("integer", &relations)));
        let realised: BTreeSet<u32> = (-2..=6).map(|value| mode_at(&dae, f64::from(value))).collect();
        prop_assert_eq!(allowed_modes(&dae), realised);
    }

    #[test]
    fn a_formula_holds_where_its_condition_does(
        relations in prop::collection::vec(relation(), 4),
        form in prop::sample::select(vec![
            "({0}) & !({1}) | ({2})", "!(({0}) | ({1}) & ({3}))", "(({0}) == ({1})) | ({2}) & ({3})",
            "if {0} then {1} else !({2})", "(({0}) <> ({3})) & ({1})", "(({0}) < ({1})) | (({2}) >= ({3}))",
        ]),
    ) {
        let mut condition = form.to_string();
        for (position, relation) in relations.iter().enumerate() {
            condition = condition.replace(&format!("{{{position}}}"), relation);
        }
        // The condition is the definition of a Boolean that does not guard, and guards as it is.
        let text = format!("n : real; x : real; b : boolean = {condition}; if {condition} then e : equation x = 1 end;");
        let dae = elaborated(&program(&text));
        let definition = dae.model.equations.iter().find(|equation| &*equation.name != "e").expect("b is defined");
        let guarded = dae.model.equations.iter().find(|equation| &*equation.name == "e").expect("e is an equation");
        for step in -2..=10 {
            let value = f64::from(step) * 0.5;
            let mut expressions = dae.model.expressions.clone();
            let literal = expressions.real(value);
            let expected = truth(&mut expressions, definition.right, literal);
            prop_assert_eq!(holds(&dae, guarded.guard, mode_at(&dae, value)), expected, "{} at {}", condition, value);
        }
    }
}

/// The values of all mode variables where `n` and `m` have the given values, as bits.
fn mode_at_point(dae: &MultimodeDae, point: [f64; 2]) -> u32 {
    let mut expressions = dae.model.expressions.clone();
    let values = point.map(|value| expressions.real(value));
    let coordinate = |id: VariableId| ["n", "m"].iter().position(|name| *name == &*dae.model.variables[id].name);
    let mut bits: u32 = 0;
    let mut known: Vec<(VariableId, ExpressionId)> = Vec::new();
    for (id, mode) in dae.mode_variables.iter_enumerated() {
        let definition = mode.definition.expect("a Boolean of these models has a definition");
        let value = |it: VariableId| match coordinate(it) {
            Some(position) => Some(values[position]),
            None => known.iter().find(|(variable, _)| *variable == it).map(|&(_, value)| value),
        };
        let result = PartialEvaluation::new(|_| None, value).of(&mut expressions, definition);
        known.extend(mode.variable.map(|variable| (variable, result)));
        let truth = expressions.literal_boolean(result).expect("every Boolean reads those before it");
        bits |= u32::from(truth) << id.index();
    }
    bits
}

/// As [`elaborated`], with what follows from the definitions of Booleans, which MEL would declare.
fn deduced(program: &Program) -> MultimodeDae {
    let mut diagnostics = Diagnostics::new();
    let mut model = flatten_mel("M", program, &[], &mut diagnostics).unwrap_or_else(|_| panic!("{diagnostics:?}"));
    model.declares_invariants = false;
    elaborate(model, &mut diagnostics).unwrap_or_else(|_| panic!("{diagnostics:?}"))
}

/// Booleans `b0`, `b1`, … with these definitions, each of which guards something.
fn named(definitions: &[String]) -> String {
    let mut text = String::from("n : real; m : real; x : real; y : real; d : equation n = 0; f : equation m = 0; ");
    for (number, definition) in definitions.iter().enumerate() {
        text += &format!("b{number} : boolean = {definition}; ");
    }
    let terms: Vec<String> = (0..definitions.len()).map(|number| format!("(if b{number} then x else y)")).collect();
    format!("{text} e : equation y = {};", terms.join(" + "))
}

/// A relation over two variables whose line passes between points of a grid of halves, or through them.
fn plane_relation() -> impl Strategy<Value = String> {
    let operator = prop::sample::select(vec!["<", "<=", ">", ">="]);
    let sum = prop::sample::select(vec!["n", "m", "n + m", "n - m", "2*n", "m - n"]);
    (sum, operator, -2..3i32).prop_map(|(sum, operator, bound)| format!("{sum} {operator} {bound}"))
}

/// Points of a grid with this step. With an eighth they lie in every cell, edge and corner that such lines make: lines meet
/// at halves, so that the smallest triangle between them has an eighth inside, and nothing bends further out than five.
fn plane(step: f64) -> impl Iterator<Item = [f64; 2]> {
    let count = (5.5 / step) as i32;
    let axis = move |number: i32| f64::from(number) * step;
    (-count..=count).flat_map(move |first| (-count..=count).map(move |second| [axis(first), axis(second)]))
}

/// The modes that points show: those of a coarse grid, and of a fine one where that does not show all that are allowed.
fn realised_modes(dae: &MultimodeDae, allowed: &BTreeSet<u32>) -> BTreeSet<u32> {
    let at = |step| plane(step).map(|point| mode_at_point(dae, point)).collect::<BTreeSet<u32>>();
    let coarse = at(0.25);
    if coarse == *allowed { coarse } else { at(0.125) }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    /// A named relation is as good as one that is written where it guards.
    #[test]
    fn names_of_relations_keep_what_they_imply(relations in prop::collection::vec(relation(), 1..7)) {
        let dae = deduced(&program(&named(&relations)));
        let line = (-2..=10).map(|step| f64::from(step) * 0.5);
        let realised: BTreeSet<u32> = line.map(|value| mode_at_point(&dae, [value, 0.0])).collect();
        prop_assert_eq!(allowed_modes(&dae), realised);
    }

    #[test]
    fn relations_over_two_variables_exclude_what_no_point_shows(
        relations in prop::collection::vec(plane_relation(), 1..5),
    ) {
        let dae = deduced(&program(&named(&relations)));
        let allowed = allowed_modes(&dae);
        let realised = realised_modes(&dae, &allowed);
        prop_assert_eq!(allowed, realised);
    }

    /// Of definitions that say more, nothing that can happen is excluded.
    #[test]
    fn definitions_exclude_nothing_that_can_happen(
        relations in prop::collection::vec(plane_relation(), 6),
        forms in prop::collection::vec(prop::sample::select(vec![
            "{r}", "!({r})", "!b0 & {r}", "b0 | {r}", "{r} & {s}", "!({r} | b0) | {s}", "if {r} then b0 else {s}",
            "(b0 & {r}) | (!b0 & {s})",
        ]), 2..5),
    ) {
        let mut definitions = vec![relations[0].clone()];
        for (number, form) in forms.iter().enumerate() {
            let (r, s) = (&relations[number + 1], &relations[(number + 2) % 6]);
            definitions.push(form.replace("{r}", &format!("({r})")).replace("{s}", &format!("({s})")));
        }
        let dae = deduced(&program(&named(&definitions)));
        let allowed = allowed_modes(&dae);
        for point in plane(0.25) {
            prop_assert!(allowed.contains(&mode_at_point(&dae, point)), "{:?} at {:?}", definitions, point);
        }
    }
}

/// Everything that the system says, as a set.
fn content(dae: &MultimodeDae) -> BTreeSet<String> {
    let text = DaeText::new(dae);
    let mut said = BTreeSet::new();
    for mode in dae.mode_variables.iter() {
        let definition = mode.definition.map(|definition| text.expression(definition).to_string());
        said.insert(format!("mode {} {definition:?} {} {:?}", mode.name, mode.implicit, mode.initial));
    }
    for invariant in &dae.model.invariants {
        said.insert(format!("invariant {}", text.expression(invariant.condition)));
    }
    for equation in dae.model.equations.iter() {
        let (guard, left, right) =
            (text.expression(equation.guard), text.expression(equation.left), text.expression(equation.right));
        said.insert(format!("{:?} {} {guard}: {left} = {right}", equation.kind, equation.name));
    }
    for variable in dae.model.variables.iter() {
        said.insert(format!("variable {} {}", variable.name, text.expression(variable.guard)));
    }
    said
}

/// Shuffles everything but the constants, which loops need before them.
fn shuffle(statements: &mut [Statement], keys: &mut impl Iterator<Item = u32>) {
    let is_constant = |statement: &Statement| {
        matches!(&statement.kind, StatementKind::Declaration { value: Some(_), ty, .. }
            if *ty != modeshift_syntax::mel::Type::Boolean)
    };
    for statement in statements.iter_mut() {
        match &mut statement.kind {
            StatementKind::Foreach { body, .. } => shuffle(body, keys),
            StatementKind::If { then, otherwise, .. } => {
                shuffle(then, keys);
                shuffle(otherwise, keys);
            }
            _ => {}
        }
    }
    statements.sort_by_cached_key(|statement| if is_constant(statement) { 0 } else { keys.next().unwrap_or(1) });
}

proptest! {
    #[test]
    fn the_order_of_equations_does_not_matter(seed in prop::collection::vec(1..u32::MAX, 50)) {
        let building = include_str!("../../../models/BuildingIncompressible.mel");
        let brake = include_str!("../../../models/Westinghouse.mel");
        for text in [building, brake] {
            let original = program(text);
            let mut shuffled = original.clone();
            shuffle(&mut shuffled.statements, &mut seed.iter().copied().cycle());
            prop_assert_eq!(content(&elaborated(&original)), content(&elaborated(&shuffled)));
        }
    }
}

/// Pieces that a mutation may put anywhere.
const PIECES: [&str; 16] = [
    "if",
    "end",
    "else",
    "open[i]",
    "x[",
    "]",
    "equation",
    ": boolean = ",
    "last(",
    ")",
    "&",
    "0 * 1e400",
    "== 3",
    "foreach i in 1 .. 5 do",
    "der(der(",
    "invariant",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]
    #[test]
    fn mutated_programs_give_diagnostics_and_no_panic(
        which in 0..4usize,
        edits in prop::collection::vec((0.0..1.0f64, 0..20usize, 0..PIECES.len() + 8), 1..6),
    ) {
        let original = [
            include_str!("../../../models/BuildingIncompressible.mel"),
            include_str!("../../../models/Westinghouse.mel"),
            include_str!("../../../models/ValvePipe.mel"),
            include_str!("../../../models/ValveGrid.mel"),
        ][which];
        let mut text = original.to_string();
        for (place, length, piece) in edits {
            let start = (place * text.len() as f64) as usize;
            let end = (start + length).min(text.len());
            text.replace_range(start..end, PIECES.get(piece).copied().unwrap_or(""));
        }
        let mut diagnostics = Diagnostics::new();
        let file = SourceMap::default().add("model.mel", text.as_str());
        let program = modeshift_syntax::parse_mel(file, &text, &mut diagnostics);
        let dae = flatten_mel("M", &program, &[], &mut diagnostics).and_then(|model| elaborate(model, &mut diagnostics));
        match dae {
            Ok(dae) => prop_assert!(!dae.to_string().is_empty()),
            Err(_) => prop_assert!(diagnostics.has_errors(), "stopped without a reason: {}", text),
        }
    }
}
