//! Examples of the Modelica Standard Library against its published reference results, where a library is at hand.
//!
//! `data/msl` has the comparison signals of modelica/MAP-LIB_ReferenceResults (d6a2b9b2), thinned to the rows nearest to
//! 101 equidistant times; the library is found by `MODELICAPATH`. Signals are to be right to a thousandth of their range.

use crate::support::runs as support;
use std::path::PathBuf;

use modeshift_diagnostics::Diagnostics;
use modeshift_elaborate::elaborate;
use modeshift_flatten::{Disk, Library, Request, flatten};
use support::{How, Ran, file, run_dae};

/// Rows of ours between which is interpolated.
const ROWS: f64 = 2000.0;

/// The library's directories; nothing, with a message, where there are none.
fn directories() -> Option<Vec<PathBuf>> {
    let directories: Vec<PathBuf> = std::env::split_paths(&std::env::var_os("MODELICAPATH")?).collect();
    let is_there = directories.iter().any(|directory| directory.join("Modelica").exists());
    if !is_there {
        println!("skipped: no Modelica library in MODELICAPATH");
    }
    is_there.then_some(directories)
}

/// A table of references: the names of its columns, of which the first is time, and its rows.
struct Table {
    names: Vec<String>,
    rows: Vec<Vec<f64>>,
}

fn table(name: &str) -> Table {
    let text = file(&format!("tests/data/msl/{name}.csv"));
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let names = reader.headers().expect("names").iter().map(str::to_string).collect();
    let row = |record: csv::StringRecord| record.iter().map(|field| field.parse().expect("a number")).collect();
    Table { names, rows: reader.records().map(|record| row(record.expect("a row"))).collect() }
}

fn run(model: &str, stop: f64) -> Option<Ran> {
    let mut library = Library::new(Disk, directories()?);
    let mut diagnostics = Diagnostics::new();
    let request = Request { model: Some(model.into()), overrides: Vec::new() };
    let flat = flatten(&mut library, &request, &mut diagnostics);
    let dae = flat.and_then(|flat| elaborate(flat, &mut diagnostics)).unwrap_or_else(|_| panic!("{diagnostics:#?}"));
    let how = How { interval: Some(stop / ROWS), ..How::until(stop).tolerance(1e-7) };
    Some(run_dae(dae, &how))
}

/// The largest error of each signal, in shares of its range, with its time. At a jump, either side will do.
fn errors(ran: &Ran, table: &Table) -> Vec<(String, f64, f64)> {
    let times = ran.result.times();
    let length = times.last().expect("rows") - times[0];
    let of_signal = |column: usize| {
        let ours = ran.values(&table.names[column]);
        let (low, high) = table.rows.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), row| {
            (f64::min(low, row[column]), f64::max(high, row[column]))
        });
        let error = |row: &Vec<f64>| {
            let after = times.partition_point(|&time| time < row[0]).clamp(1, times.len() - 1);
            let share = ((row[0] - times[after - 1]) / (times[after] - times[after - 1])).clamp(0.0, 1.0);
            let between = ours[after - 1] + share * (ours[after] - ours[after - 1]);
            let near =
                (after - 1..(after + 3).min(times.len())).filter(|&it| (times[it] - row[0]).abs() < 1e-6 * length);
            let candidates = near.map(|it| ours[it]).chain([between]);
            candidates.map(|value| (value - row[column]).abs()).fold(f64::INFINITY, f64::min)
        };
        let worst = table.rows.iter().map(|row| (error(row), row[0])).max_by(|a, b| a.0.total_cmp(&b.0));
        let (error, time) = worst.expect("rows");
        (table.names[column].clone(), error / (high - low), time)
    };
    (1..table.names.len()).map(of_signal).collect()
}

fn check(model: &str, name: &str) {
    let table = table(name);
    let Some(ran) = run(model, table.rows.last().expect("rows")[0]) else { return };
    for (signal, error, time) in errors(&ran.finished(), &table) {
        println!("{model}: {signal} is off by {error:.1e} of its range");
        assert!(error <= 1e-3, "{model}: {signal} is off by {error} of its range at {time}");
    }
}

#[test]
fn circuits_with_ideal_diodes_follow_the_published_signals() {
    check("Modelica.Electrical.Analog.Examples.Rectifier", "Rectifier");
    check("Modelica.Electrical.Analog.Examples.OvervoltageProtection", "OvervoltageProtection");
    check("Modelica.Electrical.Analog.Examples.CharacteristicIdealDiodes", "CharacteristicIdealDiodes");
}

#[test]
fn switches_follow_the_published_signals() {
    check("Modelica.Electrical.Analog.Examples.ControlledSwitchWithArc", "ControlledSwitchWithArc");
    check("Modelica.Electrical.PowerConverters.Examples.DCDC.HBridge.HBridge_R", "HBridge_R");
}

#[test]
fn mechanics_follows_the_published_signals() {
    check("Modelica.Mechanics.Rotational.Examples.First", "First");
    check("Modelica.Mechanics.Translational.Examples.ElastoGap", "ElastoGap");
}

#[test]
fn steps_become_active_one_after_the_other_as_published() {
    check("Modelica.StateGraph.Examples.FirstExample", "FirstExample");
}
