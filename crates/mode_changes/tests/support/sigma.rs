//! A Σ-method for up to some ten equations: best assignment over all subsets of columns, then the fixed point of
//! Pryce for the least offsets.

use modeshift_dae::{EquationId, Id, VariableId};
use modeshift_structure::one_mode::{Column, Entry, ModeStructure, SigmaSolution};

/// Highest derivatives by equation: `(variable, order)`.
pub type Signature = Vec<Vec<(usize, u32)>>;

/// The structure of the mode, or `None` if it is structurally singular.
pub fn structure(signature: &Signature) -> Option<ModeStructure> {
    let size = signature.len();
    let assignment = best_assignment(signature)?;
    let mut c = vec![0_u32; size];
    let mut d = vec![0_u32; size];
    loop {
        for (row, entries) in signature.iter().enumerate() {
            for &(column, order) in entries {
                d[column] = d[column].max(order + c[row]);
            }
        }
        let raised: Vec<u32> =
            (0..size).map(|row| d[assignment[row]] - order_of(signature, row, assignment[row])).collect();
        if raised == c {
            break;
        }
        c = raised;
    }
    let incidence = |entries: &Vec<(usize, u32)>| {
        entries.iter().map(|&(column, order)| Entry { column: Column(column as u32), order }).collect()
    };
    Some(ModeStructure::new(SigmaSolution {
        equations: (0..size).map(EquationId::from_index).collect(),
        variables: (0..size).map(VariableId::from_index).collect(),
        incidence: signature.iter().map(incidence).collect(),
        equation_offsets: c.into_iter().collect(),
        variable_offsets: d.into_iter().collect(),
        matching: assignment.into_iter().map(|column| Column(column as u32)).collect(),
    }))
}

fn order_of(signature: &Signature, row: usize, column: usize) -> u32 {
    signature[row].iter().find(|entry| entry.0 == column).expect("assigned entries exist").1
}

/// The assignment with the largest sum of orders, by dynamic programming over subsets of columns.
fn best_assignment(signature: &Signature) -> Option<Vec<usize>> {
    let size = signature.len();
    let mut best: Vec<Option<(u32, usize)>> = vec![None; 1 << size];
    best[0] = Some((0, 0));
    for used in 0..1_usize << size {
        let Some((sum, _)) = best[used] else { continue };
        let row = used.count_ones() as usize;
        if row == size {
            break;
        }
        for &(column, order) in &signature[row] {
            let next = used | 1 << column;
            if next != used && best[next].is_none_or(|(other, _)| sum + order > other) {
                best[next] = Some((sum + order, column));
            }
        }
    }
    let mut used = (1 << size) - 1;
    let mut assignment = vec![0; size];
    for row in (0..size).rev() {
        let (_, column) = best[used]?;
        assignment[row] = column;
        used &= !(1 << column);
    }
    Some(assignment)
}
