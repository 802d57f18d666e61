//! The signature matrix `σ` of one mode: which variables its equations contain, and how often differentiated.
//!
//! Equations and variables are numbered from 0 among those that exist in the mode.

use modeshift_dae::{EquationId, Id, VariableId};

/// An equation of one mode: a row of its signature matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Row(pub u32);

/// A variable of one mode: a column of its signature matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Column(pub u32);

impl Id for Row {
    fn from_index(index: usize) -> Self {
        Row(u32::try_from(index).expect("fewer than 2^32 equations"))
    }
    fn index(self) -> usize {
        self.0 as usize
    }
}

impl Id for Column {
    fn from_index(index: usize) -> Self {
        Column(u32::try_from(index).expect("fewer than 2^32 variables"))
    }
    fn index(self) -> usize {
        self.0 as usize
    }
}

/// The signature matrix of one mode, sparse: the variables of each equation with their orders.
#[derive(Clone, Debug, Default)]
pub struct Signature {
    variable_count: usize,
    /// Where the entries of each equation start, and the end of the last.
    first: Vec<u32>,
    entries: Vec<(u32, u32)>,
}

impl Signature {
    /// A matrix with this many columns and no rows.
    pub fn new(variable_count: usize) -> Signature {
        Signature { variable_count, first: vec![0], entries: Vec::new() }
    }

    /// Appends an equation: its variables, each once, with the highest order of each.
    pub fn push(&mut self, entries: impl IntoIterator<Item = (u32, u32)>) {
        self.entries.extend(entries);
        self.first.push(u32::try_from(self.entries.len()).expect("fewer than 2^32 entries"));
    }

    /// How many equations there are.
    pub fn equation_count(&self) -> usize {
        self.first.len() - 1
    }

    /// How many variables there are.
    pub fn variable_count(&self) -> usize {
        self.variable_count
    }

    /// Variable and order of each entry of an equation.
    pub fn entries(&self, equation: u32) -> &[(u32, u32)] {
        &self.entries[self.first[equation as usize] as usize..self.first[equation as usize + 1] as usize]
    }

    /// All entries, equation by equation.
    pub(super) fn all_entries(&self) -> &[(u32, u32)] {
        &self.entries
    }

    /// The numbers of the equations.
    pub(super) fn equations(&self) -> std::ops::Range<u32> {
        0..self.equation_count() as u32
    }
}

/// The signature matrix of one mode of a multimode system.
#[derive(Clone, Debug)]
pub struct ModeSignature {
    /// The matrix.
    pub signature: Signature,
    /// The equation of each row.
    pub equations: Vec<EquationId>,
    /// The variable of each column.
    pub variables: Vec<VariableId>,
}

impl ModeSignature {
    /// The same without the variables that no equation contains.
    pub fn without_idle_variables(self) -> ModeSignature {
        let ModeSignature { signature, equations, variables } = self;
        let mut occurs = vec![false; variables.len()];
        signature.all_entries().iter().for_each(|&(column, _)| occurs[column as usize] = true);
        let mut number = vec![0; variables.len()];
        let mut kept = Vec::new();
        for (column, &variable) in variables.iter().enumerate().filter(|&(column, _)| occurs[column]) {
            number[column] = kept.len() as u32;
            kept.push(variable);
        }
        let mut numbered = Signature::new(kept.len());
        for equation in signature.equations() {
            let entries = signature.entries(equation).iter();
            numbered.push(entries.map(|&(column, order)| (number[column as usize], order)));
        }
        ModeSignature { signature: numbered, equations, variables: kept }
    }
}
