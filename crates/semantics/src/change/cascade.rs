//! Cascades (E22 §8.4): what follows an instant that is over at once. A run from where it ends fires the next `when`, or enters
//! a mode that lasts, whose runs under constant guards lead to its dynamics.

use std::collections::VecDeque;

use crate::change::{Change, ChangeEnd};
use crate::graph::Graph;

/// More ways on than this are not listed, the shortest first.
pub const MOST_CASCADES: usize = 6;

impl Graph {
    /// The paths of runs that may follow a transient change, by number, each up to the first run of continuous dynamics; and
    /// whether there are more.
    pub fn cascades(&self, change: &Change) -> (Vec<Vec<usize>>, bool) {
        let end = change.instants.last().and_then(|trace| trace.end.as_ref().ok());
        let start = end.and_then(|end| self.beginnings.iter().position(|it| it == end));
        let Some(start) = start.filter(|_| change.end == ChangeEnd::Transient) else { return (Vec::new(), false) };
        let mut found: Vec<Vec<usize>> = Vec::new();
        let mut pending = VecDeque::from([(start, Vec::new())]);
        while let Some((at, path)) = pending.pop_front() {
            for run in self.runs_from(at) {
                let mut path: Vec<usize> = path.clone();
                let Ok(to) = self.runs[run].to else { continue };
                path.push(run);
                if !self.system.is_transient(self.runs[run].mode) {
                    if found.len() == MOST_CASCADES {
                        return (found, true);
                    }
                    found.extend(self.settled(path));
                } else if path[..path.len() - 1].iter().all(|&earlier| self.runs[earlier].from != to) && to != start {
                    pending.push_back((to, path));
                }
            }
        }
        (found, false)
    }

    /// A path that has entered a mode that lasts, up to its dynamics; nothing where it does not get there.
    fn settled(&self, mut path: Vec<usize>) -> Option<Vec<usize>> {
        let mut last = *path.last()?;
        while !self.is_continuous(last) {
            let to = *self.runs[last].to.as_ref().ok()?;
            last = self.run_from(to, self.runs[last].mode)?;
            if path.contains(&last) {
                return None;
            }
            path.push(last);
        }
        Some(path)
    }
}
