//! Files as they were asked for: a model with all that was read for it, to be taken elsewhere.
//!
//! [`Recording`] answers from the disk and remembers every question with its answer; the [`Bundle`] of these answers is files enough to
//! flatten the same model again, where none of them is.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use super::files::{Disk, Files};

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

/// The files of this machine, and what was asked of them.
#[derive(Clone, Debug, Default)]
pub struct Recording {
    bundle: Arc<Mutex<Bundle>>,
}

impl Recording {
    /// What was asked so far.
    pub fn bundle(&self) -> Bundle {
        self.bundle.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn note(&self, question: Question, path: &Path, answer: impl IntoIterator<Item = Vec<u8>>) {
        let mut bundle = self.bundle.lock().unwrap_or_else(PoisonError::into_inner);
        bundle.answers.insert((question, path.to_path_buf()), answer.into_iter().collect());
    }

    fn noted_texts(&self, question: Question, path: &Path, texts: Vec<String>) -> Vec<String> {
        self.note(question, path, texts.iter().map(|text| text.clone().into_bytes()));
        texts
    }
}

impl Files for Recording {
    fn is_file(&self, path: &Path) -> bool {
        let is_file = Disk.is_file(path);
        self.note(Question::IsFile, path, is_file.then(Vec::new));
        is_file
    }

    fn read(&self, path: &Path) -> Result<String, String> {
        let text = Disk.read(path);
        self.note(Question::Read, path, text.iter().map(|text| text.clone().into_bytes()));
        text
    }

    fn bytes(&self, path: &Path) -> Result<Vec<u8>, String> {
        let bytes = Disk.bytes(path);
        self.note(Question::Bytes, path, bytes.iter().cloned());
        bytes
    }

    fn directories(&self, path: &Path) -> Vec<String> {
        self.noted_texts(Question::Directories, path, Disk.directories(path))
    }

    fn files(&self, path: &Path) -> Vec<String> {
        self.noted_texts(Question::Files, path, Disk.files(path))
    }

    fn directory_name(&self, path: &Path) -> Option<String> {
        let name = Disk.directory_name(path);
        self.note(Question::DirectoryName, path, name.iter().map(|name| name.clone().into_bytes()));
        name
    }
}
