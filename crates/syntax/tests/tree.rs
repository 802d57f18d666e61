//! The lossless tree: comments and white space stay between the nodes.

use expect_test::expect;
use modeshift_diagnostics::{Diagnostics, SourceMap};
use modeshift_syntax::{mel_tree, parse};

#[test]
fn nodes_start_and_end_at_their_tokens() {
    let text = "model M // remark\n  Real x; /* last */\nequation\n  /* e: */ x = a + 2 * b - c; end M;\n";
    let file = SourceMap::default().add("m.mo", text);
    let parsed = parse(file, text, &mut Diagnostics::new());
    assert_eq!(parsed.to_source(), text);
    expect![[r#"
        Root
          Class
            ModelKeyword "model"
            Identifier "M"
            LineComment "// remark"
            Element
              ComponentClause
                Path
                  Identifier "Real"
                ComponentDeclaration
                  Identifier "x"
            Semicolon ";"
            BlockComment "/* last */"
            EquationSection
              EquationKeyword "equation"
              BlockComment "/* e: */"
              Equation
                Reference
                  Identifier "x"
                Equals "="
                Chain
                  Reference
                    Identifier "a"
                  Plus "+"
                  Chain
                    Literal
                      Integer "2"
                    Star "*"
                    Reference
                      Identifier "b"
                  Minus "-"
                  Reference
                    Identifier "c"
              Semicolon ";"
            EndKeyword "end"
            Identifier "M"
          Semicolon ";"
    "#]]
    .assert_eq(&parsed.debug_tree());
}

#[test]
fn skipped_tokens_stay_in_the_tree() {
    let text = "e : equation x + = 1 $ ; end";
    let file = SourceMap::default().add("m.mel", text);
    let tree = mel_tree(file, text, &mut Diagnostics::new());
    assert_eq!(tree.to_source(), text);
    expect![[r#"
        Root
          MelEquation
            Reference
              Identifier "e"
            Colon ":"
            EquationKeyword "equation"
            Chain
              Reference
                Identifier "x"
              Plus "+"
              Missing
            Equals "="
            Literal
              Integer "1"
          Unknown "$"
          Semicolon ";"
          Skipped
            EndKeyword "end"
    "#]]
    .assert_eq(&tree.dump());
}
