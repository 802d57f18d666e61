//! The two fixed spaces that decide which modes are singular and how.
//!
//! What always holds is eliminated once. Of the functionals φ that only some modes impose,
//!
//! ```text
//! L  = { a : Σ a_k φ_k is a combination of what always holds }        redundancies: rows
//! L' = { φ(z) : z satisfies, undifferentiated, all that always holds }  free directions: columns
//! ```
//!
//! A mode has as many redundancies as L has dimensions with all of `a` imposed, and as many free directions as L' has
//! with nothing of `b` imposed. A direction is free if each derivative by itself leaves every equation as it is, so a
//! functional of several orders has one coordinate of L' for each. Equations that are not affine take no part in L; in
//! L' each of their unknowns is a coordinate of its own.

use std::collections::BTreeMap;

use modeshift_dae::{Derivative, Id, UnionFind, VariableId};
use modeshift_modes::ModeSet;
use rustc_hash::FxHashMap;

use super::elimination::{Elimination, Sparse};
use super::forms::Form;
use super::leaves::Leaves;

/// A functional that some modes impose.
#[derive(Clone, Copy, Debug)]
pub(super) struct Functional {
    /// Its equation and which of its forms; nothing for a variable that does not exist in these modes.
    pub(super) form: Option<(usize, usize)>,
    /// Where it is imposed.
    pub(super) modes: ModeSet,
}

/// The spaces of a model.
pub(super) struct PortSpaces {
    pub(super) functionals: Vec<Functional>,
    /// The owner of each coordinate of L'.
    pub(super) owners: Vec<u32>,
    /// A basis of L over functionals, by what hangs together.
    pub(super) redundancies: Vec<Vec<Sparse>>,
    /// A basis of L' over its coordinates, by what hangs together.
    pub(super) directions: Vec<Vec<Sparse>>,
    /// Combinations of what always holds in which all unknowns cancel, by equation.
    pub(super) always_redundant: Vec<Vec<(usize, f64)>>,
    /// The variables that no mode determines.
    pub(super) never_determined: Vec<VariableId>,
    /// Equations with one affine form in all modes, as rows of `of_rows`.
    always: Vec<usize>,
    rows: Vec<Sparse>,
    of_rows: Elimination,
    of_columns: Elimination,
    uses: Vec<Vec<u32>>,
    free: Vec<u32>,
    of_directions: Elimination,
}

impl PortSpaces {
    /// Eliminates; nothing where that does not stay sparse.
    pub(super) fn of(forms: &[Vec<Form>], leaves: &Leaves, exists: &[ModeSet]) -> Option<PortSpaces> {
        let mut columns = Columns::default();
        let functionals = functionals(forms, leaves, exists);
        let always: Vec<usize> = always(forms, leaves).filter(|&at| forms[at][0].is_affine()).collect();
        let always_rows: Vec<Sparse> = always.iter().map(|&at| columns.row(&forms[at][0].coefficients)).collect();
        let rows: Vec<Sparse> = functionals.iter().map(|it| functional_row(forms, it, exists, &mut columns)).collect();
        let of_rows = Elimination::of(&always_rows, columns.count())?;
        let reduced: Vec<Sparse> = rows.iter().map(|row| of_rows.remainder(row)).collect();
        let of_functionals = Elimination::of(&reduced, columns.count())?;
        let affine = |at: &u32| takes_part(forms, &functionals[*at as usize]);
        let dependent = of_functionals.dependent.iter().filter(|at| affine(at));
        let redundancies =
            components(dependent.map(|&row| of_functionals.dependency(row)).collect(), functionals.len());
        let weights =
            |row: u32| of_rows.dependency(row).into_iter().map(|(row, weight)| (always[row as usize], weight));
        let always_redundant = of_rows.dependent.iter().map(|&row| weights(row).collect()).collect();

        let of_columns = Elimination::of(&column_rows(forms, leaves), exists.len())?;
        let is_free = |&at: &u32| {
            let at = at as usize;
            !of_columns.is_pivot(at as u32) && !leaves.is_leaf[at] && !exists[at].is_empty()
        };
        let free: Vec<u32> = (0..exists.len() as u32).filter(is_free).collect();
        let (coordinates, owners) = coordinates(forms, &functionals, exists);
        let directions = by_free_column(&free, coordinates.iter().map(|row| of_columns.remainder(row)));
        let of_directions = Elimination::of(&directions, owners.len())?;
        let uses = of_columns.uses();
        let mut spaces = PortSpaces {
            redundancies,
            directions: components(of_directions.basis().collect(), owners.len()),
            functionals,
            owners,
            always_redundant,
            never_determined: Vec::new(),
            always,
            rows,
            of_rows,
            of_columns,
            uses,
            free,
            of_directions,
        };
        spaces.never_determined = spaces.never_determined();
        Some(spaces)
    }

    /// The combination of all equations behind a vector of L: of forms of functionals, and of what always holds.
    pub(super) fn combination(&self, circuit: &Sparse) -> (Sparse, Vec<(usize, f64)>) {
        let mut sum: BTreeMap<u32, f64> = BTreeMap::new();
        for &(functional, weight) in circuit {
            for &(column, value) in &self.rows[functional as usize] {
                *sum.entry(column).or_default() += weight * value;
            }
        }
        let sum: Sparse = sum.into_iter().collect();
        let (_, taken) = self.of_rows.reduced(&sum);
        (circuit.clone(), taken.into_iter().map(|(row, weight)| (self.always[row as usize], -weight)).collect())
    }

    /// The direction behind a vector of L', by variable.
    pub(super) fn direction(&self, circuit: &Sparse) -> Vec<(VariableId, f64)> {
        let (_, taken) = self.of_directions.reduced(circuit);
        self.vector(&taken)
    }

    fn never_determined(&self) -> Vec<VariableId> {
        let dependent = self.of_directions.dependent.iter();
        let vectors = dependent.flat_map(|&row| self.vector(&self.of_directions.dependency(row)));
        let mut variables: Vec<VariableId> = vectors.map(|(variable, _)| variable).collect();
        variables.sort_unstable();
        variables.dedup();
        variables
    }

    fn vector(&self, of_free: &[(u32, f64)]) -> Vec<(VariableId, f64)> {
        let free: Sparse = of_free.iter().map(|&(at, value)| (self.free[at as usize], value)).collect();
        let values = self.of_columns.kernel_vector(&self.uses, &free);
        values.into_iter().map(|(column, value)| (VariableId::from_index(column as usize), value)).collect()
    }
}

/// Numbers of unknowns and their derivatives.
#[derive(Default)]
struct Columns {
    known: FxHashMap<Derivative<VariableId>, u32>,
}

impl Columns {
    fn row(&mut self, coefficients: &[(Derivative<VariableId>, f64)]) -> Sparse {
        let mut row: Sparse = coefficients
            .iter()
            .map(|&(of, value)| {
                let next = self.known.len() as u32;
                (*self.known.entry(of).or_insert(next), value)
            })
            .collect();
        row.sort_unstable_by_key(|&(column, _)| column);
        row
    }

    fn count(&self) -> usize {
        self.known.len()
    }
}

/// The equations that say the same in all modes.
fn always<'a>(forms: &'a [Vec<Form>], leaves: &'a Leaves) -> impl Iterator<Item = usize> + 'a {
    let one_form = |forms: &[Form]| matches!(forms, [form] if form.modes.is_all());
    (0..forms.len()).filter(move |&at| !leaves.is_gone[at] && one_form(&forms[at]))
}

fn functionals(forms: &[Vec<Form>], leaves: &Leaves, exists: &[ModeSet]) -> Vec<Functional> {
    let mut functionals = Vec::new();
    for (equation, forms) in forms.iter().enumerate().filter(|(at, _)| !leaves.is_gone[*at]) {
        for (at, form) in forms.iter().enumerate().filter(|(_, form)| !form.modes.is_all()) {
            functionals.push(Functional { form: Some((equation, at)), modes: form.modes });
        }
    }
    let partial = exists.iter().filter(|modes| !modes.is_all() && !modes.is_empty());
    functionals.extend(partial.map(|&modes| Functional { form: None, modes: !modes }));
    functionals
}

/// Whether a functional takes part in L: dummy equations of absent variables and forms that are not affine do not.
fn takes_part(forms: &[Vec<Form>], functional: &Functional) -> bool {
    functional.form.is_some_and(|(equation, form)| forms[equation][form].is_affine())
}

/// The row of a functional; a column of its own where it takes no part, so that nothing depends on it.
fn functional_row(forms: &[Vec<Form>], functional: &Functional, exists: &[ModeSet], columns: &mut Columns) -> Sparse {
    match functional.form {
        Some((equation, form)) if takes_part(forms, functional) => columns.row(&forms[equation][form].coefficients),
        _ => {
            let beyond = exists.len() + columns.count();
            columns.row(&[(Derivative::new(VariableId::from_index(beyond), 0), 1.0)])
        }
    }
}

/// What always holds as conditions on directions: one row for each order, one for each unknown that is not affine.
fn column_rows(forms: &[Vec<Form>], leaves: &Leaves) -> Vec<Sparse> {
    always(forms, leaves).flat_map(|at| parts(&forms[at][0])).collect()
}

/// A form as conditions on directions.
fn parts(form: &Form) -> Vec<Sparse> {
    if !form.is_affine() {
        let mut unknowns: Vec<VariableId> = form.unknowns().collect();
        unknowns.sort_unstable();
        unknowns.dedup();
        return unknowns.into_iter().map(|variable| vec![(variable.index() as u32, 1.0)]).collect();
    }
    let mut by_order: BTreeMap<u32, Sparse> = BTreeMap::new();
    for &(of, value) in &form.coefficients {
        by_order.entry(of.order).or_default().push((of.of.index() as u32, value));
    }
    by_order.into_values().collect()
}

/// The coordinates of L' as rows over variables, with the functionals they belong to.
fn coordinates(forms: &[Vec<Form>], functionals: &[Functional], exists: &[ModeSet]) -> (Vec<Sparse>, Vec<u32>) {
    let mut absent = (0..exists.len()).filter(|&at| !exists[at].is_all() && !exists[at].is_empty());
    let (mut rows, mut owners) = (Vec::new(), Vec::new());
    for (owner, functional) in functionals.iter().enumerate() {
        let parts = match functional.form {
            Some((equation, form)) => parts(&forms[equation][form]),
            None => absent.next().map(|variable| vec![(variable as u32, 1.0)]).into_iter().collect(),
        };
        owners.extend(std::iter::repeat_n(owner as u32, parts.len()));
        rows.extend(parts);
    }
    (rows, owners)
}

/// Rows over free columns, turned around: for each free column its entries by row.
fn by_free_column(free: &[u32], rows: impl Iterator<Item = Sparse>) -> Vec<Sparse> {
    let place: FxHashMap<u32, usize> = free.iter().enumerate().map(|(at, &column)| (column, at)).collect();
    let mut columns: Vec<Sparse> = vec![Vec::new(); free.len()];
    for (row, entries) in rows.enumerate() {
        for (column, value) in entries {
            if let Some(&at) = place.get(&column) {
                columns[at].push((row as u32, value));
            }
        }
    }
    columns
}

/// Vectors by what hangs together, in the order of their first coordinates.
fn components(vectors: Vec<Sparse>, coordinates: usize) -> Vec<Vec<Sparse>> {
    let mut joined: UnionFind<usize> = UnionFind::new(coordinates);
    for vector in &vectors {
        vector.windows(2).for_each(|pair| joined.join(pair[0].0 as usize, pair[1].0 as usize));
    }
    let mut components: BTreeMap<usize, Vec<Sparse>> = BTreeMap::new();
    for vector in vectors {
        if let Some(&(first, _)) = vector.first() {
            components.entry(joined.root(first as usize)).or_default().push(vector);
        }
    }
    components.into_values().collect()
}
