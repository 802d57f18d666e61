//! Messages: what is wrong, where, with which second place, and what to try. Several per file.

use crate::common;
use common::check_errors;
use expect_test::expect;

#[test]
fn a_missing_semicolon_is_shown_behind_the_previous_token() {
    check_errors(
        "model M\n  Real x\n  Real y;\nequation\n  x = 1\n  y = 2;\nend M;\n",
        expect![[r#"
        E0102: missing `;`
          2:9 `` expected `;` behind this
        E0102: missing `;`
          5:8 `` expected `;` behind this
    "#]],
    );
}

#[test]
fn an_unclosed_class_shows_where_it_starts() {
    check_errors(
        "package P\n  partial model M\n    Real x;\nend P;\n",
        expect![[r#"
        E0103: `model M` is not closed
          3:12 `` expected `end M;` behind this
          2:11 `model` this `model` starts here
    "#]],
    );
    check_errors(
        "model M\n  Real x;\n",
        expect![[r#"
        E0103: `model M` is not closed
          2:10 `` expected `end M;` behind this
          1:1 `model` this `model` starts here
    "#]],
    );
}

#[test]
fn an_end_that_does_not_match_shows_both_places() {
    check_errors(
        "model M\n  Real x;\nend N;\nmodel O\nend;",
        expect![[r#"
        E0104: `end N` does not match `model M`
          3:1 `end N` expected `end M`
          1:1 `model` this `model` starts here
          help: write `end M;`
        E0104: `end` does not say that it closes `model O`
          5:1 `end` expected `end O`
          4:1 `model` this `model` starts here
          help: write `end O;`
    "#]],
    );
    check_errors(
        "model M\nequation\n  if a then\n    x = 1;\n  end for;\nend M;",
        expect![[r#"
        E0104: `end for` does not match `if`
          5:3 `end for` expected `end if`
          3:3 `if` this `if` starts here
          help: write `end if;`
    "#]],
    );
}

#[test]
fn unclosed_blocks_do_not_swallow_the_rest() {
    check_errors(
        "model M\nequation\n  for i in 1:3 loop\n    if a then\n      x = 1;\n  end for;\n  y = 2;\nend M;\nmodel N\n  Real;\nend N;",
        expect![[r#"
            E0103: `if` is not closed
              5:13 `` expected `end if;` behind this
              4:5 `if` this `if` starts here
            E0101: expected the name of a component, found `;`
              10:7 `;` expected the name of a component
        "#]],
    );
    check_errors(
        "model M\nequation\n  if a then\n    x = 1;\n  else if b then\n    x = 2;\n  end if;\nend M;",
        expect![[r#"
            E0103: `if` is not closed
              7:10 `` expected `end if;` behind this
              3:3 `if` this `if` starts here
              5:8 `if` a second `if` starts here
              help: `else if` opens a second `if`; for another branch of the first, write `elseif`
        "#]],
    );
}

#[test]
fn stray_ends_are_named() {
    check_errors(
        "model M\nequation\n  x = 1;\n  end if;\n  y = 2;\nend M;",
        expect![[r#"
        E0110: `end if` without `if`
          4:3 `end if` nothing to close here
    "#]],
    );
}

#[test]
fn several_errors_are_found_in_one_file() {
    check_errors(
        "model M
  parameter Real = 3;
  Real x(start = );
  Real flow;
equation
  x = 1 + * 2;
  y = f(1, 2;
  z = {1, 2];
  x == 3;
  der(x) := 4;
  a b = 5;
  if x then y = 1 end if;
algorithm
  x = 3;
  y;
end M;
stray tokens
model N end N;",
        expect![[r#"
            E0101: expected the name of a component, found `=`
              2:18 `=` expected the name of a component
            E0101: expected an expression, found `)`
              3:18 `)` expected an expression
            E0101: expected the name of a component, found the keyword `flow`
              4:8 `flow` expected the name of a component
              help: keywords are no names, but `'flow'` is one
            E0101: expected an expression, found `*`
              6:11 `*` expected an expression
            E0103: expected `)`, found `;`
              7:13 `` expected `)` behind this
              7:8 `(` opened here
            E0103: expected `}`, found `]`
              8:12 `` expected `}` behind this
              8:7 `{` opened here
            E0101: expected `=`, found `;`
              9:9 `;` expected `=`
              help: an equation is `left = right` or a call; `==` only compares
            E0111: an assignment among equations
              10:10 `:=` expected `=`
              help: write an equation with `=`, or put the assignment into an `algorithm` section
            E0111: a declaration among equations or statements
              11:3 `a` this starts a declaration
              help: move it in front of `equation` or `algorithm`, or start a `public` or `protected` section
            E0102: missing `;`
              12:18 `` expected `;` behind this
            E0111: an equation among statements
              14:5 `=` expected `:=`
              help: write an assignment with `:=`, or put the equation into an `equation` section
            E0101: expected `:=`, found `;`
              15:4 `;` expected `:=`
            E0101: expected a class, such as `model M … end M;`, found `stray`
              17:1 `stray` expected a class, such as `model M … end M;`
        "#]],
    );
}

#[test]
fn equations_among_declarations_and_the_reverse() {
    check_errors(
        "model M\n  Real x;\n  x = 1;\n  der(x) = 2;\nequation\n  Real y;\n  x = 3;\n  parameter Real p = 1;\nend M;",
        expect![[r#"
            E0111: an equation among declarations
              3:3 `x` this starts an equation
              help: put `equation` in front of the first equation
            E0111: a declaration among equations or statements
              6:3 `Real` this starts a declaration
              help: move it in front of `equation` or `algorithm`, or start a `public` or `protected` section
            E0111: a declaration among equations or statements
              8:3 `parameter` this starts a declaration
              help: move it in front of `equation` or `algorithm`, or start a `public` or `protected` section
        "#]],
    );
}

#[test]
fn operators_that_do_not_associate() {
    check_errors(
        "model M equation a = b ^ c ^ d; x = 0 < y < 1; z = a * -b; q = a == not b; r = 1 + if a then 1 else 2; s = if a then 1; end M;",
        expect![[r#"
            E0109: `^` does not associate
              1:28 `^` a second operator of this kind
              help: say which one comes first, for example `(a^b)^c`
            E0109: `<` does not associate
              1:43 `<` a second operator of this kind
              help: say which one comes first, for example `a < b and b < c`
            E0109: a sign behind another operator
              1:56 `-` this sign needs parentheses
              help: write for example `a * (-b)`
            E0109: `not` behind another operator
              1:69 `not` binds weaker than the operator in front of it
              help: put the negation in parentheses
            E0109: `if` behind an operator
              1:84 `if` this expression needs parentheses
              help: write `( if … then … else … )`
            E0101: expected `else`, found `;`
              1:119 `` expected `else` behind this
              help: an `if` expression needs a value in every case
        "#]],
    );
}

#[test]
fn what_is_not_closed_in_the_text_itself() {
    check_errors(
        "model M\n  Real x \"text;\nend M;\n",
        expect![[r#"
        E0105: this string is not closed
          2:10 `\"` 
          help: close it with `"`; a quotation mark inside a string is written `\"`
    "#]],
    );
    check_errors(
        "model M\n  Real x; /* remark\nend M;\n",
        expect![[r#"
        E0105: this comment is not closed
          2:11 `/*` 
          help: close it with `*/`
    "#]],
    );
    check_errors(
        "model M\n  Real 'x;\n  Real y;\nend M;\n",
        expect![[r#"
        E0105: this quoted name is not closed on its line
          2:8 `\'` 
          help: close it with `'`
    "#]],
    );
}

/// A terminal would obey some of them.
#[test]
fn quoted_names_have_no_control_characters() {
    check_errors(
        "model M\n  Real 'a\u{1b}[2J';\nend M;",
        expect![[r#"
        E0106: a control character in a quoted name
          2:8 `\'` 
          help: write its name without characters that cannot be seen
    "#]],
    );
}

#[test]
fn unknown_characters_are_skipped() {
    check_errors(
        "model M\n  Real x$;\n  Real größe;\nequation\n  x = 1 ü§ + 2;\n  a = b && c;\n  d = !e;\nend M;",
        expect![[r#"
            E0106: unknown character `$`
              2:9 `$` 
            E0106: unknown characters `öß`
              3:10 `öß` 
              help: names are made of the letters a to z, digits and `_`; any other goes in quotes: `'größe'`
            E0106: unknown characters `ü§`
              5:9 `ü§` 
            E0106: unknown characters `&&`
              6:9 `&&` 
              help: Modelica writes `a and b`
            E0106: unknown character `!`
              7:7 `!` 
              help: Modelica writes `not a` and `a <> b`
        "#]],
    );
}

#[test]
fn numbers_that_do_not_fit() {
    check_errors(
        "model M Real x = 9223372036854775808; Real y = 1e999; end M;",
        expect![[r#"
        E0108: this number does not fit an Integer
          1:18 `9223372036854775808` too large
          help: write it as a Real, with a point
        E0108: this number does not fit a Real
          1:48 `1e999` too large
          help: the largest Real is about 1.8e308
    "#]],
    );
}

#[test]
fn keywords_are_not_names() {
    check_errors(
        "model M\n  Real flow, time;\n  model = N;\n  x.end y;\nequation\n  input = 3;\nend M;",
        expect![[r#"
            E0101: expected the name of a component, found the keyword `flow`
              2:8 `flow` expected the name of a component
              help: keywords are no names, but `'flow'` is one
            E0101: expected a name, found `=`
              3:9 `=` expected a name
            E0101: expected a name, found the keyword `end`
              4:5 `end` expected a name
              help: keywords are no names, but `'end'` is one
            E0111: a declaration among equations or statements
              6:3 `input` this starts a declaration
              help: move it in front of `equation` or `algorithm`, or start a `public` or `protected` section
            E0101: expected a declaration, found `=`
              6:9 `=` expected a declaration
        "#]],
    );
    check_errors(
        "model block\n  Real x;\nend block;\nmodel\nend M;",
        expect![[r#"
            E0101: expected a name, found the keyword `block`
              1:7 `block` expected a name
              help: keywords are no names, but `'block'` is one
            E0101: expected a name, found the keyword `end`
              5:1 `end` expected a name
        "#]],
    );
}

#[test]
fn errors_in_modifiers_and_annotations() {
    check_errors(
        "model M\n  Real x(start 1);\n  Real y(= 2, min = 3) annotation Evaluate;\n  extends (a = 1);\n  import A.;\n  type T = enumeration(a, 1);\nend M;",
        expect![[r#"
            E0103: expected `)`, found `1`
              2:15 `` expected `)` behind this
              2:9 `(` opened here
            E0101: expected a name, found `=`
              3:10 `=` expected a name
            E0101: expected `(`, found `Evaluate`
              3:35 `Evaluate` expected `(`
            E0101: expected a name, found `(`
              4:11 `(` expected a name
            E0101: expected a name, found `;`
              5:12 `;` expected a name
            E0101: expected a name, found `1`
              6:27 `1` expected a name
        "#]],
    );
}

#[test]
fn errors_in_conditions_and_loops() {
    check_errors(
        "model M\nequation\n  if a x = 1; end if;\n  for i in 1:3 x[i] = 1; end for;\n  when a then x = 1; else y = 2; end when;\nalgorithm\n  while loop x := 1; end while;\nend M;",
        expect![[r#"
            E0101: expected `then`, found `x`
              3:8 `x` expected `then`
            E0101: expected `loop`, found `x`
              4:16 `x` expected `loop`
            E0101: `when` has no `else`
              5:22 `else` expected `elsewhen` or `end when`
              help: write `elsewhen … then`; outside of its instants, a `when` says nothing
            E0101: expected an expression, found the keyword `loop`
              7:9 `loop` expected an expression
        "#]],
    );
}
