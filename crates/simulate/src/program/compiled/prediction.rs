//! Guesses for iterations: where the last values of their unknowns lead.
//!
//! During a run the last values are near the solution already. Nearer is the polynomial through the values at the last few
//! times: it spares each iteration one or two of its steps. It is used as long as it leads nearer than the last values are,
//! and along one solution only: another beginning may be on another branch of the same equations. Where neither leads to a solution, as
//! after a look far ahead at states that never occur, iterations begin where the solution began.

use crate::integrate::{MOST_TIMES, lagrange};

/// The last values of unknowns.
pub(crate) struct Prediction {
    /// Where the unknowns are in the memory.
    places: Vec<u32>,
    /// How many times are remembered.
    count: usize,
    /// The times, each later than the one before.
    times: [f64; MOST_TIMES],
    /// The values at these times.
    values: [Vec<f64>; MOST_TIMES],
    /// Where the values led, last time.
    predicted: Vec<f64>,
    /// The first values of the solution, once they are known.
    first: Option<Vec<f64>>,
}

impl Prediction {
    /// Nothing is known yet.
    pub fn of(places: Vec<u32>) -> Self {
        let zeros = vec![0.0; places.len()];
        Prediction {
            count: 0,
            times: [0.0; MOST_TIMES],
            values: std::array::from_fn(|_| zeros.clone()),
            predicted: zeros,
            first: None,
            places,
        }
    }

    /// Nothing is known of the solution that comes.
    pub fn forget(&mut self) {
        self.count = 0;
        self.first = None;
    }

    /// Puts the first values into the memory; whether there are any.
    pub fn recall_first(&self, memory: &mut [f64]) -> bool {
        let first = self.first.as_deref().unwrap_or(&[]);
        self.places.iter().zip(first).for_each(|(&place, &value)| memory[place as usize] = value);
        !first.is_empty()
    }

    /// Puts guesses into the memory where a time is new; whether they are others than the last values. A time before the
    /// last one is of a step that is tried again: what was found at later times is forgotten, since it may be anything.
    pub fn guess(&mut self, time: f64, memory: &mut [f64]) -> bool {
        if self.last_time() == Some(time) || self.places.is_empty() {
            return false;
        }
        while self.last_time().is_some_and(|last| last > time) {
            self.count -= 1;
        }
        if self.count < 2 {
            self.recall(memory);
            return false;
        }
        let factors = lagrange(&self.times[..self.count], time);
        for (index, (place, predicted)) in self.places.iter().zip(&mut self.predicted).enumerate() {
            let terms = self.values[..self.count].iter().zip(factors);
            *predicted = terms.map(|(values, factor)| factor * values[index]).sum();
            memory[*place as usize] = *predicted;
        }
        true
    }

    /// Puts the last values into the memory.
    pub fn recall(&self, memory: &mut [f64]) {
        if let Some(last) = self.values[..self.count].last() {
            self.places.iter().zip(last).for_each(|(&place, &value)| memory[place as usize] = value);
        }
    }

    /// Remembers the values that were found.
    pub fn learn(&mut self, time: f64, memory: &[f64]) {
        if self.places.is_empty() {
            return;
        }
        if self.last_time() == Some(time) {
            self.count -= 1;
        } else if self.count >= 2 && !self.led_nearer(memory) {
            self.count = 0;
        } else if self.count == MOST_TIMES {
            self.times.rotate_left(1);
            self.values.rotate_left(1);
            self.count -= 1;
        }
        self.times[self.count] = time;
        for (value, &place) in self.values[self.count].iter_mut().zip(&self.places) {
            *value = memory[place as usize];
        }
        if self.first.is_none() {
            self.first = Some(self.values[self.count].clone());
        }
        self.count += 1;
    }

    fn last_time(&self) -> Option<f64> {
        self.times[..self.count].last().copied()
    }

    /// Whether most unknowns are nearer to where they were predicted than to their last values.
    fn led_nearer(&self, memory: &[f64]) -> bool {
        let last = &self.values[self.count - 1];
        let nearer = self.places.iter().zip(&self.predicted).zip(last).filter(|((place, predicted), last)| {
            let value = memory[**place as usize];
            (value - **predicted).abs() < (value - **last).abs()
        });
        2 * nearer.count() > self.places.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn solution(time: f64) -> [f64; 2] {
        [1.0 + time * (2.0 - time * time), 3.0 - time]
    }

    /// Where the line through the solution at two times leads.
    fn between(first: f64, second: f64, time: f64) -> [f64; 2] {
        let share = (time - first) / (second - first);
        std::array::from_fn(|index| (1.0 - share) * solution(first)[index] + share * solution(second)[index])
    }

    /// Almost the solution at 0.9.
    const NEAR: [f64; 2] = [2.06, 2.11];

    fn guess(prediction: &mut Prediction, time: f64) -> [f64; 2] {
        let mut memory = [f64::NAN, 7.0, 8.0];
        prediction.guess(time, &mut memory);
        [memory[2], memory[1]]
    }

    fn learn(prediction: &mut Prediction, time: f64, [first, second]: [f64; 2]) {
        prediction.learn(time, &[f64::NAN, second, first]);
    }

    fn check_guess(prediction: &mut Prediction, time: f64, right: [f64; 2]) {
        let found = guess(prediction, time);
        assert!(
            found.iter().zip(right).all(|(found, right)| (found - right).abs() < 1e-13),
            "{found:?}, not {right:?}"
        );
    }

    fn after_some_steps() -> Prediction {
        let mut prediction = Prediction::of(vec![2, 1]);
        for time in [0.0, 0.1, 0.3, 0.4, 0.6] {
            guess(&mut prediction, time);
            learn(&mut prediction, time, solution(time));
        }
        prediction
    }

    #[test]
    fn a_cubic_is_continued() {
        let mut prediction = after_some_steps();
        check_guess(&mut prediction, 0.9, solution(0.9));
    }

    #[test]
    fn a_step_that_is_tried_again_forgets_what_was_tried() {
        let mut prediction = after_some_steps();
        guess(&mut prediction, 0.9);
        learn(&mut prediction, 0.9, NEAR);
        // Of four values three are left, then two, then one.
        let [found, _] = guess(&mut prediction, 0.7);
        assert!((found - solution(0.7)[0]).abs() < 0.02, "{found}");
        check_guess(&mut prediction, 0.5, between(0.3, 0.4, 0.5));
        check_guess(&mut prediction, 0.35, solution(0.3));
    }

    #[test]
    fn where_nothing_leads_the_last_values_serve() {
        let mut prediction = Prediction::of(vec![2, 1]);
        assert_eq!(guess(&mut prediction, 0.0), [8.0, 7.0], "the memory is left alone");
        learn(&mut prediction, 0.0, solution(0.0));
        check_guess(&mut prediction, 0.1, solution(0.0));
        learn(&mut prediction, 0.1, NEAR);
        check_guess(&mut prediction, 0.05, solution(0.0));
    }

    #[test]
    fn values_at_the_same_time_are_replaced() {
        let mut prediction = after_some_steps();
        guess(&mut prediction, 0.9);
        learn(&mut prediction, 0.9, NEAR);
        assert_eq!(guess(&mut prediction, 0.9), [8.0, 7.0], "the memory is left alone");
        learn(&mut prediction, 0.9, solution(0.9));
        check_guess(&mut prediction, 1.0, solution(1.0));
    }

    #[test]
    fn a_jump_ends_the_past() {
        let mut prediction = after_some_steps();
        guess(&mut prediction, 0.7);
        learn(&mut prediction, 0.7, [-4.0, -5.0]);
        check_guess(&mut prediction, 0.8, [-4.0, -5.0]);
        learn(&mut prediction, 0.8, [-4.1, -5.2]);
        check_guess(&mut prediction, 0.9, [-4.2, -5.4]);
    }
}
