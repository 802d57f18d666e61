//! Watches a run while it goes on: which modes does it enter, when, why, and what jumps?
//!
//! ```text
//! cargo run -p modeshift-driver --example watch_modes
//! ```

use std::sync::Arc;

use modeshift_dae::Id as _;
use modeshift_driver::Question;
use modeshift_driver::simulate::results::{Columns, EventRecord, Observer};
use modeshift_driver::simulate::{Outputs, RunOptions, simulate};

const CLUTCH: &str = "
model Clutch
  Boolean engaged = time >= 5 and time <= 7;
  Real w1(start = 1, fixed = true), w2(start = 1.5, fixed = true), f1, f2;
equation
  der(w1) = -0.01*w1 + f1;
  2*der(w2) = -0.0125*w2 + f2;
  0 = if engaged then w1 - w2 else f1;
  f1 + f2 = 0;
end Clutch;
";

/// Prints every event.
#[derive(Default)]
struct Watch {
    mode_variables: Vec<Arc<str>>,
}

impl Observer for Watch {
    fn columns(&mut self, columns: &Columns) {
        self.mode_variables = columns.mode_variables.clone();
    }

    fn event(&mut self, event: &EventRecord) {
        println!("{:.3} s, because {}:", event.time, event.cause.join(", "));
        for id in event.changed() {
            println!("  {} is {} now", self.mode_variables[id.index()], event.to[id]);
        }
        for jump in &event.jumps {
            println!("  {} jumps from {:.4} to {:.4}", jump.variable, jump.left, jump.right);
        }
        for impulse in &event.impulses {
            println!("  {} has an impulse of order {}, weight {:.4}", impulse.variable, impulse.order, impulse.weight);
        }
    }
}

impl Outputs for Watch {
    fn open(&mut self, model: &str, span: (f64, f64)) -> Result<(), String> {
        println!("{model} from {} to {}", span.0, span.1);
        Ok(())
    }
}

fn main() {
    let options = RunOptions { stop: Some(10.0), ..RunOptions::default() };
    let answer = simulate(&Question::of_text("Clutch.mo", CLUTCH), &options, &mut Watch::default());
    assert!(answer.result.is_some(), "the model runs");
}
