//! The tree of instances as data: components, variable declarations, and what can be said of them by looking.

use std::ops::{Index, IndexMut};
use std::rc::Rc;
use std::sync::Arc;

use modeshift_dae::{Id, IndexVec, Type, VariableId};
use modeshift_syntax::ast::TypePrefix;
use rustc_hash::FxHashMap;

use crate::classes::layout::{Layout, Member, TypeInfo, WrittenModifier};
use crate::classes::library::ClassId;
use crate::classes::lookup::ClassReference;
use crate::instances::modification::{Layer, Modifier, Scope};

/// A component of class type, or a class that is looked into for its constants.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct InstanceId(u32);

impl Id for InstanceId {
    fn from_index(index: usize) -> Self {
        InstanceId(u32::try_from(index).expect("fewer than 2^32 instances"))
    }
    fn index(self) -> usize {
        self.0 as usize
    }
}

/// A component of predefined or enumeration type, scalar or array.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct PrimitiveId(u32);

impl Id for PrimitiveId {
    fn from_index(index: usize) -> Self {
        PrimitiveId(u32::try_from(index).expect("fewer than 2^32 components"))
    }
    fn index(self) -> usize {
        self.0 as usize
    }
}

/// What an element of an instance turned out to be.
#[derive(Clone, Debug)]
pub(crate) enum Slot {
    /// Not asked for yet.
    Pending,
    /// Being made; asking for it again is a cycle.
    Busy,
    /// Its condition is false.
    Absent,
    /// An error about it has been reported.
    Failed,
    /// A class.
    Class(ClassReference),
    /// A variable or an array of variables.
    Primitive(PrimitiveId),
    /// A component.
    Component(InstanceId),
    /// An array of components.
    Components(Rc<Components>),
    /// An `outer` element: the `inner` one it stands for.
    Outer(InstanceId, u32),
}

/// An array of components.
#[derive(Debug)]
pub(crate) struct Components {
    pub(crate) dims: Vec<usize>,
    pub(crate) instances: Vec<InstanceId>,
}

/// One component.
#[derive(Debug)]
pub(crate) struct Instance {
    pub(crate) class: ClassId,
    /// The instance in which its class was written, for classes inside models.
    pub(crate) context: Option<InstanceId>,
    pub(crate) parent: Option<InstanceId>,
    /// Its position in the parent.
    pub(crate) position: u32,
    /// Its index in an array of components, from 0.
    pub(crate) element: Option<Rc<[usize]>>,
    pub(crate) layout: Rc<Layout>,
    /// The modifiers of its elements, outermost first.
    pub(crate) environment: Rc<[Layer]>,
    pub(crate) slots: Vec<Slot>,
    /// Prefixes that its elements inherit.
    pub(crate) prefix: TypePrefix,
    /// Whether a class that is only looked into: its constants are values, not variables.
    pub(crate) is_static: bool,
    pub(crate) is_connector: bool,
    pub(crate) protected: bool,
    pub(crate) depth: u32,
}

/// One variable declaration.
#[derive(Debug)]
pub(crate) struct Primitive {
    pub(crate) instance: InstanceId,
    pub(crate) position: u32,
    pub(crate) ty: Type,
    pub(crate) prefix: TypePrefix,
    pub(crate) dims: Rc<[usize]>,
    /// The type it was declared with, where that has modifiers.
    pub(crate) info: Option<Rc<TypeInfo>>,
    /// The first of its scalars, once numbered.
    pub(crate) first: Option<VariableId>,
    /// Whether it is a connector by itself or part of one.
    pub(crate) is_connector: bool,
    /// Whether its value was needed at translation.
    pub(crate) evaluated: bool,
}

/// What a new instance is made of.
pub(crate) struct NewInstance {
    pub(crate) class: ClassId,
    pub(crate) context: Option<InstanceId>,
    pub(crate) parent: Option<InstanceId>,
    pub(crate) position: u32,
    pub(crate) element: Option<Rc<[usize]>>,
    pub(crate) environment: Rc<[Layer]>,
    pub(crate) prefix: TypePrefix,
    pub(crate) is_static: bool,
    pub(crate) is_connector: bool,
    pub(crate) protected: bool,
}

impl NewInstance {
    /// An unmodified instance without a parent.
    pub(crate) fn of(class: ClassId) -> Self {
        NewInstance {
            class,
            context: None,
            parent: None,
            position: 0,
            element: None,
            environment: Rc::from([]),
            prefix: TypePrefix::default(),
            is_static: false,
            is_connector: false,
            protected: false,
        }
    }
}

/// All instances and variable declarations made so far.
pub(crate) struct Instances {
    pub(crate) all: IndexVec<InstanceId, Instance>,
    pub(crate) primitives: IndexVec<PrimitiveId, Primitive>,
    /// The first scalars of variable declarations, in the order of numbering, to find a declaration by its scalar.
    pub(crate) numbered: Vec<(VariableId, PrimitiveId)>,
    /// The instances of classes that are only looked into.
    pub(crate) statics: FxHashMap<ClassId, InstanceId>,
    /// The classes that stand in modifiers, by modifier, which is kept so that its address stays its own.
    pub(crate) redeclared: FxHashMap<*const Modifier, (Rc<Modifier>, ClassId)>,
    /// How many scalars the declared arrays add up to.
    pub(crate) scalars: usize,
    /// The dimensions of all scalars, shared.
    pub(crate) no_dims: Rc<[usize]>,
}

impl Default for Instances {
    fn default() -> Self {
        Instances {
            all: IndexVec::new(),
            primitives: IndexVec::new(),
            numbered: Vec::new(),
            statics: FxHashMap::default(),
            redeclared: FxHashMap::default(),
            scalars: 0,
            no_dims: Rc::from([]),
        }
    }
}

impl Index<InstanceId> for Instances {
    type Output = Instance;
    fn index(&self, id: InstanceId) -> &Instance {
        &self.all[id]
    }
}

impl IndexMut<InstanceId> for Instances {
    fn index_mut(&mut self, id: InstanceId) -> &mut Instance {
        &mut self.all[id]
    }
}

impl Index<PrimitiveId> for Instances {
    type Output = Primitive;
    fn index(&self, id: PrimitiveId) -> &Primitive {
        &self.primitives[id]
    }
}

impl IndexMut<PrimitiveId> for Instances {
    fn index_mut(&mut self, id: PrimitiveId) -> &mut Primitive {
        &mut self.primitives[id]
    }
}

impl Instances {
    /// The member at a position of an instance.
    pub(crate) fn member(&self, instance: InstanceId, position: u32) -> &Member {
        &self[instance].layout.members[position as usize]
    }

    /// The modifiers of an aliased class where they were written.
    pub(crate) fn class_layers(&self, modifiers: &[WrittenModifier], context: Option<InstanceId>) -> Vec<Layer> {
        let layers = modifiers.iter().map(|(modifier, lexical)| {
            let instance = context.filter(|&context| self[context].layout.classes.contains(&lexical.class));
            Layer::new(modifier.clone(), Scope { instance, class: lexical.class })
        });
        layers.collect()
    }

    /// The modifiers of a member written in its class or in `extends` clauses.
    pub(crate) fn member_layers(
        &self,
        instance: InstanceId,
        modifiers: &[WrittenModifier],
    ) -> impl Iterator<Item = Layer> {
        modifiers.iter().map(move |(modifier, lexical)| {
            let instance = (!lexical.around).then_some(instance);
            Layer::new(modifier.clone(), Scope { instance, class: lexical.class })
        })
    }

    /// The full name of an instance, empty for the model itself.
    pub(crate) fn instance_name(&self, instance: InstanceId) -> String {
        let mut chain = Vec::new();
        let mut at = instance;
        while let Some(parent) = self[at].parent {
            let name = &self.member(parent, self[at].position).name;
            let index = self[at].element.as_deref().map_or(String::new(), index_text);
            chain.push(format!("{name}{index}"));
            at = parent;
        }
        chain.reverse();
        chain.join(".")
    }

    /// The name of an element of an instance.
    pub(crate) fn element_name(&self, instance: InstanceId, position: u32) -> Arc<str> {
        let prefix = self.instance_name(instance);
        let name = &self.member(instance, position).name;
        if prefix.is_empty() { name.clone() } else { format!("{prefix}.{name}").into() }
    }
    /// Whether an instance is the model itself.
    pub(crate) fn is_root(&self, instance: InstanceId) -> bool {
        self[instance].parent.is_none() && !self[instance].is_static
    }

    /// Whether what is declared in an instance is the model's own: in itself, or in a connector of its own.
    pub(crate) fn is_of_model(&self, instance: InstanceId) -> bool {
        let mut at = instance;
        while let (true, Some(parent)) = (self[at].is_connector, self[at].parent) {
            at = parent;
        }
        self.is_root(at)
    }

    /// The first scalar of a variable.
    pub(crate) fn first_variable(&self, id: PrimitiveId) -> VariableId {
        self[id].first.expect("variables are numbered before they are described")
    }

    /// The nearest enclosing `inner` element of the same name (Modelica 3.6, 5.4).
    pub(crate) fn outer_slot(&self, instance: InstanceId, member: &Member) -> Option<Slot> {
        let mut at = self[instance].parent;
        while let Some(id) = at {
            if let Some(&position) = self[id].layout.index.get(&member.name)
                && self.member(id, position).inner
            {
                return Some(Slot::Outer(id, position));
            }
            at = self[id].parent;
        }
        None
    }

    /// The instance that contains this one and is contained in none.
    pub(crate) fn root_of(&self, instance: InstanceId) -> InstanceId {
        let mut at = instance;
        while let Some(parent) = self[at].parent {
            at = parent;
        }
        at
    }

    /// Adds an element to one instance, not to its class; its position.
    pub(crate) fn add_member(&mut self, instance: InstanceId, member: Member) -> u32 {
        let changed = &mut self[instance];
        let position = changed.layout.members.len() as u32;
        let mut layout = (*changed.layout).clone();
        layout.index.insert(member.name.clone(), position);
        layout.members.push(member);
        changed.layout = Rc::new(layout);
        changed.slots.push(Slot::Pending);
        position
    }
}

/// The modifiers of an aliased type, written around it.
pub(crate) fn outside_layers(modifiers: &[WrittenModifier]) -> Vec<Layer> {
    let layers = modifiers
        .iter()
        .map(|(modifier, lexical)| Layer::new(modifier.clone(), Scope { instance: None, class: lexical.class }));
    layers.collect()
}

/// `[1,2]`, from indices that start at 0.
pub(crate) fn index_text(index: &[usize]) -> String {
    let numbers: Vec<String> = index.iter().map(|number| (number + 1).to_string()).collect();
    format!("[{}]", numbers.join(","))
}
