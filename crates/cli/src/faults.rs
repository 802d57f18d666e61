//! Faults of the program itself: a panic, in whichever thread, says that it is one and ends with its own exit status.
//!
//! The program is built to abort on a panic, and an abort looks like a crash of the machine to a script (status 134). The hook runs
//! before that.

use modeshift_diagnostics::ExitStatus;

use crate::files::say;

/// With this variable in the environment the program panics, for tests: `work` where commands run, `thread` in another thread.
const PROVOKED: &str = "MODESHIFT_PROVOKE_PANIC";

/// From here on a panic is reported as a bug, and ends the program.
pub fn report_panics() {
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        usual(panic);
        say("\nerror: this is a bug in modeshift, not in your model; please report it with the model\n");
        std::process::exit(ExitStatus::Fault as i32);
    }));
}

/// Panics where the environment asks for it.
pub fn provoke() {
    match std::env::var(PROVOKED).as_deref() {
        Ok("work") => panic!("provoked by {PROVOKED}"),
        Ok("thread") => drop(std::thread::spawn(|| panic!("provoked by {PROVOKED}")).join()),
        _ => {}
    }
}
