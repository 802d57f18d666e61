//! The page: a server on loopback. Whatever is asked of a model is asked of this program itself, in a process of its own,
//! so that it can be stopped and cannot take the server along; the editor speaks with a language server behind a web socket.
//!
//! Everything lies below a path that nobody can guess, requests from other origins are refused, files are read and written
//! below one directory only.
//!
//! | module | purpose |
//! |---|---|
//! | `access` | who may ask: the token, `Host`, `Origin`; which files |
//! | `assets` | the page itself and the examples, which are part of the program |
//! | `digest` | SHA-1 and base64, for the handshake of web sockets and versions of files |
//! | `export` | the page as a static directory, with the engine in the place of the server |
//! | `http` | requests and responses |
//! | `keeper` | ends what the server started when the server ends, however that happens |
//! | `questions` | asking the program |
//! | `routes` | which path does what |
//! | `runs` | simulations: started, watched, stopped, read |
//! | `saving` | files as they are written back: what others wrote, marks and ends of lines are kept |
//! | `socket` | web sockets, and the language server behind them |
//! | `strangers` | connections of which nobody knows yet who they are: few, and not for long |

mod access;
mod assets;
mod digest;
mod export;
mod http;
mod keeper;
mod questions;
mod routes;
mod runs;
mod saving;
mod socket;
mod strangers;

use std::net::{Ipv4Addr, TcpListener};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

pub use access::Root;
pub use export::{ExportError, export};

/// How the page is served.
#[derive(Clone, Debug)]
pub struct Settings {
    /// This program.
    pub program: PathBuf,
    /// The files that the page may see; none without one.
    pub root: Option<Root>,
    /// The port; any that is free where it is 0.
    pub port: u16,
    /// Where packages are looked for.
    pub libraries: Vec<PathBuf>,
}

/// How many connections with the token are served at once; a page in a browser uses half a dozen.
const MOST_CONNECTIONS: usize = 64;

/// A server that listens.
pub struct Server {
    listener: TcpListener,
    context: Arc<routes::Context>,
}

impl Server {
    /// Listens on loopback.
    pub fn new(settings: Settings) -> std::io::Result<Server> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, settings.port))?;
        let port = listener.local_addr()?.port();
        let context = Arc::new(routes::Context::new(settings, port)?);
        Ok(Server { listener, context })
    }

    /// The address of the page.
    pub fn address(&self) -> String {
        self.context.access.address()
    }

    /// Serves until the process ends.
    pub fn run(&self) {
        let (open, strangers) = (Arc::new(AtomicUsize::new(0)), Arc::new(strangers::Strangers::default()));
        for stream in self.listener.incoming().flatten() {
            let (context, open, strangers) = (self.context.clone(), open.clone(), strangers.clone());
            let Some(stranger) = strangers.let_in(&stream) else { continue };
            let answer = move || {
                let request = routes::listen(&context, &stream);
                strangers.forget(stranger);
                let Some((request, input)) = request else { return };
                // Only those count that have the token: others cannot take the places of the page.
                if open.fetch_add(1, Ordering::Relaxed) < MOST_CONNECTIONS {
                    routes::answer(&context, request, input, &stream);
                } else {
                    routes::refuse(&stream, 503, "too many connections at once: close some of the pages");
                }
                open.fetch_sub(1, Ordering::Relaxed);
            };
            // Where no thread can be started, the connection is closed, and the browser asks again.
            let _ = std::thread::Builder::new().name("connection".into()).spawn(answer);
        }
    }
}
