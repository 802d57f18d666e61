//! Where in the source: files, byte ranges, lines and columns.

use std::fmt;
use std::sync::Arc;

/// A source file of a [`SourceMap`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FileId(u32);

/// Ids from here on are of files that are kept from one run to the next, see [`SourceMap::share`].
const FIRST_SHARED: u32 = 1 << 31;

impl FileId {
    /// The id of the file of this number among those that are kept from one run to the next.
    pub fn shared(number: usize) -> FileId {
        let number = u32::try_from(number).ok().filter(|number| *number < FIRST_SHARED);
        FileId(FIRST_SHARED + number.expect("fewer than 2^31 files"))
    }
}

/// A byte range of one source file. The default span points at the start of the first file
/// and stands for "no place in particular".
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    /// The file.
    pub file: FileId,
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Default for Span {
    fn default() -> Self {
        Span { file: FileId(0), start: 0, end: 0 }
    }
}

impl Span {
    /// The bytes `start..end` of `file`.
    pub fn new(file: FileId, start: usize, end: usize) -> Self {
        Span { file, start: start as u32, end: end as u32 }
    }

    /// The smallest span that covers both; `other` must be of the same file.
    pub fn to(self, other: Span) -> Span {
        Span { file: self.file, start: self.start.min(other.start), end: self.end.max(other.end) }
    }
}

/// One source text with its name as the user wrote it.
#[derive(Debug)]
pub struct SourceFile {
    name: String,
    text: String,
    line_starts: Vec<u32>,
}

impl SourceFile {
    /// A text with its name.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> SourceFile {
        let text = text.into();
        let line_starts = std::iter::once(0)
            .chain(text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at as u32 + 1))
            .collect();
        SourceFile { name: name.into(), text, line_starts }
    }

    /// The name to show: a path as given, or `<stdin>`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The whole text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The byte at which each line starts; the first is 0.
    pub fn line_starts(&self) -> &[u32] {
        &self.line_starts
    }

    /// Line and column, both from 1, columns counted in characters.
    pub fn line_column(&self, offset: u32) -> LineColumn {
        let line = self.line_starts.partition_point(|&start| start <= offset) - 1;
        let start = self.line_starts[line] as usize;
        let end = (offset as usize).min(self.text.len());
        let column = self.text.get(start..end).map_or(end - start, |text| text.chars().count());
        LineColumn { line: line as u32 + 1, column: column as u32 + 1 }
    }
}

/// A place as people write it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineColumn {
    /// From 1.
    pub line: u32,
    /// From 1, in characters.
    pub column: u32,
}

impl fmt::Display for LineColumn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}

/// All source texts of one run, in the order in which they were read.
#[derive(Debug, Default)]
pub struct SourceMap {
    files: Vec<SourceFile>,
    shared: Vec<Option<Arc<SourceFile>>>,
}

impl SourceMap {
    /// Takes a text in and gives it an id.
    pub fn add(&mut self, name: impl Into<String>, text: impl Into<String>) -> FileId {
        self.files.push(SourceFile::new(name, text));
        FileId(self.files.len() as u32 - 1)
    }

    /// Takes in a file that other runs have too, under the id that all of them use.
    pub fn share(&mut self, id: FileId, file: Arc<SourceFile>) {
        let number = (id.0 - FIRST_SHARED) as usize;
        if self.shared.len() <= number {
            self.shared.resize(number + 1, None);
        }
        self.shared[number] = Some(file);
    }

    /// The file of this id; `None` only for the default span of an empty map.
    pub fn file(&self, id: FileId) -> Option<&SourceFile> {
        match id.0.checked_sub(FIRST_SHARED) {
            Some(number) => self.shared.get(number as usize)?.as_deref(),
            None => self.files.get(id.0 as usize),
        }
    }

    /// The file with this name, the first read where several have it.
    pub fn find(&self, name: &str) -> Option<FileId> {
        self.files.iter().position(|file| file.name == name).map(|at| FileId(at as u32))
    }

    /// The names of all files, in the order in which they were read.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.files.iter().map(SourceFile::name)
    }

    /// The text that a span covers, empty where there is none.
    pub fn text(&self, span: Span) -> &str {
        self.file(span.file).and_then(|file| file.text.get(span.start as usize..span.end as usize)).unwrap_or("")
    }

    /// File name, line and column of the start of a span.
    pub fn place(&self, span: Span) -> Option<(&str, LineColumn)> {
        self.file(span.file).map(|file| (file.name(), file.line_column(span.start)))
    }
}
