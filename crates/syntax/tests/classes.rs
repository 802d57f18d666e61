//! Files, classes of every form, elements and modifications.

use crate::common;
use common::check_classes;
use expect_test::expect;

#[test]
fn a_file_has_within_and_classes_behind_a_byte_order_mark() {
    check_classes(
        "\u{FEFF}within A.B;\nmodel M end M; final package P end P;\n",
        expect![[r#"
        within A.B
        Model M
        Package P
    "#]],
    );
    check_classes(
        "within; model M end M;",
        expect![[r#"
        within
        Model M
    "#]],
    );
}

#[test]
fn every_kind_of_class_is_told_apart() {
    check_classes(
        "class A end A; model B end B; block C end C; record D end D; operator record E end E;
         connector F end F; expandable connector G end G; type H end H; package I end I; function J end J;
         pure function K end K; impure function L end L; operator function N end N; operator '+' end '+';
         encapsulated partial model O \"two \" + \"parts\" end O;",
        expect![[r#"
            Class A
            Model B
            Block C
            Record D
            OperatorRecord E
            Connector F
            ExpandableConnector G
            Type H
            Package I
            Function J
            Function K
            impure Function L
            OperatorFunction N
            Operator '+'
            encapsulated partial Model O "two parts"
        "#]],
    );
}

#[test]
fn short_classes_have_prefixes_dimensions_and_modifiers() {
    check_classes(
        "connector RealInput = input Real[3](each unit = \"m\") \"a signal\" annotation(Icon(x = 1));
         type Color = enumeration(red \"first\", green annotation(y = 1)) \"colors\";
         type Any = enumeration(:);
         type None = enumeration();
         function df = der(A.f, x, y) \"derivative\";",
        expect![[r#"
            Connector RealInput = input Real[3](each unit = "m") "a signal" @(Icon(x = 1))
            Type Color = enumeration(red "first", green) "colors"
            Type Any = enumeration(:)
            Type None = enumeration()
            Function df = der(A.f, x, y) "derivative"
        "#]],
    );
}

#[test]
fn class_extends_keeps_its_modifiers() {
    check_classes(
        "package P model extends K(x = 1) \"k\" Real y; end K; end P;",
        expect![[r#"
        Package P
          Model K extends(x = 1) "k"
            Real y
    "#]],
    );
}

#[test]
fn declarations_take_prefixes_dimensions_bindings_and_conditions() {
    check_classes(
        "model M
           parameter Real x(start = 1, fixed = true) = 3 \"text\" annotation(Evaluate = true);
           Real[3] a[2], b = {1, 2, 3} if c;
           flow Real i; stream Real h; discrete input Integer k; output Boolean y;
           constant .A.B.T t := 5;
         protected
           final inner parameter Real z = 1; outer World world; inner outer World both;
         public
           replaceable R r(final R = 1) constrainedby T(n = 2) \"why\" annotation(choices(choice(redeclare R2 r)));
           redeclare replaceable model S = T constrainedby U;
         end M;",
        expect![[r#"
            Model M
              parameter Real x(start = 1, fixed = true) = 3 "text" @(Evaluate = true)
              Real a[2, 3]
              Real b[3] = {1, 2, 3} if c
              flow Real i
              stream Real h
              discrete input Integer k
              output Boolean y
              constant .A.B.T t = 5
              protected final inner parameter Real z = 1
              protected outer World world
              protected inner outer World both
              replaceable R r(final R = 1) constrainedby T(n = 2)
              redeclare replaceable  constrainedby U
              Model S = T
        "#]],
    );
}

#[test]
fn imports_have_four_forms() {
    check_classes(
        "model M import A.B.C; import D = A.B; import A.{B, C}; import A.B.*; import A.B . * \"all\"; end M;",
        expect![[r#"
            Model M
              import A.B.C
              import D = A.B
              import A.{B, C}
              import A.B.*
              import A.B.*
        "#]],
    );
}

#[test]
fn modifiers_nest_redeclare_and_break() {
    check_classes(
        "model M
           extends B(x = 1, y.z(start = 2) = 3, each final k = 4, redeclare replaceable Sine s(f = 5) constrainedby T,
                     redeclare model N = O(p = 6), replaceable function f = g, break c, break connect(a.b, d[1]),
                     q(start = break), final redeclare parameter Real w = 7 \"text\") annotation(Evaluate = true);
         end M;",
        expect![[r#"
            Model M
              extends B(x = 1, y.z(start = 2) = 3, each final k = 4, replaceable <redeclare replaceable Sine s(f = 5) constrainedby T>, <redeclare Model N = O(p = 6)>, replaceable <replaceable Function f = g>, break c, break connect(a.b, d[1]), q(break start), final <redeclare final parameter Real w = 7 "text">) @(Evaluate = true)
        "#]],
    );
}

#[test]
fn annotations_stand_everywhere() {
    check_classes(
        "model M
           extends A annotation(e = 1);
           import B annotation(i = 1);
           annotation(first = 1);
         equation
           connect(a, b) annotation(Line(points = {{1, 2}, {3, 4}}));
           x = 1 \"text\" annotation(q = 1);
           annotation(second(nested));
         end M;",
        expect![[r#"
            Model M @(first = 1, second(nested))
              extends A @(e = 1)
              import B
              equation
                connect(a, b) @(Line(points = {{1, 2}, {3, 4}}))
                x = 1 "text" @(q = 1)
        "#]],
    );
}

#[test]
fn external_functions_name_language_result_and_arguments() {
    check_classes(
        "function f input Real x; output Real y; external \"C\" y = c_f(x, size(x, 1)) annotation(Library = \"l\"); end f;
         function g external; end g;
         function h external \"FORTRAN 77\" dh(a) ; annotation(z = 1); end h;
         function k external \"builtin\"; end k;",
        expect![[r#"
            Function f
              input Real x
              output Real y
              external Some("C") y = c_f(x, size(x, 1))
            Function g
              external None 
            Function h @(z = 1)
              external Some("FORTRAN 77") dh(a)
            Function k
              external Some("builtin") 
        "#]],
    );
}

#[test]
fn declarations_inside_if_are_conditional() {
    // E22, Figure 14.
    check_classes(
        "model CoaxialElement
           Boolean open, short;
           if not open then protected Real v; end if;
           if not short then Real j; elseif k then parameter Real l = 1; Real m; else Real n; end if;
           Real after;
         end CoaxialElement;",
        expect![[r#"
            Model CoaxialElement
              Boolean open
              Boolean short
              if not open
                protected Real v
              if not short
                Real j
              if k
                parameter Real l = 1
                Real m
              else
                Real n
              Real after
        "#]],
    );
}

#[test]
fn sections_alternate_in_any_order() {
    check_classes(
        "block B
           Real x;
         initial equation x = 1;
         equation der(x) = 2;
         protected Real y;
         algorithm y := x;
         initial algorithm y := 0;
         equation x = y;
         end B;",
        expect![[r#"
            Block B
              Real x
              protected Real y
              initial equation
                x = 1
              equation
                der(x) = 2
              equation
                x = y
              algorithm
                y := x
              initial algorithm
                y := 0
        "#]],
    );
}
