//! All tests of this crate in one binary: `cargo test -p modeshift-lsp --test suite NAME`.

mod blocking;
mod embedded;
mod layout;
