//! Changes of modes that the definitions of the mode variables allow.
//!
//! A definition such as `broken = v >= Vmax or pre(broken)` says which changes never happen, whatever the values of the
//! relations in it: here, that what is broken becomes whole. The definitions are evaluated over `pre(b)` and `b` with
//! everything else unknown.

use std::convert::Infallible;

use modeshift_dae::{ExpressionId, Expressions, Fold, Memo, ModeVariableId, MultimodeDae, Node, Operands, VariableId};
use modeshift_mode_changes::{Moment, PairSpace};
use modeshift_modes::{Invariant, ModeSet, ModeVariable};
use rustc_hash::FxHashMap;

/// The pairs in which a condition may be true, and those in which it may be false.
#[derive(Clone, Copy)]
struct Possible {
    yes: ModeSet,
    no: ModeSet,
}

const UNKNOWN: Possible = Possible { yes: ModeSet::ALL, no: ModeSet::ALL };

/// The changes that invariant and definitions allow, kept in independent parts: all of them at once would be a large set.
pub(crate) fn feasible_changes(dae: &MultimodeDae, pairs: &PairSpace) -> Invariant {
    let booleans = dae.mode_variables.iter_enumerated().filter_map(|(mode, it)| Some((it.variable?, mode)));
    let mut reading = Reading { expressions: &dae.model.expressions, pairs, mode_of: booleans.collect() };
    let mut known = Memo::new();
    let mut allowed: Vec<ModeSet> = pairs.invariant.components().collect();
    for (mode, variable) in dae.mode_variables.iter_enumerated() {
        let Some(definition) = variable.definition else { continue };
        let Ok(possible) = reading.fold(&mut known, definition, ());
        if possible.yes.is_all() && possible.no.is_all() {
            continue;
        }
        let after = pairs.space.literal(Moment::After.variable(ModeVariable(mode.0)));
        allowed.push(pairs.space.ite(after, possible.yes, possible.no));
    }
    Invariant::new(&pairs.space, &allowed)
}

struct Reading<'a> {
    expressions: &'a Expressions,
    pairs: &'a PairSpace<'a>,
    mode_of: FxHashMap<VariableId, ModeVariableId>,
}

impl Fold for Reading<'_> {
    type Context = ();
    type Value = Possible;
    type Error = Infallible;

    fn expressions(&self) -> &Expressions {
        self.expressions
    }

    fn open(&mut self, id: ExpressionId, (): (), operands: &mut Operands<()>) -> Option<Possible> {
        if matches!(self.expressions.node(id), Node::Not(_) | Node::And(..) | Node::Or(..)) {
            operands.extend(self.expressions.children(id), ());
        }
        None
    }

    fn branches(&mut self, _: [ExpressionId; 3], (): (), _: &Memo<(), Possible>, _: &mut Operands<()>) {}

    fn close(&mut self, id: ExpressionId, (): (), known: &Memo<(), Possible>) -> Result<Possible, Infallible> {
        let space = &self.pairs.space;
        Ok(match self.expressions.node(id) {
            Node::Boolean(true) => Possible { yes: ModeSet::ALL, no: ModeSet::EMPTY },
            Node::Boolean(false) => Possible { yes: ModeSet::EMPTY, no: ModeSet::ALL },
            Node::Not(a) => Possible { yes: known[a].no, no: known[a].yes },
            Node::And(a, b) => {
                Possible { yes: space.and(known[a].yes, known[b].yes), no: space.or(known[a].no, known[b].no) }
            }
            Node::Or(a, b) => {
                Possible { yes: space.or(known[a].yes, known[b].yes), no: space.and(known[a].no, known[b].no) }
            }
            Node::Pre(a) => self.literal(self.expressions.node(a), Moment::Before),
            other => self.literal(other, Moment::After),
        })
    }
}

impl Reading<'_> {
    fn literal(&self, node: Node, moment: Moment) -> Possible {
        let mode = match node {
            Node::Variable(variable, 0) => self.mode_of.get(&variable).copied(),
            Node::Mode(mode) => Some(mode),
            _ => None,
        };
        let Some(mode) = mode else { return UNKNOWN };
        let yes = self.pairs.space.literal(moment.variable(ModeVariable(mode.0)));
        Possible { yes, no: !yes }
    }
}
