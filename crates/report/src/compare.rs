//! The report of `compare`: two results, signal by signal.

use std::fmt::Write as _;

use serde_json::Value;

use crate::json::{Json, Version};

/// So many signals are listed in the text.
const MOST_LISTED: usize = 20;

crate::report! {
    /// A signal that is in both results.
    pub struct SignalReport {
        /// Its name.
        name: String => always "name",
        /// Whether it is within its tolerance everywhere.
        ok: bool => always "ok",
        /// The largest difference; nothing where it is there in one result and not in the other.
        difference: Option<f64> => always "difference",
        /// When.
        time: f64 => always "time",
        /// What may differ.
        tolerance: f64 => always "tolerance",
        /// The value of the first result there.
        first: Option<f64> => always "a",
        /// The value of the second result there.
        second: Option<f64> => always "b",
    }

    /// Two results.
    pub struct CompareReport {
        /// The version of the format.
        version: Version => always "version",
        /// The first file.
        first: String => always "a",
        /// The second file.
        second: String => always "b",
        /// Whether the second is like the first: all of its signals, within their tolerances, as long as it.
        ok: bool => always "ok",
        /// How much earlier or later something may happen.
        slack: f64 => always "slack",
        /// The times of the first: from, to.
        span: Vec<f64> => always "span",
        /// Where the second begins or ends elsewhere: from, to.
        other_span: Vec<f64> => optional "other_span",
        /// Signals of the first that the second does not have.
        missing: Vec<String> => always "missing",
        /// Signals of the second that the first does not have.
        more: Vec<String> => always "more",
        /// The signals of both, those that differ most, as a share of their tolerance, first.
        signals: Vec<SignalReport> => always "signals",
    }
}

impl CompareReport {
    /// As text: what differs, where and by how much.
    pub fn text(&self) -> String {
        let differing: Vec<&SignalReport> = self.signals.iter().filter(|it| !it.ok).collect();
        let mut text = match (self.ok, differing.len()) {
            (true, _) => format!(
                "{} is like {}: {}\n",
                self.second,
                self.first,
                match self.signals.len() {
                    1 => "1 signal within its tolerance".to_string(),
                    count => format!("{count} signals within their tolerances"),
                }
            ),
            (false, 0) => format!("{} is not like {}\n", self.second, self.first),
            (false, count) => {
                let all = self.signals.len();
                format!("{} is not like {}: {count} of {all} signals differ\n", self.second, self.first)
            }
        };
        if let ([from, to], [other_from, other_to]) = (self.span.as_slice(), self.other_span.as_slice()) {
            let _ = writeln!(text, "  it goes from {other_from} to {other_to}, not from {from} to {to}");
        }
        if !self.missing.is_empty() {
            let _ = writeln!(text, "  it has no {}", listed(&self.missing));
        }
        for it in differing.iter().take(MOST_LISTED) {
            let value = |value: Option<f64>| value.map_or("nothing".to_string(), |value| value.to_string());
            let (a, b) = (value(it.first), value(it.second));
            let _ = writeln!(text, "  {} at time = {}: {b}, not {a} (tolerance {})", it.name, it.time, it.tolerance);
        }
        if differing.len() > MOST_LISTED {
            let _ = writeln!(text, "  and {} more", differing.len() - MOST_LISTED);
        }
        if !self.more.is_empty() {
            let _ = writeln!(text, "note: {} has no {}", self.first, listed(&self.more));
        }
        text
    }

    /// As JSON.
    pub fn json(&self) -> Value {
        Json::json(self)
    }
}

fn listed(names: &[String]) -> String {
    match names.len() {
        0..=MOST_LISTED => names.join(", "),
        count => format!("{} and {} more", names[..MOST_LISTED].join(", "), count - MOST_LISTED),
    }
}
