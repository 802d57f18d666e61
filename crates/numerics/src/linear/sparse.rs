//! Where a matrix has entries: rows of ascending columns. Values are slices in the same order.

/// The places of the entries of a sparse matrix, row by row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    columns: usize,
    /// Where each row begins in `column_indices`, and where the last ends.
    row_starts: Vec<u32>,
    column_indices: Vec<u32>,
}

impl Pattern {
    /// From rows of columns, each ascending.
    pub fn from_rows<Row: IntoIterator<Item = u32>>(columns: usize, rows: impl IntoIterator<Item = Row>) -> Self {
        let mut pattern = Pattern { columns, row_starts: vec![0], column_indices: Vec::new() };
        for row in rows {
            let start = pattern.column_indices.len();
            pattern.column_indices.extend(row);
            let row = &pattern.column_indices[start..];
            assert!(row.windows(2).all(|pair| pair[0] < pair[1]), "columns of a row ascend");
            assert!(row.last().is_none_or(|&last| (last as usize) < columns), "columns are of the matrix");
            pattern.row_starts.push(pattern.column_indices.len() as u32);
        }
        pattern
    }

    /// Every entry.
    pub fn dense(rows: usize, columns: usize) -> Self {
        Self::from_rows(columns, (0..rows).map(|_| 0..columns as u32))
    }

    /// How many rows.
    pub fn row_count(&self) -> usize {
        self.row_starts.len() - 1
    }

    /// How many columns.
    pub fn column_count(&self) -> usize {
        self.columns
    }

    /// How many entries.
    pub fn entry_count(&self) -> usize {
        self.column_indices.len()
    }

    /// The positions of a row's entries among all entries.
    pub fn row_range(&self, row: usize) -> std::ops::Range<usize> {
        self.row_starts[row] as usize..self.row_starts[row + 1] as usize
    }

    /// The columns of a row, ascending.
    pub fn row(&self, row: usize) -> &[u32] {
        &self.column_indices[self.row_range(row)]
    }

    /// The entries of a row with these values: column and value.
    pub fn row_entries<'a>(&'a self, values: &'a [f64], row: usize) -> impl Iterator<Item = (usize, f64)> + 'a {
        let range = self.row_range(row);
        self.row(row).iter().zip(&values[range]).map(|(&column, &value)| (column as usize, value))
    }

    /// The matrix with these values, row by row with its zeros.
    pub fn to_dense(&self, values: &[f64]) -> Vec<f64> {
        let mut dense = vec![0.0; self.row_count() * self.columns];
        for row in 0..self.row_count() {
            for (column, value) in self.row_entries(values, row) {
                dense[row * self.columns + column] = value;
            }
        }
        dense
    }

    /// `matrix * vector`
    pub fn multiply(&self, values: &[f64], vector: &[f64], product: &mut [f64]) {
        for (row, place) in product.iter_mut().enumerate() {
            *place = self.row_entries(values, row).map(|(column, value)| value * vector[column]).sum();
        }
    }
}
