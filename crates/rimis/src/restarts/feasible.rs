//! Changes of modes that the definitions of the mode variables allow.
//!
//! A definition such as `broken = v >= Vmax or pre(broken)` says which changes never happen, whatever the values of the
//! relations in it: here, that what is broken becomes whole. The definitions are evaluated over `pre(b)` and `b` with
//! everything else unknown.

use modeshift_dae::{ExpressionId, Expressions, ModeVariableId, MultimodeDae, Node, VariableId};
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
    let reading = Reading { expressions: &dae.model.expressions, pairs, mode_of: booleans.collect() };
    let mut allowed: Vec<ModeSet> = pairs.invariant.components().collect();
    for (mode, variable) in dae.mode_variables.iter_enumerated() {
        let Some(definition) = variable.definition else { continue };
        let possible = reading.of(definition);
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

impl Reading<'_> {
    /// Without recursion: definitions may be deep.
    fn of(&self, root: ExpressionId) -> Possible {
        let mut known: FxHashMap<ExpressionId, Possible> = FxHashMap::default();
        let mut pending = vec![(root, false)];
        while let Some((id, operands_done)) = pending.pop() {
            let node = self.expressions.node(id);
            let operands = matches!(node, Node::Not(_) | Node::And(..) | Node::Or(..));
            if operands && !operands_done {
                pending.push((id, true));
                pending.extend(self.expressions.children(id).map(|child| (child, false)));
                continue;
            }
            let possible = self.combined(node, &known);
            known.insert(id, possible);
        }
        known[&root]
    }

    fn combined(&self, node: Node, known: &FxHashMap<ExpressionId, Possible>) -> Possible {
        let space = &self.pairs.space;
        match node {
            Node::Boolean(true) => Possible { yes: ModeSet::ALL, no: ModeSet::EMPTY },
            Node::Boolean(false) => Possible { yes: ModeSet::EMPTY, no: ModeSet::ALL },
            Node::Not(a) => Possible { yes: known[&a].no, no: known[&a].yes },
            Node::And(a, b) => {
                Possible { yes: space.and(known[&a].yes, known[&b].yes), no: space.or(known[&a].no, known[&b].no) }
            }
            Node::Or(a, b) => {
                Possible { yes: space.or(known[&a].yes, known[&b].yes), no: space.and(known[&a].no, known[&b].no) }
            }
            Node::Pre(a) => self.literal(self.expressions.node(a), Moment::Before),
            other => self.literal(other, Moment::After),
        }
    }

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
