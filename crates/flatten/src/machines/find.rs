//! `initialState` and `transition` in the equations of all components, and the machines that clusters of them draw.

use std::sync::Arc;

use modeshift_dae::UnionFind;
use modeshift_diagnostics::{Code, Diagnostic, Span};
use modeshift_syntax::ast::{self, Expression, ExpressionKind, Ident};
use rustc_hash::FxHashMap;

use super::{Arrow, Drawn, State};
use crate::classes::library::composition;
use crate::expressions::context::{Context, Purpose};
use crate::expressions::translate::Decision;
use crate::failure::{Failure, Outcome, wrong};
use crate::flattener::Flattener;
use crate::instances::modification::Scope;
use crate::instances::scopes::Found;
use crate::instances::tree::{InstanceId, Slot};

/// The arguments of `transition` by name, in their order (Modelica 3.6, 17.1).
const ARGUMENTS: [&str; 7] = ["from", "to", "condition", "immediate", "reset", "synchronize", "priority"];

/// What is written about machines.
enum Written {
    Initial { state: InstanceId, owner: InstanceId, span: Span },
    Transition { states: [InstanceId; 2], owner: InstanceId, arrow: Box<Arrow> },
}

impl Written {
    /// Where it is written, and the states it names.
    fn states(&self) -> (InstanceId, &[InstanceId]) {
        match self {
            Written::Initial { state, owner, .. } => (*owner, std::slice::from_ref(state)),
            Written::Transition { states, owner, .. } => (*owner, states),
        }
    }
}

impl Flattener<'_> {
    /// Finds all machines, and gives every state its Boolean.
    pub(crate) fn find_machines(&mut self, root: InstanceId) {
        let mut written = Vec::new();
        self.collect_machines(root, &mut written);
        if written.is_empty() {
            return;
        }
        for (owner, states, parts) in clusters(written) {
            match self.drawn(owner, states, parts) {
                Ok(machine) => self.add_machine(machine),
                Err(failure) => self.report(failure),
            }
        }
        self.find_parents();
        self.start_states();
    }

    fn collect_machines(&mut self, instance: InstanceId, written: &mut Vec<Written>) {
        let layout = self.instances[instance].layout.clone();
        for &class in &layout.classes {
            let definition = self.classes.library.class(class).definition.clone();
            let sections = composition(&definition).map_or(&[][..], |inside| &inside.equations);
            for section in sections.iter().filter(|section| section.equations.iter().any(has_machine)) {
                let mut context = Context::new(Scope { instance: Some(instance), class }, Purpose::Symbolic);
                self.machines_in(&section.equations, instance, &mut context, written);
            }
        }
        for position in 0..self.instances[instance].slots.len() {
            match self.instances[instance].slots[position].clone() {
                Slot::Component(component) => self.collect_machines(component, written),
                Slot::Components(components) => {
                    components.instances.iter().for_each(|&id| self.collect_machines(id, written))
                }
                _ => {}
            }
        }
    }

    /// Whether an instance, or one around it, is named as a state by what contains it. Known before components are made.
    pub(crate) fn is_drawn_as_state(&self, instance: InstanceId) -> bool {
        let mut path: Vec<Arc<str>> = Vec::new();
        let mut at = instance;
        while let Some(parent) = self.instances[at].parent {
            path.insert(0, self.instances.member(parent, self.instances[at].position).name.clone());
            let mut names = Vec::new();
            for &class in &self.instances[parent].layout.classes {
                let sections = composition(&self.classes.library.class(class).definition);
                let sections = sections.map_or(&[][..], |inside| &inside.equations);
                sections.iter().for_each(|section| named_states(&section.equations, &mut names));
            }
            let is_around = |state: &&ast::Reference| {
                state.parts.len() <= path.len()
                    && state.parts.iter().zip(&path).all(|(part, name)| part.name.name == *name)
            };
            if names.iter().any(is_around) {
                return true;
            }
            at = parent;
        }
        false
    }

    fn machines_in(
        &mut self,
        equations: &[ast::Equation],
        owner: InstanceId,
        context: &mut Context,
        written: &mut Vec<Written>,
    ) {
        for equation in equations.iter().filter(|equation| has_machine(equation)) {
            if let Err(failure) = self.machine_part(equation, owner, context, written) {
                self.report(failure);
            }
        }
    }

    fn machine_part(
        &mut self,
        equation: &ast::Equation,
        owner: InstanceId,
        context: &mut Context,
        written: &mut Vec<Written>,
    ) -> Outcome<()> {
        match &equation.kind {
            ast::EquationKind::Call(call) => {
                let ExpressionKind::Call { function, arguments, named } = &call.kind else { return Ok(()) };
                let part = match &*function.parts[0].name.name {
                    "initialState" => self.initial_state(arguments, named, owner, call.span, context)?,
                    _ => self.transition(arguments, named, owner, call.span, context)?,
                };
                written.push(part);
                Ok(())
            }
            ast::EquationKind::For { indices, body } => self.machines_in_loop(indices, body, owner, context, written),
            ast::EquationKind::If { branches, otherwise } => {
                for (condition, body) in branches {
                    match self.decided(condition, context)? {
                        Decision::Known(true) => {
                            self.machines_in(body, owner, context, written);
                            return Ok(());
                        }
                        Decision::Known(false) => {}
                        Decision::Open(_) => {
                            let message = "the condition of an `if` around `transition` must be known at translation";
                            let problem = Diagnostic::error(Code::E0402, message).label(condition.span, "");
                            let help =
                                "write it into the condition of the transition: `transition(a, b, time > 1 and …)`";
                            return Err(problem.help(help).into());
                        }
                    }
                }
                self.machines_in(otherwise, owner, context, written);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn machines_in_loop(
        &mut self,
        indices: &[ast::ForIndex],
        body: &[ast::Equation],
        owner: InstanceId,
        context: &mut Context,
        written: &mut Vec<Written>,
    ) -> Outcome<()> {
        let Some((index, rest)) = indices.split_first() else {
            self.machines_in(body, owner, context, written);
            return Ok(());
        };
        for value in self.iterations(index, context)? {
            context.locals.push((index.name.name.clone(), value));
            let found = self.machines_in_loop(rest, body, owner, context, written);
            context.locals.pop();
            found?;
        }
        Ok(())
    }

    fn initial_state(
        &mut self,
        arguments: &[Expression],
        named: &[(Ident, Expression)],
        owner: InstanceId,
        span: Span,
        context: &mut Context,
    ) -> Outcome<Written> {
        let state = match (arguments, named) {
            ([state], []) => state,
            ([], [(name, state)]) if &*name.name == "state" => state,
            _ => return wrong(Code::E0307, "`initialState` takes one state", span),
        };
        Ok(Written::Initial { state: self.state_instance(state, context)?, owner, span })
    }

    fn transition(
        &mut self,
        arguments: &[Expression],
        named: &[(Ident, Expression)],
        owner: InstanceId,
        span: Span,
        context: &mut Context,
    ) -> Outcome<Written> {
        let mut given: [Option<&Expression>; 7] = [None; 7];
        if arguments.len() > given.len() {
            return wrong(Code::E0307, format!("`transition` takes {} arguments at most", given.len()), span);
        }
        arguments.iter().enumerate().for_each(|(at, argument)| given[at] = Some(argument));
        for (name, argument) in named {
            match ARGUMENTS.iter().position(|known| *known == &*name.name) {
                Some(at) if given[at].is_none() => given[at] = Some(argument),
                Some(_) => return wrong(Code::E0307, format!("`{}` is given twice", name.name), name.span),
                None => {
                    let message = format!("`transition` has no argument `{}`", name.name);
                    let help = format!("it has `{}`", ARGUMENTS.join("`, `"));
                    return Err(Diagnostic::error(Code::E0307, message).label(name.span, "").help(help).into());
                }
            }
        }
        let [Some(from), Some(to), Some(condition), immediate, reset, synchronize, priority] = given else {
            return wrong(Code::E0307, "`transition` needs two states and a condition", span);
        };
        let states = [self.state_instance(from, context)?, self.state_instance(to, context)?];
        let mut flag = |argument: Option<&Expression>, usual: bool| match argument {
            Some(argument) => self.evaluate_boolean(argument, context),
            None => Ok(usual),
        };
        let (immediate, reset) = (flag(immediate, true)?, flag(reset, true)?);
        let synchronize = flag(synchronize, false)?;
        let number = priority.map_or(Ok(1), |priority| self.evaluate_integer(priority, context))?;
        if number < 1 {
            let problem = Diagnostic::error(Code::E0307, format!("a priority is 1 or more, not {number}"));
            return Err(problem.label(span, "").help("the smallest number comes first: count from 1").into());
        }
        let (condition, context, priority) = (condition.clone(), context.clone(), number);
        let arrow = Arrow { from: 0, to: 0, condition, context, immediate, reset, synchronize, priority, span };
        Ok(Written::Transition { states, owner, arrow: Box::new(arrow) })
    }

    /// The component that is meant as a state.
    pub(super) fn state_instance(&mut self, state: &Expression, context: &mut Context) -> Outcome<InstanceId> {
        let no_state = |what: &str| {
            let problem = Diagnostic::error(Code::E0406, format!("a state is a component, but this is {what}"));
            let help = "name a component; one of an empty class will do: `block Idle end Idle; Idle idle;`";
            Err(problem.label(state.span, "").help(help).into())
        };
        let ExpressionKind::Reference(reference) = &state.kind else { return no_state("an expression") };
        let first = &reference.parts[0].name;
        let (instance, position) = match self.find_first(reference.global, &first.name, context.scope)? {
            Some(Found::Component(instance, position)) => (instance, position),
            Some(Found::Class(_)) => return no_state("a class"),
            Some(Found::Literal(..)) => return no_state("a literal"),
            None => {
                let diagnostic = crate::classes::lookup::unknown(&first.name, first.span, "component");
                return Err(self.classes.suggest_names(diagnostic, &first.name, Some(context.scope.class)).into());
            }
        };
        let selection = self.select(instance, position, &reference.parts, context)?;
        let Some(part) = reference.parts.last() else { return Err(Failure::Reported) };
        let [(instance, position)] = selection.elements[..] else { return no_state("an array of components") };
        if matches!(self.slot(instance, position)?, Slot::Primitive(_)) {
            return no_state("a variable");
        }
        match self.components_at(instance, position, part, context)?.1[..] {
            [only] if self.instances[only].is_connector => no_state("a connector"),
            [only] => Ok(only),
            _ => no_state("an array of components"),
        }
    }

    /// A machine, from what is written about states that hang together.
    fn drawn(&mut self, owner: InstanceId, instances: Vec<InstanceId>, parts: Vec<Written>) -> Outcome<Drawn> {
        let number = |instance: InstanceId| instances.iter().position(|&it| it == instance).unwrap_or_default();
        let (mut initial, mut arrows) = (Vec::new(), Vec::new());
        for part in parts {
            match part {
                Written::Initial { state, span, .. } => initial.push((number(state), span)),
                Written::Transition { states, arrow, .. } => {
                    arrows.push(Arrow { from: number(states[0]), to: number(states[1]), ..*arrow });
                }
            }
        }
        let names: Vec<String> =
            instances.iter().map(|&it| format!("`{}`", self.instances.instance_name(it))).collect();
        let names = names.join(", ");
        let (first, span) = match initial[..] {
            [only] => only,
            [] => {
                let span = arrows.first().map_or(Span::default(), |arrow| arrow.span);
                let problem =
                    Diagnostic::error(Code::E0405, format!("the machine of the states {names} has no initial state"));
                let help = format!("add `initialState(…)` for one of {names}");
                return Err(problem.label(span, "one of its transitions").help(help).into());
            }
            [(_, first), (_, second), ..] => {
                let problem = Diagnostic::error(
                    Code::E0405,
                    format!("the machine of the states {names} has several initial states"),
                );
                let help = "keep the one in which the machine begins";
                return Err(problem.label(second, "a second one").label(first, "the first one").help(help).into());
            }
        };
        self.check_side_by_side(&instances, span)?;
        arrows.sort_by_key(|arrow| (arrow.from, arrow.priority));
        let states = instances.into_iter().map(|instance| self.new_state(instance)).collect::<Vec<State>>();
        Ok(Drawn { owner, parent: None, states, initial: first, arrows, memories: Vec::new(), span })
    }

    /// A state cannot contain another one of its machine.
    fn check_side_by_side(&self, instances: &[InstanceId], span: Span) -> Outcome<()> {
        for &state in instances {
            let mut around = self.instances[state].parent;
            while let Some(instance) = around {
                if instances.contains(&instance) {
                    let [inner, outer] = [state, instance].map(|it| self.instances.instance_name(it));
                    let message = format!("`{inner}` cannot be a state beside `{outer}`, which contains it");
                    let help =
                        format!("write the transitions between states inside `{outer}` in the class of `{outer}`");
                    return Err(Diagnostic::error(Code::E0406, message).label(span, "").help(help).into());
                }
                around = self.instances[instance].parent;
            }
        }
        Ok(())
    }
}

/// What hangs together: where it is written first, its states in the order of declaration, and what says so.
fn clusters(written: Vec<Written>) -> Vec<(InstanceId, Vec<InstanceId>, Vec<Written>)> {
    let mut position: FxHashMap<InstanceId, u32> = FxHashMap::default();
    let mut sets: UnionFind<u32> = UnionFind::default();
    let mut of_part = Vec::with_capacity(written.len());
    for part in &written {
        let states = part.states().1;
        let numbers: Vec<u32> = states.iter().map(|&it| *position.entry(it).or_insert_with(|| sets.push())).collect();
        numbers.windows(2).for_each(|pair| sets.join(pair[0], pair[1]));
        of_part.push(numbers[0]);
    }
    let mut of_root: FxHashMap<u32, usize> = FxHashMap::default();
    let mut clusters: Vec<(InstanceId, Vec<InstanceId>, Vec<Written>)> = Vec::new();
    for (part, number) in written.into_iter().zip(of_part) {
        let (owner, states) = part.states();
        let at = *of_root.entry(sets.root(number)).or_insert_with(|| {
            clusters.push((owner, Vec::new(), Vec::new()));
            clusters.len() - 1
        });
        clusters[at].1.extend(states);
        clusters[at].2.push(part);
    }
    for (_, states, _) in &mut clusters {
        states.sort_unstable();
        states.dedup();
    }
    clusters
}

/// What equations name as states.
fn named_states<'e>(equations: &'e [ast::Equation], names: &mut Vec<&'e ast::Reference>) {
    for equation in equations {
        match &equation.kind {
            ast::EquationKind::Call(call) if is_machine_call(call) => {
                let ExpressionKind::Call { arguments, named, .. } = &call.kind else { continue };
                let named = named.iter().filter(|(name, _)| matches!(&*name.name, "state" | "from" | "to"));
                let states = arguments.iter().take(2).chain(named.map(|(_, state)| state));
                names.extend(states.filter_map(|state| match &state.kind {
                    ExpressionKind::Reference(reference) => Some(reference),
                    _ => None,
                }));
            }
            ast::EquationKind::For { body, .. } => named_states(body, names),
            ast::EquationKind::If { branches, otherwise } => {
                branches.iter().for_each(|(_, body)| named_states(body, names));
                named_states(otherwise, names);
            }
            _ => {}
        }
    }
}

fn has_machine(equation: &ast::Equation) -> bool {
    match &equation.kind {
        ast::EquationKind::Call(call) => is_machine_call(call),
        ast::EquationKind::For { body, .. } => body.iter().any(has_machine),
        ast::EquationKind::If { branches, otherwise } => {
            branches.iter().flat_map(|(_, body)| body).chain(otherwise).any(has_machine)
        }
        _ => false,
    }
}

/// Whether a call draws a machine.
pub(crate) fn is_machine_call(call: &Expression) -> bool {
    match &call.kind {
        ExpressionKind::Call { function, .. } => {
            matches!(function.parts.as_slice(), [only] if matches!(&*only.name.name, "initialState" | "transition"))
        }
        _ => false,
    }
}
