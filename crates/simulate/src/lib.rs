//! From analyzed models to numbers.
//!
//! [`initialization`] finds consistent start values and the initial mode; a [`program`] computes all variables of a
//! mode from its states; [`integrate`] advances a mode between events; [`results`] is what a run produces; and a
//! [`run`](mod@run) puts it all together.
//!
//! # Example
//!
//! Two flywheels are joined while they turn at 3 and 0 rad/s:
//!
//! ```
//! use std::collections::BTreeMap;
//!
//! use modeshift_diagnostics::Diagnostics;
//! use modeshift_numerics::NativeFunctions;
//! use modeshift_simulate::results::Trajectory;
//! use modeshift_simulate::run::{RunModel, RunSettings, run};
//! use modeshift_structure::{Options, analyze};
//! use modeshift_testkit::{NO_OVERRIDES, multimode_dae};
//!
//! let text = "model Join
//!     Real w1(start = 3, fixed = true), w2(start = 0, fixed = true), f;
//!     Boolean joined = time >= 1;
//!   equation
//!     der(w1) = -f;
//!     2*der(w2) = f;
//!     0 = if joined then w1 - w2 else f;
//!     annotation(experiment(StopTime = 2));
//!   end Join;";
//! let dae = multimode_dae(text, &NO_OVERRIDES).unwrap();
//! let analysis = analyze(&dae, &Options::default()).unwrap();
//! let natives = NativeFunctions::of(&dae.model);
//! let model = RunModel { dae: &dae, analysis: &analysis, natives: &natives, overrides: &BTreeMap::new() };
//! let mut trajectory = Trajectory::default();
//! run(&model, &RunSettings::of(&dae.model.experiment), &mut trajectory, &mut Diagnostics::new());
//!
//! assert_eq!(trajectory.last("w1"), Some(1.0)); // momentum is kept
//! let impulse = &trajectory.events()[0].impulses[0];
//! assert_eq!((&*impulse.variable, &*impulse.order), ("f", "1"));
//! assert!((impulse.weight - 2.0).abs() < 1e-9);
//! ```

pub mod initialization;
pub mod integrate;
pub mod program;
pub mod results;
pub mod run;
