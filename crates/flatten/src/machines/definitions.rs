//! Which state follows: a definition with a memory for the Boolean of each state, and whether the state is entered.
//!
//! With `f(t)` for a transition that fires, which is `pre(from)`, its condition, and no condition of a smaller priority:
//!
//! ```text
//! s = pre(s) and (no condition of a transition from s) or (some f(t) to s)
//! ```
//!
//! A machine inside a state P does so while P stays. Where P begins anew the machine does too; where P is entered without reset,
//! the machine goes on in the state in which it was last, which a Boolean of its own remembers. A machine that begins anew resets all
//! of its states: those that it enters later begin anew too, even by a transition without reset, which another Boolean remembers.

use std::convert::Infallible;
use std::sync::Arc;

use modeshift_dae::{
    Equation, EquationKind, ExpressionId, Expressions, FlatModel, Fold, Invariant, InvariantOrigin, Machine,
    MachineState, Node, Operands, Rewritten, Transition, Type, Variability, Variable, VariableId,
};

use super::StateNumber;
use crate::equations::names;
use crate::flattener::Flattener;

/// What is known of the states of one machine.
struct Following {
    /// Whether each state is entered in a micro-step.
    enters: Vec<ExpressionId>,
    /// Whether it then begins anew.
    restarts: Vec<ExpressionId>,
}

impl Flattener<'_> {
    /// Adds definitions and invariants of all machines, once all equations are known.
    pub(crate) fn define_machines(&mut self) {
        if self.machines.drawn.is_empty() {
            return;
        }
        let conditions: Vec<Vec<Option<ExpressionId>>> =
            (0..self.machines.drawn.len()).map(|machine| self.conditions(machine)).collect();
        if conditions.iter().flatten().any(Option::is_none) {
            return; // said already
        }
        let conditions: Vec<Vec<ExpressionId>> =
            conditions.into_iter().map(|list| list.into_iter().flatten().collect()).collect();
        let mut following: Vec<Following> = Vec::new();
        self.fix_starts(&conditions);
        self.guard_initial_equations();
        for machine in 0..conditions.len() {
            let found = self.define_machine(machine, &conditions, &following);
            self.exactly_one(machine);
            following.push(found);
        }
        self.relate_followers(&conditions);
        self.hold_outputs();
        self.describe_machines(&conditions, following);
        self.check_machines();
    }

    /// A machine that may leave its initial state at once and comes back to it begins there if that is consistent, and
    /// otherwise in a state that is, as a diode under a positive voltage; so does one with a state that is left whenever it is
    /// entered. All others begin in their initial states: what is left for good, as something intact, has not been left before
    /// the start.
    fn fix_starts(&mut self, conditions: &[Vec<ExpressionId>]) {
        let mut is_free: Vec<bool> = Vec::new();
        for (drawn, conditions) in self.machines.drawn.iter().zip(conditions) {
            let timer = drawn.states[drawn.initial].timer;
            let waits = |condition: ExpressionId| {
                let is_timer = |node| matches!(node, Node::Variable(id, 0) if Some(id) == timer);
                self.model.expressions.contains(condition, is_timer)
            };
            let mut arrows = drawn.arrows.iter().zip(conditions);
            let leaves = arrows.any(|(arrow, &it)| arrow.from == drawn.initial && arrow.immediate && !waits(it));
            let returns = drawn.arrows.iter().any(|arrow| arrow.to == drawn.initial && arrow.from != drawn.initial);
            let at_once = conditions.iter().any(|&it| matches!(self.model.expressions.node(it), Node::Boolean(true)));
            is_free.push(leaves && returns || at_once || drawn.parent.is_some_and(|(parent, _)| is_free[parent]));
        }
        for (drawn, is_free) in self.machines.drawn.iter().zip(is_free) {
            for state in &drawn.states {
                self.model.variables[state.active].fixed = (!is_free).then_some(true);
            }
        }
    }

    /// The conditions of the transitions of a machine as they are written.
    fn conditions(&mut self, machine: usize) -> Vec<Option<ExpressionId>> {
        let mut conditions = Vec::new();
        for at in 0..self.machines.drawn[machine].arrows.len() {
            let arrow = &self.machines.drawn[machine].arrows[at];
            let (condition, mut context) = (arrow.condition.clone(), arrow.context.clone());
            context.state = Some((machine, arrow.from));
            conditions.push(match self.condition(&condition, &mut context) {
                Ok(id) => Some(id),
                Err(failure) => {
                    self.report(failure);
                    None
                }
            });
        }
        conditions
    }

    fn define_machine(&mut self, machine: usize, conditions: &[Vec<ExpressionId>], before: &[Following]) -> Following {
        let fires = self.fires(machine, conditions);
        let count = self.machines.drawn[machine].states.len();
        let parent = self.machines.drawn[machine].parent;
        let around = parent.map(|number| (self.active(number), before[number.0].restarts[number.1], number));
        let around_enters = parent.filter(|&number| self.is_left_for_itself(number));
        let around_enters = around_enters.map(|number| before[number.0].enters[number.1]);
        let memory = around.filter(|&(.., number)| self.is_entered_without_reset(number)).is_some();
        let mut following = Following { enters: Vec::new(), restarts: Vec::new() };
        for state in 0..count {
            let active = self.active((machine, state));
            let Step { mut next, mut enters, mut restarts } = self.step((machine, state), &fires);
            let no = self.model.expressions.boolean(false);
            let waits = around.filter(|_| self.may_wait_for_reset((machine, state)));
            let waits = waits.map(|_| self.waits_for_reset((machine, state)));
            if let Some(waits) = waits {
                let expressions = &mut self.model.expressions;
                let waited = expressions.pre(waits);
                let anew = expressions.and(enters, waited);
                restarts = expressions.or(restarts, anew);
            }
            // A state that is left for itself leaves and enters what goes on inside, too.
            if let Some(around_enters) = around_enters {
                let expressions = &mut self.model.expressions;
                let again = expressions.and(around_enters, next);
                enters = expressions.or(enters, again);
            }
            if let Some((parent, parent_restarts, _)) = around {
                let begins = self.model.expressions.boolean(state == self.machines.drawn[machine].initial);
                let last = if memory { self.remembered((machine, state), parent, begins) } else { begins };
                let expressions = &mut self.model.expressions;
                let was_there = expressions.pre(parent);
                let mut inside = |step: ExpressionId, anew: ExpressionId, again: ExpressionId| {
                    let value = expressions.if_then_else(was_there, step, again);
                    let value = expressions.if_then_else(parent_restarts, anew, value);
                    expressions.and(parent, value)
                };
                next = inside(next, begins, last);
                enters = inside(enters, begins, last);
                restarts = inside(restarts, begins, no);
                if let Some(waits) = waits {
                    self.define_waiting(machine, waits, (parent_restarts, enters));
                }
            }
            self.define(machine, active, next);
            following.enters.push(enters);
            following.restarts.push(restarts);
        }
        following
    }

    /// What transitions alone say of a state.
    pub(super) fn step(&mut self, (machine, state): StateNumber, fires: &[Fires]) -> Step {
        let active = self.active((machine, state));
        let before = self.model.expressions.pre(active);
        let no = self.model.expressions.boolean(false);
        let (mut leaves, mut enters, mut restarts) = (no, no, no);
        for (arrow, &fires) in self.machines.drawn[machine].arrows.iter().zip(fires) {
            let expressions = &mut self.model.expressions;
            if arrow.from == state {
                leaves = expressions.or(leaves, fires.condition);
            }
            if arrow.to == state {
                enters = expressions.or(enters, fires.fires);
            }
            if arrow.to == state && arrow.reset {
                restarts = expressions.or(restarts, fires.fires);
            }
        }
        let expressions = &mut self.model.expressions;
        let stays = expressions.not(leaves);
        let stays = expressions.and(before, stays);
        Step { next: expressions.or(stays, enters), enters, restarts }
    }

    fn define(&mut self, machine: usize, left: ExpressionId, right: ExpressionId) {
        let span = self.machines.drawn[machine].span;
        let guard = self.model.expressions.boolean(true);
        let prefix = self.prefix_of(machine);
        let name = names::unlabelled(&prefix, None);
        self.model.equations.push(Equation { name, kind: EquationKind::Discrete, guard, left, right, span });
    }

    pub(super) fn prefix_of(&self, machine: usize) -> String {
        let name = self.instances.instance_name(self.machines.drawn[machine].owner);
        if name.is_empty() { name } else { format!("{name}.") }
    }

    /// Whether some transition enters a state, or one around it, without reset.
    fn is_entered_without_reset(&self, (machine, state): StateNumber) -> bool {
        let drawn = &self.machines.drawn[machine];
        drawn.arrows.iter().any(|arrow| arrow.to == state && !arrow.reset)
            || drawn.parent.is_some_and(|parent| self.is_entered_without_reset(parent))
    }

    /// Whether some transition leads from a state, or one around it, to itself without reset.
    fn is_left_for_itself(&self, (machine, state): StateNumber) -> bool {
        let drawn = &self.machines.drawn[machine];
        drawn.arrows.iter().any(|arrow| arrow.from == state && arrow.to == state && !arrow.reset)
            || drawn.parent.is_some_and(|parent| self.is_left_for_itself(parent))
    }

    /// Whether some transition enters a state inside another one without reset, while one resets what is around it.
    fn may_wait_for_reset(&self, (machine, state): StateNumber) -> bool {
        let drawn = &self.machines.drawn[machine];
        let is_kept = drawn.arrows.iter().any(|arrow| arrow.to == state && !arrow.reset);
        is_kept && drawn.parent.is_some_and(|parent| self.is_entered_with_reset(parent))
    }

    /// Whether some transition enters a state, or one around it, with reset.
    fn is_entered_with_reset(&self, (machine, state): StateNumber) -> bool {
        let drawn = &self.machines.drawn[machine];
        drawn.arrows.iter().any(|arrow| arrow.to == state && arrow.reset)
            || drawn.parent.is_some_and(|parent| self.is_entered_with_reset(parent))
    }

    /// Whether a state has not been entered since its machine was reset: it begins anew when it is (Modelica 3.6, 17.3).
    fn waits_for_reset(&mut self, (machine, state): StateNumber) -> ExpressionId {
        let state = &self.machines.drawn[machine].states[state];
        let name = format!("waitsForReset({})", self.instances.instance_name(state.instance));
        let (span, no) = (state.span, self.model.expressions.boolean(false));
        let truth = self.model.expressions.boolean(true);
        let variable = Variable {
            span,
            start: Some(no),
            fixed: Some(true),
            protected: true,
            ..Variable::new(name, Type::Boolean, Variability::Discrete, truth)
        };
        let id = self.model.variables.push(variable);
        self.machines.drawn[machine].memories.push(id);
        self.model.expressions.variable(id, 0)
    }

    /// From the reset of the machine on, until the state is entered.
    fn define_waiting(&mut self, machine: usize, waits: ExpressionId, (resets, enters): (ExpressionId, ExpressionId)) {
        let expressions = &mut self.model.expressions;
        let waited = expressions.pre(waits);
        let either = expressions.or(resets, waited);
        let not_entered = expressions.not(enters);
        let value = expressions.and(either, not_entered);
        self.define(machine, waits, value);
    }

    /// Whether a state was the last one of its machine; before the first time, the initial one is.
    fn remembered(&mut self, number: StateNumber, parent: ExpressionId, begins: ExpressionId) -> ExpressionId {
        let state = &self.machines.drawn[number.0].states[number.1];
        let (name, span) = (format!("last(activeState({}))", self.instances.instance_name(state.instance)), state.span);
        let truth = self.model.expressions.boolean(true);
        let variable = Variable {
            span,
            start: Some(begins),
            fixed: Some(true),
            protected: true,
            ..Variable::new(name, Type::Boolean, Variability::Discrete, truth)
        };
        let id = self.model.variables.push(variable);
        self.machines.drawn[number.0].memories.push(id);
        let active = self.active(number);
        let expressions = &mut self.model.expressions;
        let itself = expressions.variable(id, 0);
        let before = expressions.pre(itself);
        let value = expressions.if_then_else(parent, active, before);
        self.define(number.0, itself, value);
        before
    }

    /// Exactly one state is active, or none while the state around the machine is not.
    fn exactly_one(&mut self, machine: usize) {
        let drawn = &self.machines.drawn[machine];
        let (count, parent, span) = (drawn.states.len(), drawn.parent, drawn.span);
        let states: Vec<ExpressionId> = (0..count).map(|state| self.active((machine, state))).collect();
        let parent = parent.map(|parent| self.active(parent));
        let expressions = &mut self.model.expressions;
        let some = states.iter().skip(1).fold(states[0], |some, &state| expressions.or(some, state));
        let mut condition = match parent {
            None => some,
            Some(parent) => expressions.relation(modeshift_dae::RelationOperator::Equal, parent, some),
        };
        for (at, &state) in states.iter().enumerate() {
            for &other in &states[..at] {
                let both = expressions.and(other, state);
                let apart = expressions.not(both);
                condition = expressions.and(condition, apart);
            }
        }
        let guard = expressions.boolean(true);
        self.model.invariants.push(Invariant { condition, origin: InvariantOrigin::Declared, guard, span });
    }

    pub(super) fn fires(&mut self, machine: usize, conditions: &[Vec<ExpressionId>]) -> Vec<Fires> {
        let mut fires: Vec<Fires> = Vec::new();
        for (at, &condition) in conditions[machine].iter().enumerate() {
            let arrow = &self.machines.drawn[machine].arrows[at];
            let (from, immediate, synchronize) = (arrow.from, arrow.immediate, arrow.synchronize);
            let mut condition = match immediate {
                true => self.as_inside((machine, from), condition, conditions),
                false => left_limit(&mut self.model, condition),
            };
            if synchronize {
                let done = self.inside_is_final((machine, from));
                condition = self.model.expressions.and(condition, done);
            }
            let active = self.active((machine, from));
            let mut fire = self.model.expressions.pre(active);
            let earlier = self.machines.drawn[machine].arrows[..at].iter().zip(&fires);
            for (_, before) in earlier.filter(|(arrow, _)| arrow.from == from) {
                let not = self.model.expressions.not(before.condition);
                fire = self.model.expressions.and(fire, not);
            }
            let fire = self.model.expressions.and(fire, condition);
            fires.push(Fires { condition, fires: fire });
        }
        fires
    }

    /// Whether all machines inside a state were in final states, as far as they were active: those directly inside, and those inside the
    /// final states that these were in ("all state machines within the meta state", Modelica 3.6, 17.3.1).
    fn inside_is_final(&mut self, number: StateNumber) -> ExpressionId {
        let mut done = self.model.expressions.boolean(true);
        for machine in 0..self.machines.drawn.len() {
            let drawn = &self.machines.drawn[machine];
            if drawn.parent != Some(number) {
                continue;
            }
            let is_final = |&state: &usize| drawn.arrows.iter().all(|arrow| arrow.from != state);
            let finals: Vec<usize> = (0..drawn.states.len()).filter(is_final).collect();
            let mut some = self.model.expressions.boolean(false);
            for state in finals {
                let active = self.active((machine, state));
                let before = self.model.expressions.pre(active);
                let deeper = self.inside_is_final((machine, state));
                let reached = self.model.expressions.and(before, deeper);
                some = self.model.expressions.or(some, reached);
            }
            done = self.model.expressions.and(done, some);
        }
        done
    }

    /// Hands the machines on.
    fn describe_machines(&mut self, conditions: &[Vec<ExpressionId>], following: Vec<Following>) {
        let mut variables = self.variables_of_states();
        for (at, drawn) in self.machines.drawn.iter().enumerate() {
            let name = |instance| -> Arc<str> { self.instances.instance_name(instance).into() };
            let state = |(number, state): (usize, &super::State)| MachineState {
                name: name(state.instance),
                active: state.active,
                enters: following[at].enters[number],
                restarts: following[at].restarts[number],
                variables: std::mem::take(&mut variables[at][number]),
                timer: state.timer,
                span: state.span,
            };
            let transition = |(arrow, &condition): (&super::Arrow, &ExpressionId)| Transition {
                from: arrow.from,
                to: arrow.to,
                condition,
                immediate: arrow.immediate,
                reset: arrow.reset,
                synchronize: arrow.synchronize,
                priority: arrow.priority,
                span: arrow.span,
            };
            self.model.machines.push(Machine {
                name: name(drawn.owner),
                parent: drawn.parent,
                states: drawn.states.iter().enumerate().map(state).collect(),
                initial: drawn.initial,
                transitions: drawn.arrows.iter().zip(&conditions[at]).map(transition).collect(),
                memories: drawn.memories.clone(),
                span: drawn.span,
            });
        }
    }

    /// The unknowns that exist while a state is active, by machine and state.
    fn variables_of_states(&self) -> Vec<Vec<Vec<VariableId>>> {
        let mut variables: Vec<Vec<Vec<VariableId>>> =
            self.machines.drawn.iter().map(|machine| vec![Vec::new(); machine.states.len()]).collect();
        for (id, variable) in self.model.variables.iter_enumerated().filter(|(_, variable)| variable.is_unknown()) {
            let mut pending = vec![variable.guard];
            while let Some(guard) = pending.pop() {
                match self.model.expressions.node(guard) {
                    Node::And(a, b) => pending.extend([a, b]),
                    Node::Variable(active, 0) => {
                        if let Some(&(machine, state)) = self.machines.of_variable.get(&active) {
                            variables[machine][state].push(id);
                            break;
                        }
                    }
                    _ => {}
                }
            }
        }
        variables
    }
}

/// A transition in a micro-step.
#[derive(Clone, Copy)]
pub(super) struct Fires {
    /// Its condition, as it is asked.
    condition: ExpressionId,
    /// Whether it fires.
    fires: ExpressionId,
}

/// A state in a micro-step, as far as the transitions of its machine decide.
pub(super) struct Step {
    /// Whether it is active then.
    pub(super) next: ExpressionId,
    /// Whether it is entered.
    enters: ExpressionId,
    /// Whether it is entered with reset.
    restarts: ExpressionId,
}

/// An expression at its left limit.
fn left_limit(model: &mut FlatModel, expression: ExpressionId) -> ExpressionId {
    let Ok(limit) = LeftLimit(model).fold(&mut Rewritten::new(), expression, ());
    limit
}

/// Expressions with left limits in place of all that changes.
struct LeftLimit<'a>(&'a mut FlatModel);

impl Fold for LeftLimit<'_> {
    type Context = ();
    type Value = ExpressionId;
    type Error = Infallible;

    fn expressions(&self) -> &Expressions {
        &self.0.expressions
    }

    fn open(&mut self, id: ExpressionId, (): (), operands: &mut Operands<()>) -> Option<ExpressionId> {
        match self.0.expressions.node(id) {
            Node::Pre(_) => Some(id),
            Node::Variable(variable, _) if self.0.variables[variable].variability > Variability::Parameter => {
                Some(self.0.expressions.pre(id))
            }
            _ => {
                self.open_all(id, (), operands);
                None
            }
        }
    }

    fn close(&mut self, id: ExpressionId, (): (), known: &Rewritten) -> Result<ExpressionId, Infallible> {
        Ok(self.0.expressions.map_children(id, |_, child| known[child]))
    }
}
