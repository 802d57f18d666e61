//! Connections of which nobody knows yet who they are. Anybody on the machine can open them, so there are few, and none
//! keeps the page out: where all places are taken, the one that has waited longest goes. Who has the token says so at once.

use std::collections::VecDeque;
use std::net::{Shutdown, TcpStream};
use std::sync::Mutex;

use crate::questions::locked;

/// How many there may be.
const MOST: usize = 64;

/// Those who have not said enough yet, the first one first.
#[derive(Default)]
pub struct Strangers(Mutex<(u64, VecDeque<(u64, TcpStream)>)>);

impl Strangers {
    /// One more: its number.
    pub fn let_in(&self, stream: &TcpStream) -> Option<u64> {
        let handle = stream.try_clone().ok()?;
        let (last, waiting) = &mut *locked(&self.0);
        if waiting.len() >= MOST
            && let Some((_, oldest)) = waiting.pop_front()
        {
            // Whoever reads from it is told that nothing more comes.
            let _ = oldest.shutdown(Shutdown::Both);
        }
        *last += 1;
        waiting.push_back((*last, handle));
        Some(*last)
    }

    /// One that has said enough, or is gone.
    pub fn forget(&self, number: u64) {
        locked(&self.0).1.retain(|(other, _)| *other != number);
    }
}
