//! Places in the source as people write them.

use modeshift_diagnostics::{SourceMap, Span};

crate::report! {
    /// A place in the source.
    pub struct Place {
        /// The file as it was given.
        file: String => always "file",
        /// The line, from 1.
        line: u32 => always "line",
        /// The column, from 1, in characters.
        column: u32 => always "column",
    }
}

impl Place {
    /// The start of a span; `None` for the default span, which stands for no place in particular.
    pub fn of(span: Span, sources: &SourceMap) -> Option<Place> {
        if span == Span::default() {
            return None;
        }
        let (file, at) = sources.place(span)?;
        Some(Place { file: file.to_string(), line: at.line, column: at.column })
    }
}
