//! Matrices in texts.

use super::{Separated, Table, number};

/// The matrix of this name: `double name(rows, columns)`, then its values row by row; `#` begins a remark.
pub(super) fn matrix(text: &str, name: &str) -> Result<Table, String> {
    if !text.starts_with("#1") {
        return Err("a text of tables begins with `#1`".to_string());
    }
    let lines: Vec<&str> = text.lines().map(|line| line.split('#').next().unwrap_or("")).collect();
    let heads = lines.iter().enumerate().filter_map(|(at, line)| Some((at, head(line)?)));
    let heads: Vec<(usize, Head<'_>)> = heads.collect();
    let Some(&(at, Head { rows, columns, .. })) = heads.iter().find(|(_, head)| head.name == name) else {
        let known: Vec<&str> = heads.iter().map(|(_, head)| head.name).collect();
        return Err(format!("there is no such table in it; there is {}", known.join(", ")));
    };
    let words = lines[at + 1..].iter().take_while(|line| head(line).is_none()).flat_map(|line| {
        line.split(|it: char| it.is_whitespace() || it == ',' || it == ';').filter(|word| !word.is_empty())
    });
    let values = words.take(rows * columns).map(number).collect::<Result<Vec<f64>, String>>()?;
    if values.len() < rows * columns {
        return Err(format!("it has {} values instead of {}", values.len(), rows * columns));
    }
    Ok(Table { rows, columns, values })
}

#[derive(Clone, Copy)]
struct Head<'a> {
    name: &'a str,
    rows: usize,
    columns: usize,
}

/// `double name(rows, columns)`
fn head(line: &str) -> Option<Head<'_>> {
    let line = line.trim();
    let rest = line.strip_prefix("double").or(line.strip_prefix("float"))?;
    let (name, sizes) = rest.strip_prefix(char::is_whitespace)?.trim_start().split_once('(')?;
    let (rows, columns) = sizes.split_once(')')?.0.split_once(',')?;
    Some(Head { name: name.trim(), rows: rows.trim().parse().ok()?, columns: columns.trim().parse().ok()? })
}

/// Values in lines, with something between them.
pub(super) fn separated(text: &str, how: &Separated<'_>) -> Result<Table, String> {
    let mut values = Vec::new();
    let (mut rows, mut columns) = (0, 0);
    let lines = text.lines().enumerate().skip(how.header_lines);
    for (at, line) in lines.filter(|(_, line)| !line.trim().is_empty()) {
        let before = values.len();
        for word in line.split(how.delimiter) {
            values.push(number(word.trim().trim_matches('"')).map_err(|it| format!("line {}: {it}", at + 1))?);
        }
        let count = values.len() - before;
        if rows > 0 && count != columns {
            return Err(format!("line {} has {count} values instead of {columns}", at + 1));
        }
        (rows, columns) = (rows + 1, count);
    }
    if rows == 0 { Err("there are no values in it".to_string()) } else { Ok(Table { rows, columns, values }) }
}
