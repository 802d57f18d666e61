//! The clock: that of the standard library, or one that the host of this code gives, where there is none.

pub use present::Instant;

#[cfg(not(target_family = "wasm"))]
mod present {
    pub use std::time::Instant;
}

#[cfg(target_family = "wasm")]
pub use present::use_clock;

/// Code that runs inside another program has no clock of its own: without one that was given, no time passes.
#[cfg(target_family = "wasm")]
mod present {
    use std::ops::{Add, Sub};
    use std::sync::OnceLock;
    use std::time::Duration;

    static CLOCK: OnceLock<fn() -> Duration> = OnceLock::new();

    /// Takes the time from this function, which never goes back.
    pub fn use_clock(clock: fn() -> Duration) {
        // The first one stays: times of two clocks cannot be compared.
        let _ = CLOCK.set(clock);
    }

    /// A moment, as that of the standard library.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
    pub struct Instant(Duration);

    impl Instant {
        /// This moment.
        pub fn now() -> Instant {
            Instant(CLOCK.get().map_or(Duration::ZERO, |clock| clock()))
        }

        /// The time since then.
        pub fn elapsed(&self) -> Duration {
            Instant::now().saturating_duration_since(*self)
        }

        /// The time since an earlier moment; zero since a later one.
        pub fn saturating_duration_since(&self, earlier: Instant) -> Duration {
            self.0.saturating_sub(earlier.0)
        }

        /// So much later, where that can be counted.
        pub fn checked_add(&self, time: Duration) -> Option<Instant> {
            self.0.checked_add(time).map(Instant)
        }
    }

    impl Add<Duration> for Instant {
        type Output = Instant;

        fn add(self, time: Duration) -> Instant {
            Instant(self.0.saturating_add(time))
        }
    }

    impl Sub for Instant {
        type Output = Duration;

        fn sub(self, earlier: Instant) -> Duration {
            self.saturating_duration_since(earlier)
        }
    }
}
