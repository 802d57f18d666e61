//! The multimode system of difference-algebraic equations (mdAE) whose meaning is defined here: RR8933 Definition 2.
//!
//! A derivative is a difference quotient, `x' = (x• - x)/∂` (17), so an equation with `x''` contains `x`, `x•` and `x•2`.
//! An equation that has another body in other modes, `0 = if g then w1 - w2 else f1`, is as many guarded equations as it
//! has bodies, all with its name: one instant knows at most one of them.
//!
//! Where the model is read off a [`MultimodeDae`](modeshift_dae::MultimodeDae): `reading`.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use modeshift_dae::{EquationId, ExpressionId, Expressions, IndexVec, Mode, Node, VariableId};

use crate::bipartite::Bipartite;
use crate::combined::CombinedEquation;
use crate::domain::{Body, Guard, Shifted, Unknown};
use crate::modes::Modes;

/// A multimode system of differences.
#[derive(Clone, Debug)]
pub struct DifferenceSystem {
    /// The class.
    pub name: Arc<str>,
    /// The variables.
    pub unknowns: IndexVec<Unknown, UnknownVariable>,
    /// The guards.
    pub guards: IndexVec<Guard, GuardPredicate>,
    /// The valuations of the guards that the model allows, in order.
    pub modes: Vec<Mode>,
    /// All valuations, also those that assertions exclude: an equation is enabled when its guards say so, not when an
    /// assertion lets nothing else be.
    pub valuations: Vec<Mode>,
    /// The guarded equations, and behind them the laws of `when` clauses.
    pub bodies: IndexVec<Body, GuardedEquation>,
    /// The branches of `when` clauses with laws, or with nothing in them.
    pub clauses: Vec<Clause>,
    /// Equations among them that stand in the place of others.
    pub combinations: Vec<CombinedEquation>,
    /// The arena of the sides of equations, with what modes leave of them.
    pub expressions: Expressions,
    /// By variable of the model, the variable here.
    pub unknown_of: BTreeMap<VariableId, Unknown>,
    /// The variables that no equation of any mode contains: they are relevant all the same, and nothing gives them a value. One
    /// that equations of some modes contain is irrelevant in the others, as in the paper.
    pub unmentioned: Vec<Unknown>,
    /// Variables of the model that may jump while a mode lasts: inputs and what is discrete.
    pub jumping: BTreeSet<VariableId>,
    /// The names of such branches whose conditions are no guards of the model: their instants are not among the runs.
    pub unseen: Vec<String>,
    /// Laws with the variables in them that are no states and do not follow from states: of these the values of the instant
    /// are taken, and not right limits.
    pub reads_open: Vec<String>,
    /// Branches that set discrete variables which equations read, with these: a value jumps, which no run knows.
    pub sets: Vec<String>,
}

/// A variable.
#[derive(Clone, Debug)]
pub struct UnknownVariable {
    /// Its name.
    pub name: Arc<str>,
    /// The variable of the model.
    pub variable: VariableId,
}

/// A guard.
#[derive(Clone, Debug)]
pub struct GuardPredicate {
    /// Its name.
    pub name: Arc<str>,
    /// The variables that it reads at the current instant: `ρ(γ)`. Left limits are known when an instant begins.
    pub reads: Vec<Unknown>,
    /// The two sides of each relation in its definition, where that is made of relations alone: where the guard changes, one
    /// of these is an equality, unless its sides jump.
    pub boundaries: Option<Vec<[ExpressionId; 2]>>,
}

/// `if γ do f = 0`
#[derive(Clone, Debug)]
pub struct GuardedEquation {
    /// The name of the equation.
    pub name: Arc<str>,
    /// The equation of the model; nothing for a law.
    pub equation: Option<EquationId>,
    /// What the modes that enable it leave of its two sides; nothing where only the incidence is known.
    pub sides: Option<[ExpressionId; 2]>,
    /// The modes that enable it.
    pub modes: Modes,
    /// The valuations that enable it, allowed or not.
    pub valuations: Modes,
    /// Guards with a given value that have to be evaluated first, where there are too many for valuations of them all.
    pub waits_for: Vec<Guard>,
    /// The variables that appear in `f`: `ρ(e)`.
    pub incidence: Vec<Incidence>,
    /// Where it is a law: the clause it belongs to. It is enabled only in an instant in which the clause fires.
    pub clause: Option<usize>,
    /// Where it is a `reinit`: the state that it assigns, the first of its incidence. It is solved for nothing else.
    pub assigns: Option<Unknown>,
}

/// A variable in a body, at all instants from the lowest shift to the highest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Incidence {
    /// The variable.
    pub unknown: Unknown,
    /// 0, but for laws, which speak of right limits.
    pub lowest: u32,
    /// The order of its highest derivative, with the shift of a law.
    pub highest: u32,
}

/// A branch of a `when` clause that makes an instant of its own (E22 §8.4).
#[derive(Clone, Debug)]
pub struct Clause {
    /// `when g`
    pub name: String,
    /// Which `when` of the model: of the branches of one, the first that may fire does.
    pub of: usize,
    /// By condition, its text.
    pub condition_names: Vec<String>,
    /// By condition, the modes in which it holds: the branch fires where one of them becomes true.
    pub conditions: Vec<Modes>,
    /// The modes that it declares to be transient: those of conditions that what happens in the model may make false.
    pub transient: Modes,
    /// Whether there is nothing in it: it declares that what holds in its instant holds for this instant only.
    pub is_bare: bool,
}

impl Clause {
    /// By condition, whether it holds in a mode.
    pub fn held_in(&self, mode: usize) -> Vec<bool> {
        self.conditions.iter().map(|condition| condition.has(mode)).collect()
    }
}

impl GuardedEquation {
    /// Where a `reinit` puts its value: the state an instant later.
    pub fn target(&self) -> Option<Shifted<Unknown>> {
        let assigned = self.assigns?;
        let entry = self.incidence.iter().find(|entry| entry.unknown == assigned)?;
        Some(Shifted::new(assigned, entry.lowest))
    }
}

impl DifferenceSystem {
    /// The same without `when` clauses: what equations alone would do.
    #[must_use]
    pub fn without_clauses(&self) -> DifferenceSystem {
        let mut system = self.clone();
        system.clauses.clear();
        for law in system.bodies.iter_mut().filter(|body| body.clause.is_some()) {
            law.modes = Modes::none(self.modes.len());
            law.valuations = Modes::none(self.valuations.len());
        }
        system
    }

    /// `ρ(e•m)`: the variables of an equation so many instants later.
    pub fn variables_of(&self, equation: Shifted<Body>) -> impl Iterator<Item = Shifted<Unknown>> + '_ {
        self.bodies[equation.of].incidence.iter().flat_map(move |entry| {
            let shifts = entry.lowest + equation.shift..=entry.highest + equation.shift;
            shifts.map(|shift| Shifted::new(entry.unknown, shift))
        })
    }

    /// The variables that a `reinit` evaluates.
    pub fn read_by(&self, assignment: Body) -> impl Iterator<Item = Shifted<Unknown>> + '_ {
        let entries = self.bodies[assignment].incidence.iter().skip(1);
        entries.flat_map(|entry| (entry.lowest..=entry.highest).map(|shift| Shifted::new(entry.unknown, shift)))
    }

    /// Whether a derivative of a variable is written.
    pub fn is_state(&self, unknown: Unknown) -> bool {
        let mut equations = self.bodies.iter().filter(|body| body.clause.is_none());
        equations.any(|body| body.incidence.iter().any(|entry| entry.unknown == unknown && entry.highest > 0))
    }

    /// The equations that give the variables of a law that are no states, from states alone; nothing where there are none such.
    pub fn algebra_behind(&self, mode: usize, law: Body) -> Option<Vec<Body>> {
        let read = self.bodies[law].incidence.iter().map(|entry| entry.unknown).filter(|&it| !self.is_state(it));
        let read: Vec<Unknown> = read.collect();
        if read.is_empty() || self.bodies[law].assigns.is_some() {
            return Some(Vec::new());
        }
        let is_algebraic = |body: &Body| self.bodies[*body].incidence.iter().all(|entry| entry.highest == 0);
        let bodies: Vec<Body> = self.equations_in(mode).filter(is_algebraic).collect();
        let open_in = |body: &Body| {
            let entries = self.bodies[*body].incidence.iter().map(|entry| entry.unknown);
            entries.filter(|&it| !self.is_state(it)).collect::<Vec<_>>()
        };
        let columns: BTreeSet<Unknown> = bodies.iter().flat_map(open_in).collect();
        let columns: Vec<Unknown> = columns.into_iter().collect();
        let place = |it: &Unknown| columns.binary_search(it).ok();
        let row = |body: &Body| open_in(body).iter().filter_map(place).collect();
        let graph = Bipartite { rows: bodies.iter().map(row).collect(), columns: columns.len() };
        let wanted: Option<Vec<usize>> = read.iter().map(place).collect();
        let rows = graph.rows_that_determine(wanted?)?;
        Some(rows.into_iter().map(|row| bodies[row]).collect())
    }

    /// Whether a law reads left limits, which are no variables of its instant.
    pub(crate) fn reads_left_limits(&self, body: Body) -> bool {
        let GuardedEquation { clause, sides, .. } = &self.bodies[body];
        let has_past = |side: &ExpressionId| self.expressions.contains(*side, |node| matches!(node, Node::Pre(_)));
        clause.is_some() && sides.iter().flatten().any(has_past)
    }

    /// Laws speak of right limits also of what is no state, where that follows from states.
    pub(crate) fn shift_what_laws_read(&mut self) {
        let laws: Vec<Body> = self.bodies.ids().filter(|&it| self.bodies[it].clause.is_some()).collect();
        for law in laws {
            let modes = self.bodies[law].modes.clone();
            let is_given = modes.iter().all(|mode| self.algebra_behind(mode, law).is_some());
            let is_open = |entry: &Incidence| !self.is_state(entry.unknown);
            let open: Vec<Unknown> =
                self.bodies[law].incidence.iter().filter(|it| is_open(it)).map(|it| it.unknown).collect();
            if self.bodies[law].assigns.is_some() || open.is_empty() {
                continue;
            }
            if !is_given {
                let names: Vec<&str> = open.iter().map(|&it| &*self.unknowns[it].name).collect();
                self.reads_open.push(format!("{} reads {}", self.bodies[law].name, names.join(", ")));
                continue;
            }
            for entry in self.bodies[law].incidence.iter_mut().filter(|entry| open.contains(&entry.unknown)) {
                (entry.lowest, entry.highest) = (1, 1);
            }
        }
    }

    /// The equations that hold in a mode, laws left out.
    pub fn equations_in(&self, mode: usize) -> impl Iterator<Item = Body> + '_ {
        let holds = move |(_, body): &(Body, &GuardedEquation)| body.clause.is_none() && body.modes.has(mode);
        self.bodies.iter_enumerated().filter(holds).map(|(id, _)| id)
    }

    /// The modes in which a guard is true, or false.
    pub fn modes_with(&self, guard: Guard, value: bool) -> Modes {
        let id = modeshift_dae::ModeVariableId(guard.0);
        Modes::of(self.modes.len(), |mode| self.modes[mode].get(id) == value)
    }

    /// The same among all valuations.
    pub fn valuations_with(&self, guard: Guard, value: bool) -> Modes {
        let id = modeshift_dae::ModeVariableId(guard.0);
        Modes::of(self.valuations.len(), |valuation| self.valuations[valuation].get(id) == value)
    }

    /// The modes that last for an instant only.
    pub fn is_transient(&self, mode: usize) -> bool {
        self.clauses.iter().any(|clause| clause.transient.has(mode))
    }

    /// The greatest order of a derivative that is written.
    pub fn highest_order(&self) -> u32 {
        self.bodies.iter().flat_map(|body| &body.incidence).map(|entry| entry.highest).max().unwrap_or(0)
    }

    /// `e3•`
    pub fn equation_name(&self, equation: Shifted<Body>) -> String {
        equation.named(&self.bodies[equation.of].name).to_string()
    }

    /// `x•2`
    pub fn variable_name(&self, variable: Shifted<Unknown>) -> String {
        variable.named(&self.unknowns[variable.of].name).to_string()
    }

    /// `not g`: the values of the guards that some modes have in common; nothing where that is none.
    pub fn common_values(&self, modes: &Modes) -> Option<String> {
        let first = modes.first()?;
        let is_common = |&(guard, value): &(modeshift_dae::ModeVariableId, bool)| {
            modes.iter().all(|mode| self.modes[mode].get(guard) == value)
        };
        let common = self.modes[first].iter().filter(is_common);
        let literals: Vec<String> =
            common.map(|(id, value)| literal_text(&self.guards[Guard(id.0)].name, value)).collect();
        (!literals.is_empty()).then(|| literals.join(", "))
    }

    /// `not g, h`: the values of all guards.
    pub fn mode_name(&self, mode: usize) -> String {
        let literal = |(guard, value): (modeshift_dae::ModeVariableId, bool)| {
            literal_text(&self.guards[Guard(guard.0)].name, value)
        };
        let literals: Vec<String> = self.modes[mode].iter().map(literal).collect();
        if literals.is_empty() { "the only mode".to_string() } else { literals.join(", ") }
    }
}

/// `g`, `not g`, `not (x > 1)`
pub fn literal_text(name: &str, value: bool) -> String {
    match value {
        true => name.to_string(),
        false if name.contains(' ') => format!("not ({name})"),
        false => format!("not {name}"),
    }
}
