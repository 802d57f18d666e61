//! `ExternalCombiTable2D`: a function of two variables, whose values stand in a matrix with its abscissas in the first
//! column and the first row.
//!
//! Straight lines and steps in each direction. Smooth surfaces are refused by name.

use std::sync::Arc;

use super::interpolation::{Curve, Extrapolation, Smoothness};
use super::{Given, Objects, single};
use crate::native::NativeFunction;

/// Rows as curves over the second variable, to be connected along the first.
pub(crate) struct Table2D {
    x: Vec<f64>,
    rows: Vec<Curve>,
    smoothness: Smoothness,
    extrapolation: Extrapolation,
}

impl Table2D {
    /// `(tableName, fileName, table, smoothness, extrapolation, …)`
    pub fn new(given: &Given<'_>) -> Result<Self, String> {
        let rows = given.rows(2)?;
        let (smoothness, extrapolation) = (Smoothness::of(given.number(3)?)?, Extrapolation::of(given.number(4)?)?);
        if !matches!(smoothness, Smoothness::Linear | Smoothness::Constant) {
            return Err("a smooth table of two variables is not supported: straight lines and steps are".to_string());
        }
        let (head, body) = rows.split_first().ok_or("the table is empty")?;
        if head.len() < 2 || body.is_empty() {
            return Err("a table of two variables has two rows and two columns at least".to_string());
        }
        let x: Vec<f64> = body.iter().map(|row| row[0]).collect();
        let curve = |row: &Vec<f64>| Curve::new(head[1..].to_vec(), row[1..].to_vec(), smoothness, extrapolation);
        let rows = body.iter().map(curve).collect::<Result<Vec<Curve>, String>>()?;
        Curve::new(x.clone(), x.clone(), smoothness, extrapolation)?;
        Ok(Table2D { x, rows, smoothness, extrapolation })
    }

    /// Value and both partial derivatives.
    fn at(&self, u1: f64, u2: f64) -> Option<[f64; 3]> {
        let across: Vec<[f64; 3]> = self.rows.iter().map(|row| row.at(u2, false)).collect();
        let along = |part: usize| {
            let y = across.iter().map(|it| it[part]).collect();
            Curve::new(self.x.clone(), y, self.smoothness, self.extrapolation).ok().map(|curve| curve.at(u1, false))
        };
        let [value, by_first, _] = along(0)?;
        Some([value, by_first, along(1)?[0]])
    }
}

/// `getValue(table, u1, u2)`, `getDerValue(table, u1, u2, der_u1, der_u2)`
pub(super) fn native(method: &str, objects: &Arc<Objects>) -> Option<NativeFunction> {
    let (values, slopes) = (objects.clone(), objects.clone());
    let at = |objects: &Objects, inputs: &[f64]| objects.two(inputs[0])?.at(inputs[1], inputs[2]);
    Some(match method {
        "getValue" => single(move |inputs| Some(at(&values, inputs)?[0])).with_partial(move |inputs, by, outputs| {
            outputs[0] = if by == 0 { 0.0 } else { at(&slopes, inputs).map_or(f64::NAN, |it| it[by]) };
        }),
        "getDerValue" => single(move |inputs| {
            let [_, first, second] = at(&values, inputs)?;
            Some(first * inputs[3] + second * inputs[4])
        }),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use modeshift_dae::ObjectArgument::{Numbers, Text};

    use super::*;

    #[test]
    fn a_bilinear_table_meets_its_corners_and_the_mean_of_four() {
        let number = |value: f64| Numbers(Vec::new(), vec![value]);
        let values = vec![0.0, 1.0, 3.0, 10.0, 1.0, 2.0, 20.0, 3.0, 8.0];
        let given =
            [Text("NoName".into()), Text("NoName".into()), Numbers(vec![3, 3], values), number(1.0), number(2.0)];
        let table = Table2D::new(&Given(&given)).expect("a table");
        assert_eq!(table.at(10.0, 3.0), Some([2.0, 0.6, 0.5]));
        assert_eq!(table.at(15.0, 2.0).map(|it| it[0]), Some(3.5));
    }
}
