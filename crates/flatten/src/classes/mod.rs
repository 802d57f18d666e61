//! The class tree and what is known of a class before it has instances.
//!
//! [`Classes`] is what the rest of the flattener sees: it knows no instance and no value, so that what it answers
//! holds wherever a class is used.
//!
//! | file | purpose |
//! |---|---|
//! | `bundle` | files as they were asked for, to be taken elsewhere |
//! | [`files`] | where texts come from: the disk, or memory in tests |
//! | [`library`] | the tree of classes, read when first asked for |
//! | [`parsed`] | files that were parsed for an earlier question |
//! | [`packages`] | packages as files and directories: where a class is, what lies around a file |
//! | [`candidates`] | which class may be meant where none is named, or a wrong one |
//! | [`builtin_library`] | what is known of `Modelica` and `Modeshift` without a library |
//! | [`layout`] | the elements of a class with everything it inherits |
//! | [`lookup`] | which element or class a name means in a class |
//! | [`annotations`] | what annotations say that matters for the meaning |

pub(crate) mod annotations;
pub(crate) mod builtin_library;
pub(crate) mod bundle;
pub(crate) mod candidates;
pub(crate) mod files;
pub(crate) mod layout;
pub(crate) mod library;
pub(crate) mod lookup;
pub(crate) mod packages;
pub(crate) mod parsed;

use std::rc::Rc;
use std::sync::Arc;

use modeshift_dae::{Enumeration, EnumerationId, IndexVec};
use modeshift_diagnostics::Diagnostics;
use modeshift_syntax::ast::Class;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::restrictions::redeclarations::Promise;

use layout::{LayoutState, TypeInfo};
use library::{ClassId, Library};
use lookup::Written;

/// All classes, and what was found out about them. The tables are memos; none of them is ever iterated.
pub(crate) struct Classes<'a> {
    pub(crate) library: &'a mut Library,
    pub(crate) diagnostics: &'a mut Diagnostics,
    /// The enumerations of the flat model.
    pub(crate) enumerations: Enumerations,
    layouts: FxHashMap<ClassId, LayoutState>,
    /// How many layouts and types are under construction, each for the sake of another.
    under_construction: usize,
    type_infos: FxHashMap<ClassId, Rc<TypeInfo>>,
    /// The inherited class that a `class extends` continues.
    extended: FxHashMap<ClassId, ClassId>,
    /// Functions as packages that inherit them see them.
    inherited: FxHashMap<(ClassId, ClassId), ClassId>,
    found_outside: FxHashMap<(ClassId, Arc<str>), Option<Written>>,
    /// The definitions whose rules have been checked.
    pub(crate) checked: FxHashSet<*const Class>,
    /// Classes that have to offer what others have, to be checked when all are known.
    pub(crate) promises: Vec<Promise>,
    /// How often names were looked through for one that could be meant.
    looked_through: usize,
}

/// The enumerations met so far.
#[derive(Default)]
pub(crate) struct Enumerations {
    pub(crate) all: IndexVec<EnumerationId, Enumeration>,
    by_class: FxHashMap<ClassId, EnumerationId>,
}

impl<'a> Classes<'a> {
    /// The classes of a library, with nothing known about them yet.
    pub(crate) fn new(library: &'a mut Library, diagnostics: &'a mut Diagnostics) -> Self {
        Classes {
            library,
            diagnostics,
            enumerations: Enumerations::default(),
            layouts: FxHashMap::default(),
            under_construction: 0,
            type_infos: FxHashMap::default(),
            extended: FxHashMap::default(),
            inherited: FxHashMap::default(),
            found_outside: FxHashMap::default(),
            checked: FxHashSet::default(),
            promises: Vec::new(),
            looked_through: 0,
        }
    }

    /// How many layouts and types are under construction.
    pub(crate) fn under_construction(&self) -> usize {
        self.under_construction
    }
}
