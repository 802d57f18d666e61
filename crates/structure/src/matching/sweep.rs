//! The order in which a search works off what it has reached: up and down the locality order, again and again.
//!
//! Not in breadth-first layers: a layer holds the modes that took equally many steps, which says something about every
//! step of the way and makes large diagrams. A sweep waits until all modes that can come to an equation from one side
//! have come, and then goes on with their union. Where nothing but the union counts, it turns back for what waits just behind
//! it: an equation and its derivatives, or those of one component, lie in no order that would suit every search, and modes
//! that are left behind there are missing in all unions that follow. (Where paths are chosen on the way, as for a matching, the
//! order of the text decides which of several good ones is taken.)

use modeshift_dae::{EquationId, IndexVec};

/// Equations that wait for their turn.
pub(crate) struct Sweep {
    position: IndexVec<EquationId, u32>,
    order: Vec<EquationId>,
    waiting: PositionSet,
    /// How far it has come in its direction.
    front: usize,
    upwards: bool,
    /// So far behind its front it turns back.
    behind: usize,
}

/// So far behind its front a sweep turns back: about the equations of one section of a line, with what stands beside its element, at a start
/// too, where these are there with their derivatives.
const BEHIND: usize = 64;

impl Sweep {
    /// Nothing waits.
    pub(crate) fn new(equations: usize, order: &[EquationId]) -> Sweep {
        let mut position: IndexVec<EquationId, u32> = (0..equations).map(|_| 0).collect();
        for (at, &equation) in order.iter().enumerate() {
            position[equation] = u32::try_from(at).expect("fewer than 2^32 equations");
        }
        Sweep {
            position,
            order: order.to_vec(),
            waiting: PositionSet::new(order.len()),
            front: 0,
            upwards: true,
            behind: 0,
        }
    }

    /// The same, turning back for what waits just behind its front.
    pub(crate) fn turning_back(self) -> Sweep {
        Sweep { behind: BEHIND, ..self }
    }

    /// Lets an equation wait.
    pub(crate) fn add(&mut self, equation: EquationId) {
        self.waiting.insert(self.position[equation] as usize);
    }

    /// The next equation on the way; the direction turns where none is left.
    pub(crate) fn next(&mut self) -> Option<EquationId> {
        let ahead = self.ahead().or_else(|| {
            self.upwards = !self.upwards;
            self.ahead()
        });
        let at = ahead?;
        self.front = if self.upwards { self.front.max(at) } else { self.front.min(at) };
        self.waiting.remove(at);
        Some(self.order[at])
    }

    fn ahead(&self) -> Option<usize> {
        match self.upwards {
            true => self.waiting.first_from(self.front.saturating_sub(self.behind)),
            false => self.waiting.last_to((self.front + self.behind).min(self.order.len().saturating_sub(1))),
        }
    }
}

const WORD: usize = u64::BITS as usize;

/// A set of positions that finds the nearest member on either side: bits, bits of which words have bits, and so on up.
struct PositionSet {
    levels: Vec<Vec<u64>>,
}

impl PositionSet {
    fn new(count: usize) -> PositionSet {
        let mut levels = vec![vec![0; count.div_ceil(WORD).max(1)]];
        while let Some(top) = levels.last().filter(|top| top.len() > 1) {
            levels.push(vec![0; top.len().div_ceil(WORD)]);
        }
        PositionSet { levels }
    }

    fn insert(&mut self, mut position: usize) {
        for level in &mut self.levels {
            level[position / WORD] |= 1 << (position % WORD);
            position /= WORD;
        }
    }

    fn remove(&mut self, mut position: usize) {
        for level in &mut self.levels {
            level[position / WORD] &= !(1 << (position % WORD));
            if level[position / WORD] != 0 {
                break;
            }
            position /= WORD;
        }
    }

    /// The smallest member not below `from`.
    fn first_from(&self, from: usize) -> Option<usize> {
        let mut from = from;
        for (height, level) in self.levels.iter().enumerate() {
            let word = *level.get(from / WORD)? & (u64::MAX << (from % WORD));
            if word != 0 {
                let found = from / WORD * WORD + word.trailing_zeros() as usize;
                return Some(self.descend(height, found, u64::trailing_zeros));
            }
            from = from / WORD + 1;
        }
        None
    }

    /// The largest member not above `to`.
    fn last_to(&self, to: usize) -> Option<usize> {
        let mut to = to;
        for (height, level) in self.levels.iter().enumerate() {
            let word = level[to / WORD] & (u64::MAX >> (WORD - 1 - to % WORD));
            if word != 0 {
                let found = to / WORD * WORD + (WORD - 1) - word.leading_zeros() as usize;
                return Some(self.descend(height, found, |word| u64::BITS - 1 - word.leading_zeros()));
            }
            to = (to / WORD).checked_sub(1)?;
        }
        None
    }

    /// From a bit at some height down to the member that `pick` chooses in each word.
    fn descend(&self, height: usize, mut position: usize, pick: impl Fn(u64) -> u32) -> usize {
        for level in self.levels[..height].iter().rev() {
            position = position * WORD + pick(level[position]) as usize;
        }
        position
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use modeshift_dae::Id;

    /// The order in which equations are taken if, when one of them is, others are added.
    fn taken(first: &[u32], then: &[(u32, &[u32])]) -> Vec<u32> {
        let order: Vec<_> = (0..100).map(EquationId::from_index).collect();
        let mut sweep = Sweep { behind: 16, ..Sweep::new(100, &order) };
        first.iter().for_each(|&k| sweep.add(EquationId(k)));
        let mut taken = Vec::new();
        while let Some(equation) = sweep.next() {
            taken.push(equation.0);
            for (_, added) in then.iter().filter(|(at, _)| *at == equation.0) {
                added.iter().for_each(|&k| sweep.add(EquationId(k)));
            }
        }
        taken
    }

    #[test]
    fn goes_up_then_down_and_takes_up_what_is_added_on_the_way() {
        assert_eq!(taken(&[50, 30, 80], &[(50, &[10, 60])]), [30, 50, 60, 80, 10]);
    }

    #[test]
    fn turns_back_for_what_waits_just_behind_its_front_and_no_further() {
        assert_eq!(taken(&[30, 50], &[(30, &[28]), (28, &[20]), (20, &[5])]), [30, 28, 20, 50, 5]);
        assert_eq!(taken(&[99, 50], &[(99, &[60]), (60, &[70, 90])]), [50, 99, 60, 70, 90]);
    }

    #[test]
    fn nearest_members_are_found_at_every_distance() {
        let count = 300_000;
        let members = [0, 1, 63, 64, 4095, 4096, 70_000, 262_143, 262_144, 299_999];
        let mut set = PositionSet::new(count);
        members.into_iter().for_each(|member| set.insert(member));
        set.insert(100_000);
        set.remove(100_000);
        for from in (0..count).step_by(37).chain(members) {
            assert_eq!(set.first_from(from), members.into_iter().find(|&member| member >= from));
            assert_eq!(set.last_to(from), members.into_iter().rev().find(|&member| member <= from));
        }
    }
}
