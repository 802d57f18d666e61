//! `ExternalCombiTable1D`: columns of a table as functions of the first.

use std::sync::Arc;

use super::interpolation::{Curve, Extrapolation, Smoothness};
use super::{Given, Objects, single};
use crate::native::NativeFunction;

/// One curve for each of the columns that are used.
pub(crate) struct Table1D {
    curves: Vec<Curve>,
}

impl Table1D {
    /// `(tableName, fileName, table, columns, smoothness, extrapolation, …)`
    pub fn new(given: &Given<'_>) -> Result<Self, String> {
        let rows = given.rows(2)?;
        let (smoothness, extrapolation) = (Smoothness::of(given.number(4)?)?, Extrapolation::of(given.number(5)?)?);
        let curves = columns(&rows, given.numbers(3)?, smoothness, extrapolation)?;
        Ok(Table1D { curves })
    }

    fn curve(&self, column: f64) -> Option<&Curve> {
        self.curves.get((column as usize).checked_sub(1)?)
    }
}

/// The curves of some columns over the first.
pub(super) fn columns(
    rows: &[Vec<f64>],
    columns: &[f64],
    smoothness: Smoothness,
    extrapolation: Extrapolation,
) -> Result<Vec<Curve>, String> {
    let x: Vec<f64> = rows.iter().map(|row| row[0]).collect();
    let curve = |&column: &f64| {
        let y =
            rows.iter().map(|row| row.get((column as usize).checked_sub(1)?).copied()).collect::<Option<Vec<f64>>>();
        let y = y.ok_or_else(|| format!("the table has no column {column}"))?;
        Curve::new(x.clone(), y, smoothness, extrapolation)
    };
    columns.iter().map(curve).collect()
}

/// What a table says at its inputs: value, slope and second derivative over the third one.
pub(super) trait At: Fn(&Objects, &[f64]) -> Option<[f64; 3]> + Copy + Send + Sync + 'static {}

impl<F: Fn(&Objects, &[f64]) -> Option<[f64; 3]> + Copy + Send + Sync + 'static> At for F {}

/// `getValue`: the value, with its derivatives over the third input.
pub(super) fn value(objects: &Arc<Objects>, at: impl At) -> NativeFunction {
    let (values, slopes, higher) = (objects.clone(), objects.clone(), objects.clone());
    single(move |inputs| Some(at(&values, inputs)?[0]))
        .with_partial(move |inputs, by, outputs| {
            outputs[0] = if by == 2 { at(&slopes, inputs).map_or(f64::NAN, |it| it[1]) } else { 0.0 };
        })
        .with_partial_function(move |by| slope(&higher, by == 2, at))
}

/// `getDerValue`: the slope times the rate of the third input, which is the input of this number.
pub(super) fn rate(objects: &Arc<Objects>, number: usize, at: impl At) -> NativeFunction {
    let (values, slopes) = (objects.clone(), objects.clone());
    single(move |inputs| Some(at(&values, inputs)?[1] * inputs[number])).with_partial(move |inputs, by, outputs| {
        let [_, slope, second] = at(&slopes, inputs).unwrap_or([f64::NAN; 3]);
        outputs[0] = match by {
            2 => second * inputs[number],
            by if by == number => slope,
            _ => 0.0,
        };
    })
}

/// The slope over the input that counts, as a function with its own derivative; nothing changes with the others.
fn slope(objects: &Arc<Objects>, counts: bool, at: impl At) -> NativeFunction {
    if !counts {
        return NativeFunction::new(|_, outputs| outputs.fill(0.0));
    }
    let (slopes, seconds) = (objects.clone(), objects.clone());
    single(move |inputs| Some(at(&slopes, inputs)?[1])).with_partial(move |inputs, by, outputs| {
        outputs[0] = if by == 2 { at(&seconds, inputs).map_or(f64::NAN, |it| it[2]) } else { 0.0 };
    })
}

/// `getValue(table, column, u)`, `getDerValue(table, column, u, der_u)`, the first and the last abscissa.
pub(super) fn native(method: &str, objects: &Arc<Objects>) -> Option<NativeFunction> {
    let at = |objects: &Objects, inputs: &[f64]| Some(objects.one(inputs[0])?.curve(inputs[1])?.at(inputs[2], false));
    let values = objects.clone();
    Some(match method {
        "getValue" => value(objects, at),
        "getDerValue" => rate(objects, 3, at),
        "minimumAbscissa" => single(move |inputs| Some(values.one(inputs[0])?.curves.first()?.first())),
        "maximumAbscissa" => single(move |inputs| Some(values.one(inputs[0])?.curves.first()?.last())),
        _ => return None,
    })
}
