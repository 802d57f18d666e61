//! Newtype ids, so that an equation can never be mistaken for a variable, and vectors indexed by them.

use std::marker::PhantomData;
use std::ops::{Index, IndexMut};

/// An index into an [`IndexVec`].
pub trait Id: Copy + Eq + Ord + std::hash::Hash + std::fmt::Debug {
    /// The id of the `index`-th item.
    fn from_index(index: usize) -> Self;
    /// The position.
    fn index(self) -> usize;
}

/// Declares newtype ids.
macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub u32);
        impl Id for $name {
            fn from_index(index: usize) -> Self {
                $name(u32::try_from(index).expect("fewer than 2^32 items of a kind"))
            }
            fn index(self) -> usize {
                self.0 as usize
            }
        }
    )*};
}

/// Plain numbers, for what is numbered by the way.
impl Id for u32 {
    fn from_index(index: usize) -> Self {
        u32::try_from(index).expect("fewer than 2^32 items of a kind")
    }
    fn index(self) -> usize {
        self as usize
    }
}

/// Plain positions.
impl Id for usize {
    fn from_index(index: usize) -> Self {
        index
    }
    fn index(self) -> usize {
        self
    }
}

ids! {
    /// A scalar variable, parameter or constant of the flat model.
    VariableId;
    /// An equation of the flat model.
    EquationId;
    /// A mode variable: a Boolean on which the structure depends.
    ModeVariableId;
    /// A function that is not built in.
    FunctionId;
    /// An enumeration type.
    EnumerationId;
    /// A relation that may change between events: where it changes its value is an event.
    RelationId;
    /// A scenario of initialization.
    ScenarioId;
    /// An interned string literal.
    StringId;
}

/// A vector indexed by ids.
#[derive(Clone, Debug)]
pub struct IndexVec<I, T> {
    items: Vec<T>,
    ids: PhantomData<fn(I)>,
}

impl<I: Id, T> IndexVec<I, T> {
    /// Empty.
    pub fn new() -> Self {
        IndexVec { items: Vec::new(), ids: PhantomData }
    }

    /// Appends an item and returns its id.
    pub fn push(&mut self, item: T) -> I {
        self.items.push(item);
        I::from_index(self.items.len() - 1)
    }

    /// How many.
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// All items in order.
    pub fn iter(&self) -> std::slice::Iter<'_, T> {
        self.items.iter()
    }

    /// All items in order, to change.
    pub fn iter_mut(&mut self) -> std::slice::IterMut<'_, T> {
        self.items.iter_mut()
    }

    /// All ids in order.
    pub fn ids(&self) -> impl DoubleEndedIterator<Item = I> + ExactSizeIterator + use<I, T> {
        (0..self.items.len()).map(I::from_index)
    }

    /// All items with their ids.
    pub fn iter_enumerated(&self) -> impl DoubleEndedIterator<Item = (I, &T)> {
        self.items.iter().enumerate().map(|(index, item)| (I::from_index(index), item))
    }

    /// The item, if the id is of this vector.
    pub fn get(&self, id: I) -> Option<&T> {
        self.items.get(id.index())
    }
}

impl<I: Id, T> Default for IndexVec<I, T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<I: Id, T> FromIterator<T> for IndexVec<I, T> {
    fn from_iter<It: IntoIterator<Item = T>>(items: It) -> Self {
        IndexVec { items: items.into_iter().collect(), ids: PhantomData }
    }
}

impl<I: Id, T> Index<I> for IndexVec<I, T> {
    type Output = T;
    fn index(&self, id: I) -> &T {
        &self.items[id.index()]
    }
}

impl<I: Id, T> IndexMut<I> for IndexVec<I, T> {
    fn index_mut(&mut self, id: I) -> &mut T {
        &mut self.items[id.index()]
    }
}
