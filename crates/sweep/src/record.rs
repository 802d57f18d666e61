//! What a run leaves, and its bytes.

/// What a run leaves.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Record {
    /// The number of the run.
    pub run: u64,
    /// How it ended: `stop`, `terminated`, `interrupted`, `failed`, or `refused` where it could not begin.
    pub status: String,
    /// What there is to say about that; empty where all is well.
    pub diagnosis: String,
    /// How far it came; not a number where it did not begin.
    pub time: f64,
    /// How many events there were.
    pub event_count: u64,
    /// The last values, in the order of the layout.
    pub ends: Vec<f64>,
    /// The events.
    pub events: Vec<Happening>,
    /// The rows of signals.
    pub signals: Signals,
}

/// An event.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Happening {
    /// When.
    pub time: f64,
    /// The conditions that changed.
    pub cause: String,
    /// The mode variables that change, as they are afterwards.
    pub to: String,
    /// What is impulsive: names with orders and weights.
    pub impulses: String,
}

/// Rows of signals.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Signals {
    /// When.
    pub times: Vec<f64>,
    /// Row after row, in the order of the layout.
    pub values: Vec<f64>,
}

impl Record {
    /// Whether the run came to its end.
    pub fn is_complete(&self) -> bool {
        matches!(self.status.as_str(), "stop" | "terminated")
    }

    /// As bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        push_u64(&mut bytes, self.run);
        push_text(&mut bytes, &self.status);
        push_text(&mut bytes, &self.diagnosis);
        push_numbers(&mut bytes, &[self.time]);
        push_u64(&mut bytes, self.event_count);
        push_numbers(&mut bytes, &self.ends);
        push_u64(&mut bytes, self.events.len() as u64);
        for event in &self.events {
            push_numbers(&mut bytes, &[event.time]);
            [&event.cause, &event.to, &event.impulses].into_iter().for_each(|text| push_text(&mut bytes, text));
        }
        push_numbers(&mut bytes, &self.signals.times);
        push_numbers(&mut bytes, &self.signals.values);
        bytes
    }

    /// From bytes; nothing where they are none of a record.
    pub fn from_bytes(bytes: &[u8]) -> Option<Record> {
        let mut rest = bytes;
        let (run, status, diagnosis) = (take_u64(&mut rest)?, take_text(&mut rest)?, take_text(&mut rest)?);
        let time = *take_numbers(&mut rest)?.first()?;
        let (event_count, ends) = (take_u64(&mut rest)?, take_numbers(&mut rest)?);
        let count = take_u64(&mut rest)?;
        let mut events = Vec::new();
        for _ in 0..count {
            let time = *take_numbers(&mut rest)?.first()?;
            let (cause, to, impulses) = (take_text(&mut rest)?, take_text(&mut rest)?, take_text(&mut rest)?);
            events.push(Happening { time, cause, to, impulses });
        }
        let signals = Signals { times: take_numbers(&mut rest)?, values: take_numbers(&mut rest)? };
        rest.is_empty().then_some(Record { run, status, diagnosis, time, event_count, ends, events, signals })
    }
}

fn push_u64(bytes: &mut Vec<u8>, value: u64) {
    bytes.extend(value.to_le_bytes());
}

fn push_text(bytes: &mut Vec<u8>, text: &str) {
    push_u64(bytes, text.len() as u64);
    bytes.extend_from_slice(text.as_bytes());
}

fn push_numbers(bytes: &mut Vec<u8>, numbers: &[f64]) {
    push_u64(bytes, numbers.len() as u64);
    bytes.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
}

fn take_u64(rest: &mut &[u8]) -> Option<u64> {
    let (first, after) = rest.split_first_chunk()?;
    *rest = after;
    Some(u64::from_le_bytes(*first))
}

fn take<'a>(rest: &mut &'a [u8], count: usize) -> Option<&'a [u8]> {
    let (first, after) = rest.split_at_checked(count)?;
    *rest = after;
    Some(first)
}

fn take_text(rest: &mut &[u8]) -> Option<String> {
    let length = usize::try_from(take_u64(rest)?).ok()?;
    String::from_utf8(take(rest, length)?.to_vec()).ok()
}

fn take_numbers(rest: &mut &[u8]) -> Option<Vec<f64>> {
    let length = usize::try_from(take_u64(rest)?).ok()?.checked_mul(8)?;
    let bytes = take(rest, length)?;
    Some(bytes.chunks_exact(8).map(|it| f64::from_le_bytes(it.try_into().expect("eight bytes"))).collect())
}
