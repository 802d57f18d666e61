//! Equations with conditions inside, reduced to what decides in which modes each of their unknowns occurs.
//!
//! Such an equation is the graph of its different subexpressions: it hands the modes in which it holds down to its
//! unknowns, an if-expression by its condition, everything else to all its operands. It is read from the expressions
//! once, when these are at hand anyway, and asked for modes when sets of modes are.

use modeshift_dae::{Derivative, ExpressionId, Expressions, Id, Node, VariableId};
use modeshift_modes::ModeSet;
use rustc_hash::FxHashMap;

use crate::incidence::formulas::Formulas;
use crate::incidence::unknowns::Unknowns;
use crate::incidence::walk::{Visit, for_each_child, splits};
use crate::locality::lists::Lists;

/// What a part of an equation hands its modes down to: first its entries are numbered, then its parts.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Part {
    /// To one or the other by a condition.
    Branches(ExpressionId, u32, u32),
    /// To all of these, a range of [`ConditionalIncidence::operands`].
    All(u32, u32),
}

/// Stands for a part with no unknowns in it.
const NOTHING: u32 = u32::MAX;

/// The parts of all equations that have conditions inside.
pub(crate) struct ConditionalIncidence {
    /// Of each equation, operands before those that they are operands of, the whole equation last. Empty for equations
    /// without conditions.
    pub(crate) parts: Lists<Part>,
    operands: Vec<u32>,
}

impl ConditionalIncidence {
    pub(crate) fn new() -> ConditionalIncidence {
        ConditionalIncidence { parts: Lists::new(), operands: Vec::new() }
    }
}

/// Reads one equation after the other.
pub(crate) struct ConditionalReader<'a> {
    expressions: &'a Expressions,
    unknowns: &'a Unknowns,
    conditional: ConditionalIncidence,
    /// How many parts the current equation has.
    part_count: u32,
    /// Per expression: the equation in which it was last met, and what hands down its modes there.
    met: Vec<(u32, u32)>,
    /// The same for the few expressions inside `noEvent`.
    met_inside: FxHashMap<ExpressionId, (u32, u32)>,
    round: u32,
    /// Empty between visits; kept for their memory.
    pending: Vec<Visit>,
    parents: Vec<Visit>,
    buffer: Vec<u32>,
}

impl<'a> ConditionalReader<'a> {
    pub(crate) fn new(expressions: &'a Expressions, unknowns: &'a Unknowns) -> Self {
        ConditionalReader {
            expressions,
            unknowns,
            conditional: ConditionalIncidence::new(),
            part_count: 0,
            met: vec![(0, 0); expressions.len()],
            met_inside: FxHashMap::default(),
            round: 0,
            pending: Vec::new(),
            parents: Vec::new(),
            buffer: Vec::new(),
        }
    }

    /// Notes that the next equation has no conditions inside.
    pub(crate) fn skip(&mut self) {
        self.conditional.parts.end_list();
    }

    /// Reads the next equation, whose entries are sorted by unknown, highest order first.
    pub(crate) fn read(&mut self, sides: [ExpressionId; 2], entries: &[Derivative<VariableId>]) {
        self.round += 1;
        self.part_count = 0;
        let operands = sides.map(|side| self.visit((side, false), entries));
        let whole = self.all(operands.into_iter());
        self.push(whole);
        self.conditional.parts.end_list();
    }

    pub(crate) fn finish(self) -> ConditionalIncidence {
        self.conditional
    }

    fn push(&mut self, part: Part) {
        self.conditional.parts.push_item(part);
        self.part_count += 1;
    }

    /// What stands for an expression that was visited, or needs no visit.
    fn known(&self, (expression, inside): Visit, entries: &[Derivative<VariableId>]) -> Option<u32> {
        if self.unknowns.contains(expression) {
            return Some(self.entry(expression, entries));
        }
        let met = if inside { self.met_inside.get(&expression).copied() } else { Some(self.met[expression.index()]) };
        met.filter(|(round, _)| *round == self.round).map(|(_, part)| part)
    }

    fn entry(&self, unknown: ExpressionId, entries: &[Derivative<VariableId>]) -> u32 {
        let Node::Variable(variable, order) = self.expressions.node(unknown) else {
            unreachable!("an unknown is a variable or a derivative of one")
        };
        let key = (variable, std::cmp::Reverse(order));
        let place = entries.binary_search_by_key(&key, |entry| (entry.of, std::cmp::Reverse(entry.order)));
        place.expect("the entries of an equation are its unknowns") as u32
    }

    /// What stands for an expression, after its subexpressions. Without recursion: sums may be long.
    fn visit(&mut self, root: Visit, entries: &[Derivative<VariableId>]) -> u32 {
        let (mut pending, mut parents) = (std::mem::take(&mut self.pending), std::mem::take(&mut self.parents));
        pending.push(root);
        while let Some(visit) = pending.pop() {
            if self.known(visit, entries).is_some() {
                continue;
            }
            if parents.last() == Some(&visit) {
                parents.pop();
                self.append(visit, entries);
                continue;
            }
            let at = pending.len();
            pending.push(visit);
            for_each_child(self.expressions, visit, |child| pending.push(child));
            if pending.len() == at + 1 {
                pending.pop();
                self.append(visit, entries);
            } else {
                parents.push(visit);
            }
        }
        (self.pending, self.parents) = (pending, parents);
        self.known(root, entries).expect("the root of a walk was visited")
    }

    fn append(&mut self, (expression, inside): Visit, entries: &[Derivative<VariableId>]) {
        let stands = self.stands_for((expression, inside), entries);
        let met = (self.round, stands);
        if inside {
            self.met_inside.insert(expression, met);
        } else {
            self.met[expression.index()] = met;
        }
    }

    /// What stands for an expression whose subexpressions were visited: a new part, unless at most one of these matters.
    fn stands_for(&mut self, visit: Visit, entries: &[Derivative<VariableId>]) -> u32 {
        let (expression, inside) = visit;
        let known = |reader: &Self, child| reader.known(child, entries).expect("subexpressions are visited before");
        let part = match self.expressions.node(expression) {
            Node::If(condition, yes, no) if splits(self.expressions, condition, inside) => {
                let (yes, no) = (known(self, (yes, inside)), known(self, (no, inside)));
                if yes == no {
                    return yes;
                }
                Part::Branches(condition, yes, no)
            }
            _ => {
                let mut operands = std::mem::take(&mut self.buffer);
                for_each_child(self.expressions, visit, |child| operands.push(known(self, child)));
                operands.retain(|&operand| operand != NOTHING);
                let part = match operands[..] {
                    [] => Err(NOTHING),
                    [only] => Err(only),
                    _ => Ok(self.all(operands.drain(..))),
                };
                operands.clear();
                self.buffer = operands;
                match part {
                    Ok(part) => part,
                    Err(known) => return known,
                }
            }
        };
        self.push(part);
        entries.len() as u32 + self.part_count - 1
    }

    fn all(&mut self, operands: impl Iterator<Item = u32>) -> Part {
        let start = self.conditional.operands.len();
        self.conditional.operands.extend(operands.filter(|&operand| operand != NOTHING));
        let end = u32::try_from(self.conditional.operands.len()).expect("fewer than 2^32 operands");
        Part::All(start as u32, end)
    }
}

/// The modes in which the entries of equations occur, from the whole equation down to its unknowns.
pub(crate) struct Contexts<'a, 'f> {
    conditional: &'a ConditionalIncidence,
    formulas: &'a mut Formulas<'f>,
    /// Of each entry and part of the current equation, the last contribution to its modes.
    last: Vec<Option<u32>>,
    /// Modes of a use, and the contribution before it to the same part. They are united all at once and balanced: a
    /// variable in the branches of 10^5 conditions would cost a diagram of all conditions for each of them otherwise.
    contributions: Vec<(ModeSet, Option<u32>)>,
}

impl<'a, 'f> Contexts<'a, 'f> {
    pub(crate) fn new(conditional: &'a ConditionalIncidence, formulas: &'a mut Formulas<'f>) -> Self {
        Contexts { conditional, formulas, last: Vec::new(), contributions: Vec::new() }
    }

    /// Calls `entry` with the number of each entry of an equation of these parts that occurs in some mode of `guard`.
    pub(crate) fn visit(
        &mut self,
        parts: &[Part],
        entry_count: usize,
        guard: ModeSet,
        mut entry: impl FnMut(usize, ModeSet),
    ) {
        self.contributions.clear();
        self.last.clear();
        self.last.resize(entry_count + parts.len(), None);
        self.count((entry_count + parts.len() - 1) as u32, guard);
        // Operands come before what they are operands of: from the last to the first, all uses of a part are known.
        for (at, &part) in parts.iter().enumerate().rev() {
            let modes = self.modes(entry_count + at);
            if modes.is_empty() {
                continue;
            }
            match part {
                Part::Branches(condition, yes, no) => {
                    let holds = self.formulas.modes(condition).expect("a condition that was a formula is one");
                    let space = self.formulas.space();
                    self.count(yes, space.and(modes, holds));
                    self.count(no, space.difference(modes, holds));
                }
                Part::All(start, end) => {
                    let conditional = self.conditional;
                    conditional.operands[start as usize..end as usize].iter().for_each(|&it| self.count(it, modes));
                }
            }
        }
        for at in 0..entry_count {
            let modes = self.modes(at);
            if !modes.is_empty() {
                entry(at, modes);
            }
        }
    }

    /// Lets an entry or a part count in these modes too.
    fn count(&mut self, part: u32, modes: ModeSet) {
        if part != NOTHING && !modes.is_empty() {
            let before = self.last[part as usize].replace(self.contributions.len() as u32);
            self.contributions.push((modes, before));
        }
    }

    /// The modes in which an entry or a part counts, when all its uses have been seen.
    fn modes(&self, part: usize) -> ModeSet {
        let contribution = |at: u32| self.contributions[at as usize];
        match self.last[part].map(contribution) {
            None => ModeSet::EMPTY,
            Some((modes, None)) => modes,
            Some(last) => {
                let all = std::iter::successors(Some(last), |(_, before)| before.map(contribution));
                self.formulas.space().union(all.map(|(modes, _)| modes))
            }
        }
    }
}
