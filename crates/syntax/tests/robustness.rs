//! Whatever is thrown at the parser: it never panics, never overflows the stack, and prints back every byte.

use crate::common;
use modeshift_diagnostics::{Diagnostics, SourceMap};
use modeshift_syntax::{NESTING_LIMIT, mel_tree, parse, parse_expression, parse_mel};

const SEEDS: &[&str] = &[
    include_str!("data/features.mo"),
    "model M Real x(start=1); equation /* e: */ der(x) = if x > 1 then -x else {1,2}*[3;4]; when a then reinit(x,2); end when; end M;",
    "package P function f input Real x; output Real y; algorithm y := x^2; while y < 1 loop y := y+1; end while; end f; end P;",
    "foreach i in 1..N do e[i] : equation der(x[i]) = !a; if b then c : boolean = x else d : real end done; scenario s when a is end",
];

#[test]
fn mutated_texts_print_back_and_never_panic() {
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    for round in 0..12_000 {
        let seed = SEEDS[random.below(SEEDS.len())];
        let mut text = window(seed, &mut random);
        for _ in 0..1 + random.below(6) {
            text = mutate(&text, &mut random);
        }
        check_prints_back(&text, round);
    }
}

fn check_prints_back(text: &str, round: usize) {
    let file = SourceMap::default().add("mutated.mo", text);
    let parsed = parse(file, text, &mut Diagnostics::new());
    assert!(parsed.to_source() == text, "round {round} does not print back: {text}");
    assert!(mel_tree(file, text, &mut Diagnostics::new()).to_source() == text, "round {round}, as MEL: {text}");
    parse_mel(file, text, &mut Diagnostics::new());
    let mut diagnostics = Diagnostics::new();
    parse_expression(file, text, &mut diagnostics);
    for label in diagnostics.iter().flat_map(|diagnostic| &diagnostic.labels) {
        let range = label.span.start as usize..label.span.end as usize;
        assert!(text.get(range).is_some(), "round {round}: a place that is none: {text}");
    }
}

/// A part of a seed, so that rounds are short.
fn window(seed: &str, random: &mut Random) -> String {
    let lines: Vec<_> = seed.split_inclusive(['\n', ';']).collect();
    let start = random.below(lines.len());
    lines[start..(start + 1 + random.below(20)).min(lines.len())].concat()
}

/// Deletes, doubles, moves or spoils a piece of the text.
fn mutate(text: &str, random: &mut Random) -> String {
    let mut pieces = split_pieces(text);
    let place = random.below(pieces.len().max(1));
    match random.below(6) {
        0 if place < pieces.len() => drop(pieces.remove(place)),
        1 if place < pieces.len() => pieces.insert(place, pieces[place].clone()),
        2 if place < pieces.len() => {
            let other = random.below(pieces.len());
            pieces.swap(place, other);
        }
        3 => pieces.insert(place, SPLICES[random.below(SPLICES.len())].to_owned()),
        4 => pieces
            .insert(place, String::from_utf8_lossy(&[random.below(256) as u8, random.below(256) as u8]).into_owned()),
        _ => pieces.truncate(place),
    }
    pieces.concat()
}

const SPLICES: &[&str] = &[
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    ";",
    "end",
    "end if;",
    " if ",
    " else ",
    "/*",
    "*/",
    "\"",
    "'",
    "\\",
    "model A ",
    ".",
    "..",
    ":=",
    " equation ",
    " algorithm ",
    " for ",
    " loop ",
    " invariant ",
    " protected ",
    " annotation(",
    "1.",
    "1e",
    "\u{FEFF}",
    " end M;",
    " break ",
    " external ",
    " redeclare ",
    " within ",
    " der ",
    " initial ",
    "\r",
    "\0",
    "é",
    " done ",
    " import ",
    " extends ",
];

fn split_pieces(text: &str) -> Vec<String> {
    let mut pieces: Vec<String> = Vec::new();
    let mut previous = None;
    for character in text.chars() {
        let class = (character.is_alphanumeric() || character == '_', character.is_whitespace());
        match pieces.last_mut() {
            Some(piece) if previous == Some(class) && (class.0 || class.1) => piece.push(character),
            _ => pieces.push(character.to_string()),
        }
        previous = Some(class);
    }
    pieces
}

/// A small generator: the same texts in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % bound as u64) as usize
    }
}

#[test]
fn deep_nesting_is_an_error_that_says_so() {
    let many = 100_000;
    let texts = [
        format!("model M equation x = {}1{}; end M;", "(".repeat(many), ")".repeat(many)),
        format!("model M equation x = {}1{}; end M;", "{".repeat(many), "}".repeat(many)),
        format!("model M equation x = {}1; end M;", "f(a[".repeat(many)),
        format!("model M equation x = {}1; end M;", "not a or b and c < d + e * h ^ f(x[y, ".repeat(many / 10)),
        format!("model M equation x = {}1; end M;", "- ".repeat(many)),
        format!("model M equation x = {}a; end M;", "not ".repeat(many)),
        format!("model M equation x = {}1; end M;", "if a then ".repeat(many)),
        format!("model M equation x = {}; end M;", "if a then b else ".repeat(many)),
        format!("model M equation {}", "if a then ".repeat(many)),
        format!("model M algorithm {}", "while a loop ".repeat(many)),
        "model M ".repeat(many),
        format!("model M {}", "if a then ".repeat(many)),
        format!("model M Real x{}", "(a".repeat(many)),
        format!("model M Real x{}", "(redeclare model M = B".repeat(many)),
        format!("model M equation x = g({}", "function f(a = ".repeat(many)),
    ];
    for text in texts {
        let (sources, diagnostics) = diagnose(&text);
        let messages = common::messages(&sources, &diagnostics);
        let expected = format!("nested more than {NESTING_LIMIT} levels deep");
        assert!(messages.contains(&expected), "{}: {messages}", &text[..60]);
        assert!(diagnostics.len() <= 2, "{}: {messages}", &text[..60]);
    }
}

#[test]
fn deep_mel_is_an_error_that_says_so() {
    for text in [
        "if a then ".repeat(100_000),
        "foreach i in 1..2 do ".repeat(100_000),
        format!("x : real = {}", "(".repeat(100_000)),
    ] {
        let mut sources = SourceMap::default();
        let file = sources.add("deep.mel", text.as_str());
        let mut diagnostics = Diagnostics::new();
        parse_mel(file, &text, &mut diagnostics);
        assert!(common::messages(&sources, &diagnostics).contains("levels deep"));
    }
}

#[test]
fn realistic_nesting_is_accepted() {
    let text = format!("model M equation x = {}1{}; end M;", "(".repeat(200), ")".repeat(200));
    assert!(diagnose(&text).1.is_empty());
    let text = format!("model M equation {}x = 1;{} end M;", "if a then ".repeat(100), " end if;".repeat(100));
    assert!(diagnose(&text).1.is_empty());
}

#[test]
fn long_chains_and_lists_work() {
    let many = 100_000;
    for text in [
        format!("model M equation x = a{}; end M;", " + b - c".repeat(many)),
        format!("model M equation x = a{}; end M;", " and b".repeat(many)),
        format!("model M equation x = a{}; end M;", " * b".repeat(many)),
        format!("model M equation x = if a then 1{} else 2; end M;", " elseif b then 2".repeat(many)),
        format!("model M equation if a then x = 1;{} end if; end M;", " elseif b then x = 2;".repeat(many)),
        format!("model M Real x = a{}; end M;", ".b[1]".repeat(many)),
        format!("model M Real x = {{1{}}}; end M;", ", 1".repeat(many)),
        format!("model M Real x{}; end M;", ", y".repeat(many)),
        format!("model M {} end M;", "Real x; ".repeat(many)),
    ] {
        let (sources, diagnostics) = diagnose(&text);
        assert_eq!(common::messages(&sources, &diagnostics), "", "{}", &text[..60]);
    }
}

#[test]
fn long_chains_that_do_not_associate_are_reported() {
    let (_, diagnostics) = diagnose(&format!("model M equation x = a{}; end M;", " / b".repeat(100_000)));
    assert_eq!(diagnostics.iter().next().map(|diagnostic| diagnostic.code.as_str()), Some("E0107"));
}

#[test]
fn deep_and_long_together_stay_bounded() {
    // Left-deep chains inside of left-deep chains.
    let text =
        format!("model M equation x = {}a{}; end M;", "(".repeat(250), ")".to_owned() + &" + b + c + d)".repeat(249));
    let (sources, diagnostics) = diagnose(&text);
    assert!(common::messages(&sources, &diagnostics).contains("levels deep"));
}

#[test]
fn errors_in_great_number_take_linear_time() {
    for piece in [
        "invariant (a\n",
        "x = = ;\n",
        "end if;\n",
        "( [ {\n",
        "if a then\nend for;\n",
        "model M\nend N;\n",
        "\"",
        "'",
        "é ",
        "Real Real\n",
    ] {
        let text = format!("model M equation {}", piece.repeat(30_000));
        let (_, diagnostics) = diagnose(&text);
        assert!(diagnostics.has_errors() || piece == "'", "{piece}");
    }
}

fn diagnose(text: &str) -> (SourceMap, Diagnostics) {
    let mut sources = SourceMap::default();
    let file = sources.add("test.mo", text);
    let mut diagnostics = Diagnostics::new();
    let parsed = parse(file, text, &mut diagnostics);
    assert!(parsed.to_source() == text);
    (sources, diagnostics)
}

#[test]
fn pairwise_sums_have_the_same_value() {
    // Signs are flipped behind a minus: compare with the sum taken from the left.
    let mut random = Random(7);
    let terms: Vec<_> = (0..1000).map(|_| (random.below(2) == 0, random.below(100) as i64)).collect();
    let text: String =
        terms.iter().map(|(minus, value)| format!(" {} {value}", if *minus { "-" } else { "+" })).collect();
    let expected: i64 = terms.iter().map(|(minus, value)| if *minus { -value } else { *value }).sum();
    assert_eq!(value(&common::clean_expression(&format!("0{text}"))), expected);
}

fn value(expression: &modeshift_syntax::ast::Expression) -> i64 {
    use modeshift_syntax::ast::{BinaryOperator, ExpressionKind};
    match &expression.kind {
        ExpressionKind::Integer(value) => *value,
        ExpressionKind::Binary(BinaryOperator::Add, left, right) => value(left) + value(right),
        ExpressionKind::Binary(BinaryOperator::Subtract, left, right) => value(left) - value(right),
        other => panic!("{other}"),
    }
}
