//! Any text has a tree, which prints back byte for byte.
#![no_main]

use libfuzzer_sys::fuzz_target;
use modeshift_diagnostics::{Diagnostics, SourceMap};

fuzz_target!(|text: &str| {
    let file = SourceMap::default().add("F.mo", text);
    let parsed = modeshift_syntax::parse(file, text, &mut Diagnostics::new());
    assert_eq!(parsed.to_source(), text);
    let _ = parsed.definition();
});
