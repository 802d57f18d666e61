//! The engine for Python: the part in Rust. What users see is `modeshift`, in `python/modeshift`, which is made of this.
//!
//! | file | purpose |
//! |---|---|
//! | `model` | a model that was named: analyses and runs of it |
//! | `result` | the rows and events of a run |
//! | `simulator` | a run that is stepped |
//! | `sweep` | many runs of a plan |
//! | `working` | work without Python's lock, that Ctrl-C ends |

mod model;
mod result;
mod simulator;
mod sweep;
mod working;

use pyo3::prelude::*;

pyo3::create_exception!(
    _engine,
    ModelError,
    pyo3::exceptions::PyException,
    "What is wrong with a model or a run; its text is the message as the command line shows it, `diagnostics` the same as data."
);

#[pymodule]
fn _engine(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("ModelError", module.py().get_type::<ModelError>())?;
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<model::Model>()?;
    module.add_class::<model::Report>()?;
    module.add_class::<result::RawResult>()?;
    module.add_class::<simulator::Simulator>()?;
    module.add_class::<sweep::Plan>()?;
    Ok(())
}
