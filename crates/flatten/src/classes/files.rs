//! Where source texts come from: the disk, or memory in tests. The only file of this crate that touches a disk.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// A tree of files that can be asked for and read.
pub trait Files {
    /// Whether a file is there.
    fn is_file(&self, path: &Path) -> bool;
    /// Its text, or why it cannot be had.
    fn read(&self, path: &Path) -> Result<String, String>;
    /// The names of the directories inside a directory, in any order; none where there is no such directory.
    fn directories(&self, path: &Path) -> Vec<String>;
}

/// The files of this machine.
#[derive(Clone, Copy, Debug, Default)]
pub struct Disk;

impl Files for Disk {
    fn is_file(&self, path: &Path) -> bool {
        path.is_file()
    }

    fn read(&self, path: &Path) -> Result<String, String> {
        let bytes = std::fs::read(path).map_err(|error| error.to_string())?;
        String::from_utf8(bytes).map_err(|_| "the file is not UTF-8".to_string())
    }

    fn directories(&self, path: &Path) -> Vec<String> {
        let entries = std::fs::read_dir(path).into_iter().flatten().flatten();
        entries
            .filter(|entry| entry.file_type().is_ok_and(|kind| !kind.is_file()))
            .filter_map(|entry| entry.file_name().into_string().ok())
            .collect()
    }
}

/// Files that exist in memory only.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    texts: BTreeMap<PathBuf, String>,
}

impl Memory {
    /// No files.
    pub fn new() -> Self {
        Self::default()
    }

    /// With one more file.
    pub fn with(mut self, path: impl Into<PathBuf>, text: impl Into<String>) -> Self {
        self.texts.insert(path.into(), text.into());
        self
    }
}

impl Files for Memory {
    fn is_file(&self, path: &Path) -> bool {
        self.texts.contains_key(path)
    }

    fn read(&self, path: &Path) -> Result<String, String> {
        self.texts.get(path).cloned().ok_or_else(|| "no such file".to_string())
    }

    fn directories(&self, path: &Path) -> Vec<String> {
        let inside = self.texts.keys().filter_map(|file| file.strip_prefix(path).ok());
        let mut names: Vec<String> = inside
            .filter(|rest| rest.components().count() > 1)
            .filter_map(|rest| rest.components().next()?.as_os_str().to_str().map(str::to_string))
            .collect();
        names.dedup();
        names
    }
}
