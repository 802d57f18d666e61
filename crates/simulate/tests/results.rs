//! Result files: written by observers of a made-up run, read back by other means.

use std::io::{Cursor, Seek, SeekFrom, Write};
use std::ops::ControlFlow;
use std::path::Path;
use std::process::Command;
use std::sync::{Arc, Mutex};

use modeshift_dae::{Mode, ModeVariableId, VariableId};
use modeshift_simulate::results::{
    ABSENT, Column, ColumnKind, ColumnSource, Columns, Constant, CsvFile, EventFile, EventRecord, Impulse, Jump,
    MatFile, Observer, Progress, Storage, Tally, Trajectory,
};

/// Storage that can be looked at while it is written to.
#[derive(Clone, Default)]
struct Shared(Arc<Mutex<Cursor<Vec<u8>>>>);

impl Shared {
    fn bytes(&self) -> Vec<u8> {
        self.0.lock().expect("not poisoned").get_ref().clone()
    }
}

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().expect("not poisoned").write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl Seek for Shared {
    fn seek(&mut self, position: SeekFrom) -> std::io::Result<u64> {
        self.0.lock().expect("not poisoned").seek(position)
    }
}

fn column(name: &str, kind: ColumnKind) -> Column {
    let source = match kind {
        ColumnKind::Mode => ColumnSource::Mode(ModeVariableId(0)),
        _ => ColumnSource::Variable(VariableId(0)),
    };
    Column {
        name: name.into(),
        kind,
        source,
        unit: Some("V".into()),
        display_unit: None,
        description: None,
        prominent: false,
    }
}

fn columns() -> Columns {
    Columns {
        model: "Switch".into(),
        columns: vec![
            column("x", ColumnKind::Continuous),
            column("valve[1,2].\"y\"", ColumnKind::Continuous),
            column("n", ColumnKind::Discrete),
            column("open", ColumnKind::Mode),
        ],
        mode_variables: vec!["open".into()],
        constants: vec![Constant {
            name: "R".into(),
            value: 0.1,
            unit: Some("Ohm".into()),
            description: Some("resistance".into()),
        }],
        existence: Vec::new(),
    }
}

const ROWS: [(f64, [f64; 4]); 4] = [
    (0.0, [1.0, ABSENT, 3.0, 0.0]),
    (0.1 + 0.2, [1e-300, ABSENT, 3.0, 0.0]),
    (0.1 + 0.2, [-1.0 / 3.0, 6.02e23, 4.0, 1.0]),
    (1.0, [f64::NAN, 0.5, 4.0, 1.0]),
];

fn event() -> EventRecord {
    EventRecord {
        time: 0.1 + 0.2,
        from: Mode::from_iter([false]),
        to: Mode::from_iter([true]),
        cause: vec!["time >= t1".into()],
        cascade: vec![],
        sliding: vec![],
        jumps: vec![
            Jump { variable: "x".into(), left: 1e-300, right: -1.0 / 3.0 },
            Jump { variable: "valve[1,2].\"y\"".into(), left: ABSENT, right: 6.02e23 },
        ],
        impulses: vec![Impulse { variable: "x".into(), order: "1".into(), weight: 0.5 }],
        undetermined: Vec::new(),
    }
}

/// A run with one event.
fn run(observer: &mut dyn Observer) {
    observer.columns(&columns());
    for (at, (time, values)) in ROWS.iter().enumerate() {
        if at == 2 {
            observer.event(&event());
        }
        observer.row(*time, values);
    }
}

fn written<'a, F: Observer>(open: impl FnOnce(Box<dyn Storage + 'a>) -> F, finish: impl FnOnce(F)) -> Vec<u8> {
    let storage = Shared::default();
    let mut file = open(Box::new(storage.clone()));
    run(&mut file);
    finish(file);
    storage.bytes()
}

#[test]
fn csv_reads_back_as_it_was_with_empty_cells_where_a_variable_is_absent() {
    let bytes = written(CsvFile::new, |file| file.finish().expect("memory can be written to"));
    let text = String::from_utf8(bytes).expect("UTF-8");
    assert!(text.starts_with("time,x,\"valve[1,2].\"\"y\"\"\",n,open\n0,1,,3,0\n"), "{text}");
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    assert_eq!(reader.headers().expect("a header").get(2), Some("valve[1,2].\"y\""));
    let rows: Vec<csv::StringRecord> = reader.records().map(|record| record.expect("as wide as the header")).collect();
    assert_eq!(rows.len(), ROWS.len());
    for (row, (time, values)) in rows.iter().zip(ROWS) {
        for (cell, value) in row.iter().zip([time].into_iter().chain(values)) {
            let read = if cell.is_empty() { ABSENT } else { cell.parse().expect("a number") };
            assert_eq!(read.to_bits(), value.to_bits(), "{cell}");
        }
    }
}

/// A matrix of a MAT file: name, rows, columns and the bytes of its numbers.
type Matrix<'a> = (String, usize, usize, &'a [u8]);

/// Reads MAT files of version 4, little-endian.
fn matrices(mut bytes: &[u8]) -> Vec<Matrix<'_>> {
    let mut found = Vec::new();
    while !bytes.is_empty() {
        let word = |at: usize| u32::from_le_bytes(bytes[at * 4..at * 4 + 4].try_into().expect("4 bytes")) as usize;
        let (kind, rows, columns, imaginary, length) = (word(0), word(1), word(2), word(3), word(4));
        assert_eq!(imaginary, 0);
        let size = match kind {
            0 => 8,
            20 => 4,
            51 => 1,
            _ => panic!("unknown kind of matrix {kind}"),
        };
        let name = String::from_utf8(bytes[20..20 + length - 1].to_vec()).expect("UTF-8");
        let end = 20 + length + size * rows * columns;
        found.push((name, rows, columns, &bytes[20 + length..end]));
        bytes = &bytes[end..];
    }
    found
}

fn doubles(bytes: &[u8]) -> Vec<f64> {
    bytes.chunks(8).map(|chunk| f64::from_le_bytes(chunk.try_into().expect("8 bytes"))).collect()
}

/// The values over time of every name.
fn read_mat(bytes: &[u8]) -> Vec<(String, Vec<f64>)> {
    let found = matrices(bytes);
    let order: Vec<&str> = found.iter().map(|(name, ..)| name.as_str()).collect();
    assert_eq!(order, ["Aclass", "name", "description", "dataInfo", "data_1", "data_2"]);
    let (_, length, count, names) = &found[1];
    let infos: Vec<i32> =
        found[3].3.chunks(4).map(|chunk| i32::from_le_bytes(chunk.try_into().expect("4 bytes"))).collect();
    (0..*count)
        .map(|at| {
            let name = String::from_utf8(names[at * length..(at + 1) * length].to_vec()).expect("UTF-8");
            let (_, rows, _, data) = &found[if infos[at * 4] == 1 { 4 } else { 5 }];
            let row = infos[at * 4 + 1] as usize - 1;
            (name.trim_end().to_string(), doubles(data).into_iter().skip(row).step_by(*rows).collect())
        })
        .collect()
}

#[test]
fn mat_reads_back_as_it_was_with_nan_where_a_variable_is_absent() {
    let bytes = written(MatFile::new, |file| file.finish().expect("memory can be written to"));
    let read = read_mat(&bytes);
    let names: Vec<&str> = read.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["time", "x", "valve[1,2].\"y\"", "n", "open", "R"]);
    let bits = |values: &[f64]| values.iter().map(|value| value.to_bits()).collect::<Vec<_>>();
    assert_eq!(bits(&read[0].1), bits(&ROWS.map(|(time, _)| time)));
    for column in 0..4 {
        assert_eq!(bits(&read[column + 1].1), bits(&ROWS.map(|(_, values)| values[column])));
    }
    assert_eq!(read[5].1, [0.1, 0.1]);
    assert_eq!(doubles(matrices(&bytes)[4].3), [0.0, 0.1, 1.0, 0.1], "start and stop time with the constants");
}

#[test]
fn dymat_and_scipy_read_what_we_write() {
    let has = |module| Command::new("python3").args(["-c", &format!("import {module}")]).output();
    if !["scipy.io", "DyMat"].into_iter().all(|module| has(module).is_ok_and(|output| output.status.success())) {
        eprintln!("skipped: needs python3 with the packages scipy and DyMat");
        return;
    }
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("dymat.mat");
    std::fs::write(&path, written(MatFile::new, |file| file.finish().expect("memory can be written to")))
        .expect("can be written");
    let script = r#"
import sys, math, DyMat, scipy.io
result = DyMat.DyMatFile(sys.argv[1])
assert sorted(result.names()) == sorted(['x', 'valve[1,2]."y"', 'n', 'open', 'R']), result.names()
assert result.abscissa('x', valuesOnly=True).tolist() == [0.0, 0.1 + 0.2, 0.1 + 0.2, 1.0]
x = result.data('x').tolist()
assert x[:3] == [1.0, 1e-300, -1.0 / 3.0] and math.isnan(x[3]), x
y = result.data('valve[1,2]."y"').tolist()
assert [math.isnan(value) for value in y] == [True, True, False, False], y
assert result.data('open').tolist() == [0, 0, 1, 1]
assert result.data('R').tolist() == [0.1, 0.1]
assert result.description('R') == 'resistance [Ohm]', result.description('R')
raw = scipy.io.loadmat(sys.argv[1])
assert [line.strip() for line in raw['Aclass']] == ['Atrajectory', '1.1', '', 'binTrans'], raw['Aclass']
assert raw['data_2'].shape == (5, 4), raw['data_2'].shape
"#;
    let output = Command::new("python3").args(["-c", script]).arg(&path).output().expect("python runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn the_event_log_is_json_as_promised() {
    let bytes = written(EventFile::new, |file| file.finish().expect("memory can be written to"));
    let expected = r#"[
{"time":0.30000000000000004,"from":{"open":false},"to":{"open":true},"cause":["time >= t1"],"cascade":[],"jumps":[{"variable":"x","left":1e-300,"right":-0.3333333333333333},{"variable":"valve[1,2].\"y\"","left":null,"right":6.02e+23}],"impulses":[{"variable":"x","order":"1","weight":0.5}]}
]
"#;
    assert_eq!(String::from_utf8(bytes).expect("UTF-8"), expected);
}

#[test]
fn an_event_log_is_whole_after_every_event_and_without_any() {
    let storage = Shared::default();
    let mut file = EventFile::new(Box::new(storage.clone()));
    file.columns(&columns());
    let events = |storage: &Shared| {
        serde_json::from_slice::<Vec<serde_json::Value>>(&storage.bytes()).expect("a JSON list").len()
    };
    assert_eq!(events(&storage), 0);
    file.event(&event());
    std::thread::sleep(std::time::Duration::from_millis(320));
    file.event(&event());
    assert_eq!(events(&storage), 2, "what is old enough was written");
    file.event(&event());
    file.finish().expect("memory can be written to");
    assert_eq!(events(&storage), 3);
}

#[test]
fn files_of_a_run_that_is_killed_have_whole_rows() {
    let (csv, mat) = (Shared::default(), Shared::default());
    let (mut csv_file, mut mat_file) = (CsvFile::new(Box::new(csv.clone())), MatFile::new(Box::new(mat.clone())));
    let mut both: Vec<&mut dyn Observer> = vec![&mut csv_file, &mut mat_file];
    both.columns(&columns());
    for at in 0..100_000 {
        both.row(f64::from(at), &[1.0 / f64::from(at), ABSENT, 0.0, 1.0]);
    }
    // Nothing is finished.
    let text = String::from_utf8(csv.bytes()).expect("UTF-8");
    let rows = text.lines().count() - 1;
    assert!(text.ends_with(",1\n") && rows > 10_000, "{rows} rows");
    let read = read_mat(&mat.bytes());
    let times = &read[0].1;
    assert!(times.len() > 10_000, "{} rows", times.len());
    assert!(times.iter().enumerate().all(|(at, &time)| time == at as f64));
}

/// Storage that is full soon.
struct Full(usize);

impl Write for Full {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0 = self.0.checked_sub(bytes.len()).ok_or_else(|| std::io::Error::other("no space left"))?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl Seek for Full {
    fn seek(&mut self, _: SeekFrom) -> std::io::Result<u64> {
        Err(std::io::Error::other("a pipe"))
    }
}

#[test]
fn a_full_disk_ends_the_run_and_says_why() {
    let mut file = CsvFile::new(Box::new(Full(100)));
    file.columns(&columns());
    let mut rows = 0;
    let progress = Progress { time: 0.0, events: 0, mode: &"" };
    while file.progress(progress) == ControlFlow::Continue(()) {
        file.row(0.0, &[0.0; 4]);
        rows += 1;
        assert!(rows < 1_000_000, "the run goes on");
    }
    assert_eq!(file.finish().expect_err("the disk is full").to_string(), "no space left");
}

#[test]
fn csv_can_go_to_a_pipe() {
    let mut file = CsvFile::new(Box::new(Full(1 << 30)));
    run(&mut file);
    file.finish().expect("never moves back");
}

#[test]
fn a_trajectory_keeps_everything() {
    let mut trajectory = Trajectory::default();
    run(&mut trajectory);
    assert_eq!(trajectory.times(), ROWS.map(|(time, _)| time));
    assert_eq!(trajectory.named("n"), Some(vec![3.0, 3.0, 4.0, 4.0]));
    assert_eq!((trajectory.last("open"), trajectory.last("unknown")), (Some(1.0), None));
    assert_eq!(trajectory.events().len(), 1);
    assert_eq!(trajectory.events()[0].changed().collect::<Vec<_>>(), [ModeVariableId(0)]);
}

#[test]
fn guards_are_ranked_by_the_events_they_caused() {
    let mut tally = Tally::default();
    let caused = |cause: &str| EventRecord { cause: vec![cause.into()], ..event() };
    for cause in ["b > 0", "a > 0", "b > 0", "c > 0"] {
        tally.event(&caused(cause));
    }
    assert_eq!(tally.ranking(), [("b > 0", 2), ("a > 0", 1), ("c > 0", 1)]);
    assert_eq!(tally.table(2), "  events  guard\n       2  b > 0\n       1  a > 0\n       1  1 other guard\n");
}
