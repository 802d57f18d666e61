//! Text to tokens, for Modelica (appendix A.1 of the specification) and for MEL (RR9322 §4.2).
//!
//! Every byte belongs to exactly one token; what no rule accepts is kept as a token too and reported by the parser.

use logos::Logos;

use crate::kind::SyntaxKind;

/// The tokens of a text: kinds, and where each starts.
pub(crate) struct Tokens {
    kinds: Vec<SyntaxKind>,
    /// One more than kinds: the last is the length of the text.
    starts: Vec<u32>,
}

impl Tokens {
    pub(crate) fn len(&self) -> usize {
        self.kinds.len()
    }

    pub(crate) fn kind(&self, token: usize) -> SyntaxKind {
        self.kinds[token]
    }

    /// The byte range of a token; behind the last one, the empty range at the end of the text.
    pub(crate) fn range(&self, token: usize) -> std::ops::Range<usize> {
        let last = self.starts.len() - 1;
        self.starts[token.min(last)] as usize..self.starts[(token + 1).min(last)] as usize
    }

    fn collect(tokens: impl Iterator<Item = (SyntaxKind, std::ops::Range<usize>)>, text: &str) -> Tokens {
        let mut result =
            Tokens { kinds: Vec::with_capacity(text.len() / 4), starts: Vec::with_capacity(text.len() / 4) };
        for (kind, range) in tokens {
            if kind == SyntaxKind::Unknown && result.kinds.last() == Some(&kind) {
                continue;
            }
            result.kinds.push(kind);
            result.starts.push(range.start as u32);
        }
        result.starts.push(text.len() as u32);
        result
    }
}

/// The tokens of a Modelica text.
pub(crate) fn modelica_tokens(text: &str) -> Tokens {
    let lexer = SyntaxKind::lexer(text).spanned();
    Tokens::collect(lexer.map(|(kind, range)| (kind.unwrap_or(SyntaxKind::Unknown), range)), text)
}

/// The tokens of a MEL text. `1..N` is `1`, `..`, `N`, so a number needs digits behind its point.
pub(crate) fn mel_tokens(text: &str) -> Tokens {
    let lexer = MelToken::lexer(text).spanned();
    Tokens::collect(
        lexer.map(|(token, range)| {
            let kind = token.map_or(SyntaxKind::Unknown, |token| token.kind(&text[range.clone()]));
            (kind, range)
        }),
        text,
    )
}

/// The lexical rules of MEL.
#[derive(Logos, Clone, Copy, Debug, PartialEq, Eq)]
enum MelToken {
    #[regex(r"[ \t\r\n\x0B\x0C]+")]
    Whitespace,
    #[regex(r"//[^\r\n]*", allow_greedy = true)]
    LineComment,
    #[regex(r"/\*([^*]|\*+[^*/])*\*+/")]
    BlockComment,
    #[regex(r"/\*([^*]|\*+[^*/])*\**")]
    UnterminatedComment,
    #[token("\u{FEFF}")]
    ByteOrderMark,
    #[regex(r"[_a-zA-Z][_a-zA-Z0-9]*")]
    Word,
    #[regex(r"[0-9]+", priority = 4)]
    Integer,
    #[regex(r"[0-9]+\.[0-9]+([eE][+-]?[0-9]+)?")]
    #[regex(r"[0-9]+[eE][+-]?[0-9]+")]
    Real,
    #[regex(r"\.\.|&&|\|\||[<>=!]=|<>|[-;,:.()\[\]=+*/^<>!&|]")]
    Operator,
}

impl MelToken {
    fn kind(self, text: &str) -> SyntaxKind {
        match self {
            MelToken::Whitespace => SyntaxKind::Whitespace,
            MelToken::LineComment => SyntaxKind::LineComment,
            MelToken::BlockComment => SyntaxKind::BlockComment,
            MelToken::UnterminatedComment => SyntaxKind::UnterminatedComment,
            MelToken::ByteOrderMark => SyntaxKind::ByteOrderMark,
            MelToken::Word => mel_word(text),
            MelToken::Integer => SyntaxKind::Integer,
            MelToken::Real => SyntaxKind::Real,
            MelToken::Operator => mel_operator(text),
        }
    }
}

fn mel_word(text: &str) -> SyntaxKind {
    match text {
        "and" => SyntaxKind::AndKeyword,
        "do" => SyntaxKind::DoKeyword,
        "done" => SyntaxKind::DoneKeyword,
        "else" => SyntaxKind::ElseKeyword,
        "elseif" => SyntaxKind::ElseifKeyword,
        "end" => SyntaxKind::EndKeyword,
        "equation" => SyntaxKind::EquationKeyword,
        "false" => SyntaxKind::FalseKeyword,
        "foreach" => SyntaxKind::ForeachKeyword,
        "if" => SyntaxKind::IfKeyword,
        "in" => SyntaxKind::InKeyword,
        "invariant" => SyntaxKind::InvariantKeyword,
        "is" => SyntaxKind::IsKeyword,
        "not" => SyntaxKind::NotKeyword,
        "or" => SyntaxKind::OrKeyword,
        "scenario" => SyntaxKind::ScenarioKeyword,
        "then" => SyntaxKind::ThenKeyword,
        "true" => SyntaxKind::TrueKeyword,
        "when" => SyntaxKind::WhenKeyword,
        _ => SyntaxKind::Identifier,
    }
}

fn mel_operator(text: &str) -> SyntaxKind {
    match text {
        ";" => SyntaxKind::Semicolon,
        "," => SyntaxKind::Comma,
        ":" => SyntaxKind::Colon,
        "." => SyntaxKind::Dot,
        ".." => SyntaxKind::DotDot,
        "(" => SyntaxKind::LeftParen,
        ")" => SyntaxKind::RightParen,
        "[" => SyntaxKind::LeftBracket,
        "]" => SyntaxKind::RightBracket,
        "=" => SyntaxKind::Equals,
        "+" => SyntaxKind::Plus,
        "-" => SyntaxKind::Minus,
        "*" => SyntaxKind::Star,
        "/" => SyntaxKind::Slash,
        "^" => SyntaxKind::Caret,
        "<" => SyntaxKind::Less,
        "<=" => SyntaxKind::LessEqual,
        ">" => SyntaxKind::Greater,
        ">=" => SyntaxKind::GreaterEqual,
        "==" => SyntaxKind::EqualEqual,
        "<>" | "!=" => SyntaxKind::NotEqual,
        "!" => SyntaxKind::NotKeyword,
        "&" | "&&" => SyntaxKind::AndKeyword,
        "|" | "||" => SyntaxKind::OrKeyword,
        _ => SyntaxKind::Unknown,
    }
}
