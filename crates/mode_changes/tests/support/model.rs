//! One mode of a model from a few lines of text: `e1: x'' + lambda*x = 0`.

use std::collections::BTreeMap;

use crate::one_change::Past;
use crate::one_mode::{Jet, ModeEquations};
use modeshift_dae::{
    Builtin, Derivative, Equation, EquationId, EquationKind, ExpressionId, FlatModel, Id, Node, Type, Variability,
    Variable, VariableId,
};
use modeshift_diagnostics::Span;
use modeshift_numerics::NativeFunctions;
use modeshift_structure::one_mode::{Column, ModeStructure, Row};
use modeshift_structure::one_mode::{ModeSignature, Signature};

/// A mode and the names of its equations and variables.
pub struct Mode {
    pub model: FlatModel,
    pub structure: ModeStructure,
    natives: NativeFunctions,
    columns: BTreeMap<String, Column>,
    rows: BTreeMap<String, Row>,
}

/// What is known of a variable before the change: its old leading order, then left limits.
pub type Before<'a> = (&'a str, u32, &'a [f64]);

impl Mode {
    /// One equation per line, named; variables are all names that occur, in order of first occurrence.
    pub fn new(text: &str) -> Self {
        Mode::regular(text).expect("a regular mode")
    }

    /// `None` if the mode is structurally singular.
    pub fn regular(text: &str) -> Option<Self> {
        let mut model = FlatModel::new("mode");
        let mut columns = BTreeMap::new();
        let mut rows = BTreeMap::new();
        for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
            let (name, equation) = line.split_once(':').expect("a named equation");
            let (left, right) = equation.split_once('=').expect("an equation");
            let mut parser = Parser { model: &mut model, columns: &mut columns, text: left.trim() };
            let left = parser.sum();
            parser.text = right.trim();
            let right = parser.sum();
            rows.insert(name.trim().to_string(), Row(rows.len() as u32));
            let guard = model.expressions.boolean(true);
            let name = name.trim().into();
            let span = Span::default();
            model.equations.push(Equation { name, kind: EquationKind::Continuous, guard, left, right, span });
        }
        if model.variables.len() != model.equations.len() {
            return None;
        }
        let structure = ModeStructure::of_signature(&signature(&model)).ok()?;
        Some(Mode { model, structure, natives: NativeFunctions::default(), columns, rows })
    }

    pub fn equations(&self) -> ModeEquations<'_> {
        ModeEquations::new(&self.model, &self.natives, &self.structure, |_| None)
    }

    /// All variables by name.
    pub fn names(&self) -> impl Iterator<Item = (&str, Column)> {
        self.columns.iter().map(|(name, &column)| (name.as_str(), column))
    }

    pub fn column(&self, name: &str) -> Column {
        self.columns[name]
    }

    pub fn row(&self, name: &str) -> Row {
        self.rows[name]
    }

    /// Names of constraints, `k1'` for a derivative.
    pub fn constraint_names(&self, constraints: &[Derivative<Row>]) -> Vec<String> {
        let name = |row: Row| &self.model.equations[self.structure.equation(row)].name;
        constraints.iter().map(|it| it.named(name(it.of)).to_string()).collect()
    }

    /// The past of this mode; equations not named as new held before with the same offsets.
    pub fn past(&self, before: &[Before], new: &[&str]) -> Past {
        let structure = &self.structure;
        let mut past = Past {
            jet: Jet::unknown(0.0, structure.size()),
            leading_order: structure.columns().map(|_| 0).collect(),
            is_new: structure.rows().map(|_| false).collect(),
            offset: structure.rows().map(|_| 0).collect(),
            start: structure.columns().map(|_| None).collect(),
        };
        for &(name, leading_order, limits) in before {
            let column = self.column(name);
            past.leading_order[column] = leading_order;
            limits.iter().enumerate().for_each(|(order, &value)| past.jet.set(column, order as u32, value));
        }
        new.iter().for_each(|name| past.is_new[self.row(name)] = true);
        past
    }
}

fn signature(model: &FlatModel) -> ModeSignature {
    let mut signature = Signature::new(model.variables.len());
    for equation in model.equations.iter() {
        let mut orders: BTreeMap<u32, u32> = BTreeMap::new();
        for side in [equation.left, equation.right] {
            model.expressions.for_each(side, |_, node| {
                if let Node::Variable(variable, order) = node {
                    let highest = orders.entry(variable.0).or_insert(0);
                    *highest = order.max(*highest);
                }
                true
            });
        }
        signature.push(orders);
    }
    let (equations, variables) =
        (0..model.equations.len()).map(|k| (EquationId(k as u32), VariableId(k as u32))).unzip();
    ModeSignature { signature, equations, variables }
}

struct Parser<'a> {
    model: &'a mut FlatModel,
    columns: &'a mut BTreeMap<String, Column>,
    text: &'a str,
}

impl Parser<'_> {
    fn eat(&mut self, token: char) -> bool {
        let rest = self.text.trim_start().strip_prefix(token);
        rest.map(|rest| self.text = rest).is_some()
    }

    fn sum(&mut self) -> ExpressionId {
        let mut value = if self.eat('-') {
            let operand = self.product();
            self.model.expressions.negate(operand)
        } else {
            self.product()
        };
        loop {
            if self.eat('+') {
                let operand = self.product();
                value = self.model.expressions.sum(value, operand);
            } else if self.eat('-') {
                let operand = self.product();
                value = self.model.expressions.difference(value, operand);
            } else {
                return value;
            }
        }
    }

    fn product(&mut self) -> ExpressionId {
        let mut value = self.power();
        loop {
            if self.eat('*') {
                let operand = self.power();
                value = self.model.expressions.product(value, operand);
            } else if self.eat('/') {
                let operand = self.power();
                value = self.model.expressions.quotient(value, operand);
            } else {
                return value;
            }
        }
    }

    fn power(&mut self) -> ExpressionId {
        let base = self.primary();
        if !self.eat('^') {
            return base;
        }
        let exponent = self.primary();
        self.model.expressions.power(base, exponent)
    }

    fn primary(&mut self) -> ExpressionId {
        if self.eat('(') {
            let inner = self.sum();
            assert!(self.eat(')'), "`)` before {}", self.text);
            return inner;
        }
        let text = self.text.trim_start();
        let end = text.find(|c: char| !c.is_alphanumeric() && c != '.' && c != '_').unwrap_or(text.len());
        let (word, rest) = text.split_at(end);
        self.text = rest;
        if let Ok(number) = word.parse::<f64>() {
            return self.model.expressions.real(number);
        }
        if let Some(builtin) = Builtin::by_name(word) {
            let argument = self.primary();
            return self.model.expressions.call(builtin, &[argument]);
        }
        if word == "time" {
            return self.model.expressions.time();
        }
        let order = self.text.len() - self.text.trim_start_matches('\'').len();
        self.text = &self.text[order..];
        let variable = self.variable(word);
        self.model.expressions.variable(variable, order as u32)
    }

    fn variable(&mut self, name: &str) -> VariableId {
        assert!(!name.is_empty(), "a name before {}", self.text);
        if let Some(column) = self.columns.get(name) {
            return VariableId::from_index(column.index());
        }
        self.columns.insert(name.to_string(), Column(self.model.variables.len() as u32));
        let guard = self.model.expressions.boolean(true);
        self.model.variables.push(Variable::new(name, Type::Real, Variability::Continuous, guard))
    }
}
