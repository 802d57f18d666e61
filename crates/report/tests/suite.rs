//! All tests of this crate in one binary: `cargo test -p modeshift-report --test suite NAME`.
//!
//! The rooms below carry their tests with them and need nothing else of the crate, which is not compiled twice for them.

#[allow(dead_code)]
#[path = "../src/check/difference.rs"]
mod difference;
#[allow(dead_code)]
#[path = "../src/check/dimension.rs"]
mod dimension;
#[allow(dead_code, unused_imports)]
#[path = "../src/picture/mod.rs"]
mod picture;
#[allow(dead_code)]
#[path = "../src/analyze/subscripts.rs"]
mod subscripts;
