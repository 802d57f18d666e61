//! Which equation defines which discrete variable, and what the variable then equals: small models in, the table out.

use std::collections::BTreeMap;

use expect_test::{Expect, expect};
use modeshift_dae::{
    ArithmeticOperator, Builtin, Definition, DiscreteText, EquationKind, ExpressionId, MultimodeDae, Node, VariableId,
};
use modeshift_testkit::{NO_OVERRIDES, multimode_dae};
use proptest::prelude::*;

fn elaborated(body: &str) -> MultimodeDae {
    let text = format!("model M\n{body}\nend M;");
    multimode_dae(&text, &NO_OVERRIDES).unwrap_or_else(|diagnostics| panic!("{diagnostics:#?}\n{text}"))
}

fn check(body: &str, expected: Expect) {
    expected.assert_eq(&DiscreteText(&elaborated(body)).to_string());
}

/// Compares codes and messages, and the text in the source of each label.
fn check_errors(body: &str, expected: Expect) {
    let text = format!("model M\n{body}\nend M;");
    let diagnostics = multimode_dae(&text, &NO_OVERRIDES).expect_err("an error");
    let mut shown = String::new();
    for diagnostic in diagnostics.iter() {
        shown += &format!("{} {}\n", diagnostic.code, diagnostic.message);
        for label in &diagnostic.labels {
            shown += &format!("  `{}` {}\n", &text[label.span.start as usize..label.span.end as usize], label.text);
        }
    }
    expected.assert_eq(&shown);
}

#[test]
fn an_alias_is_defined_whichever_side_it_stands_on() {
    for equations in ["m = 5; m = n;", "n = m; 5 = m;", "5 = m; m = n;"] {
        check(
            &format!("Integer m; Integer n(start = 7); equation {equations}"),
            expect![[r#"
                m = 5
                n = m
            "#]],
        );
    }
}

#[test]
fn chains_of_aliases_spread_from_what_is_known() {
    check(
        "Boolean a, b, c, d; Real x(start = 0, fixed = true);
         equation a = b; c = b; d = c; der(x) = 1; d = (x > 1);",
        expect![[r#"
            a = b
            b = c
            c = d
            d = x > 1
        "#]],
    );
}

#[test]
fn the_right_side_is_defined_too() {
    check(
        "Integer n, k; Real x(start = 0, fixed = true);
         equation der(x) = 1; 3 + (if x > 2 then 1 else 0) = n; integer(x) + 1 = k;",
        expect![[r#"
            n = 3 + (if x > 2 then 1 else 0)
            k = integer(x) + 1
        "#]],
    );
}

#[test]
fn sums_and_negations_are_solved() {
    check(
        "Integer n, m, k, i; Boolean a, b; discrete Real z;
         equation -n = 3; n + 1 = m; 4 - k = m; i - k + n = 2; not a = b; not b = true; 2*z/4 = n;",
        expect![[r#"
            n = -3
            m = n + 1
            k = 4 - m
            i = 2 - n + k
            a = not b
            b = false
            z = n*4/2
        "#]],
    );
}

#[test]
fn a_real_equation_with_a_continuous_unknown_defines_that() {
    let dae = elaborated(
        "Integer n; Real y, x(start = 0, fixed = true);
         equation der(x) = y; n = if x > 1 then 2 else 1; y = n;",
    );
    assert_eq!(dae.model.equations.iter().filter(|it| it.kind == EquationKind::Continuous).count(), 2);
    let mirrored = elaborated(
        "Integer n; Real y, x(start = 0, fixed = true);
         equation y = der(x); (if x > 1 then 2 else 1) = n; n = y;",
    );
    assert_eq!(mirrored.model.equations.iter().filter(|it| it.kind == EquationKind::Continuous).count(), 2);
}

#[test]
fn branches_define_what_nothing_else_defines_in_their_modes() {
    check(
        "Boolean b; Integer n, m; Real x(start = 0, fixed = true);
         equation der(x) = 1; b = x > 1;
         if b then n = m; m = 3; else 4 = n; 5 = m; end if;",
        expect![[r#"
            b = x > 1
            n = if b then m else 4
            m = if b then 3 else 5
        "#]],
    );
    check(
        "Boolean b; Integer n; Real x(start = 0, fixed = true);
         equation der(x) = 1; b = x > 1; if b then 3 = n; else pre(n) = n; end if;",
        expect![[r#"
            b = x > 1
            n = if b then 3 else pre(n)
        "#]],
    );
}

#[test]
fn arrays_enumerations_inputs_and_whens() {
    check(
        "type E = enumeration(one, two); E e; input Integer u; Integer n[2], w(start = 1); Integer v;
         equation E.two = e; u = n[1]; n[2] = n[1] + w; v = w;
         when time > 1 then w = 2; end when;",
        expect![[r#"
            e = 2
            u comes from outside
            n[1] = u
            n[2] = n[1] + w
            w is assigned by `when`
            v = w
        "#]],
    );
}

#[test]
fn initial_equations_give_discrete_variables_their_values() {
    check(
        "Integer n(start = 7), w; discrete Real z; Boolean b; Real x;
         initial equation x = n; 3 = w; pre(b) = true; z + 1 = 2;
         equation der(x) = 1; 3 = n; b = x > 1;
         when b then w = 2; z = x; end when;",
        expect![[r#"
            n = 3
            w is assigned by `when`
            z is assigned by `when`
            b = x > 1
            start: w = 3
            start: pre(b) = true
        "#]],
    );
}

#[test]
fn too_much_is_said_with_all_places() {
    check_errors(
        "Integer n; equation n = 3; 4 = n;",
        expect![[r#"
            E0501 `n` is defined more than once
              `4 = n` defined again here
              `n = 3` first defined here
              `n` declared here
        "#]],
    );
    check_errors(
        "Integer n, m; equation n = 3; m = n; m = 4;",
        expect![[r#"
            E0501 `m` is defined more than once
              `m = 4` defined again here
              `m = n` first defined here
              `m` declared here
        "#]],
    );
    check_errors(
        "Integer w; equation 4 = w; when time > 1 then w = 2; end when;",
        expect![[r#"
            E0501 `w` is defined by an equation and by a `when`
              `4 = w` defined here
              `w` declared here
        "#]],
    );
}

#[test]
fn what_nothing_defines_is_refused() {
    check_errors(
        "Integer n(start = 2); Real y; equation y = n;",
        expect![[r#"
            E0502 nothing defines the Integer `n`
              `n(start = 2)` declared here, without an equation
              `y = n` this equation is for what changes between events
        "#]],
    );
    check_errors(
        "discrete Real z; Real x; equation der(x) = 1; z = x + 1;",
        expect![[r#"
            E0237 `z` is discrete, but this equation makes it follow `x`
              `z = x + 1` changes at all times
              `z` declared here
        "#]],
    );
}

#[test]
fn cycles_are_refused() {
    check_errors(
        "Integer n, m; equation n = m + 1; m = n - 1;",
        expect![[r#"
            E0503 the definition of `n` leads back to itself
              `n = m + 1` defined here
              `n` declared here
        "#]],
    );
    check_errors(
        "Integer n, m; equation n + m = 3; n - m = 1;",
        expect![[r#"
            E0503 the definition of `n` leads back to itself
              `n + m = 3` defined here
              `n` declared here
        "#]],
    );
}

#[test]
fn what_cannot_be_solved_is_refused_at_its_place() {
    check_errors(
        "Integer n; equation 2*n = 6;",
        expect![[r#"
            E0506 an equation between Booleans, Integers or Strings must define a variable
              `2*n = 6` neither side is a variable that can be defined
        "#]],
    );
    check_errors(
        "Integer n; equation 2.5 = n;",
        expect![[r#"
            E0506 an equation between Reals cannot define `n`, which is a whole number
              `2.5 = n` between Reals
              `n` declared here
        "#]],
    );
    check_errors(
        "Boolean a, b; Real x; initial equation (a and b) = true; equation der(x) = 1;
         when x > 1 then a = true; b = false; end when;",
        expect![[r#"
            E0506 an initial equation between Booleans, Integers or Strings must give a variable its value
              `(a and b) = true` it cannot be solved for a discrete variable
        "#]],
    );
}

/// A discrete variable of a random system: what it is made of, all earlier in the list.
#[derive(Clone, Debug)]
enum Made {
    Literal(i64),
    Alias(usize),
    /// A sum of earlier variables with signs, and a constant.
    Sum(Vec<(usize, bool)>, i64),
    /// One of two earlier variables, by a comparison of two others.
    Choice([usize; 4]),
    Product(usize, usize),
}

fn made(before: usize) -> BoxedStrategy<Made> {
    if before == 0 {
        return (-9..10i64).prop_map(Made::Literal).boxed();
    }
    let one = move || 0..before;
    prop_oneof![
        1 => (-9..10i64).prop_map(Made::Literal),
        4 => one().prop_map(Made::Alias),
        4 => (prop::collection::vec((one(), any::<bool>()), 1..4), -9..10i64).prop_map(|(terms, constant)| Made::Sum(terms, constant)),
        2 => [one(), one(), one(), one()].prop_map(Made::Choice),
        1 => (one(), one()).prop_map(|(a, b)| Made::Product(a, b)),
    ]
    .boxed()
}

/// Larger values are not compared.
const LARGEST: i64 = 1_000_000;

/// The variables of a system, and how each equation is written: mirrored, and how many terms change sides.
#[derive(Clone, Debug)]
struct System {
    variables: Vec<Made>,
    mirrored: Vec<bool>,
    moved: Vec<u8>,
    order: Vec<usize>,
}

fn system() -> impl Strategy<Value = System> {
    (1..9usize).prop_flat_map(|count| {
        let variables: Vec<BoxedStrategy<Made>> = (0..count).map(made).collect();
        let flags = prop::collection::vec(any::<bool>(), count);
        let moved = prop::collection::vec(any::<u8>(), count);
        let order = Just((0..count).collect::<Vec<usize>>()).prop_shuffle();
        (variables, flags, moved, order).prop_map(|(variables, mirrored, moved, order)| System {
            variables,
            mirrored,
            moved,
            order,
        })
    })
}

impl System {
    /// The plain interpreter: one variable after the other.
    fn values(&self) -> Vec<i64> {
        let mut values: Vec<i64> = Vec::new();
        for made in &self.variables {
            let value = match made {
                Made::Literal(value) => *value,
                Made::Alias(of) => values[*of],
                Made::Sum(terms, constant) => terms
                    .iter()
                    .fold(*constant, |sum, &(of, minus)| if minus { sum - values[of] } else { sum + values[of] }),
                Made::Choice([a, b, c, d]) => {
                    if values[*a] > values[*b] {
                        values[*c]
                    } else {
                        values[*d]
                    }
                }
                Made::Product(a, b) => values[*a].saturating_mul(values[*b]),
            };
            values.push(value.clamp(-LARGEST, LARGEST));
        }
        values
    }

    fn equation(&self, number: usize) -> String {
        let name = |of: usize| format!("v{of}");
        let mut left = name(number);
        let right = match &self.variables[number] {
            Made::Literal(value) => format!("{value}"),
            Made::Alias(of) => name(*of),
            Made::Sum(terms, constant) => {
                let mut right = format!("({constant})");
                for (place, &(of, minus)) in terms.iter().enumerate() {
                    let is_moved = self.moved[number] >> place & 1 == 1;
                    let side = if is_moved { &mut left } else { &mut right };
                    *side += if minus != is_moved { " - " } else { " + " };
                    *side += &name(of);
                }
                right
            }
            Made::Choice([a, b, c, d]) => {
                format!("if {} > {} then {} else {}", name(*a), name(*b), name(*c), name(*d))
            }
            Made::Product(a, b) => format!("{}*{}", name(*a), name(*b)),
        };
        if self.mirrored[number] { format!("({right}) = {left}") } else { format!("{left} = {right}") }
    }

    fn text(&self) -> String {
        let declared: String = (0..self.variables.len()).map(|it| format!("Integer v{it}(start = {it}); ")).collect();
        let equations: String = self.order.iter().map(|&it| format!("{};\n", self.equation(it))).collect();
        format!("{declared}\nequation\n{equations}")
    }
}

/// The value of a variable by the table, following definitions.
fn value(dae: &MultimodeDae, variable: VariableId, known: &mut BTreeMap<VariableId, f64>) -> f64 {
    if let Some(&value) = known.get(&variable) {
        return value;
    }
    let Some(Definition::Equation { value: defined, .. }) = dae.discrete.definition(variable) else {
        panic!("{} has no equation", dae.model.variables[variable].name)
    };
    let result = evaluated(dae, defined, known);
    known.insert(variable, result);
    result
}

fn evaluated(dae: &MultimodeDae, id: ExpressionId, known: &mut BTreeMap<VariableId, f64>) -> f64 {
    match dae.model.expressions.node(id) {
        Node::Integer(value) => value as f64,
        Node::Real(number) => number.value(),
        Node::Variable(variable, 0) => value(dae, variable, known),
        Node::Negate(a) => -evaluated(dae, a, known),
        Node::Arithmetic(operator, a, b) => {
            assert!(!matches!(operator, ArithmeticOperator::Divide | ArithmeticOperator::Power), "a whole number");
            operator.value(evaluated(dae, a, known), evaluated(dae, b, known))
        }
        Node::Relation(operator, a, b) => {
            f64::from(u8::from(operator.holds(evaluated(dae, a, known), evaluated(dae, b, known))))
        }
        Node::If(condition, a, b) => {
            let holds = evaluated(dae, condition, known) != 0.0;
            evaluated(dae, if holds { a } else { b }, known)
        }
        Node::Call(Builtin::Integer, arguments) => {
            evaluated(dae, dae.model.expressions.argument_list(arguments)[0], known).floor()
        }
        other => panic!("{other:?}"),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]

    #[test]
    fn random_systems_have_the_values_of_a_plain_interpreter(system in system()) {
        let expected = system.values();
        let text = system.text();
        prop_assume!(expected.iter().all(|value| value.abs() < LARGEST));
        let dae = elaborated(&text);
        let mut known = BTreeMap::new();
        for (number, expected) in expected.into_iter().enumerate() {
            let name = format!("v{number}");
            let id = dae.model.variables.ids().find(|&id| *dae.model.variables[id].name == *name);
            let found = value(&dae, id.expect("it is declared"), &mut known);
            prop_assert_eq!(found, expected as f64, "{}\n{}", name, text);
        }
    }
}

#[test]
fn a_discrete_variable_without_an_equation_in_some_mode_is_refused() {
    check_errors(
        "Boolean v; Real x(start = 0, fixed = true); equation der(x) = if v then 1 else -1;
         if x > 0.5 then v = true; end if;",
        expect![[r#"
            E0502 nothing defines the Boolean `v` when `x <= 0.5`
              `v = true` defined in other modes, here
              `v` declared here
        "#]],
    );
    check_errors(
        "Integer v; Real x(start = 0, fixed = true); equation der(x) = 1;
         if x > 0.5 then v = 3; elseif x > 0.25 then v = 2; end if;",
        expect![[r#"
            E0502 nothing defines the Integer `v` when `x <= 0.5 and x <= 0.25`
              `v = 3` defined in other modes, here
              `v` declared here
        "#]],
    );
    check_errors(
        "Boolean b, c; equation if time > 1 then b = false; c = true; else b = true; end if;",
        expect![[r#"
            E0502 nothing defines the Boolean `c` when `time <= 1`
              `c = true` defined in other modes, here
              `c` declared here
        "#]],
    );
    check_errors(
        "type E = enumeration(one, two, three); E e = if time > 2 then E.three elseif time > 1 then E.two else E.one;
         discrete Real y; equation if e == E.one then y = 1; elseif e == E.two then y = 2; end if;",
        expect![[r#"
            E0502 nothing defines the discrete Real `y` when `e <> M.E.one and e <> M.E.two`
              `y = 1` defined in other modes, here
              `y` declared here
        "#]],
    );
}

#[test]
fn a_discrete_variable_may_be_defined_in_as_many_branches_as_it_takes() {
    check(
        "type E = enumeration(one, two, three); E e = if time > 2 then E.three elseif time > 1 then E.two else E.one;
         discrete Real y; Integer n; Boolean a = x > 0.7, b; Real x = sin(time); equation
         if e == E.one then y = 1; elseif e == E.two then y = 2; elseif e == E.three then y = 4; end if;
         if x < 0 then n = 1; elseif x >= 0 and x < 0.5 then n = 2; elseif 2*x >= 1 then n = 3; end if;
         if a then b = true; end if; if not a then b = false; end if;",
        expect![[r#"
            e = if time > 2 then 3 else if time > 1 then 2 else 1
            y = if e == M.E.one then 1 else if not e == M.E.one and e == M.E.two then 2 else 4 if e == M.E.one or not (e == M.E.one) and e == M.E.two or not (e == M.E.one) and not (e == M.E.two) and e == M.E.three, else as before
            n = if x < 0 then 1 else if not x < 0 and (x >= 0 and x < 0.5) then 2 else 3
            a = x > 0.7
            b = if a then true else false
        "#]],
    );
    // Eleven conditions and more.
    let branches: String = (1..30).map(|k| format!("elseif time < {k} then n = {k}; ")).collect();
    let dae = elaborated(&format!("Integer n; equation if time < 0 then n = 0; {branches} else n = 99; end if;"));
    assert!(DiscreteText(&dae).to_string().ends_with("else 99\n"), "{}", DiscreteText(&dae));
}

#[test]
fn branches_are_told_apart_by_the_order_of_numbers() {
    // Behind `x < 1` and `x < 2`, the third branch says `x >= 2` alone.
    for (less, more) in [("<", ">"), ("<=", ">=")] {
        let body = |from: &str, conditions: [String; 3]| {
            let [a, b, c] = conditions;
            format!(
                "Integer n; Real x = {from}; equation
                 if {a} then n = 1; elseif {b} then n = 2; elseif {c} then n = 3; else n = 4; end if;"
            )
        };
        let up = body("time", [1, 2, 3].map(|k| format!("x {less} {k}")));
        let down = body("-time", [1, 2, 3].map(|k| format!("x {more} -{k}")));
        let mirrored = body("time", [1, 2, 3].map(|k| format!("{k} {more} x")));
        for body in [up, down, mirrored] {
            let text = DiscreteText(&elaborated(&body)).to_string();
            assert!(text.contains("then 1 else") && text.contains("4"), "{text}");
        }
    }
}
