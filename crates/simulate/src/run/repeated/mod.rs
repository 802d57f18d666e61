//! Events that happened before: what a converter does in every period, without finding it out again.
//!
//! | file | purpose |
//! |---|---|
//! | [`trace`] | what the search for the next mode tried |
//! | [`arcs`] | from one event to the next in a mode that is affine, guards and all |
//! | [`kinds`] | which event is one that happened before |
//! | [`recipes`] | what an event led to, and the judgements that led there |
//! | [`learning`] | recipes from events that were searched |
//! | [`replay`] | the same judgements once more, and what follows |
//!
//! An event costs what is new in it. The search for the next mode tries modes one after the other and has relations judge each; what it
//! comes to is determined by the truths before, by what fired, and by the outcomes of these judgements. So an event is remembered
//! by its *kind*, that is the mode, all truths before and what fired, together with all judgements on the way. When an event of this
//! kind comes again, these judgements are made again, but each by one sum: where modes and guards are affine, what a restart makes
//! of a guard is an affine function of the left limits, also in modes that were tried and refused, with impulses in them. Where all
//! judgements are clearly what they were, the search would have found what it found. Where one is not, the search is asked.
//!
//! ```text
//!   right side ──► arc: exact solution, first zero of any guard, or what is due ──► left side, kind
//!        ▲                                                                             │
//!        │            judgements as they were  ◄───────  recipe of this kind  ◄────────┤
//!        └──────────────────────┘                                                      │ none, or a judgement is not
//!                                           phase and instant as ever, from the right side on
//! ```
//!
//! *Clearly* is: a value that was decided by is between half and twice what it was when the search was asked, or clear by what counts as
//! clear at any event; what was at zero is there again, and leaves it as it did. So nothing that comes near to another answer
//! (two modes that both stand, guards that touch zero, a crossing at an instant that is due) is ever taken from memory.
//!
//! Remembered are events of a few micro-steps, without impulses, laws, `reinit`, sliding, machines and delays, after which the
//! states go on as they were. They need no restart: all else follows from the states. What leads through other modes (a diode that takes
//! over and hands on to another one) is a recipe of several stages, one for each micro-step.
//!
//! A pause that somebody wants on the way is at values of the arc, and the event after it is the one that was found before it: results do not
//! depend on pauses.
//!
//! Not remembered: gates written with continuous variables, as `s = time/T - floor(time/T)`. The step of the stair is felt by the continuous
//! equations there, and is another one in every period, while judgements are for the values that are felt.

mod arcs;
mod kinds;
mod learning;
mod recipes;
mod replay;
pub(crate) mod trace;

use std::ops::ControlFlow;
use std::rc::Rc;

use modeshift_dae::{IndexVec, RelationId, VariableId};
use rustc_hash::FxHashMap;

use crate::integrate::Method;
use crate::results::CostPart;
use crate::run::instant::event_iteration::Fired;
use crate::run::modes::VisitedMode;
use crate::run::phase::schedule::pass_samples;
use crate::run::prepare::Prepared;
use crate::run::prepare::relations::Moment;
use crate::run::values::Side;
use crate::run::{Ended, Run};
use arcs::ModeArc;
use kinds::Kinds;
use recipes::Recipe;

/// So many modes are remembered, and recipes of so many relations in all; then all are forgotten.
const MOST_MODES: usize = 1 << 12;
const MOST_RELATIONS: usize = 1 << 21;
/// So many kinds of events of a mode.
const MOST_KINDS: usize = 1 << 8;

/// What a run remembers of its events.
pub(crate) struct Repeated<'a> {
    /// Whether the model and the method allow it.
    is_possible: bool,
    kinds: Kinds,
    modes: Vec<KnownMode<'a>>,
    by_mode: FxHashMap<*const VisitedMode<'a>, usize>,
    work: Work<'a>,
    /// Of how many relations there are recipes.
    relations: usize,
    /// Truths and steps that follow from time alone, where they do.
    of_time: Option<Vec<VariableId>>,
    /// How many events were passed.
    pub passed: usize,
}

/// A mode that was entered.
struct KnownMode<'a> {
    mode: Rc<VisitedMode<'a>>,
    /// The mode with its guards, where all are affine.
    arc: Option<ModeArc>,
    has_no_arc: bool,
    /// The same of a mode that events only lead through: for the slopes of its guards.
    passage: Option<ModeArc>,
    visits: u32,
    recipes: Vec<Recipe<'a>>,
    /// Kinds without a recipe, and how often they were looked at.
    unlearned: Vec<(Box<[u64]>, u32)>,
}

/// Values on their way from one event to the next; kept, so that no event allocates any.
struct Work<'a> {
    left: Option<Side<'a>>,
    /// Between two micro-steps.
    middle: Option<Side<'a>>,
    right: Option<Side<'a>>,
    kind: Vec<u64>,
    proposal: IndexVec<VariableId, f64>,
    /// What follows from the time of the event alone.
    by_time: Option<Vec<(VariableId, f64)>>,
    fired: Fired,
    states: Vec<f64>,
    /// By relation: its value and the size of its sides.
    values: IndexVec<RelationId, (f64, f64)>,
    /// Relations that are at zero after an event.
    unclear: Vec<(RelationId, (f64, f64))>,
}

impl KnownMode<'_> {
    /// What tells the slopes of its guards.
    fn slopes(&mut self) -> Option<&mut ModeArc> {
        self.arc.as_mut().or(self.passage.as_mut())
    }
}

impl<'a> Repeated<'a> {
    /// Nothing yet.
    pub fn new(prepared: &Prepared, method: Method) -> Self {
        let part = &prepared.discrete;
        let is_possible = matches!(method, Method::Auto | Method::Exact)
            && prepared.dae.model.machines.is_empty()
            && prepared.delays.all.is_empty()
            && part.assertions.is_empty()
            && part.states.is_empty()
            && prepared.felt.left_limits.is_empty()
            && part.atoms.iter().all(|atom| atom.moment != Moment::Before);
        let work = Work {
            left: None,
            middle: None,
            right: None,
            kind: Vec::new(),
            proposal: IndexVec::new(),
            by_time: None,
            fired: Fired::default(),
            states: Vec::new(),
            values: part.atoms.iter().map(|_| (0.0, 0.0)).collect(),
            unclear: Vec::new(),
        };
        Repeated {
            is_possible,
            kinds: Kinds::of(prepared),
            modes: Vec::new(),
            by_mode: FxHashMap::default(),
            work,
            relations: 0,
            of_time: if is_possible { prepared.of_time_alone() } else { None },
            passed: 0,
        }
    }

    /// Forgets everything where that is too much.
    fn forget(&mut self) {
        if self.modes.len() >= MOST_MODES || self.relations >= MOST_RELATIONS {
            self.modes.clear();
            self.by_mode.clear();
            self.relations = 0;
        }
    }

    /// Whether some events of a mode are known.
    pub fn has_recipes(&self, mode: &Rc<VisitedMode<'a>>) -> bool {
        let known = self.by_mode.get(&Rc::as_ptr(mode)).map(|&number| &self.modes[number]);
        known.is_some_and(|it| it.arc.is_some() && !it.recipes.is_empty())
    }

    /// The number of a mode.
    fn mode(&mut self, mode: &Rc<VisitedMode<'a>>) -> usize {
        if let Some(&known) = self.by_mode.get(&Rc::as_ptr(mode)) {
            return known;
        }
        let number = self.modes.len();
        self.by_mode.insert(Rc::as_ptr(mode), number);
        self.modes.push(KnownMode {
            mode: mode.clone(),
            arc: None,
            has_no_arc: false,
            passage: None,
            visits: 0,
            recipes: Vec::new(),
            unlearned: Vec::new(),
        });
        number
    }
}

impl<'a> Run<'_, 'a> {
    /// Whether events may be passed without a search.
    pub(super) fn may_repeat(&self) -> bool {
        self.repeated.is_possible && !self.conductor.wants_instants()
    }

    /// Passes events as long as they are such that happened before, with the pauses that are wanted on the way; the side after the last of
    /// them, the same side, or what a pause makes of it.
    pub(super) fn repeat(&mut self, side: Side<'a>) -> Result<Side<'a>, Box<Ended<'a>>> {
        if !self.may_repeat() || side.sliding.is_some() || side.mode.pins.is_some() {
            return Ok(side);
        }
        self.repeated.forget();
        let mut number = self.repeated.mode(&side.mode);
        self.repeated.modes[number].visits += 1;
        self.machinery.visited.surround(&side);
        let (mut present, mut has_moved) = (side, false);
        while let Some((time, recipe, next)) = self.find_repeated(number, &present) {
            if let Some(other) = self.pause_before(time, number, &present)? {
                return Ok(other);
            }
            self.pass_repeated(number, (time, recipe), &present);
            let Work { right, .. } = &mut self.repeated.work;
            let after = right.as_mut().expect("an event that was repeated has a right side");
            std::mem::swap(&mut present, after);
            (number, has_moved) = (next, true);
            if let Some(other) = self.pause(&present)? {
                return Ok(other);
            }
        }
        if has_moved {
            self.machinery.memory.sizes.see(&present);
            self.machinery.visited.surround(&present);
        }
        Ok(present)
    }

    /// The next event after the right side of another one, if it is one that happened before: its time, its recipe and the number of the
    /// mode that follows. Both its sides are in `work`.
    fn find_repeated(&mut self, number: usize, present: &Side<'a>) -> Option<(f64, usize, usize)> {
        let Run { machinery, settings, repeated, recent, output, .. } = self;
        if !repeated.prepare_arc(machinery, settings, number, present) || repeated.modes[number].recipes.is_empty() {
            return None;
        }
        if output.progress(&machinery.prepared.dae, present, present.time) == ControlFlow::Break(()) {
            return None;
        }
        let time = repeated.follow_arc(machinery, settings, number, present)?;
        machinery.visited.meter.begin(time);
        let mut from = 0;
        let (recipe, next) = loop {
            let recipe = repeated.find_recipe(number, from)?;
            if let Some(next) = repeated.replay(machinery, number, recipe) {
                break (recipe, next);
            }
            from = recipe + 1;
        };
        let may_accumulate = recent.may_accumulate(time, &repeated.modes[number].recipes[recipe].deciding);
        (!may_accumulate).then_some((time, recipe, next))
    }

    /// Pauses before an event that was found, as often as that is wanted, at values of the arc that leads there; what to go on with
    /// instead, where somebody gives it.
    fn pause_before(
        &mut self,
        event: f64,
        number: usize,
        present: &Side<'a>,
    ) -> Result<Option<Side<'a>>, Box<Ended<'a>>> {
        loop {
            let until = self.conductor.goal().until;
            if until >= event {
                return Ok(None);
            }
            let Run { machinery, repeated, output, .. } = self;
            let arc = repeated.modes[number].arc.as_mut().expect("an arc was followed");
            arc.tell_rows(machinery, present, (event, until), output);
            let Some(side) = arc.side_at(machinery, present, until.max(present.time)) else { return Ok(None) };
            let given = self.pause(&side);
            if !matches!(given, Ok(None)) {
                return given;
            }
        }
    }

    /// Passes an event that was found.
    fn pass_repeated(&mut self, number: usize, (time, recipe): (f64, usize), present: &Side<'a>) {
        let keeps_event = self.conductor.looks_at_events();
        let Run { machinery, repeated, output, recent, .. } = self;
        let Repeated { modes, work, .. } = repeated;
        let (Some(left), Some(right)) = (&work.left, &work.right) else { unreachable!("the event was found") };
        if output.next_point_before(time).is_some() {
            let arc = modes[number].arc.as_mut().expect("an arc was followed");
            arc.tell_rows(machinery, present, (time, f64::INFINITY), output);
        }
        machinery.visited.surround(right);
        let recipe = &mut modes[number].recipes[recipe];
        machinery.memory.pass_repeated((present.time, time), recipe.sizes());
        recent.pass(time);
        pass_samples(&mut machinery.memory.samplings, time);
        machinery.visited.meter.done(CostPart::Selection);
        if recipe.is_visible(machinery.prepared, left, right) {
            let told = (&mut recipe.record, recipe.tells_stairs, keeps_event);
            output.repeated_event(machinery.prepared, left, right, told);
            let is_thrown_back = machinery.prepared.discrete.comes_back(&recipe.deciding.atoms, left, right);
            recent.was_visible((left, right), &recipe.deciding.atoms, is_thrown_back);
        }
        machinery.visited.meter.done(CostPart::Output);
        let cost = machinery.visited.meter.cost();
        if cost.time.is_finite() {
            output.cost(cost);
        }
        repeated.passed += 1;
    }
}
