//! A program: definitions and clauses in the order in which they read each other, and its text.

use std::fmt::Write;

/// A number of the program.
#[derive(Clone, Debug)]
pub enum Number {
    Constant(f64),
    Time,
    State(usize),
    /// A discrete variable as the micro-step solves it.
    Value(usize),
    Pre(usize),
    Sum(Box<Number>, Box<Number>),
    Scaled(f64, Box<Number>),
    /// One of two, by a truth.
    Choice(Box<Truth>, Box<Number>, Box<Number>),
}

/// A truth of the program.
#[derive(Clone, Debug)]
pub enum Truth {
    /// A discrete variable as the micro-step solves it.
    Value(usize),
    Pre(usize),
    Not(Box<Truth>),
    And(Box<Truth>, Box<Truth>),
    Or(Box<Truth>, Box<Truth>),
    /// The relation of this number.
    Relation(usize),
    TimeReached(f64),
    Above(Box<Number>, f64),
    Changed(usize),
    Edge(usize),
}

/// A relation that makes events: a linear form of states and numbers above a bound, or below it.
#[derive(Clone, Debug)]
pub struct Relation {
    pub form: Number,
    pub bound: f64,
    pub is_above: bool,
}

/// One element of the condition of a clause.
#[derive(Clone, Debug)]
pub enum Condition {
    Truth(Truth),
    Sample(f64, f64),
    Initial,
}

/// A branch of a clause.
#[derive(Clone, Debug)]
pub struct Branch {
    pub conditions: Vec<Condition>,
    pub equations: Vec<(usize, Value)>,
    pub reinits: Vec<(usize, Number)>,
}

/// A right side.
#[derive(Clone, Debug)]
pub enum Value {
    Number(Number),
    Truth(Truth),
}

/// A part of a program that is solved as a whole.
#[derive(Clone, Debug)]
pub enum Item {
    /// An equation of a Boolean or a Real that holds always.
    Definition(usize, Value),
    Clause(Vec<Branch>),
    /// An algorithm section: its statements in their order.
    Algorithm(Vec<Statement>),
}

impl Item {
    /// The conditions of all its clauses, in order.
    pub fn conditions(&self) -> Vec<&Condition> {
        let clauses: Vec<&Vec<Branch>> = match self {
            Item::Definition(..) => Vec::new(),
            Item::Clause(branches) => vec![branches],
            Item::Algorithm(statements) => statements.iter().filter_map(Statement::clause).collect(),
        };
        clauses.into_iter().flatten().flat_map(|branch| &branch.conditions).collect()
    }
}

/// A statement of an algorithm section.
#[derive(Clone, Debug)]
pub enum Statement {
    Assign(usize, Value),
    When(Vec<Branch>),
}

impl Statement {
    fn clause(&self) -> Option<&Vec<Branch>> {
        if let Statement::When(branches) = self { Some(branches) } else { None }
    }

    pub fn assigns(&self, variable: usize) -> bool {
        match self {
            Statement::Assign(assigned, _) => *assigned == variable,
            Statement::When(branches) => {
                branches.iter().flat_map(|branch| &branch.equations).any(|(assigned, _)| *assigned == variable)
            }
        }
    }
}

/// The type of a variable and its start value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    Boolean(bool),
    Integer(i32),
    Real(f64),
    /// A Boolean or Real that an equation defines.
    Defined(bool),
}

/// A program: items in an order in which they can be solved.
#[derive(Clone, Debug)]
pub struct Program {
    /// Start values and derivatives.
    pub states: Vec<(f64, f64)>,
    pub variables: Vec<Kind>,
    pub relations: Vec<Relation>,
    pub items: Vec<Item>,
    /// The order in which the text has them.
    pub order: Vec<usize>,
}

impl Program {
    /// The names of all states and variables.
    pub fn names(&self) -> Vec<String> {
        let states = (0..self.states.len()).map(|k| format!("x{k}"));
        states.chain((0..self.variables.len()).map(|k| self.name(k))).collect()
    }

    fn name(&self, variable: usize) -> String {
        match self.variables[variable] {
            Kind::Boolean(_) | Kind::Defined(true) => format!("b{variable}"),
            Kind::Integer(_) => format!("n{variable}"),
            Kind::Real(_) | Kind::Defined(false) => format!("d{variable}"),
        }
    }

    /// The program in Modelica.
    pub fn text(&self) -> String {
        let mut text = "model Program\n".to_string();
        for (k, (start, _)) in self.states.iter().enumerate() {
            let _ = writeln!(text, "  Real x{k}(start = {start}, fixed = true);");
        }
        for (k, kind) in self.variables.iter().enumerate() {
            let name = self.name(k);
            let _ = match kind {
                Kind::Boolean(start) => writeln!(text, "  Boolean {name}(start = {start}, fixed = true);"),
                Kind::Integer(start) => writeln!(text, "  Integer {name}(start = {start}, fixed = true);"),
                Kind::Real(start) => writeln!(text, "  discrete Real {name}(start = {start}, fixed = true);"),
                Kind::Defined(true) => writeln!(text, "  Boolean {name};"),
                Kind::Defined(false) => writeln!(text, "  Real {name};"),
            };
        }
        text.push_str("equation\n");
        for (k, (_, derivative)) in self.states.iter().enumerate() {
            let _ = writeln!(text, "  der(x{k}) = {derivative};");
        }
        for &item in &self.order {
            match &self.items[item] {
                Item::Definition(variable, value) => {
                    let _ = writeln!(text, "  {} = {};", self.name(*variable), self.value(value));
                }
                Item::Clause(branches) => self.clause(branches, "=", &mut text),
                Item::Algorithm(statements) => {
                    text.push_str("algorithm\n");
                    for statement in statements {
                        match statement {
                            Statement::Assign(variable, value) => {
                                let _ = writeln!(text, "  {} := {};", self.name(*variable), self.value(value));
                            }
                            Statement::When(branches) => self.clause(branches, ":=", &mut text),
                        }
                    }
                    text.push_str("equation\n");
                }
            }
        }
        text + "end Program;\n"
    }

    fn clause(&self, branches: &[Branch], sign: &str, text: &mut String) {
        for (k, branch) in branches.iter().enumerate() {
            let conditions: Vec<String> = branch.conditions.iter().map(|it| self.condition(it)).collect();
            let condition =
                if let [only] = &conditions[..] { only.clone() } else { format!("{{{}}}", conditions.join(", ")) };
            let _ = writeln!(text, "  {} {condition} then", if k == 0 { "when" } else { "elsewhen" });
            for (variable, value) in &branch.equations {
                let _ = writeln!(text, "    {} {sign} {};", self.name(*variable), self.value(value));
            }
            for (state, value) in &branch.reinits {
                let _ = writeln!(text, "    reinit(x{state}, {});", self.number(value));
            }
        }
        text.push_str("  end when;\n");
    }

    fn condition(&self, condition: &Condition) -> String {
        match condition {
            Condition::Truth(truth) => self.truth(truth),
            Condition::Sample(first, period) => format!("sample({first}, {period})"),
            Condition::Initial => "initial()".to_string(),
        }
    }

    fn value(&self, value: &Value) -> String {
        match value {
            Value::Number(number) => self.number(number),
            Value::Truth(truth) => self.truth(truth),
        }
    }

    fn number(&self, number: &Number) -> String {
        match number {
            Number::Constant(value) if *value < 0.0 => format!("({value})"),
            Number::Constant(value) => format!("{value}"),
            Number::Time => "time".to_string(),
            Number::State(k) => format!("x{k}"),
            Number::Value(k) => self.name(*k),
            Number::Pre(k) => format!("pre({})", self.name(*k)),
            Number::Sum(a, b) => format!("({} + {})", self.number(a), self.number(b)),
            Number::Scaled(factor, of) if *factor < 0.0 => format!("({factor})*{}", self.number(of)),
            Number::Scaled(factor, of) => format!("{factor}*{}", self.number(of)),
            Number::Choice(truth, a, b) => {
                format!("(if {} then {} else {})", self.truth(truth), self.number(a), self.number(b))
            }
        }
    }

    fn truth(&self, truth: &Truth) -> String {
        match truth {
            Truth::Value(k) => self.name(*k),
            Truth::Pre(k) => format!("pre({})", self.name(*k)),
            Truth::Not(of) => format!("not {}", self.truth(of)),
            Truth::And(a, b) => format!("({} and {})", self.truth(a), self.truth(b)),
            Truth::Or(a, b) => format!("({} or {})", self.truth(a), self.truth(b)),
            Truth::Relation(k) => {
                let Relation { form, bound, is_above } = &self.relations[*k];
                format!("({} {} {bound})", self.number(form), if *is_above { ">" } else { "<" })
            }
            Truth::TimeReached(time) => format!("(time >= {time})"),
            Truth::Above(number, bound) => format!("({} > {bound})", self.number(number)),
            Truth::Changed(k) => format!("change({})", self.name(*k)),
            Truth::Edge(k) => format!("edge({})", self.name(*k)),
        }
    }
}
