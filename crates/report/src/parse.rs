//! The report of `parse`: that nothing is wrong with the syntax of some files.

/// Files that were read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseReport {
    /// How many.
    pub files: usize,
}

impl ParseReport {
    /// One line for people, where there were no errors.
    pub fn text(&self) -> String {
        match self.files {
            0 | 1 => "no syntax errors\n".to_string(),
            count => format!("no syntax errors in {count} files\n"),
        }
    }
}
