//! How diagnostics look, and that no span, however wrong, breaks them.

use expect_test::{Expect, expect};
use modeshift_diagnostics::{Code, Diagnostic, Diagnostics, FileId, SourceMap, Span, render, render_all};

fn check(sources: &SourceMap, diagnostic: &Diagnostic, expected: Expect) {
    expected.assert_eq(&render(diagnostic, sources, false));
}

/// The span of the first occurrence of `words` in the file.
fn span(sources: &SourceMap, file: FileId, words: &str) -> Span {
    let start = sources.file(file).expect("the file was added").text().find(words).expect("the words are there");
    Span::new(file, start, start + words.len())
}

const TANK: &str = "model Tank
  Real x, y;
equation
  /* e1: */ x = 1;
  /* e2: */ x + y = 2;
  /* e3: */ y = 3;
end Tank;
";

#[test]
fn several_labels_stand_in_one_frame() {
    let mut sources = SourceMap::default();
    let file = sources.add("tank.mo", TANK);
    let diagnostic = Diagnostic::error(Code::E0601, "too many equations for x and y")
        .label(span(&sources, file, "x = 1;"), "fixes x")
        .label(span(&sources, file, "x + y = 2;"), "fixes y, given x")
        .label(span(&sources, file, "y = 3;"), "fixes y again")
        .when("bh and bl")
        .example("bh = true, bl = true")
        .with_note("these 3 equations only involve these 2 unknowns: x, y")
        .help("remove one of them");
    check(
        &sources,
        &diagnostic,
        expect![[r#"
        error[E0601]: too many equations for x and y
         --> tank.mo:4:13
          |
        4 |   /* e1: */ x = 1;
          |             ^^^^^^ fixes x
        5 |   /* e2: */ x + y = 2;
          |             ---------- fixes y, given x
        6 |   /* e3: */ y = 3;
          |             ------ fixes y again
          |
          = when: bh and bl
          = example: bh = true, bl = true
          = note: these 3 equations only involve these 2 unknowns: x, y
          = help: remove one of them"#]],
    );
}

#[test]
fn labels_of_several_files_stand_in_frames_of_their_own() {
    let mut sources = SourceMap::default();
    let tank = sources.add("tank.mo", TANK);
    let types = sources.add("types.mo", "type Level = Real(unit = \"m\");\n");
    let diagnostic = Diagnostic::warning(Code::W0312, "units do not agree")
        .label(span(&sources, tank, "x + y = 2"), "")
        .label(span(&sources, types, "unit = \"m\""), "declared here");
    check(
        &sources,
        &diagnostic,
        expect![[r#"
        warning[W0312]: units do not agree
         --> tank.mo:5:13
          |
        5 |   /* e2: */ x + y = 2;
          |             ^^^^^^^^^
          |
         ::: types.mo:1:19
          |
        1 | type Level = Real(unit = "m");
          |                   ---------- declared here"#]],
    );
}

#[test]
fn labels_far_apart_stand_in_frames_of_their_own() {
    let mut sources = SourceMap::default();
    let file = sources.add("long.mo", format!("first\n{}last\n", "\n".repeat(5000)));
    let diagnostic = Diagnostic::note(Code::N0501, "far apart")
        .label(span(&sources, file, "last"), "here")
        .label(span(&sources, file, "first"), "and there");
    check(
        &sources,
        &diagnostic,
        expect![[r#"
        note[N0501]: far apart
            --> long.mo:5002:1
             |
        5002 | last
             | ^^^^ here
             |
            ::: long.mo:1:1
             |
           1 | first
             | ----- and there"#]],
    );
}

#[test]
fn without_a_place_there_is_only_text() {
    let diagnostic = Diagnostic::error(Code::E0001, "no such file").help("look again");
    check(
        &SourceMap::default(),
        &diagnostic,
        expect![[r#"
        error[E0001]: no such file
         |
         = help: look again"#]],
    );
}

#[test]
fn zero_width_at_the_end_of_the_file_points_behind_the_last_character() {
    let mut sources = SourceMap::default();
    let text = "model A\n  Real x;";
    let file = sources.add("a.mo", text);
    let diagnostic =
        Diagnostic::error(Code::E0101, "expected `end A`").label(Span::new(file, text.len(), text.len()), "");
    check(
        &sources,
        &diagnostic,
        expect![[r#"
        error[E0101]: expected `end A`
         --> a.mo:2:10
          |
        2 |   Real x;
          |          ^"#]],
    );
}

#[test]
fn an_empty_file_can_be_pointed_at() {
    let mut sources = SourceMap::default();
    let file = sources.add("empty.mo", "");
    let diagnostic = Diagnostic::error(Code::E0102, "no class in this file").label(Span::new(file, 0, 0), "");
    check(
        &sources,
        &diagnostic,
        expect![[r#"
        error[E0102]: no class in this file
         --> empty.mo:1:1
          |
        1 |
          | ^"#]],
    );
}

#[test]
fn windows_line_ends_and_wide_characters_keep_their_columns() {
    let mut sources = SourceMap::default();
    let file = sources.add("ü.mo", "model A\r\n  Real \u{4e2d}ö = zz;\r\nend A;\r\n");
    let diagnostic = Diagnostic::error(Code::E0201, "unknown `zz`").label(span(&sources, file, "zz"), "not declared");
    check(
        &sources,
        &diagnostic,
        expect![[r#"
        error[E0201]: unknown `zz`
         --> ü.mo:2:13
          |
        2 |   Real 中ö = zz;
          |              ^^ not declared"#]],
    );
}

#[test]
fn a_label_over_many_lines_shows_its_first_line() {
    let mut sources = SourceMap::default();
    let text = format!("model A\n{}end A;\n", "  Real x;\n".repeat(100));
    let file = sources.add("a.mo", text.clone());
    let diagnostic =
        Diagnostic::error(Code::E0602, "nothing to solve").label(Span::new(file, 0, text.len()), "this model");
    check(
        &sources,
        &diagnostic,
        expect![[r#"
        error[E0602]: nothing to solve
         --> a.mo:1:1
          |
        1 | model A
          | ^^^^^^^ this model"#]],
    );
}

#[test]
fn a_huge_line_is_shown_around_its_label() {
    let mut sources = SourceMap::default();
    let file = sources.add("a.mo", format!("{}here{}", "x + ".repeat(1_000_000), " + y".repeat(1_000_000)));
    let diagnostic =
        Diagnostic::error(Code::E0201, "unknown `here`").label(span(&sources, file, "here"), "not declared");
    check(
        &sources,
        &diagnostic,
        expect![[r#"
        error[E0201]: unknown `here`
         --> a.mo:1:4000001
          |
        1 | ...x + x + x + x + x + x + x + x + x + x + x + x + x + x + here + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y +...
          |                                                            ^^^^ not declared"#]],
    );
}

#[test]
fn colours_are_used_only_when_asked_for() {
    let diagnostic = Diagnostic::error(Code::E0001, "no such file");
    assert!(render(&diagnostic, &SourceMap::default(), true).contains('\u{1b}'));
    assert!(!render(&diagnostic, &SourceMap::default(), false).contains('\u{1b}'));
}

#[test]
fn what_was_left_out_is_counted() {
    let mut diagnostics = Diagnostics::new();
    for index in 0..25 {
        diagnostics.push(Diagnostic::error(Code::E0201, format!("unknown name x{index}")));
    }
    let text = render_all(&diagnostics, &SourceMap::default(), false);
    assert!(text.ends_with("note: 5 more of E0201 not shown\n\n"), "{text}");
}

#[test]
fn no_span_breaks_the_rendering() {
    let texts = ["", "\n", "a", "ä\r\nö", "\r", "a\n\n\nb\n", "\t\u{0}\u{7}x", "中中\n中", "a\u{301}\u{200d}b"];
    let mut sources = SourceMap::default();
    let files: Vec<FileId> = texts.iter().map(|text| sources.add("f.mo", *text)).collect();
    for (file, text) in files.iter().zip(texts) {
        for start in 0..text.len() + 3 {
            for end in 0..text.len() + 3 {
                let diagnostic = Diagnostic::error(Code::E0101, "m")
                    .label(Span::new(*file, start, end), "one")
                    .label(Span::new(*file, end, start), "two");
                render(&diagnostic, &sources, true);
            }
        }
    }
    let huge = Span { start: u32::MAX, end: u32::MAX, ..Span::default() };
    render(&Diagnostic::error(Code::E0101, "m").label(huge, "far out"), &sources, false);
    render(&Diagnostic::error(Code::E0101, "m").label(huge, "no file"), &SourceMap::default(), false);
}
