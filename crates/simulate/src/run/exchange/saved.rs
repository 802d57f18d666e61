//! Where a run that others integrate is, to come back to it, in another process too: all numbers that say so.

use std::rc::Rc;

use modeshift_dae::{Mode, VariableId};
use modeshift_diagnostics::Diagnostics;

use super::super::memory::RememberedSizes;
use super::super::values::Side;
use super::ExchangeEvent;
use super::served::Served;

/// Where a run that others integrate is.
#[derive(Clone, Debug, PartialEq)]
pub struct SavedExchange {
    lists: Vec<Vec<f64>>,
}

/// What the bytes begin with.
const MAGIC: &[u8] = b"modeshift exchange 1\n";

impl SavedExchange {
    /// As bytes, to be kept or sent.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        for list in &self.lists {
            bytes.extend((list.len() as u64).to_le_bytes());
            list.iter().for_each(|value| bytes.extend(value.to_bits().to_le_bytes()));
        }
        bytes
    }

    /// From bytes; nothing where they are none of a place.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let mut rest = bytes.strip_prefix(MAGIC)?;
        let mut lists = Vec::new();
        while !rest.is_empty() {
            let (length, after) = rest.split_first_chunk()?;
            let length = usize::try_from(u64::from_le_bytes(*length)).ok()?;
            let (values, after) = after.split_at_checked(length.checked_mul(8)?)?;
            let value = |chunk: &[u8]| f64::from_bits(u64::from_le_bytes(chunk.try_into().unwrap_or_default()));
            lists.push(values.chunks_exact(8).map(value).collect());
            rest = after;
        }
        Some(SavedExchange { lists })
    }
}

fn truth(value: bool) -> f64 {
    f64::from(u8::from(value))
}

impl Served<'_, '_> {
    /// Where it is.
    pub(super) fn saved(&self) -> SavedExchange {
        let Side { time, mode, jet, discrete, last, .. } = &self.present;
        let memory = &self.machinery.memory;
        let last_values = last
            .iter()
            .flat_map(|(id, values)| [f64::from(id.0), values.len() as f64].into_iter().chain(values.iter().copied()));
        let mut lists = vec![
            vec![*time, self.began],
            mode.values.values().map(truth).collect(),
            jet.clone(),
            discrete.iter().copied().collect(),
            last_values.collect(),
            self.given.clone(),
            self.shifts.clone(),
            self.signs.clone(),
            memory.samplings.iter().map(|it| it.next).collect(),
        ];
        lists.extend(memory.remembered_sizes(&self.states).0);
        SavedExchange { lists }
    }

    /// Comes back to where it was: when that is, and what is due; nothing where that is a place of another model.
    pub(super) fn restored(&mut self, saved: &SavedExchange) -> Result<Option<(f64, ExchangeEvent)>, Diagnostics> {
        Ok(self.restore(saved)?.then(|| (self.present.time, self.told(false, Vec::new(), false))))
    }

    fn restore(&mut self, saved: &SavedExchange) -> Result<bool, Diagnostics> {
        let Some(Lists { time, began, mode, jet, discrete, last, given, shifts, signs, samplings, sizes }) =
            self.lists(saved)
        else {
            return Ok(false);
        };
        let machinery = &mut *self.machinery;
        let point = |input| self.present.point(machinery.prepared, &self.present.discrete, input);
        let Ok(mode) = machinery.visited.get(&mode, None, &point) else { return Ok(false) };
        if mode.quantities.len() != jet.len() {
            return Ok(false);
        }
        for (sampling, next) in machinery.memory.samplings.iter_mut().zip(samplings) {
            sampling.next = next;
        }
        machinery.memory.take_remembered(&self.states, &sizes);
        let mut values = self.present.discrete.clone();
        values.iter_mut().zip(discrete).for_each(|(place, value)| *place = value);
        let side = Side { time, mode, jet, discrete: values, sliding: None, last: Rc::new(last) };
        self.take(side)?;
        // Guards are not where they were armed, but where the environment has moved them to.
        if self.shifts.len() != shifts.len() || self.given.len() != given.len() {
            return Ok(false);
        }
        (self.began, self.given, self.shifts, self.signs) = (began, given, shifts, signs);
        self.machinery.memory.take_remembered(&self.states, &sizes);
        Ok(true)
    }

    /// What the lists of numbers are, where they are those of this model.
    fn lists(&self, saved: &SavedExchange) -> Option<Lists> {
        let [times, mode, jet, discrete, last, given, shifts, signs, samplings, sizes @ ..] = saved.lists.as_slice()
        else {
            return None;
        };
        let &[time, began] = times.as_slice() else { return None };
        let memory = &self.machinery.memory;
        let is_known = mode.len() == self.present.mode.values.len()
            && discrete.len() == self.present.discrete.len()
            && signs.len() == self.signs.len()
            && samplings.len() == memory.samplings.len();
        let mut values = mode.iter();
        let mode = Mode::from_fn(mode.len(), |_| values.next().is_some_and(|it| *it != 0.0));
        let sizes = RememberedSizes(sizes.to_vec());
        let fits = is_known && memory.fits(&self.states, &sizes);
        let (mut rest, mut remembered) = (last.as_slice(), std::collections::BTreeMap::new());
        while let &[id, count, ref after @ ..] = rest {
            let (values, after) = after.split_at_checked(count as usize)?;
            remembered.insert(VariableId(id as u32), values.to_vec());
            rest = after;
        }
        fits.then(|| Lists {
            time,
            began,
            mode,
            jet: jet.clone(),
            discrete: discrete.clone(),
            last: remembered,
            given: given.clone(),
            shifts: shifts.clone(),
            signs: signs.clone(),
            samplings: samplings.clone(),
            sizes,
        })
    }
}

/// The numbers of a place.
struct Lists {
    time: f64,
    began: f64,
    mode: Mode,
    jet: Vec<f64>,
    discrete: Vec<f64>,
    last: std::collections::BTreeMap<VariableId, Vec<f64>>,
    given: Vec<f64>,
    shifts: Vec<f64>,
    signs: Vec<f64>,
    samplings: Vec<f64>,
    sizes: RememberedSizes,
}
