//! Any table of signals drives a small model, or is refused.
#![no_main]

use libfuzzer_sys::fuzz_target;
use modeshift_driver::Question;
use modeshift_driver::simulate::results::Trajectory;
use modeshift_driver::simulate::{InputTable, RunOptions, simulate};

const MODEL: &str = "model F
  input Real u;
  input Boolean b;
  input Integer n;
  Real x(start = 0, fixed = true);
equation
  der(x) = if b then u else n - x;
  annotation(experiment(StopTime = 1, Interval = 0.1));
end F;";

fuzz_target!(|text: &str| {
    let input = Some(InputTable { name: "f.csv".to_string(), text: text.to_string() });
    let options = RunOptions { input, ..RunOptions::default() };
    let answer = simulate(&Question::of_text("F.mo", MODEL), &options, &mut Trajectory::default());
    assert!(answer.result.is_some() || answer.diagnostics.has_errors());
});
