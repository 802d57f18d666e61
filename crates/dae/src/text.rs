//! A whole multimode DAE as text: the guarded equation system that was understood.
//!
//! The form is close to Modelica, so that it can be read as documentation: modes, invariants and parameters first,
//! then variables and equations, grouped by their guards.
//!
//! ```text
//! model TwoEquations
//!   mode p = x >= 1;  // implicit, initially false
//!   Real x(start = 0, fixed = true);
//! equation
//!   e1: 1 = if p then x else der(x);
//! end TwoEquations;
//! ```

use std::fmt;

use crate::{
    DaeText, EquationKind, ExpressionId, InvariantOrigin, ModeVariable, MultimodeDae, Node, ScenarioId, Type,
    Variability, Variable, VariableId, WhenAction, WhenActionKind, WhenClause,
};

impl fmt::Display for MultimodeDae {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Document { dae: self, text: DaeText::complete(self), f }.write()
    }
}

struct Document<'a, 'f> {
    dae: &'a MultimodeDae,
    text: DaeText<'a>,
    f: &'a mut fmt::Formatter<'f>,
}

impl Document<'_, '_> {
    fn write(mut self) -> fmt::Result {
        writeln!(self.f, "model {}", self.dae.model.name)?;
        self.modes()?;
        self.invariants()?;
        self.machines()?;
        self.variables()?;
        self.equations()?;
        self.when_clauses()?;
        self.assertions()?;
        self.initial_equations()?;
        self.experiment()?;
        writeln!(self.f, "end {};", self.dae.model.name)
    }

    fn experiment(&mut self) -> fmt::Result {
        let experiment = &self.dae.model.experiment;
        let settings = [
            ("StartTime", experiment.start),
            ("StopTime", experiment.stop),
            ("Interval", experiment.interval),
            ("Tolerance", experiment.tolerance),
        ];
        let given = settings.iter().filter_map(|(name, value)| value.map(|value| format!("{name} = {value:?}")));
        let list = given.collect::<Vec<_>>().join(", ");
        if list.is_empty() { Ok(()) } else { writeln!(self.f, "  annotation(experiment({list}));") }
    }

    fn modes(&mut self) -> fmt::Result {
        for mode in self.dae.mode_variables.iter() {
            self.mode(mode)?;
        }
        for named in &self.dae.named_formulas {
            writeln!(self.f, "  formula {} = {};", named.name, self.text.definition(named.formula))?;
        }
        Ok(())
    }

    /// Machines as they are drawn.
    fn machines(&mut self) -> fmt::Result {
        for machine in &self.dae.model.machines {
            writeln!(self.f, "  initialState({});", machine.states[machine.initial].name)?;
            for transition in &machine.transitions {
                let [from, to] = [transition.from, transition.to].map(|state| &machine.states[state].name);
                write!(self.f, "  transition({from}, {to}, {}", self.text.expression(transition.condition))?;
                let flags = [
                    ("immediate", transition.immediate, true),
                    ("reset", transition.reset, true),
                    ("synchronize", transition.synchronize, false),
                ];
                for (name, value, _) in flags.iter().filter(|(_, value, usual)| value != usual) {
                    write!(self.f, ", {name} = {value}")?;
                }
                if transition.priority != 1 {
                    write!(self.f, ", priority = {}", transition.priority)?;
                }
                writeln!(self.f, ");")?;
            }
        }
        Ok(())
    }

    fn mode(&mut self, mode: &ModeVariable) -> fmt::Result {
        write!(self.f, "  mode {}", mode.name)?;
        if let (Some(_), Some(definition)) = (mode.variable, mode.definition) {
            write!(self.f, " = {}", self.text.expression(definition))?;
        }
        let mut remarks = Vec::new();
        if mode.definition.is_none() {
            remarks.push("given");
        }
        if mode
            .variable
            .is_some_and(|variable| self.dae.model.variables[variable].variability <= Variability::Parameter)
        {
            remarks.push("parameter");
        }
        if mode.implicit {
            remarks.push("implicit");
        }
        match mode.initial {
            Some(true) => remarks.push("initially true"),
            Some(false) => remarks.push("initially false"),
            None => {}
        }
        let comment = if remarks.is_empty() { String::new() } else { format!("  // {}", remarks.join(", ")) };
        writeln!(self.f, ";{comment}")
    }

    fn invariants(&mut self) -> fmt::Result {
        for invariant in &self.dae.model.invariants {
            write!(self.f, "  invariant ")?;
            if !self.is_true(invariant.guard) {
                write!(self.f, "not ({}) or ", self.text.expression(invariant.guard))?;
            }
            let origin = match invariant.origin {
                InvariantOrigin::Declared => "",
                InvariantOrigin::Assertion(_) => "  // asserted",
                InvariantOrigin::Relations => "  // between relations",
                InvariantOrigin::Definition => "  // by definition",
            };
            writeln!(self.f, "{};{origin}", self.text.expression(invariant.condition))?;
        }
        Ok(())
    }

    /// Parameters and variables, but for Booleans that are modes: those have been shown.
    fn variables(&mut self) -> fmt::Result {
        let modes = self.dae.mode_variables.iter().filter_map(|mode| mode.variable);
        let named = self.dae.named_formulas.iter().map(|named| named.variable);
        let shown: rustc_hash::FxHashSet<VariableId> = modes.chain(named).collect();
        let ids = self.dae.model.variables.ids().filter(|id| !shown.contains(id)).collect::<Vec<_>>();
        self.grouped(&ids, |model, id| model.variables[id].guard, Self::variable)
    }

    fn variable(&mut self, id: VariableId) -> fmt::Result {
        let variable = &self.dae.model.variables[id];
        let prefix = match variable.variability {
            _ if variable.input => "input ",
            _ if variable.output => "output ",
            Variability::Constant => "constant ",
            Variability::Parameter => "parameter ",
            Variability::Discrete if variable.ty == Type::Real => "discrete ",
            Variability::Discrete | Variability::Continuous => "",
        };
        let ty = match variable.ty {
            Type::Real => "Real",
            Type::Integer => "Integer",
            Type::Boolean => "Boolean",
            Type::String => "String",
            Type::Enumeration(enumeration) => &self.dae.model.enumerations[enumeration].name,
        };
        write!(self.f, "{prefix}{ty} {}{}", variable.name, self.attributes(variable))?;
        if let Some(binding) = variable.binding {
            write!(self.f, " = {}", self.text.expression(binding))?;
        }
        if let Some(description) = &variable.description {
            write!(self.f, " \"{description}\"")?;
        }
        writeln!(self.f, ";{}", if variable.evaluated { "  // evaluated" } else { "" })
    }

    fn attributes(&self, variable: &Variable) -> String {
        let mut list = Vec::new();
        let values =
            [("start", variable.start), ("min", variable.min), ("max", variable.max), ("nominal", variable.nominal)];
        for (name, value) in values {
            list.extend(value.map(|value| format!("{name} = {}", self.text.expression(value))));
            if name == "start" {
                list.extend(variable.fixed.map(|fixed| format!("fixed = {fixed}")));
            }
        }
        list.extend(variable.unit.as_ref().map(|unit| format!("unit = \"{unit}\"")));
        if list.is_empty() { String::new() } else { format!("({})", list.join(", ")) }
    }

    /// Equations, but for definitions of modes: those have been shown.
    fn equations(&mut self) -> fmt::Result {
        writeln!(self.f, "equation")?;
        let equations = &self.dae.model.equations;
        let shown = equations.ids().filter(|&id| equations[id].kind != EquationKind::ModeDefinition);
        let ids = shown.collect::<Vec<_>>();
        self.grouped(
            &ids,
            |model, id| model.equations[id].guard,
            |document, id| {
                let equation = &document.dae.model.equations[id];
                let (left, right) = (document.text.expression(equation.left), document.text.expression(equation.right));
                writeln!(document.f, "{}: {left} = {right};", equation.name)
            },
        )
    }

    /// Items in order, those of the same guard together in an `if`, with an `else` where the next guard is the
    /// negation.
    fn grouped<I: Copy>(
        &mut self,
        items: &[I],
        guard: impl Fn(&crate::FlatModel, I) -> ExpressionId,
        write: impl Fn(&mut Self, I) -> fmt::Result,
    ) -> fmt::Result {
        let mut open: Option<ExpressionId> = None;
        let mut may_have_else = false;
        for &item in items {
            let wanted = Some(guard(&self.dae.model, item)).filter(|&guard| !self.is_true(guard));
            if wanted != open {
                match (open, wanted) {
                    (Some(before), Some(now)) if may_have_else && self.is_negation(now, before) => {
                        writeln!(self.f, "  else")?;
                        may_have_else = false;
                    }
                    _ => {
                        if open.is_some() {
                            writeln!(self.f, "  end if;")?;
                        }
                        if let Some(now) = wanted {
                            writeln!(self.f, "  if {} then", self.text.expression(now))?;
                        }
                        may_have_else = true;
                    }
                }
                open = wanted;
            }
            self.f.write_str(if open.is_some() { "    " } else { "  " })?;
            write(self, item)?;
        }
        if open.is_some() {
            writeln!(self.f, "  end if;")?;
        }
        Ok(())
    }

    fn when_clauses(&mut self) -> fmt::Result {
        for clause in &self.dae.model.when_clauses {
            self.when_clause(clause)?;
        }
        Ok(())
    }

    fn when_clause(&mut self, clause: &WhenClause) -> fmt::Result {
        for (position, branch) in clause.branches.iter().enumerate() {
            let word = if position == 0 { "when" } else { "elsewhen" };
            write!(self.f, "  {word} ")?;
            match branch.conditions.as_slice() {
                [condition] => write!(self.f, "{}", self.text.expression(*condition))?,
                conditions => {
                    let list = conditions.iter().map(|&condition| self.text.expression(condition).to_string());
                    write!(self.f, "{{{}}}", list.collect::<Vec<_>>().join(", "))?;
                }
            }
            let guarded = position == 0 && !self.is_true(clause.guard);
            let remark =
                if guarded { format!("  // if {}", self.text.expression(clause.guard)) } else { String::new() };
            writeln!(self.f, " then{remark}")?;
            for action in &branch.actions {
                self.action(action)?;
            }
        }
        writeln!(self.f, "  end when;")
    }

    fn action(&mut self, action: &WhenAction) -> fmt::Result {
        let text = |id| self.text.expression(id);
        let name = |variable: VariableId| &self.dae.model.variables[variable].name;
        let line = match &action.kind {
            WhenActionKind::Assign(variable, value) => format!("{} = {};", name(*variable), text(*value)),
            WhenActionKind::Law(left, right) => format!("{} = {};  // restart law", text(*left), text(*right)),
            WhenActionKind::Reinit(variable, value) => format!("reinit({}, {});", name(*variable), text(*value)),
            WhenActionKind::Assert(assertion) => {
                format!("assert({}, {});", text(assertion.condition), text(assertion.message))
            }
            WhenActionKind::Terminate(message) => format!("terminate({});", text(*message)),
        };
        match self.is_true(action.guard) {
            true => writeln!(self.f, "    {line}"),
            false => writeln!(self.f, "    if {} then {line} end if;", self.text.expression(action.guard)),
        }
    }

    fn assertions(&mut self) -> fmt::Result {
        for assertion in &self.dae.model.assertions {
            let (condition, message) =
                (self.text.expression(assertion.condition), self.text.expression(assertion.message));
            let level = if assertion.is_error { "" } else { ", AssertionLevel.warning" };
            let guard = if self.is_true(assertion.guard) {
                String::new()
            } else {
                format!("  // if {}", self.text.expression(assertion.guard))
            };
            writeln!(self.f, "  assert({condition}, {message}{level});{guard}")?;
        }
        Ok(())
    }

    /// Initial equations that always hold, then those of each scenario.
    fn initial_equations(&mut self) -> fmt::Result {
        let initial = &self.dae.model.initial_equations;
        let of = |scenario: Option<ScenarioId>| (0..initial.len()).filter(move |&at| initial[at].scenario == scenario);
        let always = of(None).collect::<Vec<_>>();
        if !always.is_empty() {
            writeln!(self.f, "initial equation")?;
            self.initial_group(&always)?;
        }
        for (id, scenario) in self.dae.model.scenarios.iter_enumerated() {
            writeln!(self.f, "scenario {} when {}", scenario.name, self.text.expression(scenario.when))?;
            self.initial_group(&of(Some(id)).collect::<Vec<_>>())?;
        }
        Ok(())
    }

    fn initial_group(&mut self, items: &[usize]) -> fmt::Result {
        self.grouped(
            items,
            |model, at| model.initial_equations[at].guard,
            |document, at| {
                let equation = &document.dae.model.initial_equations[at];
                let (left, right) = (document.text.expression(equation.left), document.text.expression(equation.right));
                writeln!(document.f, "{left} = {right};")
            },
        )
    }

    fn is_true(&self, guard: ExpressionId) -> bool {
        self.dae.model.expressions.literal_boolean(guard) == Some(true)
    }

    fn is_negation(&self, a: ExpressionId, b: ExpressionId) -> bool {
        let expressions = &self.dae.model.expressions;
        expressions.node(a) == Node::Not(b) || expressions.node(b) == Node::Not(a)
    }
}
