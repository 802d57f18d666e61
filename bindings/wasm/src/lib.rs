//! The engine as WebAssembly: what the page asks, answered inside the browser. Texts of JSON go in and come out.
//!
//! | file | purpose |
//! |---|---|
//! | `host` | what the page gives: a clock, a place for results, somebody to tell of a fault |
//! | `language` | the language server without a process, and its worker |
//! | `memory` | texts that pass between the page and this code |
//! | `questions` | a question of the page, and its answer as the program gives it |
//! | `runs` | the results of a run, handed to the page while it goes on |

#![cfg(target_family = "wasm")]

mod host;
mod language;
mod memory;
mod questions;
mod runs;

use memory::Passed;

/// Levels of stack for sets of modes: browsers give a worker about a megabyte.
const STACK: usize = 256 << 10;

/// Says which page this fits, in a section of its own.
#[used]
#[unsafe(link_section = "modeshift")]
static PAGE: [u8; INTERFACE.len()] = *INTERFACE.as_bytes().first_chunk().expect("its own length");

const INTERFACE: &str = concat!("modeshift page ", env!("CARGO_PKG_VERSION"), ";");

/// Makes ready; comes first, once.
#[unsafe(no_mangle)]
pub extern "C" fn begin() {
    host::begin();
    modeshift_driver::use_stack(STACK);
}

/// Memory for a text of so many bytes, which the next call takes over.
#[unsafe(no_mangle)]
pub extern "C" fn allocate(length: usize) -> *mut u8 {
    memory::allocate(length)
}

/// Has one more file, which others may need: its `path` from the root, and its `text`.
#[unsafe(no_mangle)]
pub extern "C" fn have(text: *mut u8, length: usize) -> Passed {
    memory::answer(text, length, questions::have)
}

/// Answers a question about a model: what would be printed, and the exit status.
#[unsafe(no_mangle)]
pub extern "C" fn ask(text: *mut u8, length: usize) -> Passed {
    memory::answer(text, length, questions::ask)
}

/// Takes a message of an editor: what the language server says, and what it wants of its worker.
#[unsafe(no_mangle)]
pub extern "C" fn language(text: *mut u8, length: usize) -> Passed {
    memory::answer(text, length, language::message)
}

/// Answers a question of the language server.
#[unsafe(no_mangle)]
pub extern "C" fn work(text: *mut u8, length: usize) -> Passed {
    memory::answer(text, length, language::work)
}
