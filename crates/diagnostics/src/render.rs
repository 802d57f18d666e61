//! Diagnostics as people read them, in the manner of rustc: a title with its code, the source lines with all labels
//! in one frame per file, then in which modes, an example, notes and what to try.
//!
//! The only module that knows `annotate-snippets`. That library is handed excerpts, never whole files, and only
//! spans that lie inside them on character boundaries, so that no diagnostic, however wrong its spans, can break
//! the rendering of another.

use std::ops::Range;

use annotate_snippets::{AnnotationKind, Element, Group, Level, Renderer, Snippet};

use crate::{Diagnostic, Diagnostics, FileId, Label, Repair, Severity, SourceFile, SourceMap};

/// Labels further apart than this many lines stand in frames of their own.
const LINES_BETWEEN_LABELS: usize = 40;
/// A label over more lines than this shows its first line only.
const LINES_OF_A_LABEL: usize = 12;
/// A line with more bytes than this ends a little behind its last label; the library scrolls to the label itself.
const LONG_LINE: usize = 1000;
/// The mark for text left out at the end of a long line.
const ELLIPSIS: &str = "…";

/// Everything that was said, in order, a blank line between, with the numbers of what was left out at the end.
/// With `coloured`, for a terminal; else plain.
pub fn render_all(diagnostics: &Diagnostics, sources: &SourceMap, coloured: bool) -> String {
    let mut text = String::new();
    for diagnostic in diagnostics.iter() {
        text.push_str(&render(diagnostic, sources, coloured));
        text.push_str("\n\n");
    }
    for (code, count) in diagnostics.suppressed() {
        let title = format!("{count} more of {code} not shown");
        let group = Group::with_title(Level::NOTE.primary_title(title));
        text.push_str(&renderer(coloured).render(&[group]));
        text.push_str("\n\n");
    }
    text
}

/// One message, without a final newline.
pub fn render(diagnostic: &Diagnostic, sources: &SourceMap, coloured: bool) -> String {
    let frames = frames(&diagnostic.labels, sources);
    let title = level(diagnostic.severity).primary_title(&diagnostic.message).id(diagnostic.code.as_str());
    let group = title.elements(frames.iter().map(Frame::snippet)).elements(remarks(diagnostic));
    renderer(coloured).render(&[group])
}

fn renderer(coloured: bool) -> Renderer {
    if coloured { Renderer::styled() } else { Renderer::plain() }
}

fn level(severity: Severity) -> Level<'static> {
    match severity {
        Severity::Note => Level::NOTE,
        Severity::Warning => Level::WARNING,
        Severity::Error => Level::ERROR,
    }
}

/// The lines below the source: when, example, notes, help.
fn remarks(diagnostic: &Diagnostic) -> Vec<Element<'_>> {
    let when = diagnostic.when.iter().map(|modes| Level::NOTE.with_name("when").message(modes));
    let example = diagnostic.example.iter().map(|mode| Level::NOTE.with_name("example").message(mode));
    let notes = diagnostic.notes.iter().map(|note| Level::NOTE.message(note));
    let help = diagnostic.help.iter().map(|help| Level::HELP.message(help));
    let repair = diagnostic.repair.iter().map(|repair| Level::HELP.with_name("fix").message(fix_text(repair)));
    when.chain(example).chain(notes).chain(help).chain(repair).map(Element::from).collect()
}

/// What the edit does, and that it was tested.
fn fix_text(repair: &Repair) -> String {
    format!("{}; then the model is right (`check --fix` shows the edit)", repair.title)
}

/// A piece of one file with the labels on it.
struct Frame<'a> {
    path: &'a str,
    first_line: usize,
    text: String,
    /// Ranges in `text`, with whether it is the primary label.
    marks: Vec<(Range<usize>, bool, &'a str)>,
}

impl Frame<'_> {
    fn snippet(&self) -> Snippet<'_, annotate_snippets::Annotation<'_>> {
        let annotations = self.marks.iter().map(|(range, primary, text)| {
            let kind = if *primary { AnnotationKind::Primary } else { AnnotationKind::Context };
            let label = (!text.is_empty()).then_some(*text);
            kind.span(range.clone()).label(label)
        });
        Snippet::source(self.text.as_str()).path(self.path).line_start(self.first_line).annotations(annotations)
    }
}

/// A label with the lines it touches, all indices valid in its file.
struct Place<'a> {
    file: FileId,
    bytes: Range<usize>,
    lines: Range<usize>,
    primary: bool,
    text: &'a str,
}

/// Groups labels into frames: by file in the order of first mention, and within a file by nearness.
fn frames<'a>(labels: &'a [Label], sources: &'a SourceMap) -> Vec<Frame<'a>> {
    let mut places: Vec<Place<'a>> =
        labels.iter().enumerate().filter_map(|(position, label)| place(label, position == 0, sources)).collect();
    let mut clusters: Vec<Vec<Place<'a>>> = Vec::new();
    while !places.is_empty() {
        let seed = places.remove(0);
        clusters.push(cluster_around(seed, &mut places));
    }
    clusters.iter().filter_map(|cluster| frame(cluster, sources)).collect()
}

/// Takes out of `places` those of the seed's file that are near the seed or near one another taken before.
fn cluster_around<'a>(seed: Place<'a>, places: &mut Vec<Place<'a>>) -> Vec<Place<'a>> {
    let mut lines = seed.lines.clone();
    let mut cluster = vec![seed];
    loop {
        let near = |place: &Place<'_>| {
            place.file == cluster[0].file
                && place.lines.start <= lines.end + LINES_BETWEEN_LABELS
                && lines.start <= place.lines.end + LINES_BETWEEN_LABELS
        };
        let Some(found) = places.iter().position(near) else { return cluster };
        let place = places.remove(found);
        lines = lines.start.min(place.lines.start)..lines.end.max(place.lines.end);
        cluster.push(place);
    }
}

/// The label clamped to its file; `None` where there is no such file.
fn place<'a>(label: &'a Label, primary: bool, sources: &SourceMap) -> Option<Place<'a>> {
    let file = sources.file(label.span.file)?;
    let text = file.text();
    let start = floor_boundary(text, label.span.start as usize);
    let end = floor_boundary(text, label.span.end as usize).max(start);
    let first = line_of(file, start);
    let last = line_of(file, if end > start { end - 1 } else { end });
    let (end, last) =
        if last - first < LINES_OF_A_LABEL { (end, last) } else { (line_end(text, start).max(start), first) };
    Some(Place { file: label.span.file, bytes: start..end, lines: first..last + 1, primary, text: &label.text })
}

/// The excerpt that covers these places, which are of one file.
fn frame<'a>(places: &[Place<'a>], sources: &'a SourceMap) -> Option<Frame<'a>> {
    let file = sources.file(places.first()?.file)?;
    let first = places.iter().map(|place| place.lines.start).min()?;
    let last = places.iter().map(|place| place.lines.end).max()?;
    let mut excerpt = Excerpt::default();
    for line in first..last {
        excerpt.push_line(file, line, places);
    }
    let marks = places.iter().map(|place| (excerpt.range(&place.bytes), place.primary, place.text)).collect();
    Some(Frame { path: file.name(), first_line: first + 1, text: excerpt.text, marks })
}

/// Lines of a file, the ends of long ones left out.
#[derive(Default)]
struct Excerpt {
    text: String,
    /// Ranges of the file that were taken over, with their starts in `text`.
    pieces: Vec<(Range<usize>, usize)>,
}

impl Excerpt {
    fn push_line(&mut self, file: &SourceFile, line: usize, places: &[Place<'_>]) {
        let bytes = line_bytes(file, line);
        if bytes.len() <= LONG_LINE {
            return self.push_piece(file.text(), bytes);
        }
        let reached = places.iter().map(|place| place.bytes.end).filter(|end| bytes.contains(end)).max();
        let end = floor_boundary(file.text(), reached.unwrap_or(bytes.start) + LONG_LINE).min(bytes.end);
        self.push_piece(file.text(), bytes.start..end);
        if end < bytes.end {
            self.text.push_str(ELLIPSIS);
            self.text.push('\n');
        }
    }

    fn push_piece(&mut self, text: &str, bytes: Range<usize>) {
        self.pieces.push((bytes.clone(), self.text.len()));
        self.text.push_str(&text[bytes]);
    }

    /// Where a range of the file is in the excerpt, clamped to what was taken over.
    fn range(&self, bytes: &Range<usize>) -> Range<usize> {
        let start = self.position(bytes.start);
        start..self.position(bytes.end).max(start)
    }

    fn position(&self, byte: usize) -> usize {
        let piece = self.pieces.partition_point(|(range, _)| range.start <= byte).saturating_sub(1);
        match self.pieces.get(piece) {
            Some((range, at)) => at + byte.clamp(range.start, range.end) - range.start,
            None => 0,
        }
    }
}

/// The nearest character boundary at or before this byte.
fn floor_boundary(text: &str, byte: usize) -> usize {
    (0..=byte.min(text.len())).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0)
}

/// The line, from 0, that holds this byte; the end of the text belongs to the last line.
fn line_of(file: &SourceFile, byte: usize) -> usize {
    file.line_column(byte as u32).line as usize - 1
}

/// The line from 0 with its line end.
fn line_bytes(file: &SourceFile, line: usize) -> Range<usize> {
    let starts = file.line_starts();
    let end = starts.get(line + 1).map_or(file.text().len(), |&start| start as usize);
    starts[line] as usize..end
}

/// Where the line that holds this byte ends, its line end left out.
fn line_end(text: &str, byte: usize) -> usize {
    let rest = &text[byte..];
    let line = rest.split('\n').next().unwrap_or("");
    byte + line.trim_end_matches('\r').len()
}
