//! Any text is a flat model, or is refused.
#![no_main]

use libfuzzer_sys::fuzz_target;
use modeshift_driver::{Question, flatten};

fuzz_target!(|text: &str| {
    let answer = flatten(&Question::of_text("F.mo", text));
    assert!(answer.result.is_some() || answer.diagnostics.has_errors());
});
