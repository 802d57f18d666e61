//! Workers that are processes: a line in, a line out.

use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, Stdio};

use super::{Said, Tell, Workers};

/// How to start the program as a worker.
#[derive(Clone, Debug)]
pub struct Program {
    /// The program.
    pub path: PathBuf,
    /// What it is started with.
    pub arguments: Vec<String>,
}

/// Starts the program as a worker, and listens to it.
pub struct Processes {
    program: Program,
    tell: Tell,
    child: Option<(Child, ChildStdin)>,
}

impl Processes {
    /// Of this program, which are listened to by the server's loop.
    pub fn new(program: Program, tell: Tell) -> Self {
        Processes { program, tell, child: None }
    }
}

impl Workers for Processes {
    fn start(&mut self, number: u64) -> bool {
        let mut command = Command::new(&self.program.path);
        command.args(&self.program.arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let Ok(mut child) = command.spawn() else { return false };
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else { return false };
        let tell = self.tell.clone();
        let listen = move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                if let Ok(answer) = serde_json::from_str(&line) {
                    tell(Said::Answer(number, answer));
                }
            }
            tell(Said::Ended(number));
        };
        if std::thread::Builder::new().name("worker".into()).spawn(listen).is_ok() {
            self.child = Some((child, input));
        }
        self.child.is_some()
    }

    fn send(&mut self, line: &str) -> bool {
        self.child.as_mut().is_some_and(|(_, input)| input.write_all(line.as_bytes()).is_ok())
    }

    fn end(&mut self) {
        if let Some((mut child, input)) = self.child.take() {
            drop(input);
            // One that has ended already cannot be ended again, which is as well.
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}
