//! Where a run is, to come back to it later, in another process too.
//!
//! A run is determined by its model, its settings, and what it was told: up to where to go, and which inputs to set when. So a
//! snapshot is the list of what it was told, and coming back is to tell it again: the same run to the last bit, in the time that it
//! took before. Pauses in which nothing was set change nothing, so a snapshot grows with the inputs that were set, not with steps.
//!
//! What another run was told leads elsewhere without a word, so a snapshot knows whose it is ([`Origin`]).

use std::fmt;
use std::hash::Hasher;

use rustc_hash::FxHasher;

use crate::run::start::Start;
use crate::run::{Goal, RunSettings};

/// What a run was told so far.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Snapshot {
    pub(super) origin: Origin,
    pub(super) told: Vec<Told>,
    /// Inputs that were set for the next step, by their numbers.
    pub(super) pending: Vec<(u32, f64)>,
    /// Whether an event at the present time is still to be told as one.
    pub(super) owes_event: bool,
}

/// One thing that a run was told.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Told {
    /// To go on, with these inputs changed, by their numbers.
    Go { until: f64, at_events: bool, inputs: Vec<(u32, f64)> },
    /// To end.
    Finish,
}

/// Whose snapshot it is, as fingerprints.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Origin {
    model: u64,
    parameters: u64,
    settings: u64,
}

/// Why a run cannot come to where a snapshot was taken; it is where it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotThisRun {
    /// The equations are others, or what was put into them.
    Model,
    /// Parameters or start values are others.
    Parameters,
    /// The run begins or ends at another time, or is computed in another way.
    Settings,
}

impl fmt::Display for NotThisRun {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            NotThisRun::Model => "the snapshot is one of another model, or of one with other parameters",
            NotThisRun::Parameters => "the snapshot is one of a run with other parameters or start values",
            NotThisRun::Settings => {
                "the snapshot is one of a run with another start, stop, tolerance, solver or initial scenario"
            }
        })
    }
}

impl std::error::Error for NotThisRun {}

impl Origin {
    /// That of runs that begin so.
    pub fn of(start: &Start) -> Self {
        let (prepared, settings) = (&start.prepared, &start.settings);
        let mut model = FxHasher::default();
        model.write(prepared.dae.to_string().as_bytes());
        let mut parameters = FxHasher::default();
        let constants = &prepared.constants;
        for value in constants.parameters.iter().chain(&constants.starts) {
            // What has no value is told from all that have one: it is no number, and those are.
            parameters.write_u64(value.unwrap_or(f64::NAN).to_bits());
        }
        let mut others = FxHasher::default();
        for time in [settings.start, settings.stop, settings.tolerance] {
            others.write_u64(time.to_bits());
        }
        let RunSettings { method, scenario, impulsive_start, at_stop, .. } = settings;
        others.write(format!("{method:?} {scenario:?} {impulsive_start} {at_stop:?}").as_bytes());
        Origin { model: model.finish(), parameters: parameters.finish(), settings: others.finish() }
    }

    /// Whether runs that begin like this are those that `other` is of.
    pub fn expect(self, other: Origin) -> Result<(), NotThisRun> {
        match other {
            _ if other.model != self.model => Err(NotThisRun::Model),
            _ if other.parameters != self.parameters => Err(NotThisRun::Parameters),
            _ if other.settings != self.settings => Err(NotThisRun::Settings),
            _ => Ok(()),
        }
    }
}

/// What the bytes of a snapshot begin with.
const MAGIC: &[u8] = b"modeshift snapshot 3\n";
const GO: u8 = 0;
const GO_TO_EVENT: u8 = 1;
const FINISH: u8 = 2;

impl Snapshot {
    /// Notes a step. A pause before it in which nothing is set now needs no mention.
    pub(super) fn note(&mut self, goal: Goal, inputs: Vec<(u32, f64)>) {
        let Goal { until, at_events } = goal;
        if let (Some(Told::Go { until: last, at_events: false, .. }), true, false) =
            (self.told.last_mut(), inputs.is_empty(), at_events)
        {
            *last = until;
            return;
        }
        self.told.push(Told::Go { until, at_events, inputs });
    }

    /// Whether inputs were set for the next step.
    pub fn has_pending_inputs(&self) -> bool {
        !self.pending.is_empty()
    }

    /// As bytes, to be kept or sent.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        let Origin { model, parameters, settings } = self.origin;
        [model, parameters, settings].iter().for_each(|part| bytes.extend(part.to_le_bytes()));
        let values = |bytes: &mut Vec<u8>, list: &[(u32, f64)]| {
            bytes.extend((list.len() as u32).to_le_bytes());
            for (number, value) in list {
                bytes.extend(number.to_le_bytes());
                bytes.extend(value.to_le_bytes());
            }
        };
        values(&mut bytes, &self.pending);
        bytes.push(u8::from(self.owes_event));
        for told in &self.told {
            match told {
                Told::Finish => bytes.push(FINISH),
                Told::Go { until, at_events, inputs } => {
                    bytes.push(if *at_events { GO_TO_EVENT } else { GO });
                    bytes.extend(until.to_le_bytes());
                    values(&mut bytes, inputs);
                }
            }
        }
        bytes
    }

    /// From bytes; nothing where they are none of a snapshot.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let mut rest = bytes.strip_prefix(MAGIC)?;
        let mut part = || Some(u64::from_le_bytes(taken(&mut rest)?));
        let origin = Origin { model: part()?, parameters: part()?, settings: part()? };
        let pending = values(&mut rest)?;
        let owes_event = taken(&mut rest)? != [0_u8];
        let mut snapshot = Snapshot { origin, told: Vec::new(), pending, owes_event };
        while let Some((kind, after)) = rest.split_first() {
            rest = after;
            snapshot.told.push(match *kind {
                FINISH => Told::Finish,
                GO | GO_TO_EVENT => {
                    let until = f64::from_le_bytes(taken(&mut rest)?);
                    Told::Go { until, at_events: *kind == GO_TO_EVENT, inputs: values(&mut rest)? }
                }
                _ => return None,
            });
        }
        Some(snapshot)
    }
}

fn taken<const N: usize>(rest: &mut &[u8]) -> Option<[u8; N]> {
    let (first, after) = rest.split_first_chunk()?;
    *rest = after;
    Some(*first)
}

fn values(rest: &mut &[u8]) -> Option<Vec<(u32, f64)>> {
    let count = u32::from_le_bytes(taken(rest)?);
    (0..count).map(|_| Some((u32::from_le_bytes(taken(rest)?), f64::from_le_bytes(taken(rest)?)))).collect()
}
