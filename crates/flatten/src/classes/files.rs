//! Where source texts come from: the disk, or memory. The only file of this crate that touches a disk.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// When a file was last written, and its length.
pub type Version = (std::time::SystemTime, u64);

/// A tree of files that can be asked for and read.
pub trait Files {
    /// Whether a file is there.
    fn is_file(&self, path: &Path) -> bool;
    /// Its text, or why it cannot be had.
    fn read(&self, path: &Path) -> Result<String, String>;
    /// Its bytes, or why they cannot be had.
    fn bytes(&self, path: &Path) -> Result<Vec<u8>, String> {
        self.read(path).map(String::into_bytes)
    }
    /// The names of the directories inside a directory, in any order; none where there is no such directory.
    fn directories(&self, path: &Path) -> Vec<String>;
    /// The names of the files inside a directory, in any order; none where there is no such directory.
    fn files(&self, path: &Path) -> Vec<String>;
    /// What tells one version of a file from the next; `None` where that cannot be told.
    fn version(&self, _path: &Path) -> Option<Version> {
        None
    }
    /// What a directory is called, also where its path does not end with its name, as `.` and `..`.
    fn directory_name(&self, path: &Path) -> Option<String>;
    /// The same path without symbolic links, where that is another one.
    fn without_links(&self, _path: &Path) -> Option<PathBuf> {
        None
    }
}

/// Files that several share.
impl<F: Files + ?Sized> Files for Arc<F> {
    fn is_file(&self, path: &Path) -> bool {
        (**self).is_file(path)
    }

    fn read(&self, path: &Path) -> Result<String, String> {
        (**self).read(path)
    }

    fn bytes(&self, path: &Path) -> Result<Vec<u8>, String> {
        (**self).bytes(path)
    }

    fn directories(&self, path: &Path) -> Vec<String> {
        (**self).directories(path)
    }

    fn files(&self, path: &Path) -> Vec<String> {
        (**self).files(path)
    }

    fn version(&self, path: &Path) -> Option<Version> {
        (**self).version(path)
    }

    fn directory_name(&self, path: &Path) -> Option<String> {
        (**self).directory_name(path)
    }

    fn without_links(&self, path: &Path) -> Option<PathBuf> {
        (**self).without_links(path)
    }
}

pub use present::Disk;
#[cfg(target_family = "wasm")]
pub use present::use_file;

#[cfg(not(target_family = "wasm"))]
mod present {
    use std::path::{Path, PathBuf};

    use super::{Files, Version};

    /// The files of this machine.
    #[derive(Clone, Copy, Debug, Default)]
    pub struct Disk;

    impl Files for Disk {
        fn is_file(&self, path: &Path) -> bool {
            path.is_file()
        }

        fn read(&self, path: &Path) -> Result<String, String> {
            let bytes = std::fs::read(path).map_err(|error| error.to_string())?;
            let text = String::from_utf8(bytes).map_err(|_| "the file is not UTF-8".to_string())?;
            // Some editors write a byte order mark.
            Ok(text.strip_prefix('\u{feff}').map(str::to_string).unwrap_or(text))
        }

        fn bytes(&self, path: &Path) -> Result<Vec<u8>, String> {
            std::fs::read(path).map_err(|error| error.to_string())
        }

        fn directories(&self, path: &Path) -> Vec<String> {
            entries(path, |kind| !kind.is_file())
        }

        fn files(&self, path: &Path) -> Vec<String> {
            entries(path, |kind| !kind.is_dir())
        }

        fn version(&self, path: &Path) -> Option<Version> {
            let metadata = std::fs::metadata(path).ok()?;
            Some((metadata.modified().ok()?, metadata.len()))
        }

        fn directory_name(&self, path: &Path) -> Option<String> {
            if let Some(written) = path.file_name() {
                return written.to_str().map(str::to_string);
            }
            let real = std::fs::canonicalize(here_if_empty(path)).ok()?;
            real.file_name()?.to_str().map(str::to_string)
        }

        fn without_links(&self, path: &Path) -> Option<PathBuf> {
            let real = std::fs::canonicalize(here_if_empty(path)).ok()?;
            (real != std::path::absolute(path).ok()?).then_some(real)
        }
    }

    /// The directory of a file that is named without one.
    fn here_if_empty(path: &Path) -> &Path {
        if path.as_os_str().is_empty() { Path::new(".") } else { path }
    }

    /// The names of those entries of a directory that are of some kind; a symbolic link may be of any.
    fn entries(path: &Path, is_wanted: impl Fn(std::fs::FileType) -> bool) -> Vec<String> {
        let entries = std::fs::read_dir(here_if_empty(path)).into_iter().flatten().flatten();
        entries
            .filter(|entry| entry.file_type().is_ok_and(&is_wanted))
            .filter_map(|entry| entry.file_name().into_string().ok())
            .collect()
    }
}

/// Code that runs inside another program has no disk: the files are those that its host gave.
#[cfg(target_family = "wasm")]
mod present {
    use std::path::{Path, PathBuf};
    use std::sync::{Mutex, MutexGuard, PoisonError};
    use std::time::{Duration, SystemTime};

    use super::{Files, Memory, Version};

    /// The files, and how many were given in all.
    static FILES: Mutex<(Memory, u64)> = Mutex::new((Memory::NONE, 0));

    fn files() -> MutexGuard<'static, (Memory, u64)> {
        FILES.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Has one more file, instead of one that had this path.
    pub fn use_file(path: PathBuf, text: String) {
        let (memory, given) = &mut *files();
        *given += 1;
        memory.texts.insert(path, text);
    }

    /// The files that were given.
    #[derive(Clone, Copy, Debug, Default)]
    pub struct Disk;

    impl Files for Disk {
        fn is_file(&self, path: &Path) -> bool {
            files().0.is_file(path)
        }

        fn read(&self, path: &Path) -> Result<String, String> {
            files().0.read(path)
        }

        fn directories(&self, path: &Path) -> Vec<String> {
            files().0.directories(path)
        }

        fn files(&self, path: &Path) -> Vec<String> {
            files().0.files(path)
        }

        /// Whatever is given makes all files new.
        fn version(&self, path: &Path) -> Option<Version> {
            let (memory, given) = &*files();
            let length = memory.texts.get(path)?.len() as u64;
            Some((SystemTime::UNIX_EPOCH + Duration::from_nanos(*given), length))
        }

        fn directory_name(&self, path: &Path) -> Option<String> {
            files().0.directory_name(path)
        }
    }
}

/// Files that exist in memory only.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    texts: BTreeMap<PathBuf, String>,
    others: BTreeMap<PathBuf, Vec<u8>>,
}

impl Memory {
    /// No files.
    pub const NONE: Memory = Memory { texts: BTreeMap::new(), others: BTreeMap::new() };

    /// No files.
    pub fn new() -> Self {
        Memory::NONE
    }

    /// With one more file.
    pub fn with(mut self, path: impl Into<PathBuf>, text: impl Into<String>) -> Self {
        self.texts.insert(path.into(), text.into());
        self
    }

    /// With one more file that is no text.
    pub fn with_bytes(mut self, path: impl Into<PathBuf>, bytes: impl Into<Vec<u8>>) -> Self {
        self.others.insert(path.into(), bytes.into());
        self
    }

    /// The paths of all files below a directory, from there.
    fn below<'a>(&'a self, path: &'a Path) -> impl Iterator<Item = &'a Path> {
        self.texts.keys().filter_map(move |file| file.strip_prefix(path).ok())
    }
}

impl Files for Memory {
    fn is_file(&self, path: &Path) -> bool {
        self.texts.contains_key(path)
    }

    fn read(&self, path: &Path) -> Result<String, String> {
        self.texts.get(path).cloned().ok_or_else(|| "no such file".to_string())
    }

    fn bytes(&self, path: &Path) -> Result<Vec<u8>, String> {
        self.others.get(path).cloned().map_or_else(|| self.read(path).map(String::into_bytes), Ok)
    }

    fn directories(&self, path: &Path) -> Vec<String> {
        let mut names: Vec<String> = self
            .below(path)
            .filter(|rest| rest.components().count() > 1)
            .filter_map(|rest| rest.components().next()?.as_os_str().to_str().map(str::to_string))
            .collect();
        names.dedup();
        names
    }

    fn files(&self, path: &Path) -> Vec<String> {
        let files = self.below(path).filter(|rest| rest.components().count() == 1);
        files.filter_map(|rest| rest.to_str().map(str::to_string)).collect()
    }

    fn directory_name(&self, path: &Path) -> Option<String> {
        path.file_name()?.to_str().map(str::to_string)
    }
}
