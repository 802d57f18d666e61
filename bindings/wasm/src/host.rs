//! What the page gives: a clock, a place for results, somebody to tell of a fault.

use std::time::Duration;

#[link(wasm_import_module = "host")]
unsafe extern "C" {
    /// Milliseconds since some moment.
    fn now() -> f64;
    /// Bytes of a result, and where in it they belong.
    fn write(result: u32, position: f64, bytes: *const u8, length: usize);
    /// What is said before everything ends.
    fn fault(text: *const u8, length: usize);
}

/// How long a question may take.
pub const TIME_LIMIT: Duration = Duration::from_secs(120);

/// Uses what the page gives.
pub fn begin() {
    // SAFETY: the page gives this function, which takes nothing.
    modeshift_driver::clock::use_clock(|| Duration::from_secs_f64(unsafe { now() }.max(0.0) / 1e3));
    std::panic::set_hook(Box::new(|panic| {
        let text = panic.to_string();
        // SAFETY: the page reads the text before it returns.
        unsafe { fault(text.as_ptr(), text.len()) };
    }));
}

/// Hands bytes of a result to the page.
pub fn write_result(result: u32, position: u64, bytes: &[u8]) {
    // SAFETY: the page copies the bytes before it returns.
    unsafe { write(result, position as f64, bytes.as_ptr(), bytes.len()) };
}
