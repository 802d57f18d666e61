//! Equations, their labels, and statements.

use crate::common;
use common::{check_equations, check_statements};
use expect_test::expect;

#[test]
fn a_comment_with_a_colon_labels_the_next_equation() {
    check_equations(
        "/* e1: */ x = 1; /*e2:*/y = 2; /* cpl[k].u: */ // remark
         z = 3;
         /* a remark */ u = 4; /* two words: */ v = 5; /* e3: */ /* remark */ w = 6; /* e4: */ if a then
           /* e5: */ b = 1; else /* e6 : */ c = 1; end if; /* f[i, j]: */ for i in 1:2 loop /* e7: */ d[i] = 1; end for;",
        expect![[r#"
            e1: x = 1
            e2: y = 2
            cpl[k].u: z = 3
            u = 4
            v = 5
            w = 6
            e4: if a
              e5: b = 1
            else
              e6: c = 1
            f[i, j]: for i in 1:2
              e7: d[i] = 1
        "#]],
    );
}

#[test]
fn branches_may_differ_in_length() {
    check_equations(
        "if a then x = 1; y = 2; elseif b then x = 3; else end if;
         if c then end if;",
        expect![[r#"
            if a
              x = 1
              y = 2
            elseif b
              x = 3
            if c
        "#]],
    );
}

#[test]
fn all_equations_are_known() {
    check_equations(
        "connect(a.b[1], c); der(x) = -x; (a, b) = f(c); assert(x > 0, \"text\"); terminate(\"end\");
         for i in 1:n, j loop x[i, j] = i * j; end for;
         when {a, b} then reinit(x, 1); elsewhen c then y = pre(y) + 1; end when;
         Connections.root(a.R); x = if a then b else c \"text\" annotation(z = 1); initial() = true;",
        expect![[r#"
            connect(a.b[1], c)
            der(x) = -x
            (a, b) = f(c)
            call assert(x > 0, "text")
            call terminate("end")
            for i in 1:n, j
              x[i, j] = i * j
            when {a, b}
              call reinit(x, 1)
            elsewhen c
              y = pre(y) + 1
            call Connections.root(a.R)
            x = if a then b else c "text" @(z = 1)
            initial() = true
        "#]],
    );
}

#[test]
fn invariant_is_an_equation_and_a_name() {
    check_equations(
        "invariant not (bh and bl);
         invariant a or b \"text\";
         invariant (a or b) and c;
         invariant(a);
         invariant = 3; invariant.x = 4; invariant[1] = 5; invariant(x) = 6; -invariant = 7;
         /* label: */ invariant x > 1;",
        expect![[r#"
            invariant not (bh and bl)
            invariant a or b "text"
            invariant (a or b) and c
            invariant a
            invariant = 3
            invariant.x = 4
            invariant[1] = 5
            invariant(x) = 6
            -invariant = 7
            label: invariant x > 1
        "#]],
    );
}

#[test]
fn all_statements_are_known() {
    check_statements(
        "x := 1; x[i].y := 2; (a, , b) := f(c); (a) := g(1); f(x); return; assert(a, \"b\");
         if a then x := 1; elseif b then x := 2; else x := 3; end if;
         for i in 1:3 loop if i > 2 then break; end if; end for;
         while x < 3 loop x := x + 1; end while;
         when a then b := 1; elsewhen c then d := 2; end when;",
        expect![[r#"
            x := 1
            x[i].y := 2
            <a, _, b> := f(c)
            <a> := g(1)
            call f(x)
            return
            call assert(a, "b")
            if a
              x := 1
            elseif b
              x := 2
            else
              x := 3
            for i in 1:3
              if i > 2
                break
            while x < 3
              x := x + 1
            when a
              b := 1
            elsewhen c
              d := 2
        "#]],
    );
}
