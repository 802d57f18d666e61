//! The register of all codes: what each means, which stage says it, and how the program then ends.
//!
//! A code is stable once released: its meaning never changes, and its number is not given to another one. To add one,
//! write it here, its page in `pages/` with a model that provokes it and its repair; `docs/errors.md` is made from this
//! register.

use std::fmt;

use crate::{Severity, pages};

/// The part of the program that says something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stage {
    /// `00`: files and usage.
    Usage,
    /// `01`: syntax.
    Syntax,
    /// `02`: names, instances and modifications.
    Names,
    /// `03`: types, sizes and evaluation.
    Evaluation,
    /// `04`: connections, and where an equation may stand.
    Connections,
    /// `05`: modes.
    Modes,
    /// `06`: structure.
    Structure,
    /// `07`: initialization.
    Initialization,
    /// `08`: mode changes and simulation.
    Changes,
    /// `09`: rewriting with `rimis`.
    Rewriting,
}

impl Stage {
    /// All stages, by the hundreds of their codes.
    pub const ALL: [Stage; 10] = [
        Stage::Usage,
        Stage::Syntax,
        Stage::Names,
        Stage::Evaluation,
        Stage::Connections,
        Stage::Modes,
        Stage::Structure,
        Stage::Initialization,
        Stage::Changes,
        Stage::Rewriting,
    ];

    /// The words that users read.
    pub fn title(self) -> &'static str {
        match self {
            Stage::Usage => "Files and usage",
            Stage::Syntax => "Syntax",
            Stage::Names => "Names, instances and modifications",
            Stage::Evaluation => "Types, sizes and evaluation",
            Stage::Connections => "Connections, and where an equation may stand",
            Stage::Modes => "Modes",
            Stage::Structure => "Structure",
            Stage::Initialization => "Initialization",
            Stage::Changes => "Mode changes and simulation",
            Stage::Rewriting => "Rewriting with `rimis`",
        }
    }
}

/// How the program ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ExitStatus {
    /// All well.
    Good = 0,
    /// The model is wrong or cannot be run.
    ModelWrong = 1,
    /// Wrong usage, or a file that cannot be read or written.
    Usage = 2,
    /// A fault of the program itself, which it asks to be reported.
    Fault = 101,
}

/// Declares the codes: each with its sentence, faults of the program itself with the word `fault` in front.
macro_rules! codes {
    ($($code:ident $(($fault:ident))? $sentence:literal,)*) => {
        /// A registered code: a letter for the severity, two digits for the stage, two for the matter.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Code {
            $(#[doc = $sentence] $code,)*
        }

        impl Code {
            /// All codes, in order.
            pub const ALL: &[Code] = &[$(Code::$code,)*];

            /// `E0601`
            pub fn as_str(self) -> &'static str {
                match self { $(Code::$code => stringify!($code),)* }
            }

            /// Its meaning in one sentence.
            pub fn sentence(self) -> &'static str {
                match self { $(Code::$code => $sentence,)* }
            }

            /// Its page: what it means, a smallest wrong model and its repair, as Markdown.
            pub fn page(self) -> &'static str {
                pages::of(self.as_str())
            }

            /// Whether it reports a fault of the program itself: no model of a user provokes it knowingly.
            pub fn is_fault(self) -> bool {
                match self { $(Code::$code => codes!(@fault $($fault)?),)* }
            }
        }

        // A code without a page does not compile.
        $(const _: &str = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/pages/", stringify!($code), ".md"));)*
    };
    (@fault fault) => { true };
    (@fault) => { false };
}

impl Code {
    /// By the letter: `E`, `W` or `N`.
    pub fn severity(self) -> Severity {
        match self.as_str().as_bytes()[0] {
            b'E' => Severity::Error,
            b'W' => Severity::Warning,
            _ => Severity::Note,
        }
    }

    /// By the hundreds.
    pub fn stage(self) -> Stage {
        let digit = self.as_str().as_bytes()[2] - b'0';
        Stage::ALL[usize::from(digit)]
    }

    /// How a command ends that has said this and nothing worse.
    pub fn exit_status(self) -> ExitStatus {
        match (self.severity(), self.stage()) {
            _ if self.is_fault() => ExitStatus::Fault,
            (Severity::Error, Stage::Usage) => ExitStatus::Usage,
            (Severity::Error, _) => ExitStatus::ModelWrong,
            (Severity::Warning | Severity::Note, _) => ExitStatus::Good,
        }
    }

    /// The code with this text.
    pub fn named(text: &str) -> Option<Code> {
        Code::ALL.iter().copied().find(|code| code.as_str() == text)
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl From<&'static str> for Code {
    /// The code with this text, which must be in the register.
    fn from(text: &'static str) -> Code {
        Code::named(text).unwrap_or_else(|| panic!("the code {text} is not in the register"))
    }
}

impl PartialEq<&str> for Code {
    fn eq(&self, text: &&str) -> bool {
        self.as_str() == *text
    }
}

codes! {
    E0001 "A file cannot be read.",
    E0002 "`--at`, `--from` or `--to` cannot be understood, or names no mode variable of the model.",
    E0003 "The model has no mode with the values that `--at`, `--from` or `--to` give.",
    E0004 "`--scenario` names no scenario of the model.",
    E0005 "The times, the interval or the tolerance of a run make no sense.",
    E0006 "A file for the results cannot be written.",
    E0007 "`--vars` or `--plot-vars` names no variable of the model.",
    E0008 "`--run` asks for a run that there is not.",
    E0009 "The table of `--input` cannot be understood, or does not fit the inputs of the model.",

    E0101 "Something else was expected here.",
    E0102 "A `;` is missing.",
    E0103 "A bracket or a block is not closed.",
    E0104 "The name behind `end` is missing or is not that of the class.",
    E0105 "A comment, a string or a quoted name is not closed.",
    E0106 "A character does not belong to the language.",
    E0107 "An expression is nested too deep, or has too many operands in a row.",
    E0108 "A number is too large for its type.",
    E0109 "Operators follow each other in a way that the grammar does not allow.",
    E0110 "An `end` or another closing word closes nothing.",
    E0111 "A declaration stands among equations, or an equation among statements.",
    E0112 "A parenthesized expression has subscripts or members.",
    E0113 "The file is larger than 4 GB.",

    E0200 "The file contains no model to flatten.",
    E0201 "A name is not declared.",
    E0202 "A name is declared twice.",
    E0203 "A class stands where a component, a value or a function is needed, or the other way round.",
    E0204 "A variable of a class around this one is used, and it is not constant.",
    E0205 "A class inherits from itself or is defined by itself.",
    E0206 "A class inherits through too many classes.",
    E0207 "A class extends one of the same name, but inherits none.",
    E0208 "This kind of class cannot be a component or a model to analyze.",
    E0209 "An `outer` element has no `inner` one around it.",
    E0210 "A component is used whose condition is false.",
    E0211 "`--set` names no parameter of the model, or an element of one that has no value.",
    E0212 "Components are nested too deep: a class may contain itself.",
    E0213 "The `within` of a file does not fit the package in whose directory it lies.",
    E0214 "A file that is read for a class of its name contains no such class.",
    E0220 "Something final is modified or redeclared.",
    E0221 "An element is modified twice.",
    E0222 "A modification names no element or attribute.",
    E0223 "A redeclaration is not possible here.",
    E0230 "A class contains what its kind of class cannot contain.",
    E0231 "A class extends another that it cannot extend.",
    E0232 "A prefix stands where it cannot stand, or meets another that excludes it.",
    E0233 "A protected element is used, modified or redeclared from outside its class.",
    E0234 "An element is redeclared that cannot be, or in a way that its declaration does not allow.",
    E0235 "A class does not offer what the constraining type of a replaceable element asks for.",
    E0236 "An `outer` element is modified, or does not fit the `inner` one that it stands for.",
    E0237 "A constant, a parameter or a discrete variable has no value, or one that varies more than it may.",
    E0238 "A conditional component is used outside `connect`.",
    E0239 "A name is looked for in a class that cannot be looked into, or imports contradict each other.",
    E0240 "A name is declared that is reserved for a predefined type or attribute, or a literal twice.",
    E0241 "A function contains, does or is what a function cannot.",
    E0280 "A name of a MEL program is not declared.",
    E0281 "A name of a MEL program is declared twice.",
    E0282 "Two equations of a MEL program have the same label.",
    E0283 "`--set` names no constant of the MEL program.",
    E0290 "A construct of the language is not supported.",

    E0301 "A value is needed at translation that is known only during a run.",
    E0302 "A declaration or a value depends on itself.",
    E0303 "A type does not fit.",
    E0304 "Sizes of arrays do not go together.",
    E0305 "The number of subscripts is wrong, or a subscript is out of range.",
    E0306 "The steps or the number of points of a range make no sense.",
    E0307 "A call has too many, too few or wrong arguments.",
    E0308 "An expression cannot be differentiated.",
    E0309 "Calls of functions are nested too deep.",
    E0310 "An array or the model is larger than this program takes.",
    E0311 "A size is negative or not an Integer.",
    E0312 "A parameter has no value, but it is needed at translation.",
    E0313 "A function does not assign one of its outputs.",
    E0314 "A function executes too many statements at translation.",
    E0315 "An assertion fails at translation.",
    E0316 "A statement assigns to something that is not a variable of its function.",
    E0317 "An operator or a subscript gets an argument that it is not defined for.",
    E0320 "An expression is nested too deep.",
    E0371 "The value of a parameter depends on itself.",
    E0372 "The value of an external function is needed, and it has no implementation here.",
    E0373 "The value of a parameter is not a number, infinite, or an Integer of more than 53 bits.",
    E0375 "A function that a parameter is computed by has no value: an assertion in it fails, a subscript is out of bounds.",
    E0376 "An external object cannot be made of its arguments, or is not known here.",
    E0377 "A String that is not known decides the value of a parameter.",
    E0378 "A parameter has no value, and what stands in for it makes the model wrong.",
    E0381 "A MEL program uses a slice of an array.",
    E0382 "An index or a loop bound of a MEL program is not a known integer.",
    E0383 "A boolean stands where a MEL program needs a real expression, or the other way round.",
    E0384 "MEL has no such expression.",
    E0385 "`--set` gives a constant of a MEL program a text that is not a number.",
    E0386 "The loops of a MEL program are too long.",
    E0387 "A scenario of a MEL program contains what it cannot contain.",

    E0401 "Two connectors that are connected do not fit.",
    E0402 "A `connect` or an `invariant` stands inside a `when`, or under a condition that is not known at translation.",
    E0403 "An equation or a statement stands where it cannot stand.",
    E0404 "A scenario is made of something other than initial equations, or has no name.",
    E0405 "A state machine has no initial state, or several.",
    E0406 "Something is used as a state of a machine and is none, or cannot be one.",
    E0407 "Two transitions leave a state with the same priority, and both may fire.",
    E0408 "`timeInState()` stands outside states, or `ticksInState()` where there is no clock.",
    E0409 "Several sources of one signal are connected, or a signal with something that has no direction.",
    E0410 "A connector does not have as many flow variables as potential variables.",
    E0411 "Two `when` clauses assign one variable.",

    E0501 "A variable that changes at events only has several definitions.",
    E0502 "Nothing defines a discrete variable.",
    E0503 "The definition of a discrete variable depends on itself.",
    E0504 "A condition is not a Boolean over relations that can be told apart as modes.",
    E0505 "Strings that vary are compared.",
    E0506 "An equation between Booleans, Integers or Strings defines no variable.",
    E0510 "No mode is possible: the conditions on the modes contradict each other.",

    E0601 "The model is structurally singular in some modes: too many equations, too few, or both.",
    E0602 "An equation uses a variable in modes in which it does not exist.",
    E0603 "The limit of time or of memory is reached.",
    E0604 "In some singular modes, a derivative of a state depends on something undetermined.",
    E0605 "A schedule alone leads into modes whose equations contradict each other.",
    E0606 "A class has too many or too few equations for its variables and connectors.",

    E0701 "The start is overdetermined: conditions contradict each other.",
    E0702 "The start is underdetermined: conditions are missing.",
    E0703 "An initial equation uses a variable in modes in which it does not exist.",
    E0705 "No mode is possible at the start.",
    E0706 "Two scenarios hold in the same modes.",
    E0707 "Two scenarios have the same name.",
    E0708 "No start values are found for some unknowns.",
    E0709 "No mode is consistent at the start.",
    E0710 "The start cannot be analyzed within the limits.",
    E0711 (fault) "A scenario is asked for that the model does not have.",
    E0712 "An equation that the start needs cannot be evaluated.",

    E0801 "A mode change leaves something undetermined.",
    E0802 "The laws of a `when` leave something undetermined in its instant.",
    E0803 "The laws of a `when` contradict each other or the model.",
    E0804 "The model has no two regular modes to change between.",
    E0805 "An equation cannot be simulated in some mode.",
    E0806 "A system of equations has no solution, or none is found.",
    E0807 "A value is not a finite number during a run.",
    E0810 "The settings of a run, such as those of the model's annotation, are not valid.",
    E0811 "A value at an event depends on itself.",
    E0812 "What is delayed has no value before the start: the first instant does not settle.",
    E0813 "A value that decides something at events is not a number.",
    E0814 "A `sample` has no start and interval that are known in advance.",
    E0820 "A run gets into a structurally singular mode.",
    E0821 "An assertion is violated during a run.",
    E0822 "The integration stops.",
    E0823 "No mode can follow at an event.",
    E0824 "The discrete equations do not settle at an event.",
    E0825 "The events of one instant do not come to an end.",
    E0826 "An invariant is violated during a run.",
    E0827 "Events accumulate, or repeat without end.",
    E0829 "Two `reinit` of one state fire in the same micro-step.",
    E0830 "A `reinit` gives a value to something that is not a state then.",
    E0831 "At an event, a value is not a number.",
    E0834 "The surface that a run slides along ends.",
    E0840 "The model has more guards than the constructive semantics enumerates.",
    E0841 "An instant of a `when` fails in the constructive semantics.",
    E0842 "In the constructive semantics, an attempt to change the mode loops for ever.",
    E0843 "Coefficients cancel, and an equation from which that follows gives way in a change.",
    E0844 "No periodic solution with the period that was asked for was found.",
    E0845 "The mode at the time that was asked for cannot be linearized.",
    E0846 "The sensitivities that were asked for do not exist, or cannot be computed.",
    E0847 "The modes of a model have no states in common that others could integrate.",

    E0902 "The blocks of different modes are too many to be written one by one.",
    E0903 "The model calls a function, which cannot be written along.",
    E0904 "Blocks wait for each other in a circle that no single mode has.",
    E0905 "States jump at a mode change, and there is no formula for where to.",
    E0906 "After a mode change, nothing says where a state starts.",
    E0907 "A part of the model has too many different restarts.",
    E0908 "After a mode change, a state starts where constraints put it, and there is no formula for it.",
    E0909 "A branch of a `when` cannot be written.",
    E0911 (fault) "The transformed model cannot be analyzed.",
    E0912 (fault) "The structure of the transformed model depends on the mode.",
    E0913 "The impulse of a variable decides a guard, and cannot be written.",
    E0914 "A variable is set at an event, and nothing makes the rest of its equations follow.",
    E0915 "An expression of the transformed model is too long to be written.",
    E0916 "Some modes are singular, and their equations cannot be written for a solver that needs regular ones.",
    E0917 "A state of a machine begins with values of its own, which cannot be written.",

    W0213 "A file lies in the directory of a package, but has no `within` that puts it there.",
    W0214 "A package or class is not called like its directory or file.",
    W0215 "The `within` of a library's file does not name the package from which it is read.",
    W0216 "`package.order` lists an element that the package does not have.",
    W0217 "No `inner` element surrounds an `outer` one: the model as a whole gets one, unmodified.",
    W0218 "What a function prints or writes to files is left out.",
    W0312 "A parameter that is needed at translation has no value; its start value or a default is used.",
    W0321 "Reals are compared for equality.",
    W0322 "Units do not go together.",
    W0323 "A parameter is used nowhere.",
    W0324 "An element carries nothing: one of its connectors is not connected.",
    W0325 "What flows into an element flows in at its other end too.",
    W0374 "A parameter has no value; its start value or 0 is used.",
    W0378 "The value of a parameter is outside of its `min` and `max`.",
    W0405 "No transition reaches a state of a machine.",
    W0406 "Transitions of a machine go round in a circle.",
    W0407 "A modifier of an `inner outer output` of a state has no effect: the variable is declared further out.",
    W0601 "Equations depend on each other with the given parameters.",
    W0602 "Some modes are singular; a run that gets there stops.",
    W0603 "In some modes something is not determined; the states are, and a run goes through.",
    W0604 "The equations of some modes contradict each other; the elements' own guards keep a run out.",
    W0605 "Some modes are singular, and too much hangs together to say what that means.",
    W0606 "A condition remembers something that some modes leave undetermined.",
    W0610 "A tool that does not look at modes cannot solve an equation in some of them (`check --as-other-tools`).",
    W0702 "The start is underdetermined; a run keeps some states at their start values.",
    W0704 "A fixed start value has no effect.",
    W0710 "The start is consistent in several modes; one is taken.",
    W0801 "A product with an impulse rests on a convention, or is not defined.",
    W0802 "A cascade of `when` clauses need not come to an end.",
    W0828 "Several modes can follow at an event; one is taken.",
    W0829 "Two clauses have a `reinit` of one state; where both fire at once, a run stops.",
    W0832 "A nonlinear function of an impulse has no weight; nothing depends on it.",
    W0833 "The run slides along a surface that both sides of a condition lead to.",
    W0835 "A mode leaves variables undetermined, on which no state depends.",
    W0836 "A state of a machine is entered, and nothing says where a variable begins; 0 is taken.",
    W0837 "At an instant that laws complete, a variable has no equation; it keeps its last value.",
    W0838 "An assertion of level warning is violated; the run goes on.",
    W0839 "The tolerance does not resolve a condition; its crossing is no event.",
    W0841 "An instant of a mode change fails in the constructive semantics.",
    W0842 "In the constructive semantics, a structurally singular mode is tried for ever.",
    W0843 "A clause stops what leads to its condition, and the run goes on beyond.",
    W0901 "No start values were found; the transformed model starts as declared.",

    N0501 "A condition is implicit: it depends on variables that depend on it.",
    N0601 "Equations are combined, because what they are solved for cancels.",
    N0602 "Some blocks are too large to be checked for coefficients that cancel.",
    N0603 "Verdicts depend on modes far away: they are found by a sweep, and all else is looked at in one mode or in those that are met.",
    N0604 "A model with connectors of its own is checked as a component of others, among surroundings of which only the structure is known.",
    N0610 "A tool that does not look at modes solves the model in all of them (`check --as-other-tools`).",
    N0702 "The start is underdetermined, and the model states nothing about it.",
    N0711 "A start value was found by a second method.",
    N0712 "The start depends on modes far away: it is looked at in the modes that time, parameters and start values give.",
    N0801 "An instant that only the laws of a `when` complete is computed by runs alone.",
}

/// The page `docs/errors.md`: all codes by stage.
pub fn register_page() -> String {
    let mut page = String::from(
        "# Codes of errors, warnings and notes\n\n\
         Made from the register in `crates/diagnostics/src/codes.rs` by its test (`UPDATE_EXPECT=1 cargo test`). The letter\n\
         is the severity (`E` error, `W` warning, `N` note), the first two digits are the stage. A code is stable once\n\
         released. The exit status is that of a command that has said this and nothing worse: 0 all well; 1 the model is\n\
         wrong or cannot be run; 2 wrong usage, or a file that cannot be read or written; 101 a fault of the program itself.\n\
         Each code has a page with a smallest wrong model and its repair, which `modeshift explain E0601` prints.\n",
    );
    for stage in Stage::ALL {
        page += &format!("\n## {}\n\n| code | exit status | meaning |\n|---|---|---|\n", stage.title());
        for code in Code::ALL.iter().filter(|code| code.stage() == stage) {
            let (link, status) = (format!("[{code}](../crates/diagnostics/pages/{code}.md)"), code.exit_status() as u8);
            page += &format!("| {link} | {status} | {} |\n", code.sentence());
        }
    }
    page
}
