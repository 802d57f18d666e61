//! Formatting: what it changes, what it keeps.

use std::path::{Path, PathBuf};

use modeshift_lsp::documents::{Document, leaves};
use modeshift_lsp::features::layout::{formatted, formatting};
use modeshift_lsp::text::Encoding;
use modeshift_syntax::SyntaxKind;

fn document(name: &str, text: &str) -> Document {
    Document::new(&format!("file:///{name}"), 0, text.to_string(), Encoding::Utf8)
}

fn check(text: &str, expected: &str) {
    assert_eq!(formatted(&document("a.mo", text)), expected);
    assert_eq!(formatted(&document("a.mo", expected)), expected, "a second time changes nothing");
}

#[test]
fn lines_are_indented_by_what_they_are_in() {
    check(
        "model M\nReal x;\n      Real y; // beside\nequation\nif x>0 then\n/* e: */ x=1;\n      // here\nelse\nx = 2;\nend if;\n  end M;",
        "model M\n  Real x;\n  Real y; // beside\nequation\n  if x>0 then\n    /* e: */ x = 1;\n    // here\n  else\n    x = 2;\n  end if;\nend M;\n",
    );
}

#[test]
fn lines_on_which_something_goes_on_move_with_its_first() {
    check(
        "model M\nReal x(start = 1,\n       fixed = true);\nend M;\n",
        "model M\n  Real x(start = 1,\n         fixed = true);\nend M;\n",
    );
}

#[test]
fn blanks_go_where_nobody_wants_them_and_columns_stay() {
    check(
        "model M  \n  Real   x   \"a\" ;\n  Real y[ 2 ,3 ];\t\n\n\n\n\n  Real zz    \"b\";\nend M;\n\n\n",
        "model M\n  Real   x   \"a\";\n  Real y[2, 3];\n\n\n  Real zz    \"b\";\nend M;\n",
    );
}

#[test]
fn what_is_inside_of_strings_and_comments_stays() {
    let text = "model M\n  /* a\n b   */\n  String s = \"x\n   y  ,z\";\nend M;\n";
    check(text, text);
}

#[test]
fn a_range_is_formatted_whatever_empty_lines_go_and_come_elsewhere() {
    let text = "model A\n  Real x;\n\n\n\nequation\nx = 1;\nend A;";
    let of_line = |line: usize| {
        let range = serde_json::json!({"start": {"line": line, "character": 0}, "end": {"line": line, "character": 0}});
        formatting(&document("a.mo", text), Some(&range))
    };
    let indented = serde_json::json!([{
        "range": {"start": {"line": 6, "character": 0}, "end": {"line": 6, "character": 0}}, "newText": "  ",
    }]);
    assert_eq!(of_line(6), indented);
    assert_eq!((of_line(5), of_line(7)), (serde_json::json!([]), serde_json::json!([])));
}

/// All models of the repository.
fn models() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let directories = ["models", "library/Modeshift"].map(|it| std::fs::read_dir(root.join(it)).expect("a directory"));
    let paths = directories.into_iter().flatten().map(|entry| entry.expect("an entry").path());
    paths.filter(|path| path.extension().is_some_and(|it| it == "mo" || it == "mel")).collect()
}

#[test]
fn formatting_keeps_every_word_of_real_models_and_a_second_time_changes_nothing() {
    for path in models() {
        let text = std::fs::read_to_string(&path).expect("a model");
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        let before = document(&name, &text);
        let once = formatted(&before);
        let after = document(&name, &once);
        assert_eq!(formatted(&after), once, "{name}: a second time");
        assert_eq!(words(&before), words(&after), "{name}");
    }
}

fn words(document: &Document) -> Vec<String> {
    let mut found = Vec::new();
    leaves(document.tree().root(), &mut |token| {
        if token.kind != SyntaxKind::Whitespace {
            found.push(token.text.trim_end().to_string());
        }
    });
    found
}
