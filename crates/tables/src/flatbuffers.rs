//! FlatBuffers, as far as Arrow's metadata needs them. They are built from the end: what is referred to comes first.

/// A place, as the distance from the end of the buffer.
pub(crate) type Place = u32;

/// A buffer on its way, back to front.
#[derive(Default)]
pub(crate) struct Builder {
    reversed: Vec<u8>,
}

/// A field of a table.
pub(crate) enum Field {
    Byte(u8),
    Short(i16),
    Int(i32),
    Long(i64),
    To(Place),
}

impl Builder {
    fn place(&self) -> Place {
        self.reversed.len() as Place
    }

    /// Fills up so that what comes after so many more bytes is aligned. The end itself is: see [`Builder::finish`].
    fn align(&mut self, to: usize, after: usize) {
        while !(self.reversed.len() + after).is_multiple_of(to) {
            self.reversed.push(0);
        }
    }

    fn push(&mut self, bytes: &[u8]) {
        self.reversed.extend(bytes.iter().rev());
    }

    fn push_reference(&mut self, to: Place) {
        let distance = self.place() + 4 - to;
        self.push(&distance.to_le_bytes());
    }

    pub(crate) fn text(&mut self, text: &str) -> Place {
        self.align(4, text.len() + 1);
        self.push(&[0]);
        self.push(text.as_bytes());
        self.push(&(text.len() as u32).to_le_bytes());
        self.place()
    }

    pub(crate) fn references(&mut self, list: &[Place]) -> Place {
        self.align(4, 4 * list.len());
        list.iter().rev().for_each(|&to| self.push_reference(to));
        self.push(&(list.len() as u32).to_le_bytes());
        self.place()
    }

    /// A vector of structures of 64-bit integers, which are given as their bytes.
    pub(crate) fn structures(&mut self, list: &[Vec<u8>]) -> Place {
        let bytes: Vec<u8> = list.concat();
        self.align(8, bytes.len());
        self.push(&bytes);
        self.push(&(list.len() as u32).to_le_bytes());
        self.place()
    }

    /// A table; `fields` by their slots.
    pub(crate) fn table(&mut self, fields: &[Option<Field>]) -> Place {
        let begin = self.place();
        let mut places = vec![0; fields.len()];
        for (slot, field) in fields.iter().enumerate().rev() {
            match field {
                None => continue,
                Some(Field::Byte(value)) => self.push(&[*value]),
                Some(Field::Short(value)) => {
                    self.align(2, 0);
                    self.push(&value.to_le_bytes());
                }
                Some(Field::Int(value)) => {
                    self.align(4, 0);
                    self.push(&value.to_le_bytes());
                }
                Some(Field::Long(value)) => {
                    self.align(8, 0);
                    self.push(&value.to_le_bytes());
                }
                Some(Field::To(to)) => {
                    self.align(4, 0);
                    self.push_reference(*to);
                }
            }
            places[slot] = self.place();
        }
        self.align(4, 4);
        self.push(&[0; 4]);
        let table = self.place();
        for &place in places.iter().rev() {
            let offset = if place == 0 { 0 } else { (table - place) as u16 };
            self.push(&offset.to_le_bytes());
        }
        self.push(&((table - begin) as u16).to_le_bytes());
        self.push(&(4 + 2 * fields.len() as u16).to_le_bytes());
        let to_slots = (self.place() - table) as i32;
        for (at, byte) in to_slots.to_le_bytes().into_iter().enumerate() {
            self.reversed[table as usize - 1 - at] = byte;
        }
        // Tables begin at multiples of four.
        self.align(2, 0);
        table
    }

    /// The buffer, in which everything is aligned to eight bytes from its beginning.
    pub(crate) fn finish(mut self, root: Place) -> Vec<u8> {
        self.align(8, 4);
        self.push_reference(root);
        self.reversed.reverse();
        self.reversed
    }
}
