//! Precedence, associativity and all forms of expressions.

use crate::common;
use common::{check_expression, clean_expression, grouped};

#[test]
fn unary_minus_binds_weaker_than_products_and_powers() {
    check_expression("-a * b + c", "((-(a * b)) + c)");
    check_expression("-a ^ 2", "(-(a ^ 2))");
    check_expression("a - b - c", "((a - b) - c)");
    check_expression("a / b * c", "((a / b) * c)");
    check_expression("(-a) * b", "((-a) * b)");
    check_expression("+a - b .* 1", "((+a) - (b .* 1))");
}

#[test]
fn not_binds_weaker_than_relations_and_tighter_than_and() {
    check_expression("not a == b", "(not (a == b))");
    check_expression("not a and b or c", "(((not a) and b) or c)");
    check_expression("a or b and not c", "(a or (b and (not c)))");
    check_expression("x + 1 >= 2 * y", "((x + 1) >= (2 * y))");
    check_expression("a <> b", "(a <> b)");
}

#[test]
fn ranges_bind_weakest_but_for_if() {
    check_expression("1:n+1", "(1:(n + 1))");
    check_expression("1:2:n", "(1:2:n)");
    check_expression("if a then 1:2 else 3:4", "(if a then (1:2) else (3:4))");
    check_expression("1:2", "(1:2)");
}

#[test]
fn if_expressions_nest_everywhere() {
    check_expression("if a then b elseif c then d else e", "(if a then b elseif c then d else e)");
    check_expression("if a then if b then 1 else 2 else 3", "(if a then (if b then 1 else 2) else 3)");
    check_expression("f(if a then b else c, 2)", "f((if a then b else c), 2)");
    check_expression("2 * (if a then b else c + 1)", "(2 * (if a then b else (c + 1)))");
}

#[test]
fn numbers_take_every_form() {
    check_expression("{1, 1.5, 1., 1.e3, 1e3, 1E-3, .5, 1.5e+3}", "{1, 1.5, 1.0, 1000.0, 1000.0, 0.001, 0.5, 1500.0}");
    check_expression("9223372036854775807", "9223372036854775807");
}

#[test]
fn strings_resolve_their_escapes() {
    check_expression(r#""a\"b\\c\n""#, "\"a\\\"b\\\\c\n\"");
    check_expression("\"two\nlines\" + \"é\"", "(\"two\nlines\" + \"é\")");
}

#[test]
fn references_carry_subscripts_and_leading_dots() {
    check_expression("a.b[i, :].c[end]", "a.b[i, :].c[end]");
    check_expression(".A.B.c", ".A.B.c");
    check_expression("x[1:end - 1, {1, 2}]", "x[1:end - 1, {1, 2}]");
    check_expression("'a b'.'c\\'d'", "'a b'.'c\\'d'");
    check_expression("invariant + last(invariant)", "(invariant + last(invariant))");
}

#[test]
fn keywords_that_are_called_are_calls() {
    check_expression("der(x) + der(der(y))", "(der(x) + der(der(y)))");
    check_expression("initial() or terminal()", "(initial() or terminal())");
    check_expression("pure(f(x))", "pure(f(x))");
}

#[test]
fn arguments_are_positional_named_or_functions() {
    check_expression("f(1, x = 2, y = {3})", "f(1, x = 2, y = {3})");
    check_expression("g(function f(a = 1), h = function k())", "g(function f(a = 1), h = function k())");
    check_expression("f()", "f()");
}

#[test]
fn comprehensions_keep_their_iterators() {
    check_expression("{i * j for i in 1:3, j}", "<(i * j) for i in 1:3, j>");
    check_expression("sum(x[i] for i in 1:n)", "sum<x[i] for i in 1:n>");
}

#[test]
fn matrices_and_tuples() {
    check_expression("[1, 2; 3, 4]", "[1, 2; 3, 4]");
    check_expression("[a; b]", "[a; b]");
    check_expression("(a, , b)", "(a, , b)");
    check_expression("(, a)", "(, a)");
    check_expression("((a))", "a");
    check_expression("{{1, 2}, {3, 4}}", "{{1, 2}, {3, 4}}");
}

#[test]
fn elementwise_operators_have_the_precedence_of_the_others() {
    check_expression("a .+ b .* c .^ d ./ e .- f", "((a .+ ((b .* (c .^ d)) ./ e)) .- f)");
    check_expression("2 .* x", "(2 .* x)");
}

#[test]
fn comments_may_stand_between_any_tokens() {
    check_expression("a /* one */ + // two\n b", "(a + b)");
}

#[test]
fn what_is_printed_parses_to_the_same() {
    let sources = [
        "-a * b + c - (d - e)",
        "(a + b) * (-c) / (d * e)",
        "(a ^ b) ^ (c ^ d)",
        "not (a and (b or not c)) and (a == b) == c",
        "(if a then 1 else 2) + 1",
        "x[if a then 1 else 2] + f((1:3), (if b then c else d))",
        "{(1:2):3, (a < b) < c, -(-a), -(a + b)}",
        "a - (b + c) - (d .- e)",
        "\"quote \\\" and \\\\ backslash\"",
        "1e300 * 1e-300 + 5 - 0.1",
    ];
    for source in sources {
        let expression = clean_expression(source);
        let printed = expression.to_string();
        assert_eq!(grouped(&clean_expression(&printed)), grouped(&expression), "{source} printed as {printed}");
    }
}
