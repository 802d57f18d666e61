//! The language server and the page as editors and browsers use them.
//!
//! | file | purpose |
//! |---|---|
//! | `client` | a client of the language server |
//! | `edits` | random edits of real files |
//! | `latency` | how long an editor waits |
//! | `neovim` | a real editor |
//! | `page` | the page, by plain requests and in a real browser |
//! | `requests` | what each request gets |

mod client;
mod edits;
mod latency;
mod neovim;
mod page;
mod requests;
