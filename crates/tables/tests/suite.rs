//! Tables, written and read back.

use std::process::Command;

use modeshift_tables::{Cells, Column, Format, Kind, TableFile, read};

fn columns() -> Vec<Column> {
    let mut speed = Column::new("speed, left", Kind::Number);
    speed.unit = Some("rad/s".to_string());
    vec![speed, Column::new("run", Kind::Integer), Column::new("ok", Kind::Truth), Column::new("text", Kind::Text)]
}

/// Two pieces, the second longer than the first, with empty cells at the ends and in the middle.
fn pieces() -> [Vec<Cells>; 2] {
    let long = 20_i32;
    [
        vec![
            Cells::Numbers(vec![Some(0.1), None, Some(f64::NAN)]),
            Cells::Integers(vec![Some(-1), Some(i64::MAX), None]),
            Cells::Truths(vec![None, Some(true), Some(false)]),
            Cells::Texts(vec![Some("a \"quoted\", text".to_string()), None, Some("ümlaut".to_string())]),
        ],
        vec![
            Cells::Numbers((0..long).map(|at| Some(f64::from(at) / 3.0)).collect()),
            Cells::Integers((0..long).map(|at| (at % 2 == 0).then_some(i64::from(at))).collect()),
            Cells::Truths((0..long).map(|at| Some(at % 3 == 0)).collect()),
            Cells::Texts((0..long).map(|at| Some("x".repeat(at as usize))).collect()),
        ],
    ]
}

fn written(format: Format) -> Vec<u8> {
    let mut file = TableFile::new(format, columns(), Vec::new()).expect("memory can be written to");
    pieces().iter().for_each(|piece| file.rows(piece).expect("memory can be written to"));
    file.finish().expect("memory can be written to")
}

#[test]
fn csv_has_quotes_where_it_needs_them_and_empty_cells() {
    let text = String::from_utf8(written(Format::Csv)).expect("text");
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], "\"speed, left\",run,ok,text");
    assert_eq!(lines[1], "0.1,-1,,\"a \"\"quoted\"\", text\"");
    assert_eq!(lines[2], "1.7976931348623157e308,9223372036854775807,true,".replace("1.7976931348623157e308", ""));
    assert_eq!(lines[3], "NaN,,false,ümlaut");
    assert_eq!(lines.len(), 24);
}

/// What another reader says of our files: the program of Python that has `pyarrow`, as `MODESHIFT_PYTHON` names it.
#[test]
fn pyarrow_reads_what_was_written() {
    let python = std::env::var("MODESHIFT_PYTHON").unwrap_or_else(|_| "python3".to_string());
    let has_pyarrow = Command::new(&python).args(["-c", "import pyarrow.parquet"]).output();
    if !has_pyarrow.is_ok_and(|output| output.status.success()) {
        eprintln!("skipped: {python} has no pyarrow; MODESHIFT_PYTHON names a program that has");
        return;
    }
    let directory = std::env::temp_dir().join(format!("modeshift_tables_{}", std::process::id()));
    std::fs::create_dir_all(&directory).expect("a directory");
    for (name, format) in [("t.parquet", Format::Parquet), ("t.arrow", Format::Arrow)] {
        std::fs::write(directory.join(name), written(format)).expect("a file");
    }
    let script = "
import math, sys
import pyarrow as pa, pyarrow.parquet as pq, pyarrow.ipc as ipc
tables = [pq.read_table(sys.argv[1] + '/t.parquet'), ipc.open_file(sys.argv[1] + '/t.arrow').read_all()]
stream_free = ipc.open_file(sys.argv[1] + '/t.arrow')
assert stream_free.num_record_batches == 2
for t in tables:
    t.validate(full=True)
    assert t.column_names == ['speed, left', 'run', 'ok', 'text'], t.column_names
    assert [str(f.type) for f in t.schema] == ['double', 'int64', 'bool', 'string'], t.schema
    speed, run, ok, text = (t.column(i).to_pylist() for i in range(4))
    assert speed[:2] == [0.1, None] and math.isnan(speed[2]), speed
    assert speed[3:] == [i / 3 for i in range(20)]
    assert run == [-1, 2**63 - 1, None] + [i if i % 2 == 0 else None for i in range(20)], run
    assert ok == [None, True, False] + [i % 3 == 0 for i in range(20)], ok
    assert text == ['a \"quoted\", text', None, '\u{fc}mlaut'] + ['x' * i for i in range(20)], text
assert tables[0].schema.metadata[b'unit:speed, left'] == b'rad/s', tables[0].schema.metadata
assert tables[1].schema.field(0).metadata == {b'unit': b'rad/s'}, tables[1].schema.field(0).metadata
";
    let output = Command::new(&python).arg("-c").arg(script).arg(&directory).output().expect("python runs");
    std::fs::remove_dir_all(&directory).expect("the directory goes");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// The columns of numbers and truths, `None` for what is not a number.
fn read_back(bytes: &[u8]) -> Vec<(String, Vec<Option<f64>>)> {
    let columns = read(bytes).expect("it was written by us").into_iter();
    columns.map(|it| (it.name, it.values.into_iter().map(|it| (!it.is_nan()).then_some(it)).collect())).collect()
}

#[test]
fn parquet_and_arrow_files_are_read_back_as_they_were_written() {
    let [numbers, integers, truths] = [0, 1, 2].map(|column| {
        pieces()
            .iter()
            .flat_map(|piece| match &piece[column] {
                Cells::Numbers(cells) => cells.iter().map(|it| it.filter(|it| !it.is_nan())).collect::<Vec<_>>(),
                Cells::Integers(cells) => cells.iter().map(|it| it.map(|it| it as f64)).collect(),
                Cells::Truths(cells) => cells.iter().map(|it| it.map(|it| f64::from(u8::from(it)))).collect(),
                Cells::Texts(_) => unreachable!("these are other columns"),
            })
            .collect::<Vec<Option<f64>>>()
    });
    let expected =
        vec![("speed, left".to_string(), numbers), ("run".to_string(), integers), ("ok".to_string(), truths)];
    assert_eq!(read_back(&written(Format::Parquet)), expected);
    assert_eq!(read_back(&written(Format::Arrow)), expected);
}

#[test]
fn csv_is_read_with_quotes_truths_and_empty_cells() {
    let columns = read_back(b"time,\"a,b\",c\n0,1e3,true\n1,,false\n");
    let named = |name: &str, values: [Option<f64>; 2]| (name.to_string(), values.to_vec());
    let expected =
        [named("time", [Some(0.0), Some(1.0)]), named("a,b", [Some(1000.0), None]), named("c", [Some(1.0), Some(0.0)])];
    assert_eq!(columns, expected);
    assert_eq!(read(b"a\n1,2\n"), Err("line 2 has 2 cells, and the first line 1".to_string()));
    assert_eq!(read(b"a\nx\n"), Err("line 2: `x` is not a number".to_string()));
}

#[test]
fn a_file_that_is_cut_or_changed_is_refused_and_does_no_harm() {
    for format in [Format::Parquet, Format::Arrow] {
        let whole = written(format);
        // Less than what it begins with is no such file: it could be CSV.
        for length in 6..whole.len() {
            assert!(read(&whole[..length]).is_err(), "{format:?} cut to {length} bytes");
        }
        for at in 0..whole.len() {
            for change in [1, 0x80, 0xff] {
                let mut other = whole.clone();
                other[at] ^= change;
                let _ = read(&other);
            }
        }
    }
}
