//! Replicates: who gives the value of a variable, or of one of its derivatives, in which modes.
//!
//! In a mode with leading order `d`, the derivatives of a variable below `d` are states and the `d`-th is written by a
//! block. Over all modes, `x^(k)` has therefore several *sources*: one state, shared by all modes with `d > k` (the
//! sharing of non-leading replicates, E22 §10.1 step 3), and one replicate per block that writes it. With a single
//! source there is nothing to choose and no replicate; otherwise `x^(k)` itself is a multiplexer of its sources. A
//! reader that can meet several of them, but not all, gets a multiplexer of its own, so that nothing ever waits for a
//! block of other modes (the optimization at the end of E22 §10.4).

use modeshift_dae::{Derivative, Id, IndexVec, VariableId};
use modeshift_modes::ModeSet;
use modeshift_structure::{BlockId, name};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::modes::Conditions;
use crate::target::Target;
use crate::target::unquoted;

/// Where a value comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// It is integrated.
    State,
    /// A block writes it.
    Block(BlockId),
}

/// A variable of the target that holds `x^(k)` in some modes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Source {
    pub(crate) modes: ModeSet,
    pub(crate) origin: Origin,
    pub(crate) variable: VariableId,
}

/// One derivative of a variable: all its sources.
#[derive(Clone, Debug)]
pub(crate) struct Level {
    /// The modes in which there is such a value.
    pub(crate) defined: ModeSet,
    pub(crate) sources: Vec<Source>,
    /// What holds the value in all these modes, once something asked for it.
    pub(crate) signal: Option<VariableId>,
}

impl Level {
    pub(crate) fn state(&self) -> Option<Source> {
        self.sources.iter().copied().find(|source| source.origin == Origin::State)
    }
}

/// A multiplexer of some sources of a derivative.
#[derive(Clone, Debug)]
pub(crate) struct Multiplexer {
    pub(crate) variable: VariableId,
    pub(crate) of: Derivative<VariableId>,
    /// Positions in [`Level::sources`].
    pub(crate) sources: Vec<usize>,
    /// The modes in which it is looked at.
    pub(crate) context: ModeSet,
}

/// All sources of all derivatives, and the multiplexers made so far.
pub(crate) struct Replicates {
    levels: IndexVec<VariableId, Vec<Level>>,
    replicates: FxHashMap<(BlockId, VariableId), VariableId>,
    pub(crate) multiplexers: Vec<Multiplexer>,
    partial: FxHashMap<(Derivative<VariableId>, Vec<usize>), usize>,
    /// Variables declared for derivatives as a whole, in order.
    pub(crate) derivatives: Vec<VariableId>,
    /// Variables declared for some modes only, in order.
    pub(crate) replicated: Vec<VariableId>,
}

impl Replicates {
    /// Lists the sources of all continuous unknowns and declares what they need.
    pub(crate) fn new(conditions: &Conditions, target: &mut Target) -> Self {
        let analysis = conditions.analysis;
        let mut writers: IndexVec<VariableId, Vec<(u32, BlockId)>> =
            analysis.incidence.variables().iter().map(|_| Vec::new()).collect();
        for (id, block) in analysis.graph.blocks() {
            for write in block.writes {
                writers[write.of].push((write.order, id));
            }
        }
        let mut replicates = Replicates {
            levels: writers.iter().map(|_| Vec::new()).collect(),
            replicates: FxHashMap::default(),
            multiplexers: Vec::new(),
            partial: FxHashMap::default(),
            derivatives: Vec::new(),
            replicated: Vec::new(),
        };
        for variable in analysis.incidence.variables().ids() {
            if !analysis.incidence.variables()[variable].guard.is_empty() {
                replicates.add(conditions, target, variable, &writers[variable]);
            }
        }
        replicates
    }

    fn add(&mut self, conditions: &Conditions, target: &mut Target, variable: VariableId, writers: &[(u32, BlockId)]) {
        let analysis = conditions.analysis;
        let exists = analysis.incidence.variables()[variable].guard;
        let offset = &analysis.offsets.variables[variable];
        for order in 0..=offset.maximum() {
            let defined = conditions.space().and(exists, offset.at_least(order));
            let state_modes = conditions.space().and(exists, offset.at_least(order + 1));
            let blocks: Vec<BlockId> = writers.iter().filter(|it| it.0 == order).map(|it| it.1).collect();
            let alone = blocks.len() + usize::from(!state_modes.is_empty()) == 1;
            let mut level = Level { defined, sources: Vec::new(), signal: (order == 0).then_some(variable) };
            let mut declaration = Declaration { conditions, target, replicates: self, variable, order, alone, defined };
            if !state_modes.is_empty() {
                level.sources.push(declaration.state(state_modes, writers));
            }
            for block in blocks {
                level.sources.push(declaration.replicate(block));
            }
            if alone && (order == 0 || defined == exists) {
                level.signal = Some(level.sources[0].variable);
            }
            self.levels[variable].push(level);
        }
    }

    /// Forgets derivatives, each with those above it; what is below is no state any more, but follows from a block.
    pub(crate) fn forget_derivatives(&mut self, forgotten: &[(Derivative<VariableId>, BlockId)]) {
        let mut variables = FxHashSet::default();
        for &(lowest, block) in forgotten {
            let levels = &mut self.levels[lowest.of];
            let gone = levels.drain(lowest.order as usize..).flat_map(|level| level.sources);
            variables.extend(gone.map(|source| source.variable));
            let below = levels.last_mut().expect("a variable itself is not forgotten");
            below.sources.iter_mut().for_each(|source| source.origin = Origin::Block(block));
        }
        self.derivatives.retain(|variable| !variables.contains(variable));
    }

    /// All variables of the source, unknowns and others.
    pub(crate) fn variables(&self) -> impl Iterator<Item = VariableId> + use<> {
        self.levels.ids()
    }

    /// The derivatives of a variable, from the variable itself on.
    pub(crate) fn levels(&self, variable: VariableId) -> &[Level] {
        &self.levels[variable]
    }

    /// Whether this is a continuous unknown.
    pub(crate) fn is_unknown(&self, variable: VariableId) -> bool {
        self.levels.get(variable).is_some_and(|levels| !levels.is_empty())
    }

    /// The variable of the target that a block writes for one of the source.
    pub(crate) fn written(&self, block: BlockId, variable: VariableId) -> VariableId {
        self.replicates[&(block, variable)]
    }

    /// What holds a derivative in the modes of `context`; nothing where it has no value in any of them.
    pub(crate) fn value(
        &mut self,
        conditions: &Conditions,
        target: &mut Target,
        derivative: Derivative<VariableId>,
        context: ModeSet,
    ) -> Option<VariableId> {
        let level = self.levels[derivative.of].get(derivative.order as usize)?;
        let space = conditions.space();
        let met = level.sources.iter().enumerate().filter(|(_, source)| space.intersects(source.modes, context));
        let met: Vec<usize> = met.map(|(at, _)| at).collect();
        match met.len() {
            0 => None,
            1 => Some(level.sources[met[0]].variable),
            count if count == level.sources.len() => Some(self.signal(target, derivative)),
            _ => Some(self.partial_multiplexer(conditions, target, derivative, met, context)),
        }
    }

    /// What holds a derivative in all modes in which it has a value.
    pub(crate) fn signal(&mut self, target: &mut Target, derivative: Derivative<VariableId>) -> VariableId {
        let Derivative { of: variable, order } = derivative;
        if let Some(known) = self.levels[variable][order as usize].signal {
            return known;
        }
        let name = unquoted(&target.model.variables[variable].name);
        let description = derivative.named(name).to_string();
        let signal = target.derived(variable, &suffix(order), Some(description));
        self.levels[variable][order as usize].signal = Some(signal);
        self.derivatives.push(signal);
        signal
    }

    fn partial_multiplexer(
        &mut self,
        conditions: &Conditions,
        target: &mut Target,
        of: Derivative<VariableId>,
        sources: Vec<usize>,
        context: ModeSet,
    ) -> VariableId {
        let key = (of, sources);
        if let Some(&known) = self.partial.get(&key) {
            let multiplexer = &mut self.multiplexers[known];
            multiplexer.context = conditions.space().or(multiplexer.context, context);
            return multiplexer.variable;
        }
        let number = self.multiplexers.len() + 1;
        let variable = target.derived(of.of, &format!("{}_seen{number}", suffix(of.order)), None);
        self.replicated.push(variable);
        self.partial.insert(key.clone(), self.multiplexers.len());
        self.multiplexers.push(Multiplexer { variable, of, sources: key.1, context });
        variable
    }
}

/// What is appended to a name for a derivative: `_p`, `_pp` for the second.
fn suffix(order: u32) -> String {
    if order == 0 { String::new() } else { format!("_{}", "p".repeat(order as usize)) }
}

/// Declares the sources of one derivative.
struct Declaration<'a, 'c> {
    conditions: &'a Conditions<'c>,
    target: &'a mut Target,
    replicates: &'a mut Replicates,
    variable: VariableId,
    order: u32,
    /// Whether there is only one source.
    alone: bool,
    defined: ModeSet,
}

impl Declaration<'_, '_> {
    /// The state; named by the block that writes its highest derivative, if there is only one.
    fn state(&mut self, modes: ModeSet, writers: &[(u32, BlockId)]) -> Source {
        let above: Vec<_> = writers.iter().filter(|(order, _)| *order > self.order).collect();
        let number = match above.as_slice() {
            [(_, block)] => block.index().to_string(),
            _ => "state".to_string(),
        };
        Source { modes, origin: Origin::State, variable: self.declared(&number, modes) }
    }

    fn replicate(&mut self, block: BlockId) -> Source {
        let modes = self.conditions.analysis.graph.block(block).guard;
        let variable = self.declared(&block.index().to_string(), modes);
        self.replicates.replicates.insert((block, self.variable), variable);
        Source { modes, origin: Origin::Block(block), variable }
    }

    /// The variable itself where there is nothing to tell apart, else one with a number.
    fn declared(&mut self, number: &str, modes: ModeSet) -> VariableId {
        if self.alone && self.order == 0 {
            return self.variable;
        }
        let exists = self.conditions.analysis.incidence.variables()[self.variable].guard;
        let incidence = self.conditions.analysis.incidence.variables();
        let written = name(incidence, Derivative { of: self.variable, order: self.order });
        if self.alone && self.defined == exists {
            let variable = self.target.derived(self.variable, &suffix(self.order), Some(written));
            self.replicates.derivatives.push(variable);
            return variable;
        }
        let description = match self.conditions.text(modes).as_str() {
            "true" => written,
            guard => format!("{written} if {guard}"),
        };
        let suffix = format!("{}_{number}", suffix(self.order));
        let variable = self.target.derived(self.variable, &suffix, Some(description));
        self.replicates.replicated.push(variable);
        variable
    }
}
