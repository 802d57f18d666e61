//! MEL, RR9322 §4.2.

use crate::common;
use common::{check_mel, check_mel_errors};
use expect_test::expect;
use modeshift_diagnostics::{Diagnostics, SourceMap};
use modeshift_syntax::mel_tree;

#[test]
fn declarations_equations_and_invariants() {
    check_mel(
        "x : real; k : integer = 3; c : real = 1.5e-3; b : boolean = last(x) - 1.0; // remark
         e : equation der(der(x)) = f(x, y, 2) /* remark */ - g();
         invariant !b & (p | not q) and r or s",
        expect![[r#"
            x : Real
            k : Integer = 3
            c : Real = 0.0015
            b : Boolean = last(x) - 1.0
            e : der(der(x)) = f(x, y, 2) - g()
            invariant not b and (p or not q) and r or s
        "#]],
    );
}

#[test]
fn loops_count_in_integers_without_blanks() {
    check_mel(
        "foreach i in 1..N do foreach j in i+1 .. 2*N do e[i, j] : equation x[i] = 1.0 done done;",
        expect![[r#"
            foreach i in 1 .. N
              foreach j in i + 1 .. 2 * N
                e[i, j] : x[i] = 1.0
        "#]],
    );
}

#[test]
fn branches_declare_and_equate() {
    check_mel(
        "if open[1] then v : real; e : equation v = if a then 1 else 2 else f : equation -x = 0; end; g : equation x = 2 * -y",
        expect![[r#"
            if open[1]
              v : Real
              e : v = if a then 1 else 2
            else
              f : -x = 0
            g : x = 2 * (-y)
        "#]],
    );
}

#[test]
fn modelica_keywords_are_names() {
    check_mel(
        "time : equation flow(Pb[1] - Pr[1]) = initial(model); end_ : real",
        expect![[r#"
        time : flow(Pb[1] - Pr[1]) = initial(model)
        end_ : Real
    "#]],
    );
}

#[test]
fn scenarios_have_modes_and_equations() {
    check_mel(
        "scenario s1 when b & !c is i1 : equation x = 1; i2 : equation y = 2; end; scenario s2 is end;",
        expect![[r#"
            scenario s1 when b and not c
              i1 : x = 1
              i2 : y = 2
            scenario s2
        "#]],
    );
}

#[test]
fn an_end_too_many_is_skipped() {
    // As printed in RR9322, Figure 18.
    check_mel_errors(
        "foreach i in 1 .. N do
           if open[i] then
             a[i] : equation x = 1;
           else
             b[i] : equation x = 2;
           end
         end
         done;
         c : equation y = 1;",
        expect![[r#"
            E0110: `end` closes nothing
              7:10 `end` no statement is open here
              help: remove this `end`
        "#]],
    );
}

#[test]
fn several_errors_are_found() {
    check_mel_errors(
        "x : reel; y : real
         e : equation x 1;
         foreach i in 1 N do z : real done
         if a then b : boolean;",
        expect![[r#"
            E0101: expected `equation`, `real`, `boolean` or `integer`, found `reel`
              1:5 `reel` expected `equation`, `real`, `boolean` or `integer`
            E0102: missing `;`
              1:19 `` expected `;` behind this
            E0101: expected `=`, found `1`
              2:25 `1` expected `=`
            E0101: expected `..`, found `N`
              3:25 `N` expected `..`
            E0102: missing `;`
              3:43 `` expected `;` behind this
            E0103: this `if` is not closed
              4:32 `` expected `end` behind this
              4:10 `if` this `if` starts here
        "#]],
    );
}

#[test]
fn mel_prints_back() {
    let source = "// c\nx : real; $ foreach i in 1..2 do /* d */ done ; end # ";
    let file = SourceMap::default().add("t.mel", source);
    assert_eq!(mel_tree(file, source, &mut Diagnostics::new()).to_source(), source);
}
