//! What can be said of a machine by looking: conditions without events, priorities, states that nothing reaches, circles of immediate transitions.

use modeshift_dae::{Builtin, ExpressionId, Machine, Node, Transition};
use modeshift_diagnostics::{Code, Diagnostic};

use super::exclusion::exclude_each_other;
use crate::flattener::Flattener;

impl Flattener<'_> {
    /// Says what is wrong with machines, and what is suspicious.
    pub(super) fn check_machines(&mut self) {
        for at in 0..self.model.machines.len() {
            let machine = self.model.machines[at].clone();
            self.check_existence(at, &machine);
            self.check_events(&machine);
            self.check_priorities(&machine);
            self.check_reached(&machine);
            self.check_circles(&machine);
        }
    }

    /// A condition on what changes continuously makes an event where it becomes true, unless it hides its relations.
    fn check_events(&mut self, machine: &Machine) {
        for transition in &machine.transitions {
            let Some(hidden) = self.hidden_relation(transition.condition) else { continue };
            let what = match self.model.expressions.node(hidden) {
                Node::Call(..) => "`noEvent`".to_string(),
                Node::Function(function, _) => format!("the function `{}`", self.model.functions[function].name),
                _ => "a function".to_string(),
            };
            let message = format!("this condition makes no events: {what} hides when it becomes true");
            let help = "write the relation itself in the condition, or `pre` of what changes at events";
            self.report(Diagnostic::error(Code::E0403, message).label(transition.span, "").help(help).into());
        }
    }

    /// A truth of a condition that changes between events without making one.
    fn hidden_relation(&self, condition: ExpressionId) -> Option<ExpressionId> {
        let expressions = &self.model.expressions;
        match expressions.node(condition) {
            Node::Not(a) => self.hidden_relation(a),
            Node::And(a, b) | Node::Or(a, b) => self.hidden_relation(a).or_else(|| self.hidden_relation(b)),
            Node::If(a, b, c) => [a, b, c].into_iter().find_map(|it| self.hidden_relation(it)),
            Node::Output(a, _) => self.hidden_relation(a),
            Node::Call(Builtin::NoEvent, _) | Node::Function(..) => self.moves(condition).then_some(condition),
            _ => None,
        }
    }

    /// Whether an expression may change between events.
    fn moves(&self, id: ExpressionId) -> bool {
        let mut moves = false;
        self.model.expressions.for_each(id, |_, node| {
            moves |= match node {
                Node::Time => true,
                Node::Variable(id, _) => self.model.variables[id].is_continuous_unknown(),
                _ => false,
            };
            !matches!(node, Node::Pre(_))
        });
        moves
    }

    /// Of transitions with the same priority, at most one can fire.
    fn check_priorities(&mut self, machine: &Machine) {
        for (at, transition) in machine.transitions.iter().enumerate() {
            let same = |other: &&Transition| other.from == transition.from && other.priority == transition.priority;
            let earlier: Vec<Transition> = machine.transitions[..at].iter().filter(same).cloned().collect();
            for other in earlier {
                if exclude_each_other(&mut self.model, other.condition, transition.condition) {
                    continue;
                }
                let state = &machine.states[transition.from].name;
                let message = format!(
                    "two transitions leave `{state}` with priority {}, and both conditions may hold",
                    transition.priority
                );
                let help = "give one of them another `priority`: the smallest number comes first";
                let problem = Diagnostic::error(Code::E0407, message).label(transition.span, "this one");
                self.report(problem.label(other.span, "and this one").help(help).into());
            }
        }
    }

    fn check_reached(&mut self, machine: &Machine) {
        let mut reached = vec![false; machine.states.len()];
        let mut pending = vec![machine.initial];
        while let Some(state) = pending.pop() {
            if !std::mem::replace(&mut reached[state], true) {
                let next = machine.transitions.iter().filter(|transition| transition.from == state);
                pending.extend(next.map(|transition| transition.to));
            }
        }
        for (state, reached) in machine.states.iter().zip(reached) {
            if !reached {
                let message = format!("no transition reaches the state `{}`", state.name);
                let from = &machine.states[machine.initial].name;
                let note = format!("the machine begins in `{from}`");
                self.say(Diagnostic::warning(Code::W0405, message).label(state.span, "").with_note(note));
            }
        }
    }

    /// Circles of transitions whose conditions may hold all at once: an instant may go round for ever. A delayed one takes part: it waits
    /// for the next micro-step, not for time to pass. Conditions on what belongs to the state that is left change when it is entered
    /// again, and do not count.
    fn check_circles(&mut self, machine: &Machine) {
        let is_free: Vec<bool> = machine.transitions.iter().map(|it| !self.reads_its_state(machine, it)).collect();
        let free: Vec<&Transition> =
            machine.transitions.iter().zip(is_free).filter(|(_, free)| *free).map(|(it, _)| it).collect();
        for first in &free {
            if first.from != smallest_of_circle(&free, first) {
                continue;
            }
            let Some(circle) = self.circle(&free, first) else { continue };
            let names: Vec<&str> = circle.iter().map(|it| machine.short_name(it.from)).collect();
            let way = format!("{} -> {}", names.join(" -> "), names[0]);
            let message = format!("transitions go round in a circle: {way}");
            let help = "if their conditions can hold at the same instant, let one of them wait, as `… and timeInState() > 0.1` does, or let one \
                        exclude the other";
            self.say(Diagnostic::warning(Code::W0406, message).label(first.span, "begins here").help(help));
            return;
        }
    }

    fn reads_its_state(&self, machine: &Machine, transition: &Transition) -> bool {
        let state = &machine.states[transition.from];
        self.model.expressions.contains(transition.condition, |node| match node {
            Node::Variable(id, _) => state.variables.binary_search(&id).is_ok(),
            _ => false,
        })
    }

    /// The shortest way from a transition back to where it begins, of conditions that do not exclude each other.
    fn circle<'t>(&mut self, free: &[&'t Transition], first: &'t Transition) -> Option<Vec<&'t Transition>> {
        let mut ways: Vec<Vec<&Transition>> = vec![vec![first]];
        let mut seen = vec![first.to];
        while let Some(way) = (!ways.is_empty()).then(|| ways.remove(0)) {
            let end = way.last()?.to;
            if end == first.from {
                return Some(way);
            }
            for next in free.iter().filter(|next| next.from == end) {
                let mut conditions: Vec<ExpressionId> = way.iter().map(|it| it.condition).collect();
                conditions.retain(|&it| exclude_each_other(&mut self.model, it, next.condition));
                if conditions.is_empty() && (next.to == first.from || !seen.contains(&next.to)) {
                    seen.push(next.to);
                    ways.push([&way[..], &[*next]].concat());
                }
            }
        }
        None
    }
}

/// Circles are told from their first state on: the smallest from which a transition can be reached and that it reaches.
fn smallest_of_circle(free: &[&Transition], first: &Transition) -> usize {
    let reached_from = |start: usize| {
        let (mut reached, mut pending) = (Vec::new(), vec![start]);
        while let Some(state) = pending.pop() {
            if !reached.contains(&state) {
                reached.push(state);
                pending.extend(free.iter().filter(|it| it.from == state).map(|it| it.to));
            }
        }
        reached
    };
    let mut circle: Vec<usize> = reached_from(first.to);
    circle.retain(|&state| reached_from(state).contains(&first.from));
    circle.into_iter().chain([first.from]).min().unwrap_or(first.from)
}
