//! Ends a run that is past its time limit. The analysis itself looks at the clock and ends with its own message;
//! this is for the stages that do not.

use std::time::Duration;

use modeshift_diagnostics::{Code, ExitStatus};
use modeshift_driver::Progress;

use crate::files::say;

/// What the stages that look at the clock themselves get on top.
const GRACE: Duration = Duration::from_millis(500);

/// Starts to wait; the process ends when the time is over and the run is not.
pub fn start(limit: Duration, progress: Progress) {
    let wait = move || {
        std::thread::sleep(limit + GRACE);
        let (seconds, phase) = (limit.as_secs_f64(), progress.phase());
        say(&format!("error[{}]: the time limit of {seconds} s was reached while {phase}\n", Code::E0603));
        std::process::exit(ExitStatus::ModelWrong as i32);
    };
    // Without a watchdog the limits of the analysis itself still hold.
    drop(std::thread::Builder::new().name("watchdog".into()).spawn(wait));
}
