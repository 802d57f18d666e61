//! Records in a file that is valid at any time: a sweep that is interrupted goes on where it was.
//!
//! The file begins with what identifies the sweep; then come records, each with its length and a checksum, so that one that was not
//! written to its end is known by that and made again. Before the records that follow from them stand the files that were read, with
//! fingerprints: runs of another version of a library are no part of the same sweep.

use std::collections::BTreeMap;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::PathBuf;

use modeshift_driver::{Files as _, Opened, Recording};

use crate::record::Record;

const MAGIC: &[u8] = b"modeshift sweep 2\n";
/// The number of no run: what follows are files.
const FILES: u64 = u64::MAX;
const HEADER: u64 = MAGIC.len() as u64 + 8;

/// Where the record of a run is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The number of the run.
    pub run: u64,
    position: u64,
    length: u32,
}

/// Says of some texts together which they are.
pub fn fingerprint<'a>(texts: impl IntoIterator<Item = &'a str>) -> u64 {
    let mut state = 0xcbf2_9ce4_8422_2325_u64;
    for text in texts {
        for byte in text.bytes().chain([0xff]) {
            state = (state ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
    state
}

/// A file that is not as it was for the runs of a journal, if one is.
pub fn changed<F: Read + Write + Seek>(files: &Opened, journal: &Journal<F>) -> Option<PathBuf> {
    // They are read as the model reads them, to be the same for it.
    for path in journal.files.keys() {
        let _ = (files.read(path), files.bytes(path));
    }
    let present = files.kept().map(Recording::contents).unwrap_or_default();
    let is_same = |(path, was): &(&PathBuf, &u64)| present.iter().any(|(known, is)| (known, is) == (*path, *was));
    journal.files.iter().find(|it| !is_same(it)).map(|(path, _)| path.clone())
}

fn checksum(bytes: &[u8]) -> u32 {
    bytes.iter().fold(0x811c_9dc5_u32, |state, byte| (state ^ u32::from(*byte)).wrapping_mul(0x0100_0193))
}

/// The files that an entry tells; nothing where it is one of a run.
fn files_of(bytes: &[u8]) -> Option<Vec<(PathBuf, u64)>> {
    fn number(rest: &mut &[u8]) -> Option<u64> {
        let (first, after) = rest.split_first_chunk()?;
        *rest = after;
        Some(u64::from_le_bytes(*first))
    }
    let (mut rest, mut files) = (bytes, Vec::new());
    if number(&mut rest)? != FILES {
        return None;
    }
    while !rest.is_empty() {
        let length = usize::try_from(number(&mut rest)?).ok()?;
        let (text, after) = rest.split_at_checked(length)?;
        rest = after;
        files.push((PathBuf::from(std::str::from_utf8(text).ok()?), number(&mut rest)?));
    }
    Some(files)
}

/// A journal on its way.
pub struct Journal<F> {
    file: F,
    end: u64,
    entries: Vec<Entry>,
    /// The files that runs were made with.
    files: BTreeMap<PathBuf, u64>,
}

impl<F: Read + Write + Seek> Journal<F> {
    /// Goes on with a file, which may be empty. Nothing where it is the journal of another sweep.
    pub fn open(mut file: F, sweep: u64) -> io::Result<Option<Self>> {
        let length = file.seek(SeekFrom::End(0))?;
        file.seek(SeekFrom::Start(0))?;
        let mut journal = Journal { file, end: HEADER, entries: Vec::new(), files: BTreeMap::new() };
        let header = [MAGIC, &sweep.to_le_bytes()].concat();
        if length < HEADER {
            journal.file.write_all(&header)?;
            return Ok(Some(journal));
        }
        let mut found = vec![0; header.len()];
        journal.file.read_exact(&mut found)?;
        if found != header {
            return Ok(None);
        }
        while journal.takes_up(length)? {}
        Ok(Some(journal))
    }

    /// Whether there is one more entry, which it has then.
    fn takes_up(&mut self, length: u64) -> io::Result<bool> {
        let position = self.end;
        if position + 8 > length {
            return Ok(false);
        }
        let mut head = [0; 8];
        self.file.seek(SeekFrom::Start(position))?;
        self.file.read_exact(&mut head)?;
        let [size, sum] = [0, 4].map(|at| u32::from_le_bytes([head[at], head[at + 1], head[at + 2], head[at + 3]]));
        if position + 8 + u64::from(size) > length {
            return Ok(false);
        }
        let mut bytes = vec![0; size as usize];
        self.file.read_exact(&mut bytes)?;
        if checksum(&bytes) != sum {
            return Ok(false);
        }
        match (files_of(&bytes), Record::from_bytes(&bytes)) {
            (Some(files), _) => self.files.extend(files),
            (None, Some(Record { run, .. })) => self.entries.push(Entry { run, position: position + 8, length: size }),
            (None, None) => return Ok(false),
        }
        self.end = position + 8 + u64::from(size);
        Ok(true)
    }

    /// The files that runs were made with, each with a fingerprint of what was in it.
    pub fn files(&self) -> &BTreeMap<PathBuf, u64> {
        &self.files
    }

    /// Notes files that the next runs are made with.
    pub fn note(&mut self, files: impl IntoIterator<Item = (PathBuf, u64)>) -> io::Result<()> {
        let mut bytes = FILES.to_le_bytes().to_vec();
        for (path, fingerprint) in files {
            if self.files.get(&path) == Some(&fingerprint) {
                continue;
            }
            let text = path.to_string_lossy().into_owned().into_bytes();
            bytes.extend((text.len() as u64).to_le_bytes());
            bytes.extend(text);
            bytes.extend(fingerprint.to_le_bytes());
            self.files.insert(path, fingerprint);
        }
        if bytes.len() > size_of_val(&FILES) { self.write(&bytes).map(drop) } else { Ok(()) }
    }

    /// Adds a record, given as its bytes. One of a run that is there already, or that are none of a record, changes nothing.
    pub fn add(&mut self, bytes: &[u8]) -> io::Result<()> {
        let Some(record) = Record::from_bytes(bytes) else { return Ok(()) };
        let (position, length) = self.write(bytes)?;
        self.entries.push(Entry { run: record.run, position, length });
        Ok(())
    }

    /// Writes an entry: where it is, and how long.
    fn write(&mut self, bytes: &[u8]) -> io::Result<(u64, u32)> {
        let length = u32::try_from(bytes.len()).map_err(io::Error::other)?;
        let head = [length.to_le_bytes(), checksum(bytes).to_le_bytes()].concat();
        self.file.seek(SeekFrom::Start(self.end))?;
        self.file.write_all(&[&head, bytes].concat())?;
        let position = self.end + 8;
        self.end = position + u64::from(length);
        Ok((position, length))
    }

    /// The runs that are there, in the order of their numbers, each once.
    pub fn entries(&self) -> Vec<Entry> {
        let mut entries = self.entries.clone();
        entries.sort_by_key(|entry| entry.run);
        entries.dedup_by_key(|entry| entry.run);
        entries
    }

    /// The record of an entry.
    pub fn record(&mut self, entry: &Entry) -> io::Result<Record> {
        let mut bytes = vec![0; entry.length as usize];
        self.file.seek(SeekFrom::Start(entry.position))?;
        self.file.read_exact(&mut bytes)?;
        Record::from_bytes(&bytes).ok_or_else(|| io::Error::other("the journal was changed by somebody else"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Cursor;

    fn record(run: u64) -> Record {
        let status = "stop".to_string();
        Record { run, status, ends: vec![f64::from_bits(0x7ff8_0000_6d73_6162), run as f64], ..Record::default() }
    }

    #[test]
    fn files_are_told_once_and_read_again() {
        let mut bytes = Vec::new();
        let mut journal = Journal::open(Cursor::new(&mut bytes), 7).expect("memory").expect("a new one");
        let files = |second: u64| [(PathBuf::from("a.mo"), 1), (PathBuf::from("b.mo"), second)];
        journal.note(files(2)).expect("memory");
        journal.add(&record(1).to_bytes()).expect("memory");
        let end = journal.end;
        journal.note(files(2)).expect("memory");
        assert_eq!(journal.end, end, "nothing new");
        drop(journal);
        let journal = Journal::open(Cursor::new(&mut bytes), 7).expect("memory").expect("the same");
        assert!(journal.files().clone().into_iter().eq(files(2)));
        assert_eq!(journal.entries().len(), 1);
    }

    #[test]
    fn what_was_cut_off_is_made_again() {
        let mut bytes = Vec::new();
        let mut journal = Journal::open(Cursor::new(&mut bytes), 7).expect("memory").expect("a new one");
        [3, 1, 2].iter().for_each(|&run| journal.add(&record(run).to_bytes()).expect("memory"));
        drop(journal);
        bytes.truncate(bytes.len() - 1);
        let mut journal = Journal::open(Cursor::new(&mut bytes), 7).expect("memory").expect("the same");
        let entries = journal.entries();
        assert_eq!(entries.iter().map(|it| it.run).collect::<Vec<_>>(), [1, 3]);
        assert_eq!(journal.record(&entries[1]).expect("memory").to_bytes(), record(3).to_bytes());
        journal.add(&record(2).to_bytes()).expect("memory");
        assert_eq!(journal.entries().len(), 3);
        drop(journal);
        assert!(Journal::open(Cursor::new(&mut bytes), 8).expect("memory").is_none());
    }
}
