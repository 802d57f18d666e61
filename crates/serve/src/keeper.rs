//! Ends what the server started when the server ends, however that happens, and removes its directory: a signal leaves a
//! server no time to do so itself. A shell does it, whose input is a pipe that only the server holds open: the system
//! closes it with the server. Where there is none, what was started ends by its own time limit.

use std::io::Write;
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::{Arc, Mutex};

use crate::questions::locked;

/// Reads which processes begin and end. A signal from the terminal goes to everybody in it, so that it is not listened to.
const SCRIPT: &str = r#"
trap '' INT HUP TERM
running=
while read -r what process; do
  left=
  for it in $running; do [ "$it" = "$process" ] || left="$left $it"; done
  running=$left
  [ "$what" = begun ] && running="$running $process"
done
for it in $running; do kill -9 "$it"; done
rm -rf -- "$1"
"#;

/// Whoever outlives the server.
#[derive(Clone, Default)]
pub struct Keeper(Arc<Mutex<Option<ChildStdin>>>);

impl Keeper {
    /// Who removes this directory when the server has ended.
    pub fn new(directory: &Path) -> Keeper {
        let mut command = Command::new("sh");
        command.args(["-c", SCRIPT, "modeshift-keeper"]).arg(directory).current_dir(std::env::temp_dir());
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        // A shell on another system may count processes in its own way, and end another one.
        let started = if cfg!(unix) { command.spawn().ok() } else { None };
        Keeper(Arc::new(Mutex::new(started.and_then(|mut child| child.stdin.take()))))
    }

    /// Ends a process with the server, unless it is forgotten before: its number.
    pub fn keep(&self, child: &Child) -> u32 {
        self.tell("begun", child.id());
        child.id()
    }

    /// A process has ended, so that its number may soon be another one's.
    pub fn forget(&self, process: u32) {
        self.tell("ended", process);
    }

    fn tell(&self, what: &str, process: u32) {
        if let Some(input) = locked(&self.0).as_mut() {
            // Who is gone cannot be told.
            let _ = writeln!(input, "{what} {process}");
        }
    }
}
