//! Signals for the inputs of a model, from a table with a column for each.
//!
//! Between two rows a Real is on the straight line through both, and a Boolean or an Integer is what the earlier says; two rows of
//! one time are a jump. Before the first row and behind the last, a signal is what it is there. Jumps and steps are events.
//!
//! The inputs become variables that a table gives, as `Modelica.Blocks.Sources.CombiTimeTable` would: those of Reals by equations, all others
//! where something happens in the table, and at the start.

use std::sync::Arc;

use modeshift_dae::{
    Builtin, Equation, EquationKind, ExpressionId, ExternalObject, FlatModel, Function, FunctionId, Implementation,
    ObjectArgument, RelationOperator, Type, Variability, Variable, VariableId, WhenAction, WhenActionKind, WhenBranch,
    WhenClause,
};
use modeshift_diagnostics::{Span, did_you_mean};
use modeshift_simulate::results::NEXT_OF_INPUTS;

/// Longer tables are a mistake.
const MOST_VALUES: usize = 50_000_000;

/// A table as text, with the name of its file.
#[derive(Clone, Debug)]
pub struct InputTable {
    /// Its name for messages.
    pub name: String,
    /// Comma-separated values: names in the first line, `time` first.
    pub text: String,
}

/// Values over time.
struct Signals {
    times: Vec<f64>,
    columns: Vec<(String, Vec<f64>)>,
}

/// Lets the inputs of a model follow the columns of their names; or says why that cannot be.
pub(crate) fn drive(model: &mut FlatModel, table: &InputTable) -> Result<(), String> {
    let signals = read(&table.text).map_err(|reason| format!("--input {}: {reason}", table.name))?;
    let mut driven: Vec<(VariableId, &[f64])> = Vec::new();
    for (name, values) in &signals.columns {
        let inputs = || model.variables.iter_enumerated().filter(|(_, variable)| variable.input);
        let Some((id, variable)) = inputs().find(|(_, variable)| &*variable.name == name) else {
            let near = did_you_mean(name, inputs().map(|(_, variable)| &*variable.name));
            let near = near.map(|near| format!("; {near}")).unwrap_or_default();
            return Err(format!("--input {}: the model has no input `{name}`{near}", table.name));
        };
        let is_whole = |value: &f64| value.fract() == 0.0;
        let fits = match variable.ty {
            Type::Real => true,
            Type::Boolean => values.iter().all(|value| *value == 0.0 || *value == 1.0),
            Type::Integer | Type::Enumeration(_) => values.iter().all(is_whole),
            Type::String => false,
        };
        if !fits {
            return Err(format!("--input {}: the values of `{name}` do not fit its type", table.name));
        }
        driven.push((id, values));
    }
    let (lines, steps): (Vec<_>, Vec<_>) =
        driven.into_iter().partition(|(id, _)| model.variables[*id].ty == Type::Real);
    for (group, smoothness, name) in
        [(lines, 1.0, NEXT_OF_INPUTS.to_string()), (steps, 3.0, format!("{NEXT_OF_INPUTS}Step"))]
    {
        if !group.is_empty() {
            add_table(model, &signals.times, &group, (smoothness, &name));
        }
    }
    Ok(())
}

/// Adds one table with its events and an equation for each of these inputs.
fn add_table(model: &mut FlatModel, times: &[f64], group: &[(VariableId, &[f64])], (smoothness, name): (f64, &str)) {
    let width = group.len() + 1;
    let row = |at: usize| std::iter::once(times[at]).chain(group.iter().map(move |(_, values)| values[at]));
    let data: Vec<f64> = (0..times.len()).flat_map(row).collect();
    let number = |value: f64| ObjectArgument::Numbers(Vec::new(), vec![value]);
    let columns: Vec<f64> = (2..=width).map(|column| column as f64).collect();
    let none: ObjectArgument = ObjectArgument::Text("NoName".into());
    let (hold, at_jumps) = (number(1.0), number(2.0));
    let arguments = vec![
        none.clone(),
        none,
        ObjectArgument::Numbers(vec![times.len(), width], data),
        number(f64::MIN),
        ObjectArgument::Numbers(vec![columns.len()], columns),
        number(smoothness),
        hold,
        number(0.0),
        at_jumps,
    ];
    let constructor: Arc<str> = "ModelicaStandardTables_CombiTimeTable_init2".into();
    model.objects.push(ExternalObject { constructor, arguments, name: name.into(), span: Span::default() });
    let object = model.objects.len() as i64;
    let value = external(model, "getValue", &["table", "column", "time", "next", "preNext"]);
    let next_event = external(model, "nextTimeEvent", &["table", "time"]);
    let truth = model.expressions.boolean(true);
    let mut variable = Variable::new(name, Type::Real, Variability::Discrete, truth);
    variable.protected = true;
    let next = model.variables.push(variable);
    let expressions = &mut model.expressions;
    let (table, time, next_value) = (expressions.integer(object), expressions.time(), expressions.variable(next, 0));
    let before = expressions.pre(next_value);
    let due = expressions.relation(RelationOperator::GreaterEqual, time, before);
    let initial = expressions.call(Builtin::Initial, &[]);
    let following = expressions.function(next_event, &[table, time]);
    let kind = WhenActionKind::Assign(next, following);
    let mut actions = vec![WhenAction { guard: truth, kind, span: Span::default() }];
    for (at, (input, _)) in group.iter().enumerate() {
        let column = model.expressions.integer(at as i64 + 1);
        let signal = model.expressions.function(value, &[table, column, time, next_value, before]);
        let variable = &mut model.variables[*input];
        variable.input = false;
        if variable.ty == Type::Real {
            add_equation(model, *input, signal, truth);
        } else {
            actions.push(step(model, *input, signal, truth));
        }
    }
    let branch = WhenBranch { conditions: vec![due, initial], actions, span: Span::default() };
    model.when_clauses.push(WhenClause { guard: truth, branches: vec![branch], span: Span::default() });
}

fn add_equation(model: &mut FlatModel, input: VariableId, right: ExpressionId, guard: ExpressionId) {
    let variable = &model.variables[input];
    let (name, span) = (format!("input {}", variable.name).into(), variable.span);
    let left = model.expressions.variable(input, 0);
    model.equations.push(Equation { name, kind: EquationKind::Continuous, guard, left, right, span });
}

/// What a Boolean or an Integer is from an instant of the table on.
fn step(model: &mut FlatModel, input: VariableId, signal: ExpressionId, guard: ExpressionId) -> WhenAction {
    let expressions = &mut model.expressions;
    let value = match model.variables[input].ty {
        Type::Boolean => {
            // As it is at that instant, not as a relation that would change after it.
            let half = expressions.real(0.5);
            let is_on = expressions.relation(RelationOperator::Greater, signal, half);
            expressions.call(Builtin::NoEvent, &[is_on])
        }
        _ => {
            let whole = expressions.call(Builtin::Integer, &[signal]);
            expressions.call(Builtin::NoEvent, &[whole])
        }
    };
    WhenAction { guard, kind: WhenActionKind::Assign(input, value), span: model.variables[input].span }
}

/// A function of the tables.
fn external(model: &mut FlatModel, method: &str, inputs: &[&str]) -> FunctionId {
    let name: Arc<str> = format!("ModelicaStandardTables_CombiTimeTable_{method}").into();
    model.functions.push(Function {
        name: name.clone(),
        inputs: inputs.iter().map(|&name| name.into()).collect(),
        outputs: vec!["value".into()],
        arguments: inputs.len() as u32,
        results: 1,
        differentiable: 0,
        derivative: None,
        implementation: Implementation::External(name),
        span: Span::default(),
    })
}

/// Reads a table; or says in which line what is wrong.
fn read(text: &str) -> Result<Signals, String> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let (_, header) = lines.next().ok_or("the table is empty")?;
    let names = cells(header);
    if names.first().map(String::as_str) != Some("time") {
        return Err("line 1: the first column is `time`".to_string());
    }
    let mut signals = Signals { times: Vec::new(), columns: Vec::new() };
    for name in &names[1..] {
        if name.is_empty() || signals.columns.iter().any(|(known, _)| known == name) {
            return Err(format!("line 1: a column is named `{name}`, which is no name or another's"));
        }
        signals.columns.push((name.clone(), Vec::new()));
    }
    for (at, line) in lines {
        let row = cells(line);
        let number = at + 1;
        if row.len() != names.len() {
            return Err(format!("line {number}: {} values for {} columns", row.len(), names.len()));
        }
        let values: Vec<f64> = row
            .iter()
            .map(|cell| value(cell).ok_or_else(|| format!("line {number}: `{cell}` is not a number")))
            .collect::<Result<_, _>>()?;
        if signals.times.last().is_some_and(|last| *last > values[0]) {
            return Err(format!("line {number}: time goes back"));
        }
        signals.times.push(values[0]);
        signals.columns.iter_mut().zip(&values[1..]).for_each(|((_, column), value)| column.push(*value));
        if signals.times.len().saturating_mul(names.len()) > MOST_VALUES {
            return Err(format!("more than {MOST_VALUES} values"));
        }
    }
    match signals.times.is_empty() {
        true => Err("the table has no rows".to_string()),
        false => Ok(signals),
    }
}

/// The cells of a line, without their quotes.
fn cells(line: &str) -> Vec<String> {
    let (mut cells, mut is_quoted) = (vec![String::new()], false);
    let mut characters = line.trim_end_matches('\r').chars().peekable();
    while let Some(character) = characters.next() {
        let last = cells.last_mut().expect("there is always one");
        match character {
            '"' if is_quoted && characters.peek() == Some(&'"') => {
                characters.next();
                last.push('"');
            }
            '"' => is_quoted = !is_quoted,
            ',' if !is_quoted => cells.push(String::new()),
            other => last.push(other),
        }
    }
    cells.iter().map(|cell| cell.trim().to_string()).collect()
}

fn value(cell: &str) -> Option<f64> {
    match cell {
        "true" => Some(1.0),
        "false" => Some(0.0),
        number => number.parse().ok().filter(|it: &f64| it.is_finite()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wrong_with_a_table_is_said_with_its_line() {
        let wrong = |text: &str| read(text).err().unwrap_or_default();
        assert_eq!(wrong(""), "the table is empty");
        assert_eq!(wrong("u\n1"), "line 1: the first column is `time`");
        assert_eq!(wrong("time,u\n"), "the table has no rows");
        assert_eq!(wrong("time,u\n0,1\n1"), "line 3: 1 values for 2 columns");
        assert_eq!(wrong("time,u\n0,1\n1,inf"), "line 3: `inf` is not a number");
        assert_eq!(wrong("time,u\n1,1\n0,1"), "line 3: time goes back");
        assert_eq!(wrong("time,u,u\n0,1,1"), "line 1: a column is named `u`, which is no name or another's");
        let signals = read("time,\"a,b\",on\r\n0,1,true\r\n").expect("a table");
        assert_eq!(signals.columns, [("a,b".to_string(), vec![1.0]), ("on".to_string(), vec![1.0])]);
    }
}
