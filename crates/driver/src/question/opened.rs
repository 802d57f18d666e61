//! Texts that an editor has open and may not have saved: they stand for the files of their paths.

use std::collections::BTreeMap;
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use modeshift_flatten::{Disk, Files, Version};

/// The files of this machine, some of them with other texts.
#[derive(Clone, Debug, Default)]
pub struct Opened(Arc<BTreeMap<PathBuf, String>>);

impl FromIterator<(PathBuf, String)> for Opened {
    fn from_iter<T: IntoIterator<Item = (PathBuf, String)>>(texts: T) -> Self {
        Opened(Arc::new(texts.into_iter().collect()))
    }
}

impl Files for Opened {
    fn is_file(&self, path: &Path) -> bool {
        Disk.is_file(path)
    }

    fn read(&self, path: &Path) -> Result<String, String> {
        match self.0.get(path) {
            Some(text) => Ok(text.strip_prefix('\u{feff}').unwrap_or(text).to_string()),
            None => Disk.read(path),
        }
    }

    fn bytes(&self, path: &Path) -> Result<Vec<u8>, String> {
        Disk.bytes(path)
    }

    fn directories(&self, path: &Path) -> Vec<String> {
        Disk.directories(path)
    }

    fn files(&self, path: &Path) -> Vec<String> {
        Disk.files(path)
    }

    /// A text has no time of its own: its contents tell it from the next.
    fn version(&self, path: &Path) -> Option<Version> {
        let Some(text) = self.0.get(path) else { return Disk.version(path) };
        let mut hasher = std::hash::DefaultHasher::new();
        text.hash(&mut hasher);
        Some((SystemTime::UNIX_EPOCH + Duration::from_nanos(hasher.finish() >> 2), text.len() as u64))
    }

    fn directory_name(&self, path: &Path) -> Option<String> {
        Disk.directory_name(path)
    }

    fn without_links(&self, path: &Path) -> Option<PathBuf> {
        Disk.without_links(path)
    }
}
