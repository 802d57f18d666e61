//! Results read back: the columns of numbers and truths of a CSV, MAT, Parquet or Arrow file.
//!
//! What this program writes is read, and files of others as far as they are plain: not compressed, without dictionaries. Whatever else is
//! in a file is refused in one line; no input makes it fail otherwise.
//!
//! | file | purpose |
//! |---|---|
//! | `arrow` | Arrow files |
//! | `csv` | CSV |
//! | `mat` | MAT files of version 4, as Dymola and OpenModelica write trajectories |
//! | `parquet` | Parquet files |

mod arrow;
mod csv;
mod mat;
mod parquet;

/// A column of a file; truths are 0 and 1, and what is not there is not a number.
#[derive(Clone, Debug, PartialEq)]
pub struct NumberColumn {
    /// Its name.
    pub name: String,
    /// One per row.
    pub values: Vec<f64>,
}

/// The columns of a file, by what it begins with; or why it cannot be read.
pub fn read(bytes: &[u8]) -> Result<Vec<NumberColumn>, String> {
    if bytes.starts_with(b"PAR1") {
        return parquet::read(bytes);
    }
    if bytes.starts_with(b"ARROW1") {
        return arrow::read(bytes);
    }
    if mat::is_mat(bytes) {
        return mat::read(bytes);
    }
    let text =
        std::str::from_utf8(bytes).map_err(|_| "it is neither CSV nor a MAT, Parquet or Arrow file".to_string())?;
    csv::read(text)
}

/// `count` bytes from a place on.
fn taken(bytes: &[u8], from: usize, count: usize) -> Option<&[u8]> {
    bytes.get(from..from.checked_add(count)?)
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    taken(bytes, at, 4)?.try_into().ok().map(u32::from_le_bytes)
}

fn i64_at(bytes: &[u8], at: usize) -> Option<i64> {
    taken(bytes, at, 8)?.try_into().ok().map(i64::from_le_bytes)
}

fn f64_at(bytes: &[u8], at: usize) -> Option<f64> {
    taken(bytes, at, 8)?.try_into().ok().map(f64::from_le_bytes)
}

/// The bit of this number, the first lowest.
fn bit(bytes: &[u8], at: usize) -> Option<bool> {
    bytes.get(at / 8).map(|byte| byte >> (at % 8) & 1 == 1)
}
