//! Files that were parsed before: a server that answers many questions reads a library once.
//!
//! A file is taken from here as long as its version on the disk is the same. Its places keep their file id, so that
//! classes can be shared by the questions that use them.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use modeshift_diagnostics::{Diagnostics, FileId, SourceFile, SourceMap};
use modeshift_syntax::ast::StoredDefinition;

use crate::classes::files::Version;

/// What was parsed, shared by all who have a copy of this handle.
#[derive(Clone, Debug, Default)]
pub struct Parsed(Arc<Mutex<Table>>);

#[derive(Debug, Default)]
struct Table {
    entries: Vec<Entry>,
    /// Where the file of a name is among the entries.
    numbers: BTreeMap<String, usize>,
}

/// A file of one version.
#[derive(Debug)]
struct Entry {
    version: Version,
    source: Arc<SourceFile>,
    stored: StoredDefinition,
    said: Diagnostics,
}

impl Parsed {
    /// The classes of a file, as they were read before or now; what is wrong with them is said each time.
    pub(super) fn read(
        &self,
        (name, version): (&str, Version),
        text: impl FnOnce() -> Result<String, String>,
        sources: &mut SourceMap,
        diagnostics: &mut Diagnostics,
    ) -> Result<StoredDefinition, String> {
        // Whoever panicked while it had the lock left a table that is as good as before.
        let mut table = self.0.lock().unwrap_or_else(|broken| broken.into_inner());
        let Table { entries, numbers } = &mut *table;
        let known = numbers.get(name).copied();
        let number = match known.filter(|number| entries[*number].version == version) {
            Some(number) => number,
            None => {
                let number = known.unwrap_or(entries.len());
                let entry = parse(FileId::shared(number), name, version, text()?);
                match known {
                    Some(number) => entries[number] = entry,
                    None => entries.push(entry),
                }
                numbers.insert(name.to_string(), number);
                number
            }
        };
        let entry = &entries[number];
        sources.share(FileId::shared(number), entry.source.clone());
        diagnostics.extend(entry.said.clone());
        Ok(entry.stored.clone())
    }
}

fn parse(file: FileId, name: &str, version: Version, text: String) -> Entry {
    let source = Arc::new(SourceFile::new(name, text));
    let mut diagnostics = Diagnostics::new();
    let stored = modeshift_syntax::parse(file, source.text(), &mut diagnostics).definition();
    Entry { version, source, stored, said: diagnostics }
}
