//! Results as a MAT file of version 4 in the trajectory layout that Dymola and OpenModelica write.
//!
//! Six matrices: `Aclass` says which layout (`binTrans`: one column per instant, so that rows of ours can be
//! appended), `name` and `description` have one text per column, `dataInfo` says for each name in which of the two
//! data matrices it is and in which row, `data_1` has the constants at start and stop, `data_2` everything else.
//! A variable that does not exist is NaN.

use std::io;
use std::ops::ControlFlow;

use super::columns::Columns;
use super::observer::{Observer, Progress};
use super::stored::{Patch, Storage, Stored};

/// What the numbers of a matrix are: the type word of its header, little-endian.
#[derive(Clone, Copy)]
enum Kind {
    Double = 0,
    Integer = 20,
    Text = 51,
}

/// `dataInfo`: linear interpolation, undefined outside the run.
const LINEAR: i32 = 0;
const UNDEFINED_OUTSIDE: i32 = -1;

/// A MAT file on its way.
pub struct MatFile<'a> {
    stored: Stored<'a>,
    start_position: u64, // of the start time in `data_1`
    stop_position: u64,  // of the stop time in `data_1`
    count_position: u64, // of the number of instants in the header of `data_2`
    count: u32,
    span: [f64; 2], // start and stop time
}

impl<'a> MatFile<'a> {
    /// Writes to an empty storage, which must not be a pipe.
    pub fn new(storage: Box<dyn Storage + 'a>) -> Self {
        let (start_position, stop_position, count_position) = (0, 0, 0);
        let stored = Stored::new(storage);
        MatFile { stored, start_position, stop_position, count_position, count: 0, span: [f64::NAN; 2] }
    }

    /// Writes what is left.
    pub fn finish(mut self) -> io::Result<()> {
        self.write();
        self.stored.outcome()
    }

    fn write(&mut self) {
        let [start, stop] = self.span.map(|time| time.to_le_bytes().to_vec());
        let patches = [
            Patch { position: self.count_position, bytes: self.count.to_le_bytes().to_vec() },
            Patch { position: self.start_position, bytes: start },
            Patch { position: self.stop_position, bytes: stop },
        ];
        self.stored.write(&[], &patches);
    }

    fn matrix(&mut self, name: &str, kind: Kind, rows: usize, columns: usize, bytes: &[u8]) {
        let pending = self.stored.pending();
        for word in [kind as usize, rows, columns, 0, name.len() + 1] {
            pending.extend_from_slice(&(word as u32).to_le_bytes());
        }
        pending.extend_from_slice(name.as_bytes());
        pending.push(0);
        pending.extend_from_slice(bytes);
    }

    /// One text per column, filled up with spaces.
    fn texts(&mut self, name: &str, texts: &[String]) {
        let longest = texts.iter().map(String::len).max().unwrap_or(0).max(1);
        let mut bytes = vec![b' '; longest * texts.len()];
        for (column, text) in bytes.chunks_mut(longest).zip(texts) {
            column[..text.len()].copy_from_slice(text.as_bytes());
        }
        self.matrix(name, Kind::Text, longest, texts.len(), &bytes);
    }

    /// The constants at start and stop, with time in the first row.
    fn constants(&mut self, columns: &Columns) {
        let values: Vec<f64> = columns.constants.iter().map(|constant| constant.value).collect();
        let instant = || std::iter::once(f64::NAN).chain(values.iter().copied());
        let bytes: Vec<u8> = instant().chain(instant()).flat_map(f64::to_le_bytes).collect();
        self.matrix("data_1", Kind::Double, values.len() + 1, 2, &bytes);
        let instant_size = (values.len() as u64 + 1) * 8;
        self.stop_position = self.stored.length() - instant_size;
        self.start_position = self.stop_position - instant_size;
    }
}

/// What `name`, `description` and `dataInfo` say, one entry per name.
fn entries(columns: &Columns) -> Vec<(String, String, [i32; 4])> {
    let describe = |text: &Option<_>, unit: &Option<_>| {
        let unit = unit.as_ref().map(|unit| format!("[{unit}]"));
        text.iter().map(|text| format!("{text}")).chain(unit).collect::<Vec<_>>().join(" ")
    };
    let info = |matrix: i32, at: usize| [matrix, at as i32 + 2, LINEAR, UNDEFINED_OUTSIDE];
    let time = ("time".to_string(), "Simulation time [s]".to_string(), [0, 1, LINEAR, UNDEFINED_OUTSIDE]);
    let changing = columns
        .columns
        .iter()
        .enumerate()
        .map(|(at, column)| (column.name.to_string(), describe(&column.description, &column.unit), info(2, at)));
    let constant = columns.constants.iter().enumerate().map(|(at, constant)| {
        (constant.name.to_string(), describe(&constant.description, &constant.unit), info(1, at))
    });
    std::iter::once(time).chain(changing).chain(constant).collect()
}

impl Observer for MatFile<'_> {
    fn columns(&mut self, columns: &Columns) {
        let class = ["Atrajectory", "1.1        ", "           ", "binTrans   "];
        let letters: Vec<u8> = (0..11).flat_map(|at| class.map(|line| line.as_bytes()[at])).collect();
        self.matrix("Aclass", Kind::Text, 4, 11, &letters);
        let entries = entries(columns);
        self.texts("name", &entries.iter().map(|(name, ..)| name.clone()).collect::<Vec<_>>());
        self.texts("description", &entries.iter().map(|(_, text, _)| text.clone()).collect::<Vec<_>>());
        let infos: Vec<u8> = entries.iter().flat_map(|(.., info)| *info).flat_map(i32::to_le_bytes).collect();
        self.matrix("dataInfo", Kind::Integer, 4, entries.len(), &infos);
        self.constants(columns);
        self.count_position = self.stored.length() + 8;
        self.matrix("data_2", Kind::Double, columns.len() + 1, 0, &[]);
        self.write();
    }

    fn row(&mut self, time: f64, values: &[f64]) {
        self.span = [if self.count == 0 { time } else { self.span[0] }, time];
        self.count += 1;
        let pending = self.stored.pending();
        pending.extend_from_slice(&time.to_le_bytes());
        values.iter().for_each(|value| pending.extend_from_slice(&value.to_le_bytes()));
        if self.stored.is_due() {
            self.write();
        }
    }

    fn progress(&mut self, _: Progress<'_>) -> ControlFlow<()> {
        if self.stored.has_failed() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}
