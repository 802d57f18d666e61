//! Any bytes are a result with columns of one length, or are refused.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let _ = modeshift_tables::read(bytes);
});
