//! Time as benchmarks measure it.

#![allow(dead_code)] // each benchmark uses its part

use std::time::Instant;

/// Measures the time for which this thread has had a processor, where the kernel tells; else the time that has passed.
pub struct Clock {
    processor: Option<u64>,
    wall: Instant,
}

impl Clock {
    /// Starts now.
    pub fn start() -> Clock {
        Clock { processor: processor_nanoseconds(), wall: Instant::now() }
    }

    /// Seconds since then.
    pub fn seconds(&self) -> f64 {
        match (self.processor, processor_nanoseconds()) {
            (Some(start), Some(end)) => (end - start) as f64 * 1e-9,
            _ => self.wall.elapsed().as_secs_f64(),
        }
    }
}

/// Does what is measured, and says how many seconds it took. `callgrind --toggle-collect='*clock::measured*'` counts the
/// instructions of this alone, which is why it is never inlined.
#[inline(never)]
pub fn measured<T>(work: impl FnOnce() -> T) -> (T, f64) {
    let clock = Clock::start();
    let done = work();
    (done, clock.seconds())
}

fn processor_nanoseconds() -> Option<u64> {
    std::fs::read_to_string("/proc/thread-self/schedstat").ok()?.split_whitespace().next()?.parse().ok()
}
