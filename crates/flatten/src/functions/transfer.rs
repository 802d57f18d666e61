//! From the arena of the model into that of a body: slots get their numbers, values of the model become arguments.

use modeshift_dae::{Builtin, ExpressionId, Expressions, ModeVariableId, Node, Statement, VariableId};
use rustc_hash::{FxHashMap, FxHashSet};

/// The statements with an arena of their own; the values of the model that are `read` are its first slots. `None` where
/// something means nothing in a body.
pub(crate) fn transferred(
    from: &Expressions,
    statements: &[Statement],
    read: &[ExpressionId],
) -> Option<(Expressions, Vec<Statement>)> {
    let mut to = Expressions::new();
    let slot = |(at, &id): (usize, &ExpressionId)| (id, to.add(Node::Variable(VariableId(at as u32), 0)));
    let known: FxHashMap<ExpressionId, ExpressionId> = read.iter().enumerate().map(slot).collect();
    let mut transfer = Transfer { from, to, known, offset: read.len() as u32 };
    let statements = transfer.statements(statements)?;
    Some((transfer.to, statements))
}

/// The values of the model that statements read, each once, in order.
pub(crate) fn captured(from: &Expressions, statements: &[Statement]) -> Vec<ExpressionId> {
    let (mut found, mut seen) = (Vec::new(), FxHashSet::default());
    for_each_expression(statements, &mut |root| {
        let mut pending = vec![root];
        while let Some(id) = pending.pop() {
            if !seen.insert(id) {
                continue;
            }
            match from.node(id) {
                Node::Time | Node::Variable(..) | Node::Pre(_) => found.push(id),
                Node::Call(Builtin::Initial | Builtin::Terminal | Builtin::Sample, _) => found.push(id),
                Node::Call(Builtin::Edge | Builtin::Change | Builtin::Delay | Builtin::DelayMax, _) => found.push(id),
                _ => pending.extend(from.children(id)),
            }
        }
    });
    found
}

/// Whether one of these slots may be read before it has a value, or be left without one.
pub(crate) fn may_lack_value(from: &Expressions, statements: &[Statement], slots: &[u32]) -> bool {
    let mut assigned = FxHashSet::default();
    let is_read_early = reads_early(from, statements, slots, &mut assigned);
    is_read_early || slots.iter().any(|slot| !assigned.contains(slot))
}

/// Whether statements read a slot before it has a value; what they give values to is added to `assigned`.
fn reads_early(from: &Expressions, statements: &[Statement], slots: &[u32], assigned: &mut FxHashSet<u32>) -> bool {
    for statement in statements {
        let reads = |root: ExpressionId| {
            let is_open = |node: Node| match node {
                Node::Mode(ModeVariableId(number)) if number < u32::MAX => {
                    let slot = u32::MAX - 1 - number;
                    slots.contains(&slot) && !assigned.contains(&slot)
                }
                _ => false,
            };
            from.contains(root, is_open)
        };
        let is_early = match statement {
            Statement::Assign(list) => list.iter().any(|&(_, value)| reads(value)),
            Statement::Store { subscripts, value, .. } => reads(*value) || subscripts.iter().any(|&it| reads(it)),
            Statement::If(condition, ..) | Statement::While(condition, _) => reads(*condition),
            Statement::For { range, .. } => range.iter().any(|&it| reads(it)),
            Statement::Assert(condition, _) => reads(*condition),
            Statement::Break | Statement::Return => false,
        };
        if is_early {
            return true;
        }
        match statement {
            Statement::Assign(list) => assigned.extend(list.iter().map(|&(slot, _)| slot)),
            Statement::If(_, then, otherwise) => {
                let (mut first, mut second) = (assigned.clone(), assigned.clone());
                if reads_early(from, then, slots, &mut first) || reads_early(from, otherwise, slots, &mut second) {
                    return true;
                }
                assigned.extend(first.intersection(&second));
            }
            Statement::While(_, body) | Statement::For { body, .. } => {
                if reads_early(from, body, slots, &mut assigned.clone()) {
                    return true;
                }
            }
            Statement::Store { .. } | Statement::Break | Statement::Return | Statement::Assert(..) => {}
        }
    }
    false
}

fn for_each_expression(statements: &[Statement], visit: &mut impl FnMut(ExpressionId)) {
    for statement in statements {
        match statement {
            Statement::Assign(list) => list.iter().for_each(|&(_, value)| visit(value)),
            Statement::Store { subscripts, value, .. } => {
                subscripts.iter().for_each(|&it| visit(it));
                visit(*value);
            }
            Statement::If(condition, then, otherwise) => {
                visit(*condition);
                for_each_expression(then, visit);
                for_each_expression(otherwise, visit);
            }
            Statement::While(condition, body) => {
                visit(*condition);
                for_each_expression(body, visit);
            }
            Statement::For { range, body, .. } => {
                range.iter().for_each(|&it| visit(it));
                for_each_expression(body, visit);
            }
            Statement::Break | Statement::Return => {}
            Statement::Assert(condition, _) => visit(*condition),
        }
    }
}

/// The slot that a node is.
pub(crate) fn slot_of(expressions: &Expressions, id: ExpressionId) -> Option<u32> {
    match expressions.node(id) {
        Node::Mode(ModeVariableId(number)) if number < u32::MAX => Some(u32::MAX - 1 - number),
        _ => None,
    }
}

/// Moves statements into the arena of a body.
struct Transfer<'e> {
    from: &'e Expressions,
    to: Expressions,
    known: FxHashMap<ExpressionId, ExpressionId>,
    /// How many slots stand in front: values of the model that are read.
    offset: u32,
}

impl Transfer<'_> {
    fn statements(&mut self, list: &[Statement]) -> Option<Vec<Statement>> {
        list.iter().map(|statement| self.statement(statement)).collect()
    }

    fn statement(&mut self, statement: &Statement) -> Option<Statement> {
        Some(match statement {
            Statement::Assign(list) => {
                let pairs = list.iter().map(|&(slot, value)| Some((slot + self.offset, self.expression(value)?)));
                Statement::Assign(pairs.collect::<Option<Vec<_>>>()?)
            }
            Statement::Store { slots, sizes, subscripts, value } => Statement::Store {
                slots: slots.iter().map(|slot| slot + self.offset).collect(),
                sizes: sizes.clone(),
                subscripts: subscripts.iter().map(|&it| self.expression(it)).collect::<Option<Vec<_>>>()?,
                value: self.expression(*value)?,
            },
            Statement::If(condition, then, otherwise) => {
                Statement::If(self.expression(*condition)?, self.statements(then)?, self.statements(otherwise)?)
            }
            Statement::While(condition, body) => Statement::While(self.expression(*condition)?, self.statements(body)?),
            Statement::For { slot, range: [from, step, to], body } => {
                let range = [self.expression(*from)?, self.expression(*step)?, self.expression(*to)?];
                Statement::For { slot: *slot + self.offset, range, body: self.statements(body)? }
            }
            Statement::Break => Statement::Break,
            Statement::Return => Statement::Return,
            Statement::Assert(condition, message) => Statement::Assert(self.expression(*condition)?, message.clone()),
        })
    }

    /// An expression and all below it, without recursion; `None` where something in it means nothing in a body.
    fn expression(&mut self, root: ExpressionId) -> Option<ExpressionId> {
        let mut pending = vec![(root, false)];
        while let Some((id, is_ready)) = pending.pop() {
            if self.known.contains_key(&id) {
                continue;
            }
            if !is_ready {
                pending.push((id, true));
                pending.extend(self.from.children(id).map(|child| (child, false)));
                continue;
            }
            let moved = self.node(id)?;
            self.known.insert(id, moved);
        }
        self.known.get(&root).copied()
    }

    fn node(&mut self, id: ExpressionId) -> Option<ExpressionId> {
        let of = |known: &FxHashMap<ExpressionId, ExpressionId>, child: ExpressionId| known[&child];
        let node = match self.from.node(id) {
            leaf @ (Node::Real(_) | Node::Integer(_) | Node::Boolean(_)) => leaf,
            Node::Mode(_) => Node::Variable(VariableId(slot_of(self.from, id)? + self.offset), 0),
            // An argument that its function knows already; nothing else reads it.
            Node::String(_) => return Some(self.to.real(f64::NAN)),
            Node::Time | Node::Variable(..) | Node::Pre(_) => return None,
            Node::Negate(a) => Node::Negate(of(&self.known, a)),
            Node::Not(a) => Node::Not(of(&self.known, a)),
            Node::Output(a, which) => Node::Output(of(&self.known, a), which),
            Node::Arithmetic(operator, a, b) => Node::Arithmetic(operator, of(&self.known, a), of(&self.known, b)),
            Node::Relation(_, a, b) if [a, b].iter().any(|&it| matches!(self.from.node(it), Node::String(_))) => {
                return None;
            }
            Node::Relation(operator, a, b) => Node::Relation(operator, of(&self.known, a), of(&self.known, b)),
            Node::And(a, b) => Node::And(of(&self.known, a), of(&self.known, b)),
            Node::Or(a, b) => Node::Or(of(&self.known, a), of(&self.known, b)),
            Node::If(a, b, c) => Node::If(of(&self.known, a), of(&self.known, b), of(&self.known, c)),
            Node::Call(builtin, arguments) => Node::Call(builtin, self.arguments(arguments)),
            Node::Function(function, arguments) => Node::Function(function, self.arguments(arguments)),
        };
        Some(self.to.add(node))
    }

    fn arguments(&mut self, arguments: modeshift_dae::Arguments) -> modeshift_dae::Arguments {
        let list: Vec<ExpressionId> =
            self.from.argument_list(arguments).iter().map(|argument| self.known[argument]).collect();
        self.to.arguments(&list)
    }
}
