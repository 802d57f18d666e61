//! `parse`: syntax errors only, of any number of files.

use modeshift_diagnostics::{Diagnostics, SourceMap};
use modeshift_report::parse::ParseReport;

use crate::question::{Answer, Dialect, Source};
use crate::timings::Timings;

/// Reads every source and says what is wrong with its syntax; the result counts them.
pub fn parse(sources: Vec<Source>) -> Answer<ParseReport> {
    let mut map = SourceMap::default();
    let mut diagnostics = Diagnostics::new();
    let mut timings = Timings::default();
    let count = sources.len();
    let bytes: usize = sources.iter().map(|source| source.text.len()).sum();
    let read_all = || sources.into_iter().for_each(|source| parse_one(source, &mut map, &mut diagnostics));
    timings.measure("parsing", read_all, |()| format!("{count} files, {bytes} bytes"));
    Answer { result: Some(ParseReport { files: count }), sources: map, diagnostics, timings }
}

fn parse_one(source: Source, map: &mut SourceMap, diagnostics: &mut Diagnostics) {
    let file = map.add(source.name, source.text);
    let text = map.file(file).expect("it was just added").text();
    match source.dialect {
        Dialect::Modelica => drop(modeshift_syntax::parse(file, text, diagnostics)),
        Dialect::Mel => drop(modeshift_syntax::parse_mel(file, text, diagnostics)),
    }
}
