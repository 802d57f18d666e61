//! Records in a file that is valid at any time: a sweep that is interrupted goes on where it was.
//!
//! The file begins with what identifies the sweep; then come records, each with its length and a checksum, so that one that was not
//! written to its end is known by that and made again.

use std::io::{self, Read, Seek, SeekFrom, Write};

use crate::record::Record;

const MAGIC: &[u8] = b"modeshift sweep 1\n";
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

fn checksum(bytes: &[u8]) -> u32 {
    bytes.iter().fold(0x811c_9dc5_u32, |state, byte| (state ^ u32::from(*byte)).wrapping_mul(0x0100_0193))
}

/// A journal on its way.
pub struct Journal<F> {
    file: F,
    end: u64,
    entries: Vec<Entry>,
}

impl<F: Read + Write + Seek> Journal<F> {
    /// Goes on with a file, which may be empty. Nothing where it is the journal of another sweep.
    pub fn open(mut file: F, sweep: u64) -> io::Result<Option<Self>> {
        let length = file.seek(SeekFrom::End(0))?;
        file.seek(SeekFrom::Start(0))?;
        let mut journal = Journal { file, end: HEADER, entries: Vec::new() };
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
        while let Some(entry) = journal.entry_at(journal.end, length)? {
            journal.end = entry.position + u64::from(entry.length);
            journal.entries.push(entry);
        }
        Ok(Some(journal))
    }

    /// The entry that begins here, where it is whole.
    fn entry_at(&mut self, position: u64, length: u64) -> io::Result<Option<Entry>> {
        if position + 8 > length {
            return Ok(None);
        }
        let mut head = [0; 8];
        self.file.seek(SeekFrom::Start(position))?;
        self.file.read_exact(&mut head)?;
        let [size, sum] = [0, 4].map(|at| u32::from_le_bytes([head[at], head[at + 1], head[at + 2], head[at + 3]]));
        if position + 8 + u64::from(size) > length {
            return Ok(None);
        }
        let mut bytes = vec![0; size as usize];
        self.file.read_exact(&mut bytes)?;
        let run = Record::from_bytes(&bytes).filter(|_| checksum(&bytes) == sum).map(|record| record.run);
        Ok(run.map(|run| Entry { run, position: position + 8, length: size }))
    }

    /// Adds a record, given as its bytes. One of a run that is there already, or that are none of a record, changes nothing.
    pub fn add(&mut self, bytes: &[u8]) -> io::Result<()> {
        let Some(record) = Record::from_bytes(bytes) else { return Ok(()) };
        let length = u32::try_from(bytes.len()).map_err(io::Error::other)?;
        let head = [length.to_le_bytes(), checksum(bytes).to_le_bytes()].concat();
        self.file.seek(SeekFrom::Start(self.end))?;
        self.file.write_all(&[&head, bytes].concat())?;
        self.entries.push(Entry { run: record.run, position: self.end + 8, length });
        self.end += 8 + u64::from(length);
        Ok(())
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
