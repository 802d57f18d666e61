//! Files as they were asked for: a model with all that was read for it, to be taken elsewhere.
//!
//! [`Recording`] answers from the disk and remembers every question with its answer; the [`Bundle`] of these answers is files enough to
//! flatten the same model again, where none of them is.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::files::{Disk, Files, Version};

/// Answers, by question and path.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bundle {
    answers: BTreeMap<(Question, PathBuf), Vec<Vec<u8>>>,
}

/// What is asked of files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Question {
    IsFile,
    Read,
    Bytes,
    Directories,
    Files,
    DirectoryName,
}

const QUESTIONS: [Question; 6] = [
    Question::IsFile,
    Question::Read,
    Question::Bytes,
    Question::Directories,
    Question::Files,
    Question::DirectoryName,
];

/// What the bytes of a bundle begin with.
const MAGIC: &[u8] = b"modeshift bundle 1\n";
/// Why something cannot be had.
const NOT_THERE: &str = "the file is not part of the bundle";

impl Bundle {
    /// The same, with other names for some directories: paths that begin with the first begin with the second.
    pub fn renamed(&self, directories: &[(PathBuf, PathBuf)]) -> Bundle {
        let renamed = |path: &Path| {
            let below = directories.iter().find_map(|(from, to)| Some((path.strip_prefix(from).ok()?, to)));
            match below {
                Some((rest, to)) if rest.as_os_str().is_empty() => to.clone(),
                Some((rest, to)) => to.join(rest),
                None => path.to_path_buf(),
            }
        };
        let answers = self.answers.iter().map(|((question, path), it)| ((*question, renamed(path)), it.clone()));
        Bundle { answers: answers.collect() }
    }

    /// The directory above this one, or itself, above which nothing was asked for.
    pub fn root_of(&self, directory: &Path) -> PathBuf {
        let is_of_files = |question: Question| matches!(question, Question::IsFile | Question::Read | Question::Bytes);
        let is_asked = |place: &Path| {
            let mut keys = self.answers.keys();
            keys.any(
                |(question, path)| if is_of_files(*question) { path.parent() == Some(place) } else { path == place },
            )
        };
        let root = directory.ancestors().filter(|place| is_asked(place)).last();
        root.unwrap_or(directory).to_path_buf()
    }

    /// As bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        let push = |bytes: &mut Vec<u8>, part: &[u8]| {
            bytes.extend((part.len() as u64).to_le_bytes());
            bytes.extend_from_slice(part);
        };
        for ((question, path), answer) in &self.answers {
            bytes.push(*question as u8);
            push(&mut bytes, path.to_string_lossy().as_bytes());
            bytes.extend((answer.len() as u64).to_le_bytes());
            answer.iter().for_each(|part| push(&mut bytes, part));
        }
        bytes
    }

    /// From bytes; nothing where they are none of a bundle.
    pub fn from_bytes(bytes: &[u8]) -> Option<Bundle> {
        fn number(rest: &mut &[u8]) -> Option<usize> {
            let (first, after) = rest.split_first_chunk()?;
            *rest = after;
            usize::try_from(u64::from_le_bytes(*first)).ok()
        }
        fn part<'a>(rest: &mut &'a [u8]) -> Option<&'a [u8]> {
            let length = number(rest)?;
            let (first, after) = rest.split_at_checked(length)?;
            *rest = after;
            Some(first)
        }
        let mut rest = bytes.strip_prefix(MAGIC)?;
        let mut bundle = Bundle::default();
        while let Some((&question, after)) = rest.split_first() {
            rest = after;
            let question = *QUESTIONS.get(usize::from(question))?;
            let path = PathBuf::from(std::str::from_utf8(part(&mut rest)?).ok()?);
            let count = number(&mut rest)?;
            let mut answer = Vec::new();
            for _ in 0..count {
                answer.push(part(&mut rest)?.to_vec());
            }
            bundle.answers.insert((question, path), answer);
        }
        Some(bundle)
    }

    fn answer(&self, question: Question, path: &Path) -> Option<&[Vec<u8>]> {
        self.answers.get(&(question, path.to_path_buf())).map(Vec::as_slice)
    }

    fn texts(&self, question: Question, path: &Path) -> Vec<String> {
        let answer = self.answer(question, path).unwrap_or_default();
        answer.iter().map(|text| String::from_utf8_lossy(text).into_owned()).collect()
    }
}

impl Files for Bundle {
    fn is_file(&self, path: &Path) -> bool {
        self.answer(Question::IsFile, path).is_some_and(|it| !it.is_empty())
    }

    fn read(&self, path: &Path) -> Result<String, String> {
        self.texts(Question::Read, path).pop().ok_or_else(|| NOT_THERE.to_string())
    }

    fn bytes(&self, path: &Path) -> Result<Vec<u8>, String> {
        self.answer(Question::Bytes, path).and_then(|it| it.first().cloned()).ok_or_else(|| NOT_THERE.to_string())
    }

    fn directories(&self, path: &Path) -> Vec<String> {
        self.texts(Question::Directories, path)
    }

    fn files(&self, path: &Path) -> Vec<String> {
        self.texts(Question::Files, path)
    }

    fn directory_name(&self, path: &Path) -> Option<String> {
        self.texts(Question::DirectoryName, path).pop()
    }
}

/// The files of this machine as they were when they were first asked for, and what was asked of them: who asks twice gets the same answer,
/// whatever has become of the file.
#[derive(Clone, Debug, Default)]
pub struct Recording {
    told: Arc<Mutex<Told>>,
}

#[derive(Debug, Default)]
struct Told {
    bundle: Bundle,
    /// Of each file that was read, what tells whether it is still the same.
    versions: BTreeMap<PathBuf, Option<Version>>,
    /// And what was in it.
    fingerprints: BTreeMap<PathBuf, u64>,
    /// Whether a file was read since the others were last looked at.
    has_new: bool,
}

impl Told {
    /// A file that is not as it was read.
    fn changed(&self) -> Option<PathBuf> {
        let changed =
            |&(path, version): &(&PathBuf, &Option<Version>)| version.is_some() && Disk.version(path) != *version;
        self.versions.iter().find(changed).map(|(path, _)| path.clone())
    }
}

impl Recording {
    /// What was asked so far.
    pub fn bundle(&self) -> Bundle {
        self.told().bundle.clone()
    }

    /// Has read a text, which is that of a file.
    pub fn has_read(&self, path: &Path, text: &str) {
        let version = Disk.version(path);
        self.note_read(Question::Read, path, version, Some(text.as_bytes().to_vec()));
    }

    /// A file that has changed between its reading and that of another one: what was read is of no one version. Until one has, those that
    /// are known stay good.
    pub fn mixed(&self) -> Option<PathBuf> {
        let mut told = self.told();
        let changed = if told.has_new { told.changed() } else { None };
        told.has_new = changed.is_some();
        changed
    }

    /// Whether all files are as they were read.
    pub fn is_current(&self) -> bool {
        self.told().changed().is_none()
    }

    /// How many files were read.
    pub fn count(&self) -> usize {
        self.told().versions.len()
    }

    /// The files that were read, each with a fingerprint of what was in it.
    pub fn contents(&self) -> Vec<(PathBuf, u64)> {
        self.told().fingerprints.iter().map(|(path, it)| (path.clone(), *it)).collect()
    }

    fn told(&self) -> MutexGuard<'_, Told> {
        self.told.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What was answered before.
    fn known(&self, question: Question, path: &Path) -> Option<Vec<Vec<u8>>> {
        self.told().bundle.answer(question, path).map(<[Vec<u8>]>::to_vec)
    }

    fn note(&self, question: Question, path: &Path, answer: impl IntoIterator<Item = Vec<u8>>) {
        self.told().bundle.answers.insert((question, path.to_path_buf()), answer.into_iter().collect());
    }

    fn note_read(&self, question: Question, path: &Path, version: Option<Version>, answer: Option<Vec<u8>>) {
        let mut told = self.told();
        if let Some(content) = &answer {
            told.fingerprints.insert(path.to_path_buf(), fingerprint(content));
        }
        told.bundle.answers.insert((question, path.to_path_buf()), answer.into_iter().collect());
        told.versions.entry(path.to_path_buf()).or_insert(version);
        told.has_new = true;
    }

    fn texts(&self, question: Question, path: &Path, of_disk: impl FnOnce() -> Vec<String>) -> Vec<String> {
        if let Some(known) = self.known(question, path) {
            return known.iter().map(|text| String::from_utf8_lossy(text).into_owned()).collect();
        }
        let texts = of_disk();
        self.note(question, path, texts.iter().map(|text| text.clone().into_bytes()));
        texts
    }
}

/// Tells contents of files from each other; a byte order mark is none, as a text is read without.
fn fingerprint(bytes: &[u8]) -> u64 {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |state, byte| (state ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}

impl Files for Recording {
    fn is_file(&self, path: &Path) -> bool {
        if let Some(known) = self.known(Question::IsFile, path) {
            return !known.is_empty();
        }
        let is_file = Disk.is_file(path);
        self.note(Question::IsFile, path, is_file.then(Vec::new));
        is_file
    }

    fn read(&self, path: &Path) -> Result<String, String> {
        if let Some(text) = self.known(Question::Read, path).and_then(|it| it.into_iter().next()) {
            return String::from_utf8(text).map_err(|error| error.to_string());
        }
        let version = Disk.version(path);
        let text = Disk.read(path);
        self.note_read(Question::Read, path, version, text.as_ref().ok().map(|text| text.clone().into_bytes()));
        text
    }

    fn bytes(&self, path: &Path) -> Result<Vec<u8>, String> {
        if let Some(bytes) = self.known(Question::Bytes, path).and_then(|it| it.into_iter().next()) {
            return Ok(bytes);
        }
        let version = Disk.version(path);
        let bytes = Disk.bytes(path);
        self.note_read(Question::Bytes, path, version, bytes.as_ref().ok().cloned());
        bytes
    }

    fn directories(&self, path: &Path) -> Vec<String> {
        self.texts(Question::Directories, path, || Disk.directories(path))
    }

    fn files(&self, path: &Path) -> Vec<String> {
        self.texts(Question::Files, path, || Disk.files(path))
    }

    fn directory_name(&self, path: &Path) -> Option<String> {
        self.texts(Question::DirectoryName, path, || Disk.directory_name(path).into_iter().collect()).pop()
    }
}
