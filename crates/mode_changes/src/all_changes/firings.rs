//! Which `when` clauses with restart laws fire in which mode changes, and which modes are transient for that.
//!
//! A branch fires where one of its conditions becomes true. If it has laws (`v = -e*pre(v)`, `reinit(x, x0)`), the mode
//! at that instant is *transient* (E22 §8.4): unless its condition only looks at time and at what is constant between
//! events, in which case nothing can make it false again. An empty `when` declares that its mode is transient, too.

use modeshift_dae::{
    Builtin, Derivative, ExpressionId, Expressions, FlatModel, Fold, Id, Memo, ModeVariableId, MultimodeDae, Node,
    Operands, VariableId, WhenAction, WhenActionKind, WhenBranch,
};
use modeshift_modes::{ModeSet, ModeSpace, ModeVariable};
use modeshift_structure::{Analysis, Formulas};
use rustc_hash::FxHashMap;

use super::space::PairSpace;

/// A branch of a `when` that has laws, or nothing at all in it.
#[derive(Clone, Debug)]
pub struct Firing {
    /// Which `when` clause of the model.
    pub clause: usize,
    /// Which of its branches.
    pub branch: usize,
    /// The modes in which one of its conditions holds.
    pub condition: ModeSet,
    /// The changes in which it fires.
    pub pairs: ModeSet,
    /// Whether its condition may become false by what happens in the model.
    pub passes: bool,
    /// Continuous variables that decide about its condition, with the orders of their derivatives.
    pub reads: Vec<Derivative<VariableId>>,
    /// Its laws.
    pub laws: Vec<FiringLaw>,
}

/// A law of a branch.
#[derive(Clone, Debug)]
pub struct FiringLaw {
    /// Which action of the branch.
    pub action: usize,
    /// The changes in which it holds.
    pub pairs: ModeSet,
    /// The right limits it contains.
    pub contents: Vec<Derivative<VariableId>>,
}

/// All branches with laws whose conditions are formulas over mode variables.
pub fn firings(dae: &MultimodeDae, analysis: &Analysis, pairs: &PairSpace) -> Vec<Firing> {
    let mut walk = Walk { dae, analysis, pairs, conditions: Conditions::new(dae, &analysis.space) };
    let clauses = 0..dae.model.when_clauses.len();
    clauses.flat_map(|clause| walk.clause(clause)).collect()
}

/// The modes of zero duration: those in which a `when` with laws has fired and which nothing keeps.
pub fn transient_modes(dae: &MultimodeDae, space: &ModeSpace) -> ModeSet {
    let mut conditions = Conditions::new(dae, space);
    let mut sets = Vec::new();
    for branch in dae.model.when_clauses.iter().flat_map(|clause| &clause.branches) {
        if declares_transient(branch) && !reads(dae, branch).is_empty() {
            sets.extend(branch.conditions.iter().flat_map(|&condition| conditions.asked(condition)));
        }
    }
    space.union(sets)
}

fn declares_transient(branch: &WhenBranch) -> bool {
    let is_law = |action: &WhenAction| matches!(action.kind, WhenActionKind::Law(..) | WhenActionKind::Reinit(..));
    branch.actions.is_empty() || branch.actions.iter().any(is_law)
}

/// Conditions of `when` clauses as sets of modes: unlike guards they are as the user wrote them.
struct Conditions<'a> {
    dae: &'a MultimodeDae,
    space: &'a ModeSpace,
    formulas: Formulas<'a>,
    /// Booleans, and relations by their expressions, that are mode variables or formulas over them.
    of_variable: FxHashMap<VariableId, ModeSet>,
    of_expression: FxHashMap<ExpressionId, ModeSet>,
    /// Conditions that were asked for.
    known: Memo<(), ModeSet>,
}

impl<'a> Conditions<'a> {
    fn new(dae: &'a MultimodeDae, space: &'a ModeSpace) -> Self {
        let mut formulas = Formulas::new(space, &dae.model.expressions);
        let (mut of_variable, mut of_expression) = (FxHashMap::default(), FxHashMap::default());
        for (id, mode) in dae.mode_variables.iter_enumerated() {
            let set = space.literal(ModeVariable(id.index() as u32));
            of_variable.extend(mode.variable.map(|variable| (variable, set)));
            of_expression.extend(mode.definition.map(|definition| (definition, set)));
        }
        for named in &dae.named_formulas {
            of_variable.extend(formulas.modes(named.formula).map(|set| (named.variable, set)));
        }
        Conditions { dae, space, formulas, of_variable, of_expression, known: Memo::new() }
    }

    /// The modes into which a condition of a branch fires: those in which it holds. The edge of a Boolean is where that becomes
    /// true, as for a `when` of it, and its change is where it becomes true or false. Nothing where it depends on more than the mode.
    fn asked(&mut self, condition: ExpressionId) -> Vec<ModeSet> {
        match self.dae.model.expressions.node(condition) {
            Node::Call(call @ (Builtin::Edge | Builtin::Change), of) => {
                let modes = self.modes(self.dae.model.expressions.argument_list(of)[0]);
                let falls = modes.filter(|_| call == Builtin::Change).map(|modes| !modes);
                modes.into_iter().chain(falls).collect()
            }
            _ => self.modes(condition).into_iter().collect(),
        }
    }

    /// The modes in which a condition holds; `None` if it depends on more than the mode.
    fn modes(&mut self, condition: ExpressionId) -> Option<ModeSet> {
        let mut known = std::mem::take(&mut self.known);
        let modes = self.fold(&mut known, condition, ()).ok();
        self.known = known;
        modes
    }
}

/// That a condition depends on more than the mode.
struct NoFormula;

impl Fold for Conditions<'_> {
    type Context = ();
    type Value = ModeSet;
    type Error = NoFormula;

    fn expressions(&self) -> &Expressions {
        &self.dae.model.expressions
    }

    fn open(&mut self, id: ExpressionId, (): (), operands: &mut Operands<()>) -> Option<ModeSet> {
        let known = self.of_expression.get(&id).copied();
        if known.is_none() && matches!(self.expressions().node(id), Node::Not(_) | Node::And(..) | Node::Or(..)) {
            operands.extend(self.dae.model.expressions.children(id), ());
        }
        known
    }

    /// Asks for nothing: an if-expression is a formula as a whole, or none.
    fn branches(&mut self, _: [ExpressionId; 3], (): (), _: &Memo<(), ModeSet>, _: &mut Operands<()>) {}

    fn close(&mut self, id: ExpressionId, (): (), known: &Memo<(), ModeSet>) -> Result<ModeSet, NoFormula> {
        let modes = match self.dae.model.expressions.node(id) {
            Node::Variable(variable, 0) => self.of_variable.get(&variable).copied(),
            Node::Not(a) => Some(!known[a]),
            Node::And(a, b) => Some(self.space.and(known[a], known[b])),
            Node::Or(a, b) => Some(self.space.or(known[a], known[b])),
            _ => self.formulas.modes(id),
        };
        modes.ok_or(NoFormula)
    }
}

struct Walk<'a> {
    dae: &'a MultimodeDae,
    analysis: &'a Analysis,
    pairs: &'a PairSpace<'a>,
    conditions: Conditions<'a>,
}

impl Walk<'_> {
    fn clause(&mut self, number: usize) -> Vec<Firing> {
        let clause = &self.dae.model.when_clauses[number];
        let space = &self.pairs.space;
        let guard = self.after(clause.guard);
        let mut taken = ModeSet::EMPTY;
        let mut found = Vec::new();
        for (at, branch) in clause.branches.iter().enumerate() {
            let asked = branch.conditions.iter().flat_map(|&condition| self.conditions.asked(condition));
            let asked: Vec<ModeSet> = asked.collect();
            let analysis = self.analysis;
            let conditions: Vec<ModeSet> =
                asked.into_iter().map(|modes| analysis.invariant.project(&analysis.space, modes)).collect();
            let becomes = |&modes: &ModeSet| space.difference(self.pairs.after(modes), self.pairs.before(modes));
            let fires = space.and(space.union(conditions.iter().map(becomes)), guard);
            let fires = space.intersection([self.pairs.regular, space.difference(fires, taken)]);
            taken = space.or(taken, fires);
            let laws = self.laws(branch, fires);
            if declares_transient(branch) && !fires.is_empty() {
                let reads = reads(self.dae, branch);
                let condition = self.analysis.space.union(conditions);
                let passes = !reads.is_empty();
                found.push(Firing { clause: number, branch: at, condition, pairs: fires, passes, reads, laws });
            }
        }
        found
    }

    fn laws(&mut self, branch: &WhenBranch, fires: ModeSet) -> Vec<FiringLaw> {
        let mut laws = Vec::new();
        for (action, it) in branch.actions.iter().enumerate() {
            if let Some(contents) = contents(&self.dae.model, it) {
                let pairs = self.pairs.space.and(fires, self.after(it.guard));
                if !pairs.is_empty() {
                    laws.push(FiringLaw { action, pairs, contents });
                }
            }
        }
        laws
    }

    /// The changes after which a formula holds; all of them if it is none.
    fn after(&mut self, formula: ExpressionId) -> ModeSet {
        self.modes(formula).map_or(ModeSet::ALL, |modes| self.pairs.after(modes))
    }

    fn modes(&mut self, formula: ExpressionId) -> Option<ModeSet> {
        let modes = self.conditions.modes(formula)?;
        Some(self.analysis.invariant.project(&self.analysis.space, modes))
    }
}

/// The right limits of continuous variables in a law; `None` if the action is none.
fn contents(model: &FlatModel, action: &WhenAction) -> Option<Vec<Derivative<VariableId>>> {
    let mut found = Vec::new();
    match action.kind {
        WhenActionKind::Law(left, right) => {
            found.extend(continuous_leaves(model, left, true));
            found.extend(continuous_leaves(model, right, true));
        }
        // An assignment: its value is evaluated with the states before it, and no other right limit follows from it.
        WhenActionKind::Reinit(variable, _) => found.push(Derivative::new(variable, 0)),
        _ => return None,
    }
    found.sort_unstable();
    found.dedup();
    Some(found)
}

/// Continuous unknowns in an expression with their orders, those of left limits only where wanted.
fn continuous_leaves(model: &FlatModel, root: ExpressionId, right_limits_only: bool) -> Vec<Derivative<VariableId>> {
    let mut found = Vec::new();
    model.expressions.for_each(root, |_, node| {
        if let Node::Variable(variable, order) = node
            && model.variables[variable].is_continuous_unknown()
        {
            found.push(Derivative::new(variable, order));
        }
        !(right_limits_only && matches!(node, Node::Pre(_)))
    });
    found
}

/// Continuous variables behind the conditions of a branch, through the definitions of mode variables.
fn reads(dae: &MultimodeDae, branch: &WhenBranch) -> Vec<Derivative<VariableId>> {
    let mut found = Vec::new();
    let mut seen: Vec<ModeVariableId> = Vec::new();
    let mut pending: Vec<ExpressionId> = branch.conditions.clone();
    while let Some(expression) = pending.pop() {
        found.extend(continuous_leaves(&dae.model, expression, false));
        dae.model.expressions.for_each(expression, |_, node| {
            let mode = match node {
                Node::Mode(mode) => Some(mode),
                Node::Variable(variable, 0) => mode_of(dae, variable),
                _ => None,
            };
            if let Some(mode) = mode.filter(|mode| !seen.contains(mode)) {
                seen.push(mode);
                pending.extend(dae.mode_variables[mode].definition);
            }
            true
        });
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// The mode variable that a Boolean is.
fn mode_of(dae: &MultimodeDae, variable: VariableId) -> Option<ModeVariableId> {
    dae.mode_variables.iter_enumerated().find(|(_, mode)| mode.variable == Some(variable)).map(|(id, _)| id)
}
