//! Runs a model for several values of a parameter: how high does a ball bounce?
//!
//! ```text
//! cargo run -p modeshift-driver --example sweep_parameter
//! ```

use modeshift_driver::Question;
use modeshift_driver::simulate::results::Trajectory;
use modeshift_driver::simulate::{RunOptions, simulate};

const BALL: &str = "
model Ball
  parameter Real e = 0.5;
  Real h(start = 1, fixed = true), v(start = 0, fixed = true);
equation
  der(h) = v;
  der(v) = -9.81;
  when h <= 0 then
    reinit(v, -e*pre(v));
  end when;
end Ball;
";

fn main() {
    println!("restitution  height of the first bounce");
    for restitution in ["0.2", "0.4", "0.6", "0.8"] {
        let mut question = Question::of_text("Ball.mo", BALL);
        question.overrides.push(("e".to_string(), restitution.to_string()));
        let mut trajectory = Trajectory::default();
        let options = RunOptions { stop: Some(1.0), interval: Some(0.001), ..RunOptions::default() };
        let answer = simulate(&question, &options, &mut trajectory);
        assert!(answer.result.is_some(), "the model runs");
        let impact = trajectory.events().first().map_or(0.0, |event| event.time);
        let heights = trajectory.named("h").expect("a variable of the model");
        let behind = trajectory.times().iter().zip(heights).filter(|(time, _)| **time > impact);
        let highest = behind.map(|(_, height)| height).fold(0.0, f64::max);
        println!("{restitution:11}  {highest:.3}");
    }
}
