//! Texts that an editor has open and may not have saved: they stand for the files of their paths. And files that are read once, however
//! many questions are asked: their answers are of one version of them.

use std::collections::BTreeMap;
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use modeshift_flatten::{Disk, Files, Recording, Version};

/// The files of this machine, some of them with other texts, or as they were when they were first read.
#[derive(Clone, Debug, Default)]
pub struct Opened {
    texts: Arc<BTreeMap<PathBuf, String>>,
    kept: Option<Recording>,
}

impl Opened {
    /// Files as they are when they are first read.
    pub fn keeping() -> Self {
        Opened { kept: Some(Recording::default()), ..Opened::default() }
    }

    /// What was read, where it is kept.
    pub fn kept(&self) -> Option<&Recording> {
        self.kept.as_ref()
    }

    fn reader(&self) -> &dyn Files {
        match &self.kept {
            Some(kept) => kept,
            None => &Disk,
        }
    }
}

impl FromIterator<(PathBuf, String)> for Opened {
    fn from_iter<T: IntoIterator<Item = (PathBuf, String)>>(texts: T) -> Self {
        Opened { texts: Arc::new(texts.into_iter().collect()), kept: None }
    }
}

impl Files for Opened {
    fn is_file(&self, path: &Path) -> bool {
        self.reader().is_file(path)
    }

    fn read(&self, path: &Path) -> Result<String, String> {
        match self.texts.get(path) {
            Some(text) => Ok(text.strip_prefix('\u{feff}').unwrap_or(text).to_string()),
            None => self.reader().read(path),
        }
    }

    fn bytes(&self, path: &Path) -> Result<Vec<u8>, String> {
        self.reader().bytes(path)
    }

    fn directories(&self, path: &Path) -> Vec<String> {
        self.reader().directories(path)
    }

    fn files(&self, path: &Path) -> Vec<String> {
        self.reader().files(path)
    }

    /// A text has no time of its own: its contents tell it from the next.
    fn version(&self, path: &Path) -> Option<Version> {
        let Some(text) = self.texts.get(path) else { return Disk.version(path) };
        let mut hasher = std::hash::DefaultHasher::new();
        text.hash(&mut hasher);
        Some((SystemTime::UNIX_EPOCH + Duration::from_nanos(hasher.finish() >> 2), text.len() as u64))
    }

    fn directory_name(&self, path: &Path) -> Option<String> {
        self.reader().directory_name(path)
    }

    fn without_links(&self, path: &Path) -> Option<PathBuf> {
        Disk.without_links(path)
    }
}
