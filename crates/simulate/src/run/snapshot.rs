//! Where a run is, to come back to it later, in another process too.
//!
//! A run is determined by its model, its settings, and what it was told: up to where to go, and which inputs to set when. So a
//! snapshot is the list of what it was told, and coming back is to tell it again: the same run to the last bit, in the time that it
//! took before. Pauses in which nothing was set change nothing, so a snapshot grows with the inputs that were set, not with steps.

use super::Goal;

/// What a run was told so far.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Snapshot {
    pub(super) told: Vec<Told>,
    /// Inputs that were set for the next step, by their numbers.
    pub(super) pending: Vec<(u32, f64)>,
}

/// One thing that a run was told.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Told {
    /// To go on, with these inputs changed, by their numbers.
    Go { until: f64, at_events: bool, inputs: Vec<(u32, f64)> },
    /// To end.
    Finish,
}

/// What the bytes of a snapshot begin with.
const MAGIC: &[u8] = b"modeshift snapshot 1\n";
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
        let values = |bytes: &mut Vec<u8>, list: &[(u32, f64)]| {
            bytes.extend((list.len() as u32).to_le_bytes());
            for (number, value) in list {
                bytes.extend(number.to_le_bytes());
                bytes.extend(value.to_le_bytes());
            }
        };
        values(&mut bytes, &self.pending);
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
        let mut snapshot = Snapshot { told: Vec::new(), pending: values(&mut rest)? };
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
