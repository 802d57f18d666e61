//! A cluster of atoms as a linear complementarity problem, from which Lemke's method proposes a mode.
//!
//! Ideal diodes that all decide at once, some of their combinations singular, are found neither by changing all that are
//! violated nor one after the other, and there are too many combinations to try them. Looked at from one regular mode,
//! each diode is a pair of quantities of which one vanishes ([`ReferenceMode`]).

use modeshift_dae::{ExpressionId, IndexVec, Mode, RelationId, VariableId};
use modeshift_mode_changes::{Complementarity, Element, Jet, ReferenceMode};
use modeshift_numerics::Input;

use crate::run::instant::Instant;
use crate::run::instant::discrete_fixpoint::{MicroStep, Settled};

impl<'a> Instant<'_, 'a> {
    /// The problem of some atoms, for a few steps, from the mode that these discrete values lead to, linearized at its
    /// right limits where they are known; nothing if that mode is singular, if laws of a `when` act there, or if the atoms
    /// are no pairs.
    pub fn complementarities(
        &mut self,
        step: &MicroStep<'_, 'a>,
        atoms: &[RelationId],
        discrete: &IndexVec<VariableId, f64>,
        right: Option<&Jet>,
    ) -> Option<Vec<Complementarity>> {
        let here = self.settle(step, discrete.clone(), step.left).ok().filter(|settled| !settled.is_transient)?;
        let point = self.point(step, &here);
        let mode = self.visited.get(&here.mode, step.island, &point).ok().filter(|mode| mode.pins.is_none())?;
        let changed: Vec<Settled> =
            atoms.iter().map(|&atom| self.settled_with(step, discrete, atom)).collect::<Option<_>>()?;
        let judges: Vec<[([ExpressionId; 2], f64); 2]> = atoms
            .iter()
            .zip(&changed)
            .map(|(&atom, changed)| [self.judge_of(step, &here, atom), self.judge_of(step, changed, atom)])
            .collect();
        let known = self.known_in(step, &here.discrete, &here.mode);
        let elements = atoms.iter().zip(changed.iter().zip(judges)).map(|(&atom, (settled, [now, then]))| {
            let it = &self.prepared.discrete.atoms[atom];
            let truth = here.discrete[it.variable] != 0.0;
            Element {
                guard: now.0,
                sign: now.1,
                changed_guard: then,
                states: (u32::from(truth), u32::from(!truth)),
                changed: &settled.mode,
                changed_variables: self.prepared.felt_changes(&here.discrete, &settled.discrete),
                known: Box::new(self.known_in(step, &settled.discrete, &settled.mode)),
            }
        });
        let elements: Vec<Element> = elements.collect();
        let felt = self.prepared.felt_changes(&step.left.discrete, &here.discrete);
        let memory = self.circumstances(step, &here, &mode, &felt, &known).past().jet;
        let reference = ReferenceMode {
            dae: &self.prepared.dae,
            natives: &self.prepared.natives,
            forms: &self.prepared.forms,
            values: &here.mode,
            structure: &mode.structure,
            equations: &mode.equations.at(&known),
            known: &known,
            memory: &memory,
            point: right.unwrap_or(&memory),
        };
        let problems = reference.complementarities(&elements, self.memory.time_scale.short());
        (!problems.is_empty()).then_some(problems)
    }

    /// The relation that judges the state in which an atom has put its element, and the side on which it lets it stay: the
    /// atom itself, or of a pair that has changed the one that counts from then on.
    fn judge_of(&mut self, step: &MicroStep<'_, 'a>, settled: &Settled, atom: RelationId) -> ([ExpressionId; 2], f64) {
        let part = &self.prepared.discrete;
        let it = part.atoms[atom];
        let own = (it.sides, it.side(settled.discrete[it.variable] != 0.0));
        let Some(pair) = part.pair_atoms.iter().position(|atoms| atoms.contains(&atom)) else { return own };
        let members = &part.pairs[pair];
        if members.iter().all(|&id| settled.discrete[id] == step.left.discrete[id]) {
            return own;
        }
        let left = self.own_left(step, settled);
        let later = MicroStep { left: &left, start: None, ..*step };
        for &partner in part.pair_atoms[pair].iter().filter(|&&partner| partner != atom) {
            let it = part.atoms[partner];
            let stays = [0.0, 1.0].map(|truth| {
                let mut discrete = settled.discrete.clone();
                discrete[it.variable] = truth;
                let later = self.settle(&later, discrete, step.left);
                later.is_ok_and(|later| members.iter().all(|&id| later.discrete[id] == settled.discrete[id]))
            });
            if stays[0] != stays[1] {
                return (it.sides, it.side(stays[1]));
            }
        }
        own
    }

    /// The discrete part with one more atom changed.
    fn settled_with(
        &mut self,
        step: &MicroStep<'_, 'a>,
        discrete: &IndexVec<VariableId, f64>,
        atom: RelationId,
    ) -> Option<Settled> {
        let variable = self.prepared.discrete.atoms[atom].variable;
        let mut discrete = discrete.clone();
        discrete[variable] = 1.0 - discrete[variable];
        self.settle(step, discrete, step.left).ok().filter(|settled| !settled.is_transient)
    }

    /// What is known in a mode, the mode included, and nothing of the unknowns.
    fn known_in<'r>(
        &'r self,
        step: &'r MicroStep<'_, 'a>,
        discrete: &'r IndexVec<VariableId, f64>,
        mode: &'r Mode,
    ) -> impl Fn(Input) -> Option<f64> + 'r {
        let known = self.prepared.known(step.left, discrete, step.occasion, step.sampled);
        move |input| match input {
            Input::Mode(id) => Some(f64::from(u8::from(mode[id]))),
            Input::Variable(id, _) if self.prepared.dae.model.variables[id].is_continuous_unknown() => None,
            other => known(other),
        }
    }
}
