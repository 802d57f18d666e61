//! The parts of an instant: atoms that can influence each other at this instant.
//!
//! An atom decides the form of some equations. What these determine, what is computed from that, and so on, is its reach: along
//! values that follow at once, not through states, which stay. Atoms with a common reach, or that read what another one
//! reaches, are of one part. Relays and rectifiers that switch at the same time on one source are parts of their own.

use modeshift_dae::{Id, RelationId, UnionFind};
use modeshift_structure::one_mode::{ModeStructure, Row};

use crate::run::instant::Instant;
use crate::run::instant::discrete_fixpoint::MicroStep;

impl<'a> Instant<'_, 'a> {
    /// The parts of some atoms, by the structure of the mode that is left.
    pub fn parts(&self, step: &MicroStep<'_, 'a>, atoms: &[RelationId]) -> Vec<Vec<RelationId>> {
        let structure = &step.left.mode.structure;
        // Atoms by their number among those that are looked at.
        let mut partition: UnionFind<RelationId> = UnionFind::new(atoms.len());
        let mut owner: Vec<Option<RelationId>> = vec![None; structure.size()];
        let mut pending: Vec<(Row, RelationId)> = Vec::new();
        for row in structure.rows() {
            let deciding = self.prepared.discrete.atoms_of(&self.prepared.dae, structure.equation(row));
            let numbers = deciding.iter().filter_map(|atom| atoms.binary_search(atom).ok());
            pending.extend(numbers.map(|number| (row, RelationId::from_index(number))));
        }
        while let Some((row, number)) = pending.pop() {
            match owner[row.index()] {
                Some(other) => partition.join(number, other),
                None => {
                    owner[row.index()] = Some(number);
                    pending.extend(readers(structure, row).map(|reader| (reader, number)));
                }
            }
        }
        for (number, &atom) in atoms.iter().enumerate() {
            let number = RelationId::from_index(number);
            for &read in &self.prepared.discrete.reads[atom] {
                let row = structure.column(read).map(|column| structure.matched_row(column));
                if let Some(other) = row.and_then(|row| owner[row.index()]) {
                    partition.join(number, other);
                }
            }
        }
        let mut parts: Vec<Vec<RelationId>> = vec![Vec::new(); atoms.len()];
        for (number, &atom) in atoms.iter().enumerate() {
            parts[partition.root(RelationId::from_index(number)).index()].push(atom);
        }
        parts.into_iter().filter(|part| !part.is_empty()).collect()
    }
}

/// The equations that read at once what an equation determines.
fn readers(structure: &ModeStructure, row: Row) -> impl Iterator<Item = Row> + '_ {
    let column = structure.matched_column(row);
    let leading = structure.variable_offset(column);
    structure.occurrences(column).iter().filter_map(move |&(reader, order)| {
        (structure.equation_offset(reader) + order == leading && reader != row).then_some(reader)
    })
}
