//! Finding the thread again: missing semicolons, `end`s that are missing or belong elsewhere, tokens to skip.

use modeshift_diagnostics::{Code, Diagnostic, Repair};

use super::Parser;
use super::components::comment;
use crate::kind::SyntaxKind::{self, *};

/// A class or block whose `end` is still to come.
pub(super) struct Open {
    /// The keyword that opened it: `if`, `for`, `model`, …
    pub(super) keyword: std::string::String,
    /// Of classes, the name.
    pub(super) name: Option<std::string::String>,
    /// The significant token to point at.
    pub(super) start: usize,
}

impl Open {
    /// `model M`, or only the keyword.
    fn what(&self) -> std::string::String {
        let name = self.name.as_deref().unwrap_or_default();
        format!("{} {name}", self.keyword).trim_end().to_owned()
    }

    fn closing(&self) -> std::string::String {
        format!("end {}", self.name.as_deref().unwrap_or(&self.keyword))
    }
}

impl Parser<'_> {
    /// Opens the block whose keyword is the current token.
    pub(super) fn open_block(&mut self) {
        let keyword = self.nth_text(0).to_owned();
        if self.previous() == ElseKeyword {
            self.last_else_if = self.position;
        }
        self.open.push(Open { keyword, name: None, start: self.position });
    }

    /// Whether at `end` with what belongs to it, not at `end` in a subscript.
    pub(super) fn at_closing_end(&self) -> bool {
        self.at(EndKeyword)
            && matches!(
                self.nth(1),
                Identifier | IfKeyword | ForKeyword | WhenKeyword | WhileKeyword | Semicolon | EndOfFile
            )
    }

    /// The innermost open block ends here: with its `end`, or with an error that says what is missing.
    pub(super) fn close_block(&mut self) {
        let Some(open) = self.open.pop() else { return };
        let own = open.name.as_deref().unwrap_or(&open.keyword).to_owned();
        let nameless = own.is_empty() && self.nth(1) == Identifier;
        let closes_own = self.at(EndKeyword) && (self.nth_text(1) == own || nameless);
        if closes_own {
            self.bump();
            self.bump();
        } else if !self.at_closing_end() || self.closes_outer_block() {
            self.error_not_closed(&open);
        } else {
            self.error_wrong_end(&open);
            self.bump();
            if !self.at(Semicolon) {
                self.bump();
            }
        }
    }

    /// The `end` of the innermost block with what follows it; finishes the node of the block.
    pub(super) fn finish_block(&mut self) {
        self.close_block();
        comment(self);
        self.finish();
        self.semicolon();
    }

    /// Whether no further equation or statement of a section or branch can follow.
    pub(super) fn at_end_of_items(&self) -> bool {
        let ends = [EndOfFile, ElseKeyword, ElseifKeyword, ElsewhenKeyword, ExternalKeyword, AnnotationKeyword];
        self.at_any(&ends) || self.at_section() || (self.at(EndKeyword) && !self.at_stray_end())
    }

    /// Whether the `end …` at the current token belongs to a block further out.
    fn closes_outer_block(&self) -> bool {
        let closed = self.nth_text(1);
        self.open.iter().any(|open| open.name.as_deref().unwrap_or(&open.keyword) == closed)
    }

    fn error_not_closed(&mut self, open: &Open) {
        let end = self.previous_end();
        let (closing, title) = (format!("\n{};", open.closing()), format!("insert `{};`", open.closing()));
        let diagnostic = Diagnostic::error(Code::E0103, format!("`{}` is not closed", open.what()))
            .candidate(Repair::insert(end, end.end, closing, title))
            .label(end, format!("expected `{};` behind this", open.closing()))
            .label(self.span_of(open.start), format!("this `{}` starts here", open.keyword));
        self.report(if open.keyword == "if" && self.last_else_if > open.start {
            diagnostic
                .label(self.span_of(self.last_else_if), "a second `if` starts here")
                .help("`else if` opens a second `if`; for another branch of the first, write `elseif`")
        } else {
            diagnostic
        });
    }

    fn error_wrong_end(&mut self, open: &Open) {
        let span = if self.nth(1) == Semicolon || self.nth(1) == EndOfFile {
            self.current_span()
        } else {
            self.current_span().to(self.span_of(self.position + 1))
        };
        let what = open.what();
        let message = match self.nth(1) {
            Semicolon | EndOfFile => format!("`end` does not say that it closes `{what}`"),
            _ => format!("`end {}` does not match `{what}`", self.nth_text(1)),
        };
        let diagnostic = Diagnostic::error(Code::E0104, message)
            .label(span, format!("expected `{}`", open.closing()))
            .label(self.span_of(open.start), format!("this `{}` starts here", open.keyword))
            .candidate(Repair::replace(span, open.closing(), format!("write `{};`", open.closing())))
            .help(format!("write `{};`", open.closing()));
        self.report(diagnostic);
    }

    /// At `end if` and the like where no such block is open: says so and skips it.
    pub(super) fn stray_end(&mut self) {
        let word = self.nth_text(1);
        let diagnostic = Diagnostic::error(Code::E0110, format!("`end {word}` without `{word}`"))
            .label(self.current_span().to(self.span_of(self.position + 1)), "nothing to close here");
        self.report(diagnostic);
        self.start(Skipped);
        self.bump();
        self.bump();
        self.eat(Semicolon);
        self.finish();
    }

    /// Whether at `end if` or the like where a class is innermost and no such block is open.
    pub(super) fn at_stray_end(&self) -> bool {
        let in_class = self.open.last().is_none_or(|open| open.name.is_some());
        self.at(EndKeyword)
            && in_class
            && matches!(self.nth(1), IfKeyword | ForKeyword | WhenKeyword | WhileKeyword)
            && !self.closes_outer_block()
    }

    /// The `;` behind an element, equation or statement.
    pub(super) fn semicolon(&mut self) {
        if self.eat(Semicolon) {
            return;
        }
        if self.at_line_start() || self.at_resumption() {
            let end = self.previous_end();
            let diagnostic = Diagnostic::error(Code::E0102, "missing `;`").label(end, "expected `;` behind this");
            self.report(diagnostic.candidate(Repair::insert(end, end.end, ";", "insert `;`")));
        } else {
            self.error_expected("`;`");
            self.skip_to_semicolon();
        }
    }

    /// Skips a keyword that was meant as a name: what follows tells.
    pub(super) fn skip_keyword_as_name(&mut self) {
        let continues = matches!(
            self.nth(1),
            Semicolon | Comma | Equals | ColonEquals | LeftParen | RightParen | LeftBracket | Dot | String
        );
        if continues && !self.at(EndKeyword) {
            self.skip_keyword();
        }
    }

    /// A name where nothing else can stand, behind a dot for example: a keyword there is skipped.
    pub(super) fn expect_name(&mut self) {
        if !self.eat(Identifier) {
            self.error_expected("a name");
            if !self.at_line_start() {
                self.skip_keyword();
            }
        }
    }

    fn skip_keyword(&mut self) {
        if self.current().is_keyword() {
            self.start(Skipped);
            self.bump();
            self.finish();
        }
    }

    /// Reports that `what` cannot start here, and skips to where it could.
    pub(super) fn skip_unexpected(&mut self, what: &str) {
        self.error_expected(what);
        self.start(Skipped);
        self.bump();
        self.finish();
        if !self.at_line_start() {
            self.skip_to_semicolon();
        }
    }

    fn skip_to_semicolon(&mut self) {
        self.start(Skipped);
        let mut brackets = 0usize;
        while !self.at(EndOfFile) && !self.at_resumption() {
            match self.current() {
                LeftBracket => brackets += 1,
                RightBracket => brackets = brackets.saturating_sub(1),
                Semicolon if brackets == 0 => {
                    self.bump();
                    break;
                }
                _ => {}
            }
            self.bump();
        }
        self.finish();
    }

    /// Whether something starts or ends here that is unlikely to occur inside an expression.
    fn at_resumption(&self) -> bool {
        self.at_closing_end() || self.at_section() || RESUMPTION.contains(&self.current())
    }

    /// Whether a section of a class starts here.
    pub(super) fn at_section(&self) -> bool {
        match self.current() {
            EquationKeyword | AlgorithmKeyword | PublicKeyword | ProtectedKeyword => {
                self.dialect == super::Dialect::Modelica
            }
            InitialKeyword => matches!(self.nth(1), EquationKeyword | AlgorithmKeyword),
            _ => false,
        }
    }
}

const RESUMPTION: &[SyntaxKind] = &[
    EndOfFile,
    ModelKeyword,
    PackageKeyword,
    RecordKeyword,
    BlockKeyword,
    ConnectorKeyword,
    ImportKeyword,
    ExtendsKeyword,
    ParameterKeyword,
    ConstantKeyword,
    WhenKeyword,
    DoneKeyword,
    ForeachKeyword,
    InvariantKeyword,
];
