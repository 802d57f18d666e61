//! What the language forbids is refused with its own code, and the nearest thing that it allows passes.

use crate::support;
use support::{codes_of, try_flat};

/// A rule: its code, a model that breaks it, and a neighbour that keeps it.
type Rule = (&'static str, &'static str, &'static str);

fn check(rules: &[Rule]) {
    for (code, refused, allowed) in rules {
        match try_flat(refused, &[]) {
            Ok(_) => panic!("{code} is not said of\n{refused}"),
            Err(messages) => {
                let first = messages.first().map_or("", |message| message);
                assert!(first.starts_with(code), "{code} is expected of\n{refused}\nbut there is {messages:#?}");
                assert!(first.contains("; "), "no next step in {first}");
            }
        }
        if let Err(messages) = try_flat(allowed, &[]) {
            panic!("refused: {messages:#?}\n{allowed}");
        }
    }
}

#[test]
fn classes_contain_what_their_kind_allows() {
    check(&[
        (
            "E0230",
            "record Point Real x; equation x = 1; end Point; model M Point p; end M;",
            "record Point Real x; end Point; model M Point p; equation p.x = 1; end M;",
        ),
        (
            "E0230",
            "record Point Real x = 1; protected Real y = 2; end Point; model M Point p; end M;",
            "model Point Real x = 1; protected Real y = 2; end Point; model M Point p; end M;",
        ),
        (
            "E0230",
            "connector Pin Real v; flow Real i; algorithm v := 1; end Pin; model M Pin p; end M;",
            "connector Pin Real v; flow Real i; end Pin; model M Pin p; equation p.v = 1; end M;",
        ),
        (
            "E0230",
            "connector Pin outer Real v; flow Real i; end Pin; model M inner Real v = 1; Pin p; end M;",
            "connector Pin Real v; flow Real i; end Pin; model M outer Real u; Pin p(v = u); end M;
             model N inner Real u = 1; M m; end N;",
        ),
        (
            "E0230",
            "record Point input Real x = 1; end Point; model M Point p; end M;",
            "record Point Real x = 1; end Point; model M input Point p; end M;",
        ),
        (
            "E0230",
            "package P parameter Real p = 1; end P; model M Real x = P.p; end M;",
            "package P constant Real p = 1; end P; model M Real x = P.p; end M;",
        ),
        (
            "E0230",
            "connector Pin Real v; flow Real i; end Pin; block B Pin p(v = 1); end B; model M B b; end M;",
            "connector Pin input Real v; output Real i; end Pin; block B Pin p(i = 1); end B; model M B b(p(v = 1)); end M;",
        ),
        (
            "E0230",
            "function f output Real y; algorithm y := time; end f; model M Real x = f(); end M;",
            "function f input Real t; output Real y; algorithm y := t; end f; model M Real x = f(time); end M;",
        ),
        (
            "E0403",
            "model M Real x = time; Real y; algorithm y := 1; if x > 3 then break; end if; end M;",
            "model M Real y; algorithm y := 1; for i in 1:3 loop if i > 2 then break; end if; y := i; end for; end M;",
        ),
        (
            "E0315",
            "model M equation assert(false, \"no\"); end M;",
            "model M equation assert(false, \"no\", AssertionLevel.warning); end M;",
        ),
    ]);
}

#[test]
fn base_classes_are_of_a_kind_that_fits() {
    check(&[
        (
            "E0231",
            "model A Real x = 1; end A; block B extends A; end B; model M B b; end M;",
            "block A Real x = 1; end A; model B extends A; end B; model M B b; end M;",
        ),
        (
            "E0231",
            "type T = Real; model B extends T; end B; model M B b; end M;",
            "type T = Real; type B extends T; end B; model M B b = 1; end M;",
        ),
        (
            "E0231",
            "package A constant Real x = 1; end A; record B extends A; end B; model M B b; end M;",
            "package A constant Real x = 1; end A; package B extends A; end B; model M Real y = B.x; end M;",
        ),
        (
            "E0231",
            "function f input Real u; output Real y; algorithm y := u; end f; class g = f; model M Real x = g(1); end M;",
            "function f input Real u; output Real y; algorithm y := u; end f; function g = f; model M Real x = g(1); end M;",
        ),
        (
            "E0231",
            "model M replaceable model A Real x = 1; end A; extends A; end M;",
            "model M model A Real x = 1; end A; extends A; end M;",
        ),
        (
            "E0231",
            "type Vector = Real[3]; type T extends Vector; Real y; end T; model M T t; end M;",
            "type Vector = Real[3]; type T extends Vector; end T; model M T t = {1, 2, 3}; end M;",
        ),
        (
            "E0231",
            "package A operator record R Real x; end R; end A; package B extends A; constant Real c = 1; end B;
             model M Real y = B.c; end M;",
            "package A record R Real x; end R; end A; package B extends A; constant Real c = 1; end B;
             model M Real y = B.c; end M;",
        ),
    ]);
}

#[test]
fn prefixes_stand_where_they_mean_something() {
    check(&[
        (
            "E0232",
            "model A Real x = 1; end A; model M parameter A a; end M;",
            "record A Real x = 1; end A; model M parameter A a; end M;",
        ),
        (
            "E0232",
            "connector C flow Integer f; Integer e; end C; model M C c(e = 1); end M;",
            "connector C flow Real f; Real e; end C; model M C c(e = 1); end M;",
        ),
        (
            "E0232",
            "connector C Real e; flow Real f; input Real x; end C; model M output C c(e = 1, x = 2); end M;",
            "connector C Real e; flow Real f; input Real x; end C; model M C c(e = 1, x = 2); end M;",
        ),
        (
            "E0232",
            "connector C input Real x = 1; end C; model M parameter C c; end M;",
            "connector C input Real x = 1; end C; model M C c; end M;",
        ),
        (
            "E0232",
            "operator record R Real re; end R; connector C R e; flow R f; end C; model M C c(e(re = 1)); end M;",
            "record R Real re; end R; connector C R e; flow R f; end C; model M C c(e(re = 1)); end M;",
        ),
        (
            "E0232",
            "model M stream Real x = 1; end M;",
            "connector C Real e; flow Real f; stream Real s; end C; model M C c(e = 1, s = 1); end M;",
        ),
    ]);
}

#[test]
fn protected_elements_are_left_alone_from_outside() {
    let allowed = "model A Real x = 1; end A; model M A a; Real y = a.x; end M;";
    check(&[
        ("E0233", "model A protected Real x = 1; end A; model M A a; Real y = a.x; end M;", allowed),
        (
            "E0233",
            "model A protected Real x = 1; end A; model M A a(x = 2); end M;",
            "model A protected Real x = 1; end A; model B extends A(x = 2); end B; model M B b; end M;",
        ),
        (
            "E0233",
            "model A Real x = 1; end A; model B protected extends A; end B; model M B b; Real y = b.x; end M;",
            "model A Real x = 1; end A; model B extends A; end B; model M B b; Real y = b.x; end M;",
        ),
        (
            "E0233",
            "package P protected constant Real c = 1; end P; model M Real x = P.c; end M;",
            "package P protected constant Real c = 1; public constant Real d = c; end P; model M Real x = P.d; end M;",
        ),
        (
            "E0233",
            "package P protected constant Real c = 1; end P; model M import P.c; Real x = c; end M;",
            "package P constant Real c = 1; end P; model M import P.c; Real x = c; end M;",
        ),
        (
            "E0233",
            "model A protected replaceable Real x = 1; end A; model M A a(redeclare Real x = 2); end M;",
            "model A replaceable Real x = 1; end A; model M A a(redeclare Real x = 2); end M;",
        ),
    ]);
}

#[test]
fn redeclarations_keep_to_what_the_original_promises() {
    let parts = "model One Real x = 1; end One; model Two Real x = 2; Real y = 3; end Two;";
    let with = |text: &str| -> &'static str { Box::leak(format!("{parts} {text}").into_boxed_str()) };
    check(&[
        (
            "E0234",
            with("model A One p; end A; model M A a(redeclare Two p); end M;"),
            with("model A replaceable One p; end A; model M A a(redeclare Two p); end M;"),
        ),
        (
            "E0234",
            with(
                "model A replaceable One p; end A; model B extends A(redeclare One p); end B;
                  model M extends B(redeclare Two p); end M;",
            ),
            with(
                "model A replaceable One p; end A; model B extends A(redeclare replaceable One p); end B;
                  model M extends B(redeclare Two p); end M;",
            ),
        ),
        (
            "E0234",
            "model A replaceable constant Real c = 1; end A; model M A a(redeclare Real c = 2); end M;",
            "model A replaceable parameter Real c = 1; end A; model M A a(redeclare Real c = 2); end M;",
        ),
        (
            "E0234",
            "model A replaceable Real x = 1; end A; model M extends A; protected redeclare Real x = 2; end M;",
            "model A replaceable Real x = 1; end A; model M extends A; redeclare Real x = 2; end M;",
        ),
        (
            "E0234",
            "model A model B Real x = 1; end B; end A; model M extends A; model extends B Real y = 2; end B; B b; end M;",
            "model A replaceable model B Real x = 1; end B; end A;
             model M extends A; redeclare model extends B Real y = 2; end B; B b; end M;",
        ),
        (
            "E0220",
            with("model A final replaceable model P = One; P p; end A; model M A a(redeclare model P = Two); end M;"),
            with("model A replaceable model P = One; P p; end A; model M A a(redeclare model P = Two); end M;"),
        ),
        (
            "E0235",
            with("model A replaceable Two p; end A; model M A a(redeclare One p); end M;"),
            with("model A replaceable Two p constrainedby One; end A; model M A a(redeclare One p); end M;"),
        ),
        (
            "E0235",
            with("model A replaceable model P = Two; P p; end A; model M A a(redeclare model P = One); end M;"),
            with("model A replaceable model P = One; P p; end A; model M A a(redeclare model P = Two); end M;"),
        ),
        (
            "E0235",
            with("model M replaceable One p constrainedby Two; end M;"),
            with("model M replaceable Two p constrainedby One; end M;"),
        ),
        (
            "E0235",
            "type V = Real[3]; type W = Real[2, 3]; model M replaceable V x[2] = ones(2, 3) constrainedby W; end M;",
            "type V = Real[3]; type W = Real[3]; model M replaceable V x[2] = ones(2, 3) constrainedby W; end M;",
        ),
    ]);
    // Sizes that were left open are given by a redeclaration, replaceable or not.
    assert!(
        try_flat("model A Real x[:] = ones(size(x, 1)); end A; model M A a(redeclare Real x[2]); end M;", &[]).is_ok()
    );
}

#[test]
fn an_enumeration_that_is_left_open_becomes_any() {
    let text = "type E = enumeration(one, two); model A replaceable type T = enumeration(:); parameter T t; end A;
                model M A a(redeclare type T = E, t = E.two); end M;";
    assert!(try_flat(text, &[]).is_ok());
}

#[test]
fn outer_elements_are_those_of_their_inner_ones() {
    check(&[
        (
            "E0236",
            "model A outer parameter Real p = 2; end A; model M inner parameter Real p = 1; A a; end M;",
            "model A outer parameter Real p; end A; model M inner parameter Real p = 1; A a; end M;",
        ),
        (
            "E0236",
            "model A outer parameter Real p; end A; model M inner parameter Real p = 1; A a(p = 2); end M;",
            "model A outer parameter Real p; Real x = p; end A; model M inner parameter Real p = 1; A a; end M;",
        ),
        (
            "E0236",
            "model A outer Integer n; end A; model M inner Real n = 1; A a; end M;",
            "model A outer Real n; end A; model M inner Real n = 1; A a; end M;",
        ),
        (
            "E0236",
            "model A outer Real p[2]; end A; model M inner Real p[3] = {1, 2, 3}; A a; end M;",
            "model A outer Real p[3]; end A; model M inner Real p[3] = {1, 2, 3}; A a; end M;",
        ),
        (
            "E0236",
            "type E = enumeration(one, two); type F = enumeration(two, three);
             model A outer E e; end A; model M inner F e = F.two; A a; end M;",
            "type E = enumeration(one, two); type F = enumeration(one, two);
             model A outer E e; end A; model M inner F e = F.two; A a; end M;",
        ),
        (
            "E0236",
            "record R Real x = 1; end R; record S extends R; Real y = 2; end S;
             model A outer R r; Real z = r.y; end A; model M inner S r; A a; end M;",
            "record R Real x = 1; end R; record S extends R; Real y = 2; end S;
             model A outer S r; Real z = r.y; end A; model M inner S r; A a; end M;",
        ),
    ]);
}

#[test]
fn outer_classes_are_those_around_them() {
    let functions =
        "partial function f input Real u; output Real y; end f; function g extends f; algorithm y := 2*u; end g;";
    let with = |text: &str| -> &'static str { Box::leak(format!("{functions} {text}").into_boxed_str()) };
    check(&[(
        "E0209",
        with("model A outer function h = f; Real x = h(1); end A; model M A a; end M;"),
        with("model A outer function h = f; Real x = h(1); end A; model M inner function h = g; A a; end M;"),
    )]);
}

#[test]
fn values_vary_no_more_than_what_they_are_given_to() {
    check(&[
        (
            "E0237",
            "model M Real x = time; constant Real c = x; end M;",
            "model M Real x = c; constant Real c = 1; end M;",
        ),
        (
            "E0237",
            "model M parameter Real p = 1; constant Real c = 2*p; end M;",
            "model M constant Real p = 1; parameter Real c = 2*p; end M;",
        ),
        (
            "E0237",
            "model M Real x = time; parameter Real p = x; end M;",
            "model M Real x[3] = {1, 2, time}; parameter Integer p = size(x, 1); end M;",
        ),
        ("E0237", "model M constant Real c; Real x = c; end M;", "model M constant Real c = 1; Real x = c; end M;"),
        (
            "E0237",
            "model M discrete Real x = 1; end M;",
            "model M discrete Real x; equation when sample(0, 1) then x = time; end when; end M;",
        ),
        (
            "E0237",
            "model A discrete Real x; end A; model M A a; equation when sample(0, 1) then a.x = 1; end when; end M;",
            "model A Real v(start = 1); equation der(v) = -1; end A;
             model M A a; equation when a.v < 0 then a.v = -pre(a.v); end when; end M;",
        ),
        (
            "E0238",
            "model M parameter Boolean b = true; Real x = 1 if b; Real y = x; end M;",
            "connector C = input Real; connector D = output Real;
             model M parameter Boolean b = true; D d = 1; C c if b; equation connect(d, c); end M;",
        ),
        (
            "E0317",
            "model M Boolean b = sample(time, 1); end M;",
            "model M parameter Real t = 1; Boolean b = sample(t, 1); end M;",
        ),
        (
            "E0317",
            "model M Real d = time; Real x = delay(time, d); end M;",
            "model M Real d = time; Real x = delay(time, d, 10); end M;",
        ),
        ("E0317", "model M Real x = delay(time, 5, 1); end M;", "model M Real x = delay(time, 1, 5); end M;"),
        (
            "E0317",
            "type E = enumeration(one, two); model M Real x[E] = {1, 2}; Real y = x[1]; end M;",
            "type E = enumeration(one, two); model M Real x[E] = {1, 2}; Real y = x[E.one]; end M;",
        ),
    ]);
}

#[test]
fn names_are_looked_up_where_they_can_be() {
    check(&[
        (
            "E0239",
            "partial package P constant Real c = 1; end P; model M Real x = P.c; end M;",
            "partial package P constant Real c = 1; end P; package Q extends P; end Q; model M Real x = Q.c; end M;",
        ),
        (
            "E0239",
            "model A Real x = 1; model B Real y = 2; end B; end A; model M A.B b; end M;",
            "model A Real x = 1; encapsulated model B Real y = 2; end B; end A; model M A.B b; end M;",
        ),
        (
            "E0239",
            "package P constant Real c = 1; end P; package Q constant Real c = 2; end Q;
             model M import P.c; import Q.c; Real x = c; end M;",
            "package P constant Real c = 1; end P; package Q constant Real c = 2; end Q;
             model M import P.c; import d = Q.c; Real x = c + d; end M;",
        ),
        (
            "E0239",
            "package P constant Real c = 1; end P; package Q constant Real c = 2; end Q;
             model M import P.*; import Q.*; Real x = c; end M;",
            "package P constant Real c = 1; end P; package Q constant Real d = 2; end Q;
             model M import P.*; import Q.*; Real x = c + d; end M;",
        ),
        (
            "E0239",
            "model A Real x = 1; encapsulated model B Real y = 2; end B; end A; model M import A.B; B b; end M;",
            "package A encapsulated model B Real y = 2; end B; end A; model M import A.B; B b; end M;",
        ),
        (
            "E0204",
            "model M Real x = time; model A Real y = x; end A; A a; end M;",
            "model M constant Real x = 1; model A Real y = x; end A; A a; end M;",
        ),
        ("E0240", "model M Real Integer = 1; end M;", "model M Real integers = 1; end M;"),
        (
            "E0240",
            "type E = enumeration(on, off, on); model M E e = E.off; end M;",
            "type E = enumeration(on, off, broken); model M E e = E.off; end M;",
        ),
        (
            "E0240",
            "type E = enumeration(start, stop); model M E e = E.stop; end M;",
            "type E = enumeration(begin, stop); model M E e = E.stop; end M;",
        ),
    ]);
    assert!(try_flat("model M constant Real c = 1; encapsulated model A Real y = c; end A; A a; end M;", &[]).is_err());
}

#[test]
fn functions_compute_their_outputs_from_their_inputs() {
    let typed = "type In = input Real; type Out = output Real; function f In u; Out y; algorithm y := u; end f;";
    assert!(try_flat(&format!("{typed} model M Real x = f(2); end M;"), &[]).is_ok());
    let call = "model M Real x = f(2); end M;";
    let with = |text: &str| -> &'static str { Box::leak(format!("{text} {call}").into_boxed_str()) };
    let allowed = with("function f input Real u; output Real y; protected Real z; algorithm z := u; y := z; end f;");
    check(&[
        ("E0241", with("function f input Real u; output Real y; algorithm u := 1; y := u; end f;"), allowed),
        ("E0241", with("function f input Real u; output Real y; Real z; algorithm z := u; y := z; end f;"), allowed),
        ("E0241", with("function f input Real u; output Real y; initial algorithm y := u; end f;"), allowed),
        (
            "E0241",
            with("function f input Real u; output Real y; algorithm y := u; algorithm y := 2*u; end f;"),
            allowed,
        ),
        ("E0241", with("partial function f input Real u; output Real y; algorithm y := u; end f;"), allowed),
        (
            "E0241",
            with(
                "block B parameter Real k = 1; end B;
                  function f input Real u; output Real y; protected B b; algorithm y := u + b.k; end f;",
            ),
            with(
                "record B parameter Real k = 1; end B;
                  function f input Real u; output Real y; protected B b; algorithm y := u + b.k; end f;",
            ),
        ),
    ]);
}

#[test]
fn connections_have_one_source_and_balanced_connectors() {
    let signals =
        "connector In = input Real; connector Out = output Real; model P Out y = 1; end P; model Q In u; end Q;";
    let with = |text: &str| -> &'static str { Box::leak(format!("{signals} {text}").into_boxed_str()) };
    check(&[
        (
            "E0409",
            with("model M P a; P b; equation connect(a.y, b.y); end M;"),
            with("model M P a; Q b; Q c; equation connect(a.y, b.u); connect(b.u, c.u); end M;"),
        ),
        (
            "E0409",
            with("model A In u; P p; equation connect(u, p.y); end A; model M A a(u = 1); end M;"),
            with("model A In u; Q q; equation connect(u, q.u); end A; model M A a(u = 1); end M;"),
        ),
        (
            "E0409",
            "connector C input Real x; Real e; flow Real f; end C; connector D Real x; output Real e; flow Real f; end D;
             model A C c; end A; model B D d; end B; model M A a; B b; equation connect(a.c, b.d); end M;",
            "connector C input Real x; Real e; flow Real f; end C; connector D output Real x; Real e; flow Real f; end D;
             model A C c; equation c.e = 1; end A; model B D d(x = 1); end B;
             model M A a; B b; equation connect(a.c, b.d); end M;",
        ),
        (
            "E0410",
            "connector C Real e; Real g; flow Real f; end C; model M C c(e = 1, g = 2); end M;",
            "record R Real x; Real y; end R; connector C Real e; Real g; flow R f; end C; model M C c(e = 1, g = 2); end M;",
        ),
        (
            "E0401",
            "connector C Real e; flow Real f; end C; model A C c(e = 1); end A; model B A a; end B;
             model M B b; B d; equation connect(b.a.c, d.a.c); end M;",
            "connector C Real e; flow Real f; end C; model A C c(e = 1); end A; model B C c; end B;
             model M A b; B d; equation connect(b.c, d.c); end M;",
        ),
        (
            "E0401",
            "connector C Real e; flow Real f; constant Integer n; end C; model A C c(n = 1); equation c.e = 1; end A;
             model B C c(n = 2); end B; model M A a; B b; equation connect(a.c, b.c); end M;",
            "connector C Real e; flow Real f; constant Integer n; end C; model A C c(n = 1); equation c.e = 1; end A;
             model B C c(n = 1); end B; model M A a; B b; equation connect(a.c, b.c); end M;",
        ),
    ]);
    // Protected inputs between connectors are no sources: the standard library passes signals on through them.
    let between = with(
        "model A parameter Boolean b = true; In u if b; Out y; protected In i; equation connect(u, i); y = 2*i; end A;
         model M A a; P p; equation connect(p.y, a.u); end M;",
    );
    assert!(try_flat(between, &[]).is_ok());
}

#[test]
fn ranges_that_are_left_open_follow_from_subscripts() {
    let written = |text: &str| support::equations(&support::flat(text));
    assert_eq!(
        written(
            "model M Real x[3]; Real y[2, 3]; equation for i loop x[i] = i; end for; for i, j loop y[i, j] = i*j; end for; end M;"
        ),
        written(
            "model M Real x[3]; Real y[2, 3]; equation for i in 1:3 loop x[i] = i; end for;
             for i in 1:2, j in 1:3 loop y[i, j] = i*j; end for; end M;"
        ),
    );
    assert_eq!(
        written("type E = enumeration(a, b); model M Integer x[E]; Boolean y[Boolean];
                 equation for i loop x[i] = Integer(i); end for; for i loop y[i] = not i; end for; end M;"),
        written("type E = enumeration(a, b); model M Integer x[E]; Boolean y[Boolean];
                 equation for i in E loop x[i] = Integer(i); end for; for i in false:true loop y[i] = not i; end for; end M;"),
    );
    assert_eq!(
        written("model M Real x[3] = {1, 2, time}; Real s = sum(x[i]*i for i); end M;"),
        written("model M Real x[3] = {1, 2, time}; Real s = sum(x[i]*i for i in 1:3); end M;"),
    );
    check(&[
        (
            "E0306",
            "model M Real x[3]; Real y[2]; equation for i loop x[i] = 1; y[i] = 2; end for; end M;",
            "model M Real x[3]; Real y[3]; equation for i loop x[i] = 1; y[i] = 2; end for; end M;",
        ),
        (
            "E0306",
            "model M Real x[3] = {i for i}; end M;",
            "model M Real y[3] = {1, 2, 3}; Real x[3] = {2*y[i] for i}; end M;",
        ),
    ]);
}

#[test]
fn calls_that_do_nothing_and_messages_of_what_holds_are_no_errors() {
    let function = "function f input Real u; output Real y; algorithm y := u; end f;";
    assert!(try_flat(&format!("{function} model M Real x = 1; equation f(x); end M;"), &[]).is_ok());
    let checking = "function f input Real u; output Real y; algorithm assert(u > 2, \"small\"); y := u; end f;";
    let refused =
        try_flat(&format!("{checking} model M Real x = 1; equation f(x); end M;"), &[]).expect_err("an effect");
    assert!(refused[0].starts_with("E0290"), "{refused:?}");
    let message = "function g output String s; algorithm s := \"\"; assert(false, \"evaluated\"); end g;";
    assert!(try_flat(&format!("{message} model M equation assert(true, g()); end M;"), &[]).is_ok());
    assert!(try_flat(&format!("{message} model M equation assert(time < 0, g()); end M;"), &[]).is_err());
}

#[test]
fn what_is_printed_or_written_is_left_out_and_said_so() {
    let print = "function print input String s; external \"C\" ModelicaInternal_print(s, \"\"); end print;";
    let store = "function store input Real v[:]; input String file; output Boolean done; algorithm
        print(file); assert(size(v, 1) > 0, \"empty\"); done := true; end store;";
    let exit = "function exit input Integer s; external \"C\" ModelicaInternal_exit(s); end exit;";
    for call in ["print(\"now\")", "store({x, 2*x}, \"file\")"] {
        let bodies = [
            format!("equation der(x) = 1; when x > 1 then {call}; end when;"),
            format!("equation der(x) = 1; algorithm when x > 1 then {call}; end when;"),
            format!("equation der(x) = 1; initial algorithm {call};"),
        ];
        for body in bodies {
            let text = format!("{print} {store} model M Real x(start = 0, fixed = true); {body} end M;");
            assert_eq!(codes_of(&text), ["W0218"], "{body}");
        }
    }
    let ending = format!("{exit} model M Real x; equation der(x) = 1; when x > 1 then exit(1); end when; end M;");
    let refused = try_flat(&ending, &[]).expect_err("it would end the run");
    assert!(refused[0].starts_with("E0290"), "{refused:?}");
}
