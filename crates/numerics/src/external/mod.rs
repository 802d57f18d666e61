//! Functions of other languages that are here in Rust, by the names by which Modelica declares them.
//!
//! A native takes the arguments of the Modelica function that declares it, scalar by scalar and in order, and returns its
//! outputs in the same way. What it works on, where that is not numbers, is an object of the model: the first
//! argument is then its number, from 1.
//!
//! | file | purpose |
//! |---|---|
//! | `fourier` | the discrete Fourier transform |
//! | `interpolation` | a function of one variable through points: smoothness, extrapolation, derivatives |
//! | `random` | generators of random numbers |
//! | `table_1d` | `ExternalCombiTable1D` |
//! | `table_2d` | `ExternalCombiTable2D` |
//! | `time_table` | `ExternalCombiTimeTable`, with its time events |

mod fourier;
mod interpolation;
mod random;
mod table_1d;
mod table_2d;
mod time_table;

use std::sync::Arc;

use modeshift_dae::{ExternalObject, FlatModel, ObjectArgument};

use crate::native::NativeFunction;
use table_1d::Table1D;
use table_2d::Table2D;
use time_table::TimeTable;

/// An object that external functions work on.
enum Object {
    OneDimension(Table1D),
    TwoDimensions(Table2D),
    Time(TimeTable),
}

/// The objects of a model; of those that cannot be made, why.
pub(crate) struct Objects {
    all: Vec<Result<Object, String>>,
}

impl Objects {
    pub fn new(model: &FlatModel) -> Arc<Self> {
        Arc::new(Objects { all: model.objects.iter().map(made).collect() })
    }

    /// Why an object cannot be made.
    pub fn problem(&self, number: usize) -> Option<&str> {
        self.all.get(number).and_then(|object| object.as_ref().err()).map(String::as_str)
    }

    fn at(&self, number: f64) -> Option<&Object> {
        self.all.get((number as usize).checked_sub(1)?)?.as_ref().ok()
    }

    fn one(&self, number: f64) -> Option<&Table1D> {
        match self.at(number)? {
            Object::OneDimension(table) => Some(table),
            _ => None,
        }
    }

    fn two(&self, number: f64) -> Option<&Table2D> {
        match self.at(number)? {
            Object::TwoDimensions(table) => Some(table),
            _ => None,
        }
    }

    fn time(&self, number: f64) -> Option<&TimeTable> {
        match self.at(number)? {
            Object::Time(table) => Some(table),
            _ => None,
        }
    }
}

fn made(object: &ExternalObject) -> Result<Object, String> {
    let arguments = Given(&object.arguments);
    match &*object.constructor {
        "ModelicaStandardTables_CombiTable1D_init2" | "ModelicaStandardTables_CombiTable1D_init3" => {
            Table1D::new(&arguments).map(Object::OneDimension)
        }
        "ModelicaStandardTables_CombiTable2D_init2" | "ModelicaStandardTables_CombiTable2D_init3" => {
            Table2D::new(&arguments).map(Object::TwoDimensions)
        }
        "ModelicaStandardTables_CombiTimeTable_init2" | "ModelicaStandardTables_CombiTimeTable_init3" => {
            TimeTable::new(&arguments).map(Object::Time)
        }
        other => Err(format!("the external object of `{other}` is not known here")),
    }
}

/// The arguments of a constructor.
pub(crate) struct Given<'o>(&'o [ObjectArgument]);

impl Given<'_> {
    fn number(&self, at: usize) -> Result<f64, String> {
        match self.0.get(at) {
            Some(ObjectArgument::Numbers(_, values)) if values.len() == 1 => Ok(values[0]),
            _ => Err(format!("argument {} of the table is not a number", at + 1)),
        }
    }

    fn numbers(&self, at: usize) -> Result<&[f64], String> {
        match self.0.get(at) {
            Some(ObjectArgument::Numbers(_, values)) => Ok(values),
            _ => Err(format!("argument {} of the table is not made of numbers", at + 1)),
        }
    }

    /// The rows of a matrix; a table that is to be read from a file is refused.
    fn rows(&self, at: usize) -> Result<Vec<Vec<f64>>, String> {
        for (position, what) in ["name", "file"].iter().enumerate() {
            if let Some(ObjectArgument::Text(text)) = self.0.get(position)
                && &**text != "NoName"
                && !text.trim().is_empty()
            {
                return Err(format!("a table of the {what} `{text}`: tables are not read from files"));
            }
        }
        let Some(ObjectArgument::Numbers(sizes, values)) = self.0.get(at) else {
            return Err("the table is not a matrix of numbers".to_string());
        };
        match sizes[..] {
            [rows, columns] if rows > 0 && columns > 0 => {
                Ok(values.chunks_exact(columns).map(<[f64]>::to_vec).collect())
            }
            _ => Err("the table is empty".to_string()),
        }
    }
}

/// The function of this name in its own language.
pub(crate) fn native(name: &str, objects: &Arc<Objects>) -> Option<NativeFunction> {
    if let Some(method) = name.strip_prefix("ModelicaFFT_") {
        return fourier::native(method);
    }
    if let Some(method) = name.strip_prefix("ModelicaRandom_") {
        return random::native(method);
    }
    let (kind, method) = name.strip_prefix("ModelicaStandardTables_")?.split_once('_')?;
    match kind {
        "CombiTable1D" => table_1d::native(method, objects),
        "CombiTable2D" => table_2d::native(method, objects),
        "CombiTimeTable" => time_table::native(method, objects),
        _ => None,
    }
}

/// A function of one result.
fn single(function: impl Fn(&[f64]) -> Option<f64> + Send + Sync + 'static) -> NativeFunction {
    NativeFunction::new(move |inputs, outputs| outputs[0] = function(inputs).unwrap_or(f64::NAN))
}
