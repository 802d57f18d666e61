//! States: their Booleans, the guards of what belongs to them, and the operators `activeState` and `timeInState`.

use modeshift_dae::{Equation, EquationKind, ExpressionId, Node, Type, Variability, Variable, VariableId};
use modeshift_diagnostics::{Code, Diagnostic, Span};
use modeshift_syntax::ast::{Expression, Ident};

use super::{Drawn, State, StateNumber};
use crate::equations::names;
use crate::expressions::context::{Context, Purpose};
use crate::expressions::term::Term;
use crate::failure::{Outcome, dynamic, wrong};
use crate::flattener::Flattener;
use crate::instances::tree::InstanceId;

impl Flattener<'_> {
    /// A component as a state, with its Boolean.
    pub(super) fn new_state(&mut self, instance: InstanceId) -> State {
        let name = format!("activeState({})", self.instances.instance_name(instance));
        let span = self.declaration_of(instance);
        let truth = self.model.expressions.boolean(true);
        let variable = Variable { span, ..Variable::new(name, Type::Boolean, Variability::Discrete, truth) };
        State { instance, active: self.model.variables.push(variable), timer: None, span }
    }

    fn declaration_of(&self, instance: InstanceId) -> Span {
        let it = &self.instances[instance];
        it.parent.map_or(Span::default(), |parent| self.instances.member(parent, it.position).span)
    }

    pub(super) fn add_machine(&mut self, machine: Drawn) {
        let number = self.machines.drawn.len();
        for (at, state) in machine.states.iter().enumerate() {
            self.machines.numbers.insert(state.instance, (number, at));
            self.machines.of_variable.insert(state.active, (number, at));
        }
        self.machines.drawn.push(machine);
    }

    /// The state around each machine; machines of components come after those of what contains them.
    pub(super) fn find_parents(&mut self) {
        for number in 0..self.machines.drawn.len() {
            self.machines.drawn[number].parent = self.state_around(self.machines.drawn[number].owner);
        }
    }

    /// The state that an instance is, or the nearest one around it.
    pub(super) fn state_around(&self, instance: InstanceId) -> Option<StateNumber> {
        let mut at = Some(instance);
        while let Some(instance) = at {
            if let Some(&number) = self.machines.numbers.get(&instance) {
                return Some(number);
            }
            at = self.instances[instance].parent;
        }
        None
    }

    /// Which states are active at the start: the initial ones, of those that contain them too.
    pub(super) fn start_states(&mut self) {
        let mut begins: Vec<Vec<bool>> = Vec::new();
        for machine in &self.machines.drawn {
            let around = machine.parent.is_none_or(|(machine, state)| begins[machine][state]);
            begins.push((0..machine.states.len()).map(|state| around && state == machine.initial).collect());
        }
        for (machine, begins) in self.machines.drawn.iter().zip(&begins) {
            for (state, &begins) in machine.states.iter().zip(begins) {
                let start = self.model.expressions.boolean(begins);
                let variable = &mut self.model.variables[state.active];
                (variable.start, variable.start_span) = (Some(start), machine.span);
            }
        }
    }

    /// Whether a state is active.
    pub(super) fn active(&mut self, (machine, state): StateNumber) -> ExpressionId {
        let active = self.machines.drawn[machine].states[state].active;
        self.model.expressions.variable(active, 0)
    }

    /// The state whose Boolean a guard is.
    pub(crate) fn state_of_guard(&self, guard: ExpressionId) -> Option<StateNumber> {
        let Node::Variable(variable, 0) = self.model.expressions.node(guard) else { return None };
        self.machines.of_variable.get(&variable).copied()
    }

    /// The modes in which a component exists: its own Boolean if it is a state. `around` are the modes of what contains it,
    /// `guard` those of its declaration.
    pub(crate) fn component_guard(
        &mut self,
        component: InstanceId,
        around: ExpressionId,
        guard: ExpressionId,
    ) -> ExpressionId {
        match self.machines.numbers.get(&component) {
            None => guard,
            Some(&number) => {
                let active = self.active(number);
                if guard == around { active } else { self.model.expressions.and(guard, active) }
            }
        }
    }

    /// `activeState(state)`, `timeInState()` or `ticksInState()`
    pub(crate) fn state_operator(
        &mut self,
        name: &str,
        arguments: &[Expression],
        named: &[(Ident, Expression)],
        span: Span,
        context: &mut Context,
    ) -> Outcome<Term> {
        if context.purpose == Purpose::Evaluate {
            return dynamic(format!("`{name}` is not known at translation"), span);
        }
        match (name, arguments, named) {
            ("activeState", [state], []) => {
                let instance = self.state_instance(state, context)?;
                let Some(&number) = self.machines.numbers.get(&instance) else {
                    let component = self.instances.instance_name(instance);
                    let problem = Diagnostic::error(Code::E0406, format!("`{component}` is no state of a machine"));
                    let help = "a state is named by `initialState` or `transition`";
                    return Err(problem.label(state.span, "").help(help).into());
                };
                Ok(Term::Scalar(Type::Boolean, self.active(number)))
            }
            ("timeInState", [], []) => self.time_in_state(span, context),
            ("ticksInState", [], []) => {
                let problem =
                    Diagnostic::error(Code::E0408, "`ticksInState()` counts ticks of a clock, and there is none here");
                Err(problem.label(span, "").help("use `timeInState()`, the time since the state was entered").into())
            }
            _ => wrong(Code::E0307, format!("`{name}` does not take these arguments"), span),
        }
    }

    fn time_in_state(&mut self, span: Span, context: &Context) -> Outcome<Term> {
        let here = context.state.or(context.scope.instance.and_then(|instance| self.state_around(instance)));
        let Some((machine, state)) = here else {
            let problem = Diagnostic::error(Code::E0408, "`timeInState()` is in no state");
            let help = "it stands in the condition of a `transition`, or in the equations of a state";
            return Err(problem.label(span, "").help(help).into());
        };
        let timer = self.timer((machine, state));
        Ok(Term::Scalar(Type::Real, self.model.expressions.variable(timer, 0)))
    }

    /// The time since a state was entered: it grows with time, and begins with 0 at every entry.
    fn timer(&mut self, (machine, state): StateNumber) -> VariableId {
        if let Some(timer) = self.machines.drawn[machine].states[state].timer {
            return timer;
        }
        let guard = self.active((machine, state));
        let it = &self.machines.drawn[machine].states[state];
        let (instance, span) = (it.instance, it.span);
        let name = format!("timeInState({})", self.instances.instance_name(instance));
        let start = Some(self.model.expressions.real(0.0));
        let fixed = Some(true);
        let unit = Some("s".into());
        let variable =
            Variable { span, start, fixed, unit, ..Variable::new(name, Type::Real, Variability::Continuous, guard) };
        let timer = self.model.variables.push(variable);
        let (left, right) = (self.model.expressions.variable(timer, 1), self.model.expressions.real(1.0));
        let prefix = format!("{}.", self.instances.instance_name(instance));
        let kind = EquationKind::Continuous;
        let name = names::labelled(&prefix, "timeInState", &[], "");
        self.model.equations.push(Equation { name, kind, guard, left, right, span });
        self.machines.drawn[machine].states[state].timer = Some(timer);
        timer
    }
}
