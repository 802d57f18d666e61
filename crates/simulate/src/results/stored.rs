//! Files that are valid at any time, however the run ends.
//!
//! What is appended is kept back until it is large or old enough, then written in one piece that ends at the end of a
//! row or event. So a run that fails, is interrupted or is killed leaves a file that any reader takes.

use std::io::{self, Seek, SeekFrom, Write};
use std::time::Duration;

use modeshift_modes::clock::Instant;

/// So much is written at once.
const LARGE: usize = 1 << 20;

/// So long is anything kept back.
const OLD: Duration = Duration::from_millis(300);

/// Where a result goes: a file that was opened for writing, or memory.
pub trait Storage: Write + Seek {}

impl<T: Write + Seek> Storage for T {}

/// A file that grows at its end, may have a tail that the next piece overwrites, and a few bytes that change.
pub(super) struct Stored<'a> {
    storage: Box<dyn Storage + 'a>,
    pending: Vec<u8>,
    end: u64,      // of what was written, without the tail
    position: u64, // in the storage
    written: Instant,
    error: Option<io::Error>,
}

/// Bytes at a position of the file that are written anew.
pub(super) struct Patch {
    pub(super) position: u64,
    pub(super) bytes: Vec<u8>,
}

impl<'a> Stored<'a> {
    pub(super) fn new(storage: Box<dyn Storage + 'a>) -> Self {
        Stored { storage, pending: Vec::new(), end: 0, position: 0, written: Instant::now(), error: None }
    }

    /// Where to append. Whole rows or events only: anything else may be written before it is complete.
    pub(super) fn pending(&mut self) -> &mut Vec<u8> {
        &mut self.pending
    }

    /// How long the file is with what was appended.
    pub(super) fn length(&self) -> u64 {
        self.end + self.pending.len() as u64
    }

    /// Whether it is time to write.
    pub(super) fn is_due(&self) -> bool {
        self.error.is_none() && (self.pending.len() >= LARGE || self.written.elapsed() >= OLD)
    }

    /// Whether something could not be written.
    pub(super) fn has_failed(&self) -> bool {
        self.error.is_some()
    }

    /// Writes what is pending, then the tail, then the patches. Nothing is written after a failure.
    pub(super) fn write(&mut self, tail: &[u8], patches: &[Patch]) {
        if self.error.is_none() {
            self.error = self.try_write(tail, patches).err();
        }
        self.pending.clear();
        self.written = Instant::now();
    }

    fn try_write(&mut self, tail: &[u8], patches: &[Patch]) -> io::Result<()> {
        let pending = std::mem::take(&mut self.pending);
        if let Err(error) = self.write_at(self.end, &pending) {
            self.end += self.whole_lines(&pending);
            return Err(error);
        }
        self.end += pending.len() as u64;
        self.pending = pending;
        self.write_at(self.end, tail)?;
        for patch in patches {
            self.write_at(patch.position, &patch.bytes)?;
        }
        self.storage.flush()
    }

    /// How much of what could not be written as a whole is there in whole lines.
    fn whole_lines(&mut self, pending: &[u8]) -> u64 {
        let length = self.storage.seek(SeekFrom::End(0)).unwrap_or(self.end);
        let written = (length.saturating_sub(self.end) as usize).min(pending.len());
        pending[..written].iter().rposition(|&byte| byte == b'\n').map_or(0, |last| last as u64 + 1)
    }

    /// Moves only where it has to: what only ever grows can go to a pipe.
    fn write_at(&mut self, position: u64, bytes: &[u8]) -> io::Result<()> {
        if bytes.is_empty() {
            return Ok(());
        }
        if position != self.position {
            self.storage.seek(SeekFrom::Start(position))?;
        }
        self.storage.write_all(bytes)?;
        self.position = position + bytes.len() as u64;
        Ok(())
    }

    /// Whether everything was written.
    pub(super) fn outcome(&mut self) -> io::Result<()> {
        self.error.take().map_or(Ok(()), Err)
    }
}
