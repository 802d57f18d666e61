//! Which surfaces a motion stays on, and how much of each side it takes.
//!
//! At a point where several guards are zero, `h = a + B·λ` are their slopes, each towards the side that is taken with share
//! 0. A guard whose share is 0 must not fall (`h >= 0`), one whose share is 1 must not rise, and one with a share in
//! between stays at zero. That is a linear complementarity problem in a box. Guards that do not act on each other are
//! separate problems; each is small and solved case by case.
//!
//! Where a slope is zero, up to rounding, the next derivative says where it goes: a body whose load is at the limit of its friction
//! and falls from there on stays, with a share that is 0 and rises.

use modeshift_numerics::small_dense::{Factors, Matrix};

/// Surfaces that act on each other are looked at case by case, three for each: 729 small systems.
pub const MOST_TOGETHER: usize = 6;

/// Slopes and shares that are smaller, relative to what they are made of, are zero: small systems are solved to that.
const TIE: f64 = 1e-12;

/// How the slopes of guards go on: of the fields, as the slopes themselves, a vector and its changes by shares.
pub struct Next {
    pub slopes: Vec<f64>,
    pub change: Vec<Vec<f64>>,
}

/// The side of a surface on which the motion goes on, or how much it takes of the other while it stays.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Share {
    /// On the side of share 0.
    Kept,
    /// On the side of share 1.
    Turned,
    /// On the surface.
    Between(f64),
}

/// Why there are no shares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoShares {
    /// No combination of sides and surfaces is possible.
    None,
    /// Several are.
    Several,
    /// Too many surfaces act on each other.
    TooMany,
}

/// The shares for slopes `a` and their changes by shares, `change[i][j]` of the slope of `i` by the share of `j`; `next` is asked where
/// that leaves something open.
pub fn shares(
    slopes: &[f64],
    change: &[Vec<f64>],
    next: impl FnOnce() -> Option<Next>,
) -> Result<Vec<Share>, NoShares> {
    let none = Next { slopes: vec![0.0; slopes.len()], change: vec![vec![0.0; slopes.len()]; slopes.len()] };
    let first = shares_with(slopes, change, &none);
    if first.as_ref().is_ok_and(|found| !is_tied(found, slopes, change)) {
        return first;
    }
    match next() {
        Some(next) => shares_with(slopes, change, &next),
        None => first,
    }
}

fn shares_with(slopes: &[f64], change: &[Vec<f64>], next: &Next) -> Result<Vec<Share>, NoShares> {
    let mut found = vec![Share::Kept; slopes.len()];
    for part in parts(change) {
        for (&at, share) in part.iter().zip(shares_of_part(&part, slopes, change, next)?) {
            found[at] = share;
        }
    }
    Ok(found)
}

/// Whether the slope of a guard that is left is zero.
fn is_tied(found: &[Share], slopes: &[f64], change: &[Vec<f64>]) -> bool {
    let value = |share: &Share| match share {
        Share::Kept => 0.0,
        Share::Turned => 1.0,
        Share::Between(value) => *value,
    };
    let values: Vec<f64> = found.iter().map(value).collect();
    let all: Vec<usize> = (0..slopes.len()).collect();
    (0..slopes.len()).any(|at| {
        let (slope, size) = slope_of(at, &all, &values, slopes, change);
        !matches!(found[at], Share::Between(_)) && slope.abs() <= TIE * size
    })
}

/// The slope of a guard with shares of those of a part, and the size of what it is made of.
fn slope_of(at: usize, part: &[usize], values: &[f64], slopes: &[f64], change: &[Vec<f64>]) -> (f64, f64) {
    let terms = part.iter().zip(values).map(|(&other, value)| change[at][other] * value);
    let start = (slopes[at], slopes[at].abs() + change[at].iter().map(|it| it.abs()).sum::<f64>());
    terms.fold(start, |(sum, size), term| (sum + term, size.max(term.abs())))
}

/// Surfaces that act on each other, ascending.
fn parts(change: &[Vec<f64>]) -> Vec<Vec<usize>> {
    let count = change.len();
    let mut is_new = vec![true; count];
    let mut parts = Vec::new();
    for first in 0..count {
        if !std::mem::take(&mut is_new[first]) {
            continue;
        }
        let (mut part, mut next) = (vec![first], 0);
        while next < part.len() {
            let at = part[next];
            next += 1;
            for other in 0..count {
                let acts = change[at][other] != 0.0 || change[other][at] != 0.0;
                if acts && std::mem::take(&mut is_new[other]) {
                    part.push(other);
                }
            }
        }
        part.sort_unstable();
        parts.push(part);
    }
    parts
}

fn shares_of_part(part: &[usize], slopes: &[f64], change: &[Vec<f64>], next: &Next) -> Result<Vec<Share>, NoShares> {
    if part.len() > MOST_TOGETHER {
        return Err(NoShares::TooMany);
    }
    let mut found = None;
    for case in 0..3usize.pow(part.len() as u32) {
        let kinds: Vec<usize> = (0..part.len()).map(|at| case / 3usize.pow(at as u32) % 3).collect();
        if let Some(shares) = shares_of_case(&kinds, part, (slopes, change), next)
            && found.replace(shares).is_some()
        {
            return Err(NoShares::Several);
        }
    }
    found.ok_or(NoShares::None)
}

/// The shares where each surface is kept (0), turned (1) or stayed on (2), if that is possible.
fn shares_of_case(
    kinds: &[usize],
    part: &[usize],
    (slopes, change): (&[f64], &[Vec<f64>]),
    next: &Next,
) -> Option<Vec<Share>> {
    let staying: Vec<usize> = (0..part.len()).filter(|&at| kinds[at] == 2).collect();
    let mut values: Vec<f64> = kinds.iter().map(|&kind| if kind == 1 { 1.0 } else { 0.0 }).collect();
    let mut rates = vec![0.0; part.len()];
    if !staying.is_empty() {
        let mut matrix = Matrix::zero(staying.len());
        for (row, &at) in staying.iter().enumerate() {
            for (column, &other) in staying.iter().enumerate() {
                matrix.add(row, column, change[part[at]][part[other]]);
            }
        }
        let factors = Factors::new(&matrix)?;
        let wanted: Vec<f64> = staying.iter().map(|&at| -slope_of(part[at], part, &values, slopes, change).0).collect();
        staying.iter().zip(factors.solve(&wanted)).for_each(|(&at, share)| values[at] = share);
        // Shares change such that the slopes stay at zero.
        let wanted: Vec<f64> =
            staying.iter().map(|&at| -slope_of(part[at], part, &values, &next.slopes, &next.change).0).collect();
        staying.iter().zip(factors.solve(&wanted)).for_each(|(&at, rate)| rates[at] = rate);
    }
    let mut shares = Vec::with_capacity(part.len());
    for (at, &value) in values.iter().enumerate() {
        let guard = part[at];
        let slope = || {
            let (slope, size) = slope_of(guard, part, &values, slopes, change);
            if slope.abs() > TIE * size {
                return slope;
            }
            let further = part.iter().zip(&rates).map(|(&other, rate)| change[guard][other] * rate);
            slope_of(guard, part, &values, &next.slopes, &next.change).0 + further.sum::<f64>()
        };
        let is_between = || match () {
            () if value.abs() <= TIE => rates[at] > 0.0,
            () if (value - 1.0).abs() <= TIE => rates[at] < 0.0,
            () => value > 0.0 && value < 1.0,
        };
        let (share, is_possible) = match kinds[at] {
            0 => (Share::Kept, slope() >= 0.0),
            1 => (Share::Turned, slope() <= 0.0),
            _ => (Share::Between(value), is_between()),
        };
        if !is_possible {
            return None;
        }
        shares.push(share);
    }
    Some(shares)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shares(slopes: &[f64], change: &[Vec<f64>]) -> Result<Vec<Share>, NoShares> {
        super::shares(slopes, change, || None)
    }

    #[test]
    fn a_surface_that_both_sides_point_at_is_stayed_on() {
        // der(x) = if x > 0 then -1 else 1: below zero the slope leads up, towards the surface.
        assert_eq!(shares(&[-1.0], &[vec![2.0]]), Ok(vec![Share::Between(0.5)]));
    }

    #[test]
    fn a_surface_that_is_crossed_is_not() {
        assert_eq!(shares(&[1.0], &[vec![1.0]]), Ok(vec![Share::Kept]));
        assert_eq!(shares(&[-2.0], &[vec![1.0]]), Ok(vec![Share::Turned]));
    }

    #[test]
    fn a_surface_that_both_sides_lead_away_from_has_several_ways() {
        assert_eq!(shares(&[1.0], &[vec![-2.0]]), Err(NoShares::Several));
    }

    #[test]
    fn independent_surfaces_are_decided_one_by_one() {
        let change: Vec<Vec<f64>> =
            (0..40).map(|row| (0..40).map(|column| if row == column { 4.0 } else { 0.0 }).collect()).collect();
        assert_eq!(shares(&[-1.0; 40], &change), Ok(vec![Share::Between(0.25); 40]));
    }

    #[test]
    fn of_two_surfaces_one_may_be_stayed_on_and_one_left() {
        let change = [vec![2.0, 0.5], vec![0.5, 2.0]];
        assert_eq!(shares(&[-1.0, 1.0], &change), Ok(vec![Share::Between(0.5), Share::Kept]));
    }

    #[test]
    fn many_surfaces_that_act_on_each_other_are_too_many() {
        let change = vec![vec![1.0; 7]; 7];
        assert_eq!(shares(&[-1.0; 7], &change), Err(NoShares::TooMany));
    }

    #[test]
    fn a_slope_of_zero_goes_where_the_next_derivative_leads() {
        let next = |slope: f64| Next { slopes: vec![slope], change: vec![vec![0.0]] };
        let at_limit = |slope: f64, of_next: f64| super::shares(&[slope], &[vec![2.0]], || Some(next(of_next)));
        assert_eq!(at_limit(0.0, -3.0), Ok(vec![Share::Between(0.0)]));
        assert_eq!(at_limit(0.0, 3.0), Ok(vec![Share::Kept]));
        assert_eq!(at_limit(0.0, 0.0), Ok(vec![Share::Kept]));
        assert_eq!(at_limit(-2.0, 3.0), Ok(vec![Share::Between(1.0)]));
        assert_eq!(at_limit(-2.0, -3.0), Ok(vec![Share::Turned]));
    }
}
