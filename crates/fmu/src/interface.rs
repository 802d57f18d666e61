//! The variables that others see, each with its number: time, parameters, constants, all variables of results, and for each continuous
//! one the weight of the impulse that it last had, and how many events there were. For model exchange, derivatives of states and event
//! indicators come after all others.

use modeshift_driver::loaded::{ExchangeShape, Loaded, Type};

/// What a number stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shown {
    /// Time.
    Time,
    /// A parameter that can be set, by its name.
    Parameter(String),
    /// Something that never changes.
    Constant,
    /// A variable of results, by its name.
    Variable(String),
    /// The area of the Dirac impulse of a variable at the last event.
    Impulse(String),
    /// How many events there were.
    Events,
    /// A state that is no variable of results, by its number.
    State(usize),
    /// The derivative of the state of this number.
    Rate(usize),
    /// The event indicator of this number.
    Indicator(usize),
}

/// The type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum SlotKind {
    Real,
    Integer,
    Boolean,
}

/// Who determines it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Causality {
    Independent,
    Parameter,
    CalculatedParameter,
    Input,
    Output,
    Local,
}

/// How it changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Variability {
    Constant,
    Fixed,
    Discrete,
    Continuous,
}

/// One variable; its number is its place in the list.
#[derive(Clone, Debug, PartialEq)]
pub struct Slot {
    /// Its name.
    pub name: String,
    /// What it stands for.
    pub shown: Shown,
    /// Its type.
    pub kind: SlotKind,
    /// Who determines it.
    pub causality: Causality,
    /// How it changes.
    pub variability: Variability,
    /// Where it starts, of what can be set and of constants.
    pub start: Option<f64>,
    /// The unit, where declared.
    pub unit: Option<String>,
    /// The description, where declared.
    pub description: Option<String>,
    /// What it is the derivative of, by its number.
    pub derivative: Option<usize>,
    /// The type in the model.
    pub ty: Type,
    /// How many literals its type has, where that is an enumeration: its values count from 1.
    pub literals: Option<usize>,
}

fn kind(ty: Type) -> SlotKind {
    match ty {
        Type::Boolean => SlotKind::Boolean,
        Type::Integer | Type::Enumeration(_) => SlotKind::Integer,
        Type::Real | Type::String => SlotKind::Real,
    }
}

/// All variables of a model, in the order of their numbers; with what model exchange has besides.
pub fn interface(loaded: &Loaded, exchange: Option<&ExchangeShape>) -> Vec<Slot> {
    let mut slots = vec![Slot {
        name: "time".to_string(),
        shown: Shown::Time,
        kind: SlotKind::Real,
        causality: Causality::Independent,
        variability: Variability::Continuous,
        start: None,
        unit: Some("s".to_string()),
        description: Some("Simulation time".to_string()),
        derivative: None,
        ty: Type::Real,
        literals: None,
    }];
    for it in loaded.parameters() {
        let (shown, causality, variability) = match it.value {
            Some(_) if it.is_constant => (Shown::Constant, Causality::Local, Variability::Constant),
            // What importers set without being asked to would not follow any more.
            Some(_) if it.is_dependent => {
                (Shown::Parameter(it.name.clone()), Causality::CalculatedParameter, Variability::Fixed)
            }
            Some(_) => (Shown::Parameter(it.name.clone()), Causality::Parameter, Variability::Fixed),
            None => continue,
        };
        let (name, kind, start) = (it.name, kind(it.ty), it.value);
        slots.push(Slot {
            name,
            shown,
            kind,
            causality,
            variability,
            start,
            unit: it.unit,
            description: it.description,
            derivative: None,
            ty: it.ty,
            literals: it.literals,
        });
    }
    let variables = loaded.variables();
    for it in &variables {
        let causality = match (it.is_input, it.is_output) {
            (true, _) => Causality::Input,
            (false, true) => Causality::Output,
            (false, false) => Causality::Local,
        };
        let is_continuous = !it.is_discrete && kind(it.ty) == SlotKind::Real;
        slots.push(Slot {
            name: it.name.clone(),
            shown: Shown::Variable(it.name.clone()),
            kind: kind(it.ty),
            causality,
            variability: if is_continuous { Variability::Continuous } else { Variability::Discrete },
            start: it.is_input.then(|| it.start.unwrap_or(least(it.ty))),
            unit: it.unit.clone(),
            description: it.description.clone(),
            derivative: None,
            ty: it.ty,
            literals: it.literals,
        });
    }
    let continuous = variables.iter().filter(|it| !it.is_discrete && !it.is_input && kind(it.ty) == SlotKind::Real);
    slots.extend(continuous.map(|it| Slot {
        name: format!("impulse({})", it.name),
        shown: Shown::Impulse(it.name.clone()),
        kind: SlotKind::Real,
        causality: if it.is_output { Causality::Output } else { Causality::Local },
        variability: Variability::Discrete,
        start: None,
        unit: None,
        description: Some(format!("Area of the impulse of {} at the last event", it.name)),
        derivative: None,
        ty: Type::Real,
        literals: None,
    }));
    slots.push(Slot {
        name: "events()".to_string(),
        shown: Shown::Events,
        kind: SlotKind::Integer,
        causality: Causality::Output,
        variability: Variability::Discrete,
        start: None,
        unit: None,
        description: Some("Number of events, mode changes among them".to_string()),
        derivative: None,
        ty: Type::Integer,
        literals: None,
    });
    if let Some(shape) = exchange {
        add_exchange(shape, &mut slots);
    }
    slots
}

/// Adds what model exchange has besides: states, their derivatives, and indicators, which come last.
fn add_exchange(shape: &ExchangeShape, slots: &mut Vec<Slot>) {
    let local = |name: String, shown: Shown, derivative: Option<usize>| Slot {
        name,
        shown,
        kind: SlotKind::Real,
        causality: Causality::Local,
        variability: Variability::Continuous,
        start: None,
        unit: None,
        description: None,
        derivative,
        ty: Type::Real,
        literals: None,
    };
    for (number, state) in shape.states.iter().enumerate() {
        // The lower derivative of a state comes right before it, and its rate is the state.
        let of = match state.order {
            0 => slots.iter().position(|slot| slot.shown == Shown::Variable(state.variable.clone())),
            _ => Some(slots.len() - 1),
        };
        let of = of.unwrap_or_else(|| {
            slots.push(local(state.variable.clone(), Shown::State(number), None));
            slots.len() - 1
        });
        let name = format!("der({})", slots[of].name);
        slots.push(local(name, Shown::Rate(number), Some(of)));
    }
    slots.extend((0..shape.indicators).map(|at| local(format!("indicator[{}]", at + 1), Shown::Indicator(at), None)));
}

/// Where an input begins of which nothing is said.
fn least(ty: Type) -> f64 {
    if matches!(ty, Type::Enumeration(_)) { 1.0 } else { 0.0 }
}
