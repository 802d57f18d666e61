//! A search for all places that mean something, file by file, so that whoever asks for something else does not wait for its end.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};

use modeshift_driver::{Opened, Parsed};
use serde_json::Value;

use crate::features::places::{self, FileToRename, Occurrence, Target};
use crate::features::replacements;
use crate::names::Names;
use crate::rpc::Failure;
use crate::text::Encoding;

/// What is looked for, what was found, and where to look.
pub struct Search {
    /// Of the request.
    pub id: Value,
    /// What is looked for.
    pub target: Target,
    /// And why.
    pub purpose: Purpose,
    /// Files with their places.
    pub found: Vec<(String, Vec<Occurrence>)>,
    /// What was not looked into yet.
    pub files: VecDeque<PathBuf>,
    /// The texts that stand for files.
    pub opened: Opened,
}

/// What the places are for.
pub enum Purpose {
    /// To be shown.
    References {
        /// With the place of the declaration.
        with_declaration: bool,
    },
    /// To be called otherwise, a file with them.
    Rename {
        /// What they are called then.
        new_name: String,
        /// The file of a class that is called as it.
        file: Option<FileToRename>,
    },
}

impl Search {
    /// Adds what is in a file; why it cannot be, of a renaming.
    pub fn look_into(
        &mut self,
        path: &Path,
        encoding: Encoding,
        libraries: &[PathBuf],
        parsed: &Parsed,
    ) -> Result<(), Failure> {
        let mut wanted = vec![self.target.name()];
        if let Purpose::Rename { new_name, .. } = &self.purpose {
            wanted.push(new_name);
            wanted.extend(replacements::WORDS);
        }
        let document = match (places::file_with(path, &wanted, encoding), &self.purpose) {
            (Ok(Some(document)), _) => document,
            // References are where one can look; a renaming that leaves out a file breaks it.
            (Err(refusal), Purpose::Rename { .. }) => return Err(refusal),
            (Ok(None) | Err(_), _) => return Ok(()),
        };
        let mut names = Names::new(&document, libraries, parsed, &self.opened);
        let places = places::occurrences(&document, &mut names, &self.target);
        if let Purpose::Rename { new_name, .. } = &self.purpose {
            places::no_capture(&document, &mut names, &self.target, new_name, !places.is_empty())?;
            replacements::no_partner(&document, &mut names, &self.target)?;
        }
        self.found.push((document.uri.clone(), places));
        Ok(())
    }

    /// All places, as the protocol has them.
    pub fn answer(self) -> Value {
        match self.purpose {
            Purpose::References { with_declaration } => places::references(&self.found, with_declaration),
            Purpose::Rename { new_name, file } => places::renaming(&self.found, &new_name, file.as_ref()),
        }
    }
}
