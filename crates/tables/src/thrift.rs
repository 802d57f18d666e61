//! The compact protocol of Thrift, as far as Parquet's metadata needs it: structures of integers, texts, lists and structures.

const I32: u8 = 5;
const I64: u8 = 6;
const BINARY: u8 = 8;
const LIST: u8 = 9;
const STRUCT: u8 = 12;

/// A structure on its way: fields in the order of their numbers.
#[derive(Default)]
pub(crate) struct Struct {
    bytes: Vec<u8>,
    last: u8,
}

impl Struct {
    fn field(&mut self, number: u8, kind: u8) {
        assert!(number > self.last && number - self.last < 16, "fields come in the order of their numbers");
        self.bytes.push((number - self.last) << 4 | kind);
        self.last = number;
    }

    pub(crate) fn i32(mut self, number: u8, value: i32) -> Self {
        self.field(number, I32);
        varint(&mut self.bytes, zigzag(value.into()));
        self
    }

    pub(crate) fn i64(mut self, number: u8, value: u64) -> Self {
        self.field(number, I64);
        varint(&mut self.bytes, zigzag(value as i64));
        self
    }

    pub(crate) fn text(mut self, number: u8, text: &str) -> Self {
        self.field(number, BINARY);
        push_text(&mut self.bytes, text);
        self
    }

    pub(crate) fn inner(mut self, number: u8, inner: Struct) -> Self {
        self.field(number, STRUCT);
        self.bytes.extend(inner.finish());
        self
    }

    pub(crate) fn structs(mut self, number: u8, list: impl ExactSizeIterator<Item = Struct>) -> Self {
        self.field(number, LIST);
        push_list(&mut self.bytes, list.len(), STRUCT);
        list.for_each(|inner| self.bytes.extend(inner.finish()));
        self
    }

    pub(crate) fn i32s(mut self, number: u8, list: &[i32]) -> Self {
        self.field(number, LIST);
        push_list(&mut self.bytes, list.len(), I32);
        list.iter().for_each(|&value| varint(&mut self.bytes, zigzag(value.into())));
        self
    }

    pub(crate) fn texts(mut self, number: u8, list: &[&str]) -> Self {
        self.field(number, LIST);
        push_list(&mut self.bytes, list.len(), BINARY);
        list.iter().for_each(|text| push_text(&mut self.bytes, text));
        self
    }

    /// The bytes, with the stop field.
    pub(crate) fn finish(mut self) -> Vec<u8> {
        self.bytes.push(0);
        self.bytes
    }
}

fn push_list(bytes: &mut Vec<u8>, length: usize, kind: u8) {
    match length {
        0..15 => bytes.push((length as u8) << 4 | kind),
        _ => {
            bytes.push(0xf0 | kind);
            varint(bytes, length as u64);
        }
    }
}

fn push_text(bytes: &mut Vec<u8>, text: &str) {
    varint(bytes, text.len() as u64);
    bytes.extend_from_slice(text.as_bytes());
}

fn zigzag(value: i64) -> u64 {
    ((value << 1) ^ (value >> 63)) as u64
}

pub(crate) fn varint(bytes: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
}
