//! Which variables are drawn: those that were asked for, else the states and outputs that vary, and what is impulsive.

use super::super::columns::{Column, ColumnKind, Columns};
use super::recorder::Recorded;

/// So many curves are recorded where nobody said which.
const MOST_CANDIDATES: usize = 64;

/// So many curves are drawn where nobody said which.
const MOST_CURVES: usize = 6;

/// So many variables are drawn beyond that because they are impulsive.
const MOST_IMPULSIVE: usize = 2;

/// The columns whose names fit a pattern, in which `*` stands for any text.
pub fn matching<'a>(pattern: &str, columns: &'a Columns) -> impl Iterator<Item = usize> + use<'a> {
    let pattern: String = pattern.chars().filter(|character| !character.is_whitespace()).collect();
    let names = columns.columns.iter().map(|column| column.name.replace(char::is_whitespace, ""));
    names.enumerate().filter(move |(_, name)| fits(&pattern, name)).map(|(at, _)| at)
}

/// Whether a name fits a pattern: its pieces between `*` come in this order, the first and the last at the ends.
fn fits(pattern: &str, name: &str) -> bool {
    let Some((first, rest)) = pattern.split_once('*') else { return pattern == name };
    let Some(mut left) = name.strip_prefix(first) else { return false };
    let (middle, last) = rest.rsplit_once('*').unwrap_or(("", rest));
    for piece in middle.split('*') {
        match left.find(piece) {
            Some(at) => left = &left[at + piece.len()..],
            None => return false,
        }
    }
    left.ends_with(last)
}

/// The columns that may be drawn as curves, in the order of drawing.
pub(super) fn candidates(wanted: &[String], columns: &Columns) -> Vec<usize> {
    if wanted.is_empty() {
        let of_kind = |prominent: bool| {
            let fits = move |column: &Column| column.kind == ColumnKind::Continuous && column.prominent == prominent;
            columns.columns.iter().enumerate().filter(move |(_, column)| fits(column)).map(|(at, _)| at)
        };
        return of_kind(true).chain(of_kind(false)).take(MOST_CANDIDATES).collect();
    }
    let curves = |at: &usize| columns.columns[*at].kind != ColumnKind::Mode;
    let mut chosen: Vec<usize> = Vec::new();
    for at in wanted.iter().flat_map(|pattern| matching(pattern, columns)).filter(curves) {
        if !chosen.contains(&at) {
            chosen.push(at);
        }
    }
    chosen
}

/// Which of the recorded curves are drawn where nobody said which, and in what words to say so.
pub(super) fn default_choice(recorded: &[Recorded], is_impulsive: impl Fn(&Recorded) -> bool) -> (Vec<usize>, String) {
    let varying = |prominent: bool| {
        let fits = move |curve: &Recorded| curve.series.varies() && curve.column.prominent == prominent;
        recorded.iter().enumerate().filter(move |(_, curve)| fits(curve)).map(|(at, _)| at)
    };
    let (mut chosen, mut what) = (varying(true).collect::<Vec<_>>(), "states and outputs that vary");
    if chosen.is_empty() {
        (chosen, what) = (varying(false).collect(), "variables that vary");
    }
    if chosen.is_empty() {
        (chosen, what) = ((0..recorded.len()).collect(), "variables, of which none varies");
    }
    let all = chosen.len();
    chosen.truncate(MOST_CURVES);
    let how_many = if all > MOST_CURVES { format!("the first {MOST_CURVES} of {all}") } else { "the".to_string() };
    let impulsive = (0..recorded.len()).filter(|&at| is_impulsive(&recorded[at]) && !chosen.contains(&at));
    let impulsive: Vec<usize> = impulsive.take(MOST_IMPULSIVE).collect();
    let more = if impulsive.is_empty() { "" } else { " and what is impulsive" };
    chosen.extend(impulsive);
    (chosen, format!("{how_many} {what}{more}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_stands_for_any_text() {
        assert!(fits("x", "x") && !fits("x", "xy"));
        assert!(fits("element[*].v", "element[12].v") && !fits("element[*].v", "element[12].i"));
        assert!(fits("*", "anything") && fits("a*b*c", "aXbYc") && !fits("a*b*c", "aXcYb"));
        assert!(!fits("ab*ba", "aba"), "ends do not overlap");
    }
}
