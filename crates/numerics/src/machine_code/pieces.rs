//! A tape cut into pieces that are compiled one by one, so that the effort stays proportional to the length.

use std::ops::Range;

use rustc_hash::FxHashMap;

use crate::tape::{Operation, Tape};

/// So many instructions become one function.
const LENGTH: usize = 1000;

/// Where a value goes when it is known.
#[derive(Clone, Copy)]
pub(super) enum Place {
    /// For later pieces.
    Between(u32),
    /// A result.
    Output(u32),
}

/// Some instructions in a row.
pub(super) struct Piece {
    pub instructions: Range<usize>,
    /// Registers computed here that are needed elsewhere.
    pub leaving: FxHashMap<u32, Vec<Place>>,
    /// Registers of earlier pieces that are needed here: where they are.
    pub arriving: FxHashMap<u32, u32>,
}

/// The pieces of a tape, and how many values pass between them.
pub(super) fn pieces(tape: &Tape) -> (Vec<Piece>, usize) {
    let first = tape.first_result();
    let count = tape.instructions.len().div_ceil(LENGTH);
    let mut pieces: Vec<Piece> = (0..count)
        .map(|piece| Piece {
            instructions: piece * LENGTH..((piece + 1) * LENGTH).min(tape.instructions.len()),
            leaving: FxHashMap::default(),
            arriving: FxHashMap::default(),
        })
        .collect();
    // The piece in which a register gets its value: the outputs of a call all where the call is.
    let mut origins = Vec::with_capacity(tape.instructions.len());
    for (index, instruction) in tape.instructions.iter().enumerate() {
        let with_the_one_before = instruction.operation == Operation::Output;
        origins.push(if with_the_one_before { origins[index - 1] } else { index / LENGTH });
    }
    let mut places: FxHashMap<u32, u32> = FxHashMap::default();
    for index in 0..tape.instructions.len() {
        let is_output = tape.instructions[index].operation == Operation::Output;
        for operand in tape.operands_of(index).filter(|_| !is_output) {
            let Some(origin) = (operand as usize).checked_sub(first).map(|index| origins[index]) else { continue };
            if origin == index / LENGTH {
                continue;
            }
            let next = places.len() as u32;
            let place = *places.entry(operand).or_insert(next);
            if place == next {
                pieces[origin].leaving.entry(operand).or_default().push(Place::Between(place));
            }
            pieces[index / LENGTH].arriving.insert(operand, place);
        }
    }
    for (position, &register) in tape.outputs.iter().enumerate() {
        if let Some(index) = (register as usize).checked_sub(first) {
            pieces[origins[index]].leaving.entry(register).or_default().push(Place::Output(position as u32));
        }
    }
    (pieces, places.len())
}
