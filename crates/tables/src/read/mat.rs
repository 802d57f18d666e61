//! MAT files of version 4 in the layout of trajectories: `name` and `dataInfo` say in which row of `data_2` a variable is.

use super::{NumberColumn, taken, u32_at};

/// A matrix of the file, by columns.
struct Matrix<'b> {
    rows: usize,
    columns: usize,
    kind: u32,
    bytes: &'b [u8],
}

/// Whether a file begins with the matrix that such files begin with.
pub(super) fn is_mat(bytes: &[u8]) -> bool {
    taken(bytes, 20, 6) == Some(b"Aclass") && u32_at(bytes, 16) == Some(7)
}

pub(super) fn read(bytes: &[u8]) -> Result<Vec<NumberColumn>, String> {
    let mut at = 0;
    let mut found: Vec<(String, Matrix<'_>)> = Vec::new();
    while at < bytes.len() {
        let (name, matrix, next) =
            matrix(bytes, at).ok_or("it ends inside a matrix, or is no MAT file of version 4")?;
        found.push((name, matrix));
        at = next;
    }
    let of = |name: &str| found.iter().find(|it| it.0 == name).map(|it| &it.1).ok_or(format!("it has no `{name}`"));
    let class = of("Aclass")?;
    // The fourth line says whether each matrix is turned around.
    let is_turned = (0..class.columns).map_while(|at| class.number(3, at)).map(|it| it as u8 as char);
    let is_turned = is_turned.collect::<String>().trim().eq_ignore_ascii_case("binNormal");
    let at = |matrix: &Matrix<'_>, row: usize, column: usize| match is_turned {
        true => matrix.number(column, row),
        false => matrix.number(row, column),
    };
    let (names, infos, data) = (of("name")?, of("dataInfo")?, of("data_2")?);
    let sizes =
        |matrix: &Matrix<'_>| if is_turned { (matrix.columns, matrix.rows) } else { (matrix.rows, matrix.columns) };
    let ((letters, count), (_, instants)) = (sizes(names), sizes(data));
    let mut columns = Vec::new();
    for variable in 0..count {
        let text: Vec<u8> = (0..letters).filter_map(|letter| at(names, letter, variable)).map(|it| it as u8).collect();
        let name = String::from_utf8_lossy(&text).trim_end_matches(['\0', ' ']).to_string();
        let info = |row| at(infos, row, variable).ok_or("`dataInfo` is too small");
        let (matrix, place) = (info(0)?, info(1)?);
        // The first variable is time, in both data matrices; constants are in the other one.
        if matrix == 1.0 || place == 0.0 {
            continue;
        }
        let sign = place.signum();
        let row = (place.abs() as usize).checked_sub(1).ok_or("`dataInfo` names no row")?;
        let value = |instant| at(data, row, instant).map(|value| sign * value).ok_or("`data_2` is too small");
        let values = (0..instants).map(value).collect::<Result<Vec<f64>, _>>()?;
        let name = if matrix == 0.0 { "time".to_string() } else { name };
        columns.push(NumberColumn { name, values });
    }
    Ok(columns)
}

fn matrix(bytes: &[u8], at: usize) -> Option<(String, Matrix<'_>, usize)> {
    let word = |number: usize| u32_at(bytes, at.checked_add(4 * number)?);
    let (kind, rows, columns, length) = (word(0)?, word(1)? as usize, word(2)? as usize, word(4)? as usize);
    let size =
        [8, 4, 4, 2, 2, 1].get((kind / 10 % 10) as usize).copied().filter(|_| kind < 1000 && word(3) == Some(0))?;
    let name = taken(bytes, at + 20, length)?;
    let begin = at + 20 + length;
    let data = taken(bytes, begin, rows.checked_mul(columns)?.checked_mul(size)?)?;
    let name = String::from_utf8_lossy(name).trim_end_matches('\0').to_string();
    Some((name, Matrix { rows, columns, kind, bytes: data }, begin + data.len()))
}

impl Matrix<'_> {
    fn number(&self, row: usize, column: usize) -> Option<f64> {
        if row >= self.rows || column >= self.columns {
            return None;
        }
        let at = column * self.rows + row;
        let of = |size: usize| taken(self.bytes, at * size, size);
        Some(match self.kind / 10 % 10 {
            0 => f64::from_le_bytes(of(8)?.try_into().ok()?),
            1 => f32::from_le_bytes(of(4)?.try_into().ok()?).into(),
            2 => i32::from_le_bytes(of(4)?.try_into().ok()?).into(),
            3 => i16::from_le_bytes(of(2)?.try_into().ok()?).into(),
            4 => u16::from_le_bytes(of(2)?.try_into().ok()?).into(),
            _ => of(1)?[0].into(),
        })
    }
}
