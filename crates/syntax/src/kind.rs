//! The kinds of tokens and nodes of the lossless tree, shared by Modelica and MEL.
//!
//! The tokens carry the lexical rules of Modelica (Modelica 3.6, appendix A.1) for the generated lexer; MEL has
//! its own few rules in [`crate::lexer`] and uses the same kinds.

use logos::Logos;

macro_rules! syntax_kinds {
    ($($(#[$attribute:meta])* $kind:ident,)*) => {
        /// What a token or node of the tree is.
        #[derive(Logos, Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[allow(missing_docs)]
        #[repr(u16)]
        pub enum SyntaxKind {
            $($(#[$attribute])* $kind,)*
        }

        const ALL: &[SyntaxKind] = &[$(SyntaxKind::$kind,)*];
    };
}

syntax_kinds! {
    // Trivia.
    #[regex(r"[ \t\r\n\x0B\x0C]+")]
    Whitespace,
    #[regex(r"//[^\r\n]*", allow_greedy = true)]
    LineComment,
    #[regex(r"/\*([^*]|\*+[^*/])*\*+/")]
    BlockComment,
    #[token("\u{FEFF}")]
    ByteOrderMark,

    // What no rule accepts; each has been reported.
    #[regex(r"/\*([^*]|\*+[^*/])*\**")]
    UnterminatedComment,
    Unknown,
    #[regex(r#""([^"\\]|\\[\s\S])*\\?"#)]
    UnterminatedString,
    #[regex(r"'([^'\\\r\n]|\\[^\r\n])*\\?")]
    UnterminatedIdentifier,

    // Names and literals.
    #[regex(r"[_a-zA-Z][_a-zA-Z0-9]*")]
    #[regex(r"'([^'\\\r\n]|\\[^\r\n])*'")]
    Identifier,
    #[regex(r"[0-9]+", priority = 4)]
    Integer,
    #[regex(r"[0-9]+\.[0-9]*([eE][+-]?[0-9]+)?")]
    #[regex(r"[0-9]+[eE][+-]?[0-9]+")]
    #[regex(r"\.[0-9]+([eE][+-]?[0-9]+)?")]
    Real,
    #[regex(r#""([^"\\]|\\[\s\S])*""#)]
    String,

    // Punctuation and operators.
    #[token(";")]
    Semicolon,
    #[token(",")]
    Comma,
    #[token(":")]
    Colon,
    #[token(".")]
    Dot,
    DotDot,
    #[token("(")]
    LeftParen,
    #[token(")")]
    RightParen,
    #[token("[")]
    LeftBracket,
    #[token("]")]
    RightBracket,
    #[token("{")]
    LeftBrace,
    #[token("}")]
    RightBrace,
    #[token("=")]
    Equals,
    #[token(":=")]
    ColonEquals,
    #[token("+")]
    Plus,
    #[token("-")]
    Minus,
    #[token("*")]
    Star,
    #[token("/")]
    Slash,
    #[token("^")]
    Caret,
    #[token(".+")]
    DotPlus,
    #[token(".-")]
    DotMinus,
    #[token(".*")]
    DotStar,
    #[token("./")]
    DotSlash,
    #[token(".^")]
    DotCaret,
    #[token("<")]
    Less,
    #[token("<=")]
    LessEqual,
    #[token(">")]
    Greater,
    #[token(">=")]
    GreaterEqual,
    #[token("==")]
    EqualEqual,
    #[token("<>")]
    NotEqual,

    // Keywords of Modelica.
    #[token("algorithm")]
    AlgorithmKeyword,
    #[token("and")]
    AndKeyword,
    #[token("annotation")]
    AnnotationKeyword,
    #[token("block")]
    BlockKeyword,
    #[token("break")]
    BreakKeyword,
    #[token("class")]
    ClassKeyword,
    #[token("connect")]
    ConnectKeyword,
    #[token("connector")]
    ConnectorKeyword,
    #[token("constant")]
    ConstantKeyword,
    #[token("constrainedby")]
    ConstrainedbyKeyword,
    #[token("der")]
    DerKeyword,
    #[token("discrete")]
    DiscreteKeyword,
    #[token("each")]
    EachKeyword,
    #[token("else")]
    ElseKeyword,
    #[token("elseif")]
    ElseifKeyword,
    #[token("elsewhen")]
    ElsewhenKeyword,
    #[token("encapsulated")]
    EncapsulatedKeyword,
    #[token("end")]
    EndKeyword,
    #[token("enumeration")]
    EnumerationKeyword,
    #[token("equation")]
    EquationKeyword,
    #[token("expandable")]
    ExpandableKeyword,
    #[token("extends")]
    ExtendsKeyword,
    #[token("external")]
    ExternalKeyword,
    #[token("false")]
    FalseKeyword,
    #[token("final")]
    FinalKeyword,
    #[token("flow")]
    FlowKeyword,
    #[token("for")]
    ForKeyword,
    #[token("function")]
    FunctionKeyword,
    #[token("if")]
    IfKeyword,
    #[token("import")]
    ImportKeyword,
    #[token("impure")]
    ImpureKeyword,
    #[token("in")]
    InKeyword,
    #[token("initial")]
    InitialKeyword,
    #[token("inner")]
    InnerKeyword,
    #[token("input")]
    InputKeyword,
    #[token("loop")]
    LoopKeyword,
    #[token("model")]
    ModelKeyword,
    #[token("not")]
    NotKeyword,
    #[token("operator")]
    OperatorKeyword,
    #[token("or")]
    OrKeyword,
    #[token("outer")]
    OuterKeyword,
    #[token("output")]
    OutputKeyword,
    #[token("package")]
    PackageKeyword,
    #[token("parameter")]
    ParameterKeyword,
    #[token("partial")]
    PartialKeyword,
    #[token("protected")]
    ProtectedKeyword,
    #[token("public")]
    PublicKeyword,
    #[token("pure")]
    PureKeyword,
    #[token("record")]
    RecordKeyword,
    #[token("redeclare")]
    RedeclareKeyword,
    #[token("replaceable")]
    ReplaceableKeyword,
    #[token("return")]
    ReturnKeyword,
    #[token("stream")]
    StreamKeyword,
    #[token("then")]
    ThenKeyword,
    #[token("true")]
    TrueKeyword,
    #[token("type")]
    TypeKeyword,
    #[token("when")]
    WhenKeyword,
    #[token("while")]
    WhileKeyword,
    #[token("within")]
    WithinKeyword,

    // Further keywords of MEL.
    InvariantKeyword,
    ForeachKeyword,
    DoKeyword,
    DoneKeyword,
    ScenarioKeyword,
    IsKeyword,

    /// Behind the last token; never in the tree.
    EndOfFile,

    // Nodes.
    /// A whole text.
    Root,
    /// Tokens that were skipped over; the reason has been reported.
    Skipped,
    WithinClause,
    Class,
    Enumeration,
    EnumerationLiteral,
    PartialDerivative,
    Path,
    TypePrefix,
    /// One or more strings joined by `+`.
    Description,
    Annotation,
    ImportClause,
    ExtendsClause,
    ConditionalElements,
    ComponentClause,
    ComponentDeclaration,
    ConstrainingClause,
    /// An element with its prefixes.
    Element,
    ExternalClause,
    EquationSection,
    AlgorithmSection,
    Modification,
    Argument,
    BreakArgument,
    Equation,
    IfEquation,
    ForEquation,
    WhenEquation,
    ConnectEquation,
    InvariantEquation,
    Statement,
    IfStatement,
    ForStatement,
    WhenStatement,
    WhileStatement,
    ForIndex,
    Subscripts,
    Arguments,
    NamedArgument,
    MelDeclaration,
    MelEquation,
    MelLaw,
    MelInvariant,
    MelIf,
    MelForeach,
    MelScenario,

    // Nodes that are expressions.
    Literal,
    Reference,
    Call,
    PartialApplication,
    ArrayLiteral,
    Matrix,
    MatrixRow,
    Range,
    /// `( … )`: an expression in parentheses or a tuple.
    Tuple,
    /// `(a)[1]` or `(a).b`.
    Access,
    Unary,
    /// Operands of one precedence level with their operators in between, any number of them.
    Chain,
    IfExpression,
    EndExpression,
    /// A place where an expression is missing.
    Missing,
}

impl SyntaxKind {
    /// Whether between the tokens that the grammar sees.
    pub fn is_trivia(self) -> bool {
        self <= SyntaxKind::Unknown
    }

    /// Whether a keyword of Modelica or MEL.
    pub fn is_keyword(self) -> bool {
        (SyntaxKind::AlgorithmKeyword..=SyntaxKind::IsKeyword).contains(&self)
    }

    /// Whether a node of this kind is an expression.
    pub fn is_expression(self) -> bool {
        self >= SyntaxKind::Literal && self != SyntaxKind::MatrixRow
    }

    pub(crate) fn from_raw(raw: rowan::SyntaxKind) -> Self {
        ALL[raw.0 as usize]
    }

    /// How messages call a token of this kind.
    pub(crate) fn description(self) -> &'static str {
        use SyntaxKind::*;
        match self {
            Identifier => "a name",
            Integer | Real => "a number",
            String => "a string",
            Semicolon => "`;`",
            Comma => "`,`",
            Colon => "`:`",
            DotDot => "`..`",
            LeftParen => "`(`",
            RightParen => "`)`",
            RightBracket => "`]`",
            RightBrace => "`}`",
            Equals => "`=`",
            ColonEquals => "`:=`",
            ThenKeyword => "`then`",
            LoopKeyword => "`loop`",
            InKeyword => "`in`",
            DoKeyword => "`do`",
            IsKeyword => "`is`",
            EndKeyword => "`end`",
            ElseKeyword => "`else`",
            EndOfFile => "the end of the file",
            _ => "something else",
        }
    }
}

impl From<SyntaxKind> for rowan::SyntaxKind {
    fn from(kind: SyntaxKind) -> Self {
        rowan::SyntaxKind(kind as u16)
    }
}
