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
        /// The line in which it ends, from 1.
        end_line: u32 => always "end_line",
        /// The column behind its end, from 1, in characters.
        end_column: u32 => always "end_column",
    }
}

impl Place {
    /// The start of a span; `None` for the default span, which stands for no place in particular.
    pub fn of(span: Span, sources: &SourceMap) -> Option<Place> {
        if span == Span::default() {
            return None;
        }
        let (file, at) = sources.place(span)?;
        let end = sources.file(span.file)?.line_column(span.end.max(span.start));
        let (end_line, end_column) = (end.line, end.column);
        Some(Place { file: file.to_string(), line: at.line, column: at.column, end_line, end_column })
    }
}
