//! What mode variables and other discrete variables follow from, and which of them are commands.
//!
//! A command is known at once, without a look at any continuous unknown: it follows from time, parameters and left limits
//! of discrete variables, by discrete equations, `when`s and other commands. Nothing has to be asked of the mode that is
//! left, and it would be wrong to follow it one iteration later: of two transitions of which the first excludes the
//! second, both would fire.
//!
//! For the same reason, a guard that asks for a variable that other modes decide asks for what they will be; so such a
//! variable is replaced by its definition there.

use modeshift_dae::{
    Definition, EquationKind, ExpressionId, Id, IndexVec, ModeVariableId, MultimodeDae, Node, Variability, VariableId,
    WhenActionKind,
};
use rustc_hash::FxHashMap;

use crate::blocks::Replicates;

/// What mode variables and discrete variables follow from: *things*, mode variables first, then all variables.
pub(crate) struct Discrete<'a> {
    dae: &'a MultimodeDae,
    replicates: &'a Replicates,
    /// The mode variables that variables are.
    modes: IndexVec<VariableId, Option<ModeVariableId>>,
    /// By thing: the things that it follows from.
    sources: Vec<Vec<usize>>,
    /// By thing: whether it needs a continuous unknown, or nothing says what it is.
    is_open: Vec<bool>,
    /// Variables that one equation defines in all modes.
    definitions: FxHashMap<VariableId, ExpressionId>,
}

impl<'a> Discrete<'a> {
    /// Reads all definitions.
    pub(crate) fn new(dae: &'a MultimodeDae, replicates: &'a Replicates) -> Self {
        let mut modes: IndexVec<VariableId, Option<ModeVariableId>> =
            dae.model.variables.iter().map(|_| None).collect();
        for (mode, variable) in dae.mode_variables.iter_enumerated() {
            if let Some(variable) = variable.variable.filter(|_| variable.definition.is_some()) {
                modes[variable] = Some(mode);
            }
        }
        let count = dae.mode_variables.len() + dae.model.variables.len();
        let (sources, is_open) = (vec![Vec::new(); count], vec![false; count]);
        let mut discrete = Discrete { dae, replicates, modes, sources, is_open, definitions: FxHashMap::default() };
        discrete.read_modes();
        discrete.read_variables();
        discrete
    }

    fn read_modes(&mut self) {
        for (mode, variable) in self.dae.mode_variables.iter_enumerated() {
            match (variable.definition, variable.variable) {
                (Some(definition), _) => self.add(mode.index(), definition),
                (None, Some(variable)) => {
                    let own = self.thing(variable);
                    self.sources[mode.index()].push(own);
                }
                (None, None) => self.is_open[mode.index()] = true,
            }
        }
    }

    /// What defines the discrete variables. What nothing defines is open.
    fn read_variables(&mut self) {
        let model = &self.dae.model;
        let named = self.dae.named_formulas.iter().map(|named| (named.variable, named.formula, None));
        let definitions = self.dae.discrete.definitions.iter_enumerated();
        let equations = definitions.filter_map(|(variable, definition)| match *definition {
            Some(Definition::Equation { equation, guard, value, .. })
                if model.equations[equation].kind == EquationKind::Discrete =>
            {
                Some((variable, value, Some(guard)))
            }
            _ => None,
        });
        let mut counts: IndexVec<VariableId, u32> = model.variables.iter().map(|_| 0).collect();
        for (variable, definition, guard) in named.chain(equations) {
            counts[variable] += 1;
            self.add(self.thing(variable), definition);
            guard.into_iter().for_each(|guard| self.add(self.thing(variable), guard));
            if guard.is_none_or(|guard| model.expressions.literal_boolean(guard) == Some(true)) {
                self.definitions.insert(variable, definition);
            }
        }
        for clause in &model.when_clauses {
            for (branch, action) in
                clause.branches.iter().flat_map(|it| it.actions.iter().map(move |action| (it, action)))
            {
                let WhenActionKind::Assign(variable, value) = action.kind else { continue };
                counts[variable] += 2;
                let asked = branch.conditions.iter().copied().chain([value, action.guard, clause.guard]);
                asked.for_each(|expression| self.add(self.thing(variable), expression));
            }
        }
        for (variable, &count) in counts.iter_enumerated().filter(|&(variable, _)| self.modes[variable].is_none()) {
            let thing = self.thing(variable);
            self.is_open[thing] |= count == 0;
        }
        self.definitions.retain(|&variable, _| counts[variable] == 1 && self.modes[variable].is_none());
    }

    fn thing(&self, variable: VariableId) -> usize {
        match self.modes[variable] {
            Some(mode) => mode.index(),
            None => self.dae.mode_variables.len() + variable.index(),
        }
    }

    /// A thing follows from an expression; left limits are known.
    fn add(&mut self, thing: usize, expression: ExpressionId) {
        let model = &self.dae.model;
        let (mut sources, mut is_open) = (Vec::new(), false);
        model.expressions.for_each(expression, |_, node| match node {
            Node::Pre(inner) => {
                model.expressions.for_each(inner, |_, node| {
                    is_open |= matches!(node, Node::Variable(variable, _) if self.replicates.is_unknown(variable));
                    !is_open
                });
                false
            }
            Node::Variable(variable, _) => {
                is_open |= self.replicates.is_unknown(variable);
                if model.variables[variable].variability > Variability::Parameter {
                    sources.push(self.thing(variable));
                }
                true
            }
            Node::Mode(mode) => {
                sources.push(mode.index());
                true
            }
            _ => true,
        });
        self.sources[thing].extend(sources);
        self.is_open[thing] |= is_open;
    }

    /// Which mode variables are commands, as far as they have a definition.
    pub(crate) fn commands(&self) -> IndexVec<ModeVariableId, bool> {
        let known = self.follow_one_by_one(|thing| !self.is_open[thing]);
        self.dae.mode_variables.ids().map(|mode| known[mode.index()]).collect()
    }

    /// Variables that follow from modes that are no commands, with their definitions.
    pub(crate) fn decided_by_modes(
        &self,
        commands: &IndexVec<ModeVariableId, bool>,
    ) -> FxHashMap<VariableId, ExpressionId> {
        let ordered = self.follow_one_by_one(|_| true);
        let readers = self.readers();
        let mut is_decided = vec![false; self.sources.len()];
        let mut pending: Vec<usize> =
            commands.iter_enumerated().filter(|&(_, &command)| !command).map(|(mode, _)| mode.index()).collect();
        while let Some(thing) = pending.pop() {
            if !std::mem::replace(&mut is_decided[thing], true) {
                pending.extend(&readers[thing]);
            }
        }
        let is_wanted = |variable: VariableId| is_decided[self.thing(variable)] && ordered[self.thing(variable)];
        let definitions = self.definitions.iter().filter(|&(&variable, _)| is_wanted(variable));
        definitions.map(|(&variable, &definition)| (variable, definition)).collect()
    }

    /// By thing: the things that follow from it, as often as they name it.
    fn readers(&self) -> Vec<Vec<usize>> {
        let mut readers: Vec<Vec<usize>> = vec![Vec::new(); self.sources.len()];
        for (thing, sources) in self.sources.iter().enumerate() {
            sources.iter().for_each(|&source| readers[source].push(thing));
        }
        readers
    }

    /// The things that follow one by one, each of which `may_follow`, from nothing; what waits for itself is not
    /// among them.
    fn follow_one_by_one(&self, may_follow: impl Fn(usize) -> bool) -> Vec<bool> {
        let readers = self.readers();
        let mut waiting: Vec<usize> = self.sources.iter().map(Vec::len).collect();
        let mut known = vec![false; self.sources.len()];
        let mut ready: Vec<usize> =
            (0..waiting.len()).filter(|&thing| waiting[thing] == 0 && may_follow(thing)).collect();
        while let Some(thing) = ready.pop() {
            known[thing] = true;
            for &reader in &readers[thing] {
                waiting[reader] -= 1;
                if waiting[reader] == 0 && may_follow(reader) {
                    ready.push(reader);
                }
            }
        }
        known
    }
}
