//! The handles of this crate: mode variables and sets of modes.

use std::ops::Not;

/// A Boolean that distinguishes modes, numbered in order of declaration.
///
/// The number says nothing about the order of the decision diagrams, which only the [`crate::ModeSpace`] knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ModeVariable(pub u32);

impl ModeVariable {
    /// The number as an index into tables with one row per mode variable.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A set of modes: a handle into the [`crate::ModeSpace`] that made it, as cheap to copy as a number.
///
/// Two handles of one space are equal exactly when their sets are. A handle stays valid, with the same value, until a
/// [`crate::ModeSpace::collect`] that is not told about it. The order of handles is the order of their construction:
/// good for keys of ordered maps, without meaning otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ModeSet(u32);

impl ModeSet {
    /// Every mode.
    pub const ALL: ModeSet = ModeSet(0);
    /// No mode.
    pub const EMPTY: ModeSet = ModeSet(1);

    /// Whether this is no mode at all.
    pub fn is_empty(self) -> bool {
        self == ModeSet::EMPTY
    }

    /// Whether these are all modes.
    pub fn is_all(self) -> bool {
        self == ModeSet::ALL
    }

    pub(crate) fn is_constant(self) -> bool {
        self.0 <= 1
    }

    /// The uncomplemented edge to the node with this index.
    pub(crate) fn of_node(index: u32) -> ModeSet {
        ModeSet(index << 1)
    }

    pub(crate) fn node(self) -> usize {
        (self.0 >> 1) as usize
    }

    pub(crate) fn is_complemented(self) -> bool {
        self.0 & 1 == 1
    }

    /// The complement if `condition`, else the set itself.
    pub(crate) fn complement_if(self, condition: bool) -> ModeSet {
        ModeSet(self.0 ^ u32::from(condition))
    }

    pub(crate) fn uncomplemented(self) -> ModeSet {
        self.complement_if(self.is_complemented())
    }

    pub(crate) fn bits(self) -> u32 {
        self.0
    }
}

impl Not for ModeSet {
    type Output = ModeSet;

    /// The other modes. Complements are marks on edges, so this costs nothing.
    fn not(self) -> ModeSet {
        self.complement_if(true)
    }
}
