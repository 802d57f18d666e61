//! One block of equations: damped Newton from the guesses, then whatever else may help, each attempt on record.
//!
//! The chain: Newton (damped, then after a Levenberg–Marquardt descent, then with whole steps), the same from what equations say of
//! their unknowns, from other guesses, and at last continuation from the residuals at the guess: `F(x) = s F(x0)` is solved for `s` from 1 to 0.

use modeshift_dae::{Id, VariableId};
use modeshift_numerics::{
    Block, Differentiated, NewtonFailure, NewtonSettings, NonlinearSystem, Pattern, solve_newton,
};

/// A way to solve a block.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Attempt {
    /// Newton's method from the start values, in this variant.
    Newton(modeshift_numerics::Attempt),
    /// The same from guesses that equations give which are solved for an unknown.
    ExplicitGuess,
    /// The same from guesses moved by this multiple of the nominal values.
    OtherGuess(f64),
    /// Continuation from the residuals at the guess.
    Continuation,
    /// `homotopy` from its simplified to its actual argument, all blocks together.
    Homotopy,
}

impl Attempt {
    /// What users read.
    pub fn text(self) -> String {
        match self {
            Attempt::Newton(modeshift_numerics::Attempt::Damped) => "damped Newton".to_string(),
            Attempt::Newton(modeshift_numerics::Attempt::AfterDescent) => {
                "Newton after a Levenberg–Marquardt descent".to_string()
            }
            Attempt::Newton(modeshift_numerics::Attempt::Undamped) => "undamped Newton".to_string(),
            Attempt::Newton(modeshift_numerics::Attempt::Overshooting) => {
                "undamped Newton after a step of double length".to_string()
            }
            Attempt::ExplicitGuess => "Newton from guesses by explicit equations".to_string(),
            Attempt::OtherGuess(share) => format!("Newton from guesses moved by {share} nominal values"),
            Attempt::Continuation => "continuation from the residuals at the guess".to_string(),
            Attempt::Homotopy => "homotopy from the simplified model".to_string(),
        }
    }
}

/// An attempt beyond the first, or the one that helped.
#[derive(Clone, Debug, PartialEq)]
pub struct LogEntry {
    /// The first unknown of the block, by the variables of the system.
    pub variable: VariableId,
    /// How many unknowns the block has.
    pub size: usize,
    /// What was tried.
    pub attempt: Attempt,
    /// Whether it found a solution.
    pub solved: bool,
}

/// By how many nominal values guesses are moved.
const MOVES: [f64; 6] = [1.0, -1.0, 0.1, -0.1, 10.0, -10.0];
/// Its multiples are spread evenly over the unit interval, and no two are the same.
const GOLDEN_RATIO: f64 = 0.618_033_988_749_894_9;
/// The smallest step of a continuation.
const LEAST_STEP: f64 = 1e-4;

/// A block with its guesses and the record of what is tried.
pub(crate) struct BlockSolver<'a> {
    pub(crate) equations: &'a Differentiated,
    pub(crate) settings: &'a NewtonSettings,
    pub(crate) variables: &'a [VariableId],
    pub(crate) log: &'a mut Vec<LogEntry>,
    /// Guesses that equations of the block give, asked for where the first ones do not help.
    pub(crate) explicit: &'a dyn Fn() -> Option<Vec<f64>>,
}

impl BlockSolver<'_> {
    /// Solves from `unknowns`, which become the solution.
    pub(crate) fn solve(&mut self, unknowns: &mut [f64]) -> Result<(), Box<NewtonFailure>> {
        let guess = unknowns.to_vec();
        let failure = match self.newton(unknowns) {
            Ok(attempt) => {
                if attempt != modeshift_numerics::Attempt::Damped {
                    self.note(Attempt::Newton(attempt), true);
                }
                return Ok(());
            }
            Err(failure) => failure,
        };
        self.note(Attempt::Newton(modeshift_numerics::Attempt::Damped), false);
        if let Some(explicit) = (self.explicit)() {
            unknowns.copy_from_slice(&explicit);
            let solved = self.newton(unknowns).is_ok();
            self.note(Attempt::ExplicitGuess, solved);
            if solved {
                return Ok(());
            }
        }
        for share in MOVES {
            self.move_guess(&guess, share, unknowns);
            let solved = self.newton(unknowns).is_ok();
            self.note(Attempt::OtherGuess(share), solved);
            if solved {
                return Ok(());
            }
        }
        unknowns.copy_from_slice(&guess);
        let solved = self.continuation(unknowns);
        self.note(Attempt::Continuation, solved);
        if solved { Ok(()) } else { Err(failure) }
    }

    fn note(&mut self, attempt: Attempt, solved: bool) {
        let variable = self.variables.first().copied().unwrap_or(VariableId::from_index(0));
        self.log.push(LogEntry { variable, size: self.variables.len(), attempt, solved });
    }

    fn newton(&self, unknowns: &mut [f64]) -> Result<modeshift_numerics::Attempt, Box<NewtonFailure>> {
        let mut block = Block::new(self.equations, &[]);
        solve_newton(&mut block, unknowns, self.settings).map(|converged| converged.attempt)
    }

    /// Each unknown is moved by another share: what is a difference of two of them must not stay zero.
    fn move_guess(&self, guess: &[f64], share: f64, unknowns: &mut [f64]) {
        for (index, unknown) in unknowns.iter_mut().enumerate() {
            let nominal = self.settings.nominal.get(index).copied().unwrap_or(0.0);
            let size = [nominal, guess[index].abs()].into_iter().find(|&size| size > 0.0).unwrap_or(1.0);
            *unknown = guess[index] + share * size * (1.0 + (index as f64 * GOLDEN_RATIO).fract());
        }
    }

    fn continuation(&self, unknowns: &mut [f64]) -> bool {
        let mut offset = vec![0.0; unknowns.len()];
        let mut block = Block::new(self.equations, &[]);
        block.residuals(unknowns, &mut offset);
        if offset.iter().any(|residual| !residual.is_finite()) {
            return false;
        }
        let mut shifted = Shifted { block, offset, share: 1.0 };
        follow(unknowns, |progress, unknowns| {
            shifted.share = 1.0 - progress;
            solve_newton(&mut shifted, unknowns, self.settings).is_ok()
        })
    }
}

/// Follows a path of solutions from 0 to 1, with steps as long as they succeed.
pub(crate) fn follow(unknowns: &mut [f64], mut solve: impl FnMut(f64, &mut [f64]) -> bool) -> bool {
    let (mut progress, mut step) = (0.0, 0.1);
    while progress < 1.0 {
        let next = f64::min(progress + step, 1.0);
        let mut trial = unknowns.to_vec();
        if solve(next, &mut trial) {
            unknowns.copy_from_slice(&trial);
            (progress, step) = (next, step * 2.0);
        } else {
            step /= 4.0;
            if step < LEAST_STEP {
                return false;
            }
        }
    }
    true
}

/// A block whose residuals have been reduced by a share of what they were at the guess.
struct Shifted<'a> {
    block: Block<'a>,
    offset: Vec<f64>,
    share: f64,
}

impl Shifted<'_> {
    fn shift(&self, residuals: &mut [f64]) {
        residuals.iter_mut().zip(&self.offset).for_each(|(residual, offset)| *residual -= self.share * offset);
    }
}

impl NonlinearSystem for Shifted<'_> {
    fn pattern(&self) -> &Pattern {
        self.block.pattern()
    }

    fn residuals(&mut self, unknowns: &[f64], residuals: &mut [f64]) {
        self.block.residuals(unknowns, residuals);
        self.shift(residuals);
    }

    fn jacobian(&mut self, unknowns: &[f64], residuals: &mut [f64], entries: &mut [f64]) {
        self.block.jacobian(unknowns, residuals, entries);
        self.shift(residuals);
    }

    fn roundings(&mut self, unknowns: &[f64], roundings: &mut [f64]) {
        self.block.roundings(unknowns, roundings);
    }
}
