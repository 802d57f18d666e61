//! A cluster of elements from text: common equations, and for each state of each element its own.

use modeshift_dae::Derivative;
use modeshift_structure::one_mode::{Column, Row};

use std::collections::BTreeMap;

use crate::next_mode::{Cluster, ElementPair, StateCondition, States, StepResponse, lemke};
use crate::one_change::{Noise, Past, Restart, StepSystem, restart};
use crate::one_mode::Affine;
use crate::suite::support::linear::{LinearEquation, LinearSystem, Term};

use super::model::Mode;

/// A state of an element: its equations, and conditions `expression >= 0` with the state that a violation leads to.
#[derive(Clone)]
pub struct State {
    pub equations: String,
    pub conditions: Vec<(String, u32)>,
}

/// An element that is a guard: in state 1 the first equation holds and the first expression is not negative.
pub fn guard(on: (&str, &str), off: (&str, &str)) -> Vec<State> {
    let state = |(equation, condition): (&str, &str), otherwise| State {
        equations: equation.to_string(),
        conditions: vec![(condition.to_string(), otherwise)],
    };
    vec![state(off, 1), state(on, 0)]
}

pub struct TextCluster {
    common: String,
    elements: Vec<Vec<State>>,
    counts: Vec<u32>,
    current: States,
    /// Left limits in the current mode: leading order and values.
    left: BTreeMap<String, (u32, Vec<f64>)>,
    time: f64,
    pub fired: Vec<usize>,
    pub noise: Noise,
    pub evaluations: usize,
}

impl TextCluster {
    /// A cluster in the mode `current`, reached with this memory (which may be inconsistent with it).
    pub fn new(common: &str, elements: Vec<Vec<State>>, current: &[u32], time: f64, memory: &[(&str, &[f64])]) -> Self {
        let mut cluster = TextCluster {
            common: common.to_string(),
            counts: elements.iter().map(|states| states.len() as u32).collect(),
            elements,
            current: current.to_vec(),
            left: memory
                .iter()
                .map(|(name, values)| (name.to_string(), (values.len() as u32, values.to_vec())))
                .collect(),
            time,
            fired: Vec::new(),
            noise: Noise::default(),
            evaluations: 0,
        };
        let (mode, result) = cluster.restarted(&current.to_vec(), true).expect("the current mode is regular");
        let jets = mode.names().map(|(name, column)| {
            let leading = mode.structure.variable_offset(column);
            (name.to_string(), (leading, result.right.derivatives(column).to_vec()))
        });
        cluster.left = jets.collect();
        cluster
    }

    /// Left limits as they are, without a restart in the current mode.
    pub fn with_left_limits(mut self, memory: &[(&str, &[f64])]) -> Self {
        for (name, values) in memory {
            self.left.insert(name.to_string(), (values.len() as u32, values.to_vec()));
        }
        self
    }

    fn text(&self, states: &States) -> String {
        let mut text = self.common.clone();
        for (element, &state) in states.iter().enumerate() {
            let State { equations, conditions } = &self.elements[element][state as usize];
            text += &format!("\n{equations}");
            for (k, (condition, _)) in conditions.iter().enumerate() {
                text += &format!("\nguard{element}_{k}: guard{element}_{k} = {condition}");
            }
        }
        text
    }

    pub fn restarted(&self, states: &States, all_new: bool) -> Result<(Mode, Restart), String> {
        let text = self.text(states);
        let mode = Mode::regular(&text).ok_or_else(|| "structurally singular".to_string())?;
        let past = self.past(&mode, &text, all_new);
        let mut result = restart(&mode.structure, &mode.equations(), &past, &self.noise);
        if !result.notes.is_empty() {
            return Err(format!("{:?}", result.notes));
        }
        let all: Vec<Column> = mode.structure.columns().collect();
        let extended = result.right.extend_towards(&all, 4, &mode.structure, &mode.equations());
        extended.map_err(|failure| format!("{failure:?}"))?;
        Ok((mode, result))
    }

    fn past(&self, mode: &Mode, text: &str, all_new: bool) -> Past {
        let lines = |text: &str| text.lines().map(|line| line.trim().to_string()).collect::<Vec<_>>();
        let before = lines(&self.text(&self.current));
        let new: Vec<String> = lines(text)
            .into_iter()
            .filter(|line| !line.is_empty() && (all_new || !before.contains(line)))
            .map(|line| line.split(':').next().expect("a name").trim().to_string())
            .collect();
        let known: Vec<(&str, u32, &[f64])> = self
            .left
            .iter()
            .filter(|(name, _)| mode.names().any(|(other, _)| other == name.as_str()))
            .map(|(name, (order, values))| (name.as_str(), *order, values.as_slice()))
            .collect();
        let mut past = mode.past(&known, &new.iter().map(String::as_str).collect::<Vec<_>>());
        past.jet.time = self.time;
        past
    }
}

impl TextCluster {
    /// What Lemke's method makes of one step of the current mode, if all elements are diodes: equations `z: u = 0`
    /// where they conduct and `z: d = 0` where they block, with guards `d` and `-u`.
    pub fn diodes_by_lemke(&self, diodes: &[(&str, &str, &str)], step: f64) -> Option<States> {
        let text = self.text(&self.current);
        let mode = Mode::regular(&text)?;
        let past = self.past(&mode, &text, false);
        let element = |(k, &(_, current, voltage)): (usize, &(&str, &str, &str))| {
            let conducts = self.current[k] == 1;
            let free = mode.column(if conducts { current } else { voltage });
            let coefficient = if conducts { 1.0 } else { -1.0 };
            ElementPair {
                imposed_sign: if conducts { -1.0 } else { 1.0 },
                free: Affine { terms: BTreeMap::from([(Derivative::new(free, 0), coefficient)]), constant: 0.0 },
                states: (self.current[k], 1 - self.current[k]),
            }
        };
        let elements: Vec<ElementPair> = diodes.iter().enumerate().map(element).collect();
        let rows: Vec<Row> = diodes.iter().map(|&(row, ..)| mode.row(row)).collect();
        let system = StepSystem::new(&mode.structure, &mode.equations(), &past.jet, &past.jet);
        let problem = StepResponse::new(system, step, &rows)?.complementarity(&elements);
        let solution = lemke(&problem.constant, &problem.matrix)?;
        let state = |(&z, &(free, imposed)): (&f64, &(u32, u32))| if z > 0.0 { imposed } else { free };
        Some(solution.z.iter().zip(&problem.states).map(state).collect())
    }
}

impl Cluster for TextCluster {
    fn states(&self) -> &[u32] {
        &self.counts
    }

    fn conditions(&mut self, states: &States) -> Result<Vec<StateCondition>, String> {
        self.evaluations += 1;
        let (mode, result) = self.restarted(states, false)?;
        let past = self.past(&mode, &self.text(states), false);
        let mut conditions = Vec::new();
        for (element, &state) in states.iter().enumerate() {
            for (k, &(_, otherwise)) in self.elements[element][state as usize].conditions.iter().enumerate() {
                let column = mode.column(&format!("guard{element}_{k}"));
                let term = Term { column, order: 0, coefficient: 1.0 };
                let guard = LinearSystem {
                    equations: [LinearEquation { terms: vec![term], input: Vec::new() }].into_iter().collect(),
                };
                let highest = mode.structure.variable_offset(column) + 4;
                let mut series = result.guard_series(&past, &guard, Row(0), highest);
                // Of the conditions of a state, the one at zero fired: in the mode being left it is zero by definition.
                if *states == self.current && self.fired.contains(&element) && series.derivatives[0].abs() < 1e-4 {
                    series.derivatives[0] = 0.0;
                }
                let sign = series.sign(&self.noise);
                conditions.push(StateCondition { element, sign, otherwise });
            }
        }
        Ok(conditions)
    }

    fn signature(&mut self, states: &States) -> Vec<f64> {
        let (mode, result) = self.restarted(states, false).expect("an accepted mode is regular");
        let states = self.left.keys().filter(|name| mode.names().any(|(other, _)| other == name.as_str()));
        let states = states.filter(|name| self.left[*name].0 > 0 && !name.starts_with("guard"));
        states
            .flat_map(|name| (0..2).map(|order| result.right.get(mode.column(name), order)).collect::<Vec<_>>())
            .collect()
    }
}
