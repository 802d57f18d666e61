//! Conditions as formulas over mode variables.
//!
//! A condition is taken apart along `not`, `and`, `or`, Boolean `if` and comparisons of Booleans, through the
//! definitions of Booleans that are substituted, down to its atoms. Iterative, since definitions may be chained
//! over 10^5 elements, and memoised, since conditions are shared.

use std::convert::Infallible;

use modeshift_dae::{
    Builtin, ExpressionId, Expressions, FlatModel, Fold, IndexVec, Invariant, InvariantOrigin, Memo, ModeVariable,
    ModeVariableId, NamedFormula, Node, Operands, RelationOperator, Rewritten, Type, Variability, VariableId,
};
use modeshift_diagnostics::{Code, Diagnostic, Diagnostics, Span};
use rustc_hash::FxHashSet;

use crate::atoms::Atoms;
use crate::definitions::Definitions;

/// Definitions of a cycle that are pointed at.
const MOST_OF_A_CYCLE: usize = 6;

/// Formulas and mode variables found so far.
pub(crate) struct Formulas<'a> {
    definitions: &'a Definitions,
    pub(crate) atoms: Atoms,
    named: Vec<NamedFormula>,
    is_named: FxHashSet<VariableId>,
    memo: Rewritten,
    /// Formulas over mode variables that exist anyway; `None` where there is no such formula.
    known: Memo<(), Option<ExpressionId>>,
    /// How many mode variables there were when `known` was begun.
    known_for: usize,
    failed: bool,
}

/// How a condition is made.
pub(crate) enum Shape {
    Literal,
    Not(ExpressionId),
    And(ExpressionId, ExpressionId),
    Or(ExpressionId, ExpressionId),
    /// Says the same as another condition.
    Same(ExpressionId),
    Atom,
}

impl Shape {
    fn parts(&self) -> [Option<ExpressionId>; 2] {
        match *self {
            Shape::Literal | Shape::Atom => [None, None],
            Shape::Not(a) | Shape::Same(a) => [Some(a), None],
            Shape::And(a, b) | Shape::Or(a, b) => [Some(a), Some(b)],
        }
    }
}

impl<'a> Formulas<'a> {
    pub(crate) fn new(definitions: &'a Definitions) -> Self {
        Formulas {
            definitions,
            atoms: Atoms::default(),
            named: Vec::new(),
            is_named: FxHashSet::default(),
            memo: Rewritten::new(),
            known: Memo::new(),
            known_for: 0,
            failed: false,
        }
    }

    /// Whether some condition could not be understood.
    pub(crate) fn failed(&self) -> bool {
        self.failed
    }

    /// Whether the Boolean is a mode variable or was substituted.
    pub(crate) fn is_mode_or_named(&self, variable: VariableId) -> bool {
        self.atoms.of_variable(variable).is_some() || self.is_named.contains(&variable)
    }

    pub(crate) fn into_parts(self) -> (IndexVec<ModeVariableId, ModeVariable>, Vec<NamedFormula>) {
        (self.atoms.modes, self.named)
    }

    /// The formula that says the same as `condition`; its atoms become mode variables.
    pub(crate) fn formula(
        &mut self,
        model: &mut FlatModel,
        condition: ExpressionId,
        span: Span,
        diagnostics: &mut Diagnostics,
    ) -> ExpressionId {
        let mut memo = std::mem::take(&mut self.memo);
        let mut search = Search { formulas: self, model, span, diagnostics, open: FxHashSet::default() };
        let Ok(formula) = search.fold(&mut memo, condition, ());
        self.memo = memo;
        formula
    }

    fn report(&mut self, problem: Diagnostic, diagnostics: &mut Diagnostics) {
        diagnostics.push(problem);
        self.failed = true;
    }

    fn remember_name(&mut self, model: &FlatModel, id: ExpressionId, formula: ExpressionId) {
        if let Node::Variable(variable, _) = model.expressions.node(id)
            && self.is_named.insert(variable)
        {
            self.named.push(NamedFormula { name: model.variables[variable].name.clone(), variable, formula });
        }
    }

    /// The formula that says the same as `condition`, if one can be made of the mode variables that there are.
    pub(crate) fn known_formula(&mut self, model: &mut FlatModel, condition: ExpressionId) -> Option<ExpressionId> {
        if self.known_for != self.atoms.modes.len() {
            self.known.clear();
            self.known_for = self.atoms.modes.len();
        }
        let mut known = std::mem::take(&mut self.known);
        let Ok(formula) =
            KnownSearch { formulas: self, model, open: FxHashSet::default() }.fold(&mut known, condition, ());
        self.known = known;
        formula
    }

    /// As [`Self::shape`], but a Boolean that is no mode variable is looked at through its definition.
    pub(crate) fn known_shape(&self, model: &mut FlatModel, id: ExpressionId) -> Shape {
        let shape = self.shape(model, id);
        match model.expressions.node(id) {
            Node::Variable(variable, 0)
                if matches!(shape, Shape::Atom) && self.atoms.of_variable(variable).is_none() =>
            {
                self.definitions.value(variable).map_or(Shape::Atom, Shape::Same)
            }
            _ => shape,
        }
    }

    fn shape(&self, model: &mut FlatModel, id: ExpressionId) -> Shape {
        match model.expressions.node(id) {
            Node::Boolean(_) => Shape::Literal,
            Node::Not(a) => Shape::Not(a),
            Node::And(a, b) => Shape::And(a, b),
            Node::Or(a, b) => Shape::Or(a, b),
            Node::If(condition, a, b) => Shape::Same(choice(&mut model.expressions, condition, a, b)),
            Node::Relation(operator, a, b) if is_boolean(model, a) => {
                Shape::Same(comparison(&mut model.expressions, operator, a, b))
            }
            Node::Variable(variable, 0) => self.shape_of_variable(model, variable),
            Node::Pre(a) if is_fixed(model, a) => Shape::Same(a),
            Node::Call(builtin, arguments) => shape_of_call(model, builtin, arguments),
            _ => Shape::Atom,
        }
    }

    fn shape_of_variable(&self, model: &FlatModel, variable: VariableId) -> Shape {
        let declaration = &model.variables[variable];
        if declaration.variability == Variability::Constant {
            return declaration.binding.map_or(Shape::Atom, Shape::Same);
        }
        let definition = self.definitions.value(variable).filter(|_| declaration.is_unknown());
        match definition {
            Some(value) if !is_event_expression(model, value) => Shape::Same(value),
            _ => Shape::Atom,
        }
    }

    /// What relations over the same expression imply about each other.
    pub(crate) fn relation_invariants(&mut self, expressions: &mut Expressions) -> Vec<Invariant> {
        let guard = expressions.boolean(true);
        let implications = self.atoms.relations.implications(expressions);
        let invariant = |(condition, mode): (ExpressionId, ModeVariableId)| Invariant {
            condition,
            origin: InvariantOrigin::Relations,
            guard,
            span: self.atoms.modes[mode].span,
        };
        implications.into_iter().map(invariant).collect()
    }

    /// The definitions of mode variables whose atoms are all mode variables too.
    pub(crate) fn definition_invariants(&mut self, model: &mut FlatModel) -> Vec<Invariant> {
        let mut found = Vec::new();
        for id in self.atoms.modes.ids() {
            let ModeVariable { variable, definition, span, .. } = self.atoms.modes[id];
            let (Some(_), Some(definition)) = (variable.filter(|&it| model.variables[it].is_unknown()), definition)
            else {
                continue;
            };
            let Some(formula) = self.known_formula(model, definition) else { continue };
            let mode = model.expressions.add(Node::Mode(id));
            let condition = equivalence(&mut model.expressions, mode, formula);
            let guard = model.expressions.boolean(true);
            found.push(Invariant { condition, origin: InvariantOrigin::Definition, guard, span });
        }
        found
    }
}

/// Conditions become formulas; what has no mode variable yet gets one.
struct Search<'s, 'a> {
    formulas: &'s mut Formulas<'a>,
    model: &'s mut FlatModel,
    span: Span,
    diagnostics: &'s mut Diagnostics,
    /// Conditions whose parts are looked at.
    open: FxHashSet<ExpressionId>,
}

impl Search<'_, '_> {
    fn atom(&mut self, id: ExpressionId) -> ExpressionId {
        match not_a_condition(self.model, self.formulas.definitions, id, self.span) {
            Some(problem) => self.refused(problem),
            None => self.formulas.atoms.find_or_add(self.model, self.formulas.definitions, id, self.span),
        }
    }

    /// Stands for a condition that is none.
    fn refused(&mut self, problem: Diagnostic) -> ExpressionId {
        self.formulas.report(problem, self.diagnostics);
        self.model.expressions.boolean(false)
    }
}

impl Search<'_, '_> {
    /// Says that a definition leads back to itself, at the definitions that do.
    fn cyclic(&self, id: ExpressionId) -> Diagnostic {
        let (model, definitions) = (&*self.model, self.formulas.definitions);
        let text = modeshift_dae::ExpressionText { model, modes: None, expression: id };
        let mut problem = Diagnostic::error(Code::E0503, format!("the definition of `{text}` leads back to itself"));
        let mut around = booleans(model, id);
        let mut at = 0;
        while let Some(&variable) = around.get(at) {
            let read = definitions.value(variable).map(|value| booleans(model, value)).unwrap_or_default();
            for other in read {
                if !around.contains(&other) {
                    around.push(other);
                }
            }
            if let Some(equation) = definitions.equation(variable) {
                let text = if at == 0 { "defined here" } else { "which depends on it" };
                problem = problem.label(model.equations[equation].span, text);
            }
            at += 1;
            if at >= MOST_OF_A_CYCLE {
                break;
            }
        }
        problem.label(self.span, "this needs it").help("break the cycle with `pre(…)`")
    }
}

impl Fold for Search<'_, '_> {
    type Context = ();
    type Value = ExpressionId;
    type Error = Infallible;

    fn expressions(&self) -> &Expressions {
        &self.model.expressions
    }

    fn open(&mut self, id: ExpressionId, (): (), operands: &mut Operands<()>) -> Option<ExpressionId> {
        let shape = self.formulas.shape(self.model, id);
        match shape {
            Shape::Literal => return Some(id),
            Shape::Atom => return Some(self.atom(id)),
            _ if !self.open.insert(id) => return Some(self.refused(self.cyclic(id))),
            _ => {}
        }
        // Modes come in the order of the text: what is asked for last is folded first.
        let [first, second] = shape.parts();
        operands.extend(second.into_iter().chain(first), ());
        None
    }

    /// Asks for nothing more: the parts of a choice are those of its shape.
    fn branches(&mut self, _: [ExpressionId; 3], (): (), _: &Rewritten, _: &mut Operands<()>) {}

    fn close(&mut self, id: ExpressionId, (): (), known: &Rewritten) -> Result<ExpressionId, Infallible> {
        self.open.remove(&id);
        let shape = self.formulas.shape(self.model, id);
        let formula = combined(&mut self.model.expressions, id, &shape, |part| known[part]);
        if let Shape::Same(_) = shape {
            self.formulas.remember_name(self.model, id, formula);
        }
        Ok(formula)
    }
}

/// Conditions become formulas over the mode variables that there are, or nothing.
struct KnownSearch<'s, 'a> {
    formulas: &'s Formulas<'a>,
    model: &'s mut FlatModel,
    /// Conditions whose parts are looked at.
    open: FxHashSet<ExpressionId>,
}

impl Fold for KnownSearch<'_, '_> {
    type Context = ();
    type Value = Option<ExpressionId>;
    type Error = Infallible;

    fn expressions(&self) -> &Expressions {
        &self.model.expressions
    }

    fn open(&mut self, id: ExpressionId, (): (), operands: &mut Operands<()>) -> Option<Option<ExpressionId>> {
        let shape = self.formulas.known_shape(self.model, id);
        match shape {
            Shape::Literal => return Some(Some(id)),
            Shape::Atom => return Some(self.formulas.atoms.find(self.model, id)),
            _ if !self.open.insert(id) => return Some(None),
            _ => {}
        }
        operands.extend(shape.parts().into_iter().flatten(), ());
        None
    }

    /// Asks for nothing more: the parts of a choice are those of its shape.
    fn branches(&mut self, _: [ExpressionId; 3], (): (), _: &Memo<(), Option<ExpressionId>>, _: &mut Operands<()>) {}

    fn close(
        &mut self,
        id: ExpressionId,
        (): (),
        known: &Memo<(), Option<ExpressionId>>,
    ) -> Result<Option<ExpressionId>, Infallible> {
        let shape = self.formulas.known_shape(self.model, id);
        let is_known = shape.parts().into_iter().flatten().all(|part| known[part].is_some());
        Ok(is_known.then(|| {
            combined(&mut self.model.expressions, id, &shape, |part| known[part].expect("no part is unknown"))
        }))
    }
}

fn combined(
    expressions: &mut Expressions,
    id: ExpressionId,
    shape: &Shape,
    formula: impl Fn(ExpressionId) -> ExpressionId,
) -> ExpressionId {
    match *shape {
        Shape::Not(a) => expressions.not(formula(a)),
        Shape::And(a, b) => expressions.and(formula(a), formula(b)),
        Shape::Or(a, b) => expressions.or(formula(a), formula(b)),
        Shape::Same(a) => formula(a),
        Shape::Literal | Shape::Atom => id,
    }
}

fn shape_of_call(model: &mut FlatModel, builtin: Builtin, arguments: modeshift_dae::Arguments) -> Shape {
    let list = model.expressions.argument_list(arguments);
    match (builtin, list) {
        (Builtin::NoEvent, &[inner]) | (Builtin::Smooth, &[_, inner]) | (Builtin::Homotopy, &[inner, _]) => {
            Shape::Same(inner)
        }
        (Builtin::Edge, &[inner]) => {
            let before = model.expressions.add(Node::Pre(inner));
            Shape::And(inner, model.expressions.not(before))
        }
        (Builtin::Change, &[inner]) if is_boolean(model, inner) => {
            let before = model.expressions.add(Node::Pre(inner));
            Shape::Same(comparison(&mut model.expressions, RelationOperator::NotEqual, inner, before))
        }
        _ => Shape::Atom,
    }
}

/// `if condition then a else b` of Booleans.
fn choice(expressions: &mut Expressions, condition: ExpressionId, a: ExpressionId, b: ExpressionId) -> ExpressionId {
    let negated = expressions.not(condition);
    let (then, otherwise) = (expressions.and(condition, a), expressions.and(negated, b));
    expressions.or(then, otherwise)
}

fn equivalence(expressions: &mut Expressions, a: ExpressionId, b: ExpressionId) -> ExpressionId {
    let not_b = expressions.not(b);
    choice(expressions, a, b, not_b)
}

/// A relation between Booleans, where `false < true`.
fn comparison(
    expressions: &mut Expressions,
    operator: RelationOperator,
    a: ExpressionId,
    b: ExpressionId,
) -> ExpressionId {
    let (not_a, not_b) = (expressions.not(a), expressions.not(b));
    match operator {
        RelationOperator::Equal => equivalence(expressions, a, b),
        RelationOperator::NotEqual => choice(expressions, a, not_b, b),
        RelationOperator::Less => expressions.and(not_a, b),
        RelationOperator::LessEqual => expressions.or(not_a, b),
        RelationOperator::Greater => expressions.and(a, not_b),
        RelationOperator::GreaterEqual => expressions.or(a, not_b),
    }
}

pub(crate) fn is_boolean(model: &FlatModel, id: ExpressionId) -> bool {
    match model.expressions.node(id) {
        Node::Boolean(_) | Node::Not(_) | Node::And(..) | Node::Or(..) | Node::Relation(..) | Node::Mode(_) => true,
        Node::Variable(variable, 0) => model.variables[variable].ty == Type::Boolean,
        Node::Pre(inner) => is_boolean(model, inner),
        Node::Call(Builtin::Initial | Builtin::Terminal | Builtin::Sample | Builtin::Edge | Builtin::Change, _) => true,
        Node::Call(Builtin::NoEvent, arguments) => is_boolean(model, model.expressions.argument_list(arguments)[0]),
        _ => false,
    }
}

/// Whether it is a literal, parameter or constant: then its left limit is its value.
fn is_fixed(model: &FlatModel, id: ExpressionId) -> bool {
    match model.expressions.node(id) {
        Node::Boolean(_) => true,
        Node::Variable(variable, 0) => model.variables[variable].variability <= Variability::Parameter,
        _ => false,
    }
}

/// Whether the definition contains a relation between numbers, a left limit or a call: then the Boolean it defines
/// is itself the mode variable.
fn is_event_expression(model: &FlatModel, definition: ExpressionId) -> bool {
    model.expressions.contains(definition, |node| match node {
        Node::Relation(_, a, _) => !is_boolean(model, a),
        Node::Pre(_) | Node::Call(..) | Node::Function(..) | Node::Output(..) => true,
        _ => false,
    })
}

/// Why an atom cannot be a mode variable.
fn not_a_condition(model: &FlatModel, definitions: &Definitions, id: ExpressionId, span: Span) -> Option<Diagnostic> {
    let text = |id| modeshift_dae::ExpressionText { model, modes: None, expression: id };
    match model.expressions.node(id) {
        Node::Variable(variable, 0) if model.variables[variable].ty == Type::Boolean => {
            let declaration = &model.variables[variable];
            let given = !declaration.is_unknown()
                || definitions.is_assigned_by_when(variable)
                || definitions.value(variable).is_some();
            (!given).then(|| undefined(&declaration.name, declaration.span, span))
        }
        Node::Relation(_, a, b) if is_string(model, a) || is_string(model, b) => Some(
            Diagnostic::error(Code::E0505, format!("a comparison of Strings cannot select equations: `{}`", text(id)))
                .label(span, "this depends on it")
                .help("use an enumeration, or a structural parameter that is evaluated at translation"),
        ),
        Node::Relation(..) | Node::Pre(_) | Node::Call(..) | Node::Function(..) | Node::Output(..) => None,
        _ => Some(
            Diagnostic::error(Code::E0504, format!("`{}` is not a condition", text(id)))
                .label(span, "this depends on it")
                .help("a condition is a Boolean or a comparison"),
        ),
    }
}

fn is_string(model: &FlatModel, id: ExpressionId) -> bool {
    match model.expressions.node(id) {
        Node::String(_) => true,
        Node::Variable(variable, _) => model.variables[variable].ty == Type::String,
        _ => false,
    }
}

fn undefined(name: &str, declared: Span, used: Span) -> Diagnostic {
    Diagnostic::error(Code::E0502, format!("nothing defines the Boolean `{name}`"))
        .label(declared, "declared here, without an equation")
        .label(used, "this depends on it")
        .help(format!("add an equation `{name} = …`, assign it in a `when`, or make it an `input`"))
}

/// The Booleans that stand in an expression.
fn booleans(model: &FlatModel, id: ExpressionId) -> Vec<VariableId> {
    let mut found = Vec::new();
    model.expressions.for_each(id, |_, node| {
        if let Node::Variable(variable, 0) = node {
            found.push(variable);
        }
        true
    });
    found
}
