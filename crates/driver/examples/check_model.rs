//! Checks a model and prints what is wrong with it, as `modeshift check` does.
//!
//! ```text
//! cargo run -p modeshift-driver --example check_model -- models/ClutchBasic.mo
//! ```

use std::process::ExitCode;

use modeshift_diagnostics::render_all;
use modeshift_driver::{CheckOptions, Question, check};

const HEATER: &str = "
model Heater
  Real T(start = 15, fixed = true), P;
  Boolean on = T < 20;
equation
  der(T) = P - 0.1*(T - 5);
  if on then
    P = 2;
  end if;
end Heater;
";

fn main() -> ExitCode {
    let question = match std::env::args().nth(1) {
        Some(file) => match std::fs::read_to_string(&file) {
            Ok(text) => Question::of_text(&file, &text),
            Err(error) => {
                eprintln!("{file}: {error}");
                return ExitCode::from(2);
            }
        },
        None => Question::of_text("Heater.mo", HEATER),
    };
    let answer = check(&question, CheckOptions::default());
    print!("{}", render_all(&answer.diagnostics, &answer.sources, false));
    match answer.diagnostics.has_errors() {
        true => ExitCode::from(1),
        false => ExitCode::SUCCESS,
    }
}
