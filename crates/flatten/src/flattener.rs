//! The flattener's state and its course: instances, variables, connections, equations, checks.

use std::rc::Rc;
use std::sync::Arc;

use modeshift_dae::{Assertion, EnumerationId, Expressions, FlatModel, FunctionId, IndexVec, VariableId};
use modeshift_diagnostics::{Diagnostic, Diagnostics, Stop};
use modeshift_syntax::ast::{ClassKind, Expression};
use rustc_hash::FxHashMap;

use crate::classes::annotations;
use crate::classes::layout::{LayoutState, TypeInfo};
use crate::classes::library::{ClassId, Library};
use crate::classes::lookup::Found;
use crate::equations::connect::Connections;
use crate::expressions::context::Mode;
use crate::expressions::term::Term;
use crate::failure::Failure;
use crate::instances::instance::{Instance, InstanceId, NewInstance, Primitive, PrimitiveId};
use crate::instances::modification::{Modifier, Scope};
use crate::instances::overrides::Override;

/// What to flatten.
#[derive(Clone, Debug, Default)]
pub struct Request {
    /// The class, `Package.Model`; by default the last model of the given files that is not partial.
    pub model: Option<String>,
    /// Values for parameters and constants: names such as `element[2].R`, and expressions.
    pub overrides: Vec<(String, String)>,
}

/// Makes one scalar, guarded equation system of a model.
///
/// The flat model is returned only if nothing was wrong; all that was wrong is in `diagnostics`.
pub fn flatten(library: &mut Library, request: &Request, diagnostics: &mut Diagnostics) -> Result<FlatModel, Stop> {
    let errors = diagnostics.error_count();
    let overrides = crate::instances::overrides::read(&request.overrides, library, diagnostics);
    let class = model_class(library, request, diagnostics).ok_or(Stop)?;
    let mut flattener = Flattener::new(library, diagnostics, overrides, class);
    flattener.flatten_class(class)?;
    let Flattener { model, has_failed, .. } = flattener;
    if has_failed || diagnostics.error_count() > errors { Err(Stop) } else { Ok(model) }
}

/// The class that is to be flattened.
fn model_class(library: &mut Library, request: &Request, diagnostics: &mut Diagnostics) -> Option<ClassId> {
    let found = match &request.model {
        None => library.default_model(diagnostics),
        Some(name) => library.named_model(name, diagnostics),
    };
    if found.is_none() {
        diagnostics.push(match &request.model {
            None => library.no_model(),
            Some(name) => library.no_class(name),
        });
    }
    found
}

/// Everything that is known while a model is flattened.
pub(crate) struct Flattener<'a> {
    pub(crate) library: &'a mut Library,
    pub(crate) diagnostics: &'a mut Diagnostics,
    pub(crate) model: FlatModel,
    pub(crate) instances: IndexVec<InstanceId, Instance>,
    pub(crate) primitives: IndexVec<PrimitiveId, Primitive>,
    pub(crate) connections: Connections,
    pub(crate) overrides: Vec<Override>,
    /// How many scalars the declared arrays add up to.
    pub(crate) scalars: usize,
    /// The assertions of the algorithm that is being executed.
    pub(crate) algorithm_assertions: Vec<Assertion>,
    /// Whether anything was wrong.
    has_failed: bool,
    /// Whether the model is too large or too deep, so that making more of it is pointless.
    pub(crate) is_exhausted: bool,
    /// How many statements were executed.
    pub(crate) steps: u64,
    /// The variables of a primitive, in the order of numbering, to find a primitive by its variable.
    pub(crate) numbered: Vec<(VariableId, PrimitiveId)>,

    // Memo tables; none of them is ever iterated.
    pub(crate) layouts: FxHashMap<ClassId, LayoutState>,
    pub(crate) layouts_busy: usize,
    pub(crate) type_infos: FxHashMap<ClassId, Rc<TypeInfo>>,
    pub(crate) extended_classes: FxHashMap<ClassId, ClassId>,
    pub(crate) found_outside: FxHashMap<(ClassId, Arc<str>), Option<Found>>,
    pub(crate) static_instances: FxHashMap<ClassId, InstanceId>,
    pub(crate) redeclared_classes: FxHashMap<*const Modifier, (Rc<Modifier>, ClassId)>,
    pub(crate) binding_terms: FxHashMap<(*const Expression, Scope, Mode), (Rc<Expression>, Term)>,
    pub(crate) values: FxHashMap<PrimitiveId, Option<Term>>,
    pub(crate) evaluating: Vec<PrimitiveId>,
    pub(crate) enumerations: FxHashMap<ClassId, EnumerationId>,
    pub(crate) functions: FxHashMap<ClassId, FunctionId>,
    attribute_names: FxHashMap<&'static str, Arc<str>>,
    pub(crate) no_dims: Rc<[usize]>,
}

impl<'a> Flattener<'a> {
    fn new(
        library: &'a mut Library,
        diagnostics: &'a mut Diagnostics,
        overrides: Vec<Override>,
        class: ClassId,
    ) -> Self {
        let name = library.class(class).name.clone();
        Flattener {
            library,
            diagnostics,
            model: FlatModel { expressions: Expressions::new(), ..FlatModel::new(name) },
            instances: IndexVec::new(),
            primitives: IndexVec::new(),
            connections: Connections::default(),
            overrides,
            scalars: 0,
            algorithm_assertions: Vec::new(),
            has_failed: false,
            is_exhausted: false,
            steps: 0,
            numbered: Vec::new(),
            layouts: FxHashMap::default(),
            layouts_busy: 0,
            type_infos: FxHashMap::default(),
            extended_classes: FxHashMap::default(),
            found_outside: FxHashMap::default(),
            static_instances: FxHashMap::default(),
            redeclared_classes: FxHashMap::default(),
            binding_terms: FxHashMap::default(),
            values: FxHashMap::default(),
            evaluating: Vec::new(),
            enumerations: FxHashMap::default(),
            functions: FxHashMap::default(),
            attribute_names: FxHashMap::default(),
            no_dims: Rc::from([]),
        }
    }

    fn flatten_class(&mut self, class: ClassId) -> Result<(), Stop> {
        let definition = self.library.class(class).definition.clone();
        let kind = definition.kind;
        if !matches!(
            kind,
            ClassKind::Model | ClassKind::Block | ClassKind::Class | ClassKind::Connector | ClassKind::Record
        ) {
            let message = format!("`{}` is not a model", definition.name.name);
            self.diagnostics.push(Diagnostic::error("E0208", message).label(definition.name.span, ""));
            return Err(Stop);
        }
        if definition.partial {
            let message = format!(
                "`{}` is partial: something is left to be filled in by models that extend it",
                definition.name.name
            );
            self.diagnostics.push(Diagnostic::error("E0208", message).label(definition.name.span, ""));
            return Err(Stop);
        }
        let root = self.root_instance(class)?;
        self.expand(root);
        if self.is_exhausted {
            return Err(Stop);
        }
        let truth = self.model.expressions.boolean(true);
        self.describe_variables(root, truth);
        self.collect_connections(root);
        self.form_connection_sets(root);
        self.add_equations(root, truth);
        self.settle_discrete_variables();
        self.mark_evaluated();
        self.check_overrides();
        self.model.description = definition.description.as_deref().map(Arc::from);
        self.model.documentation = annotations::documentation(definition.annotation.as_ref());
        self.model.experiment = annotations::experiment(definition.annotation.as_ref());
        Ok(())
    }

    fn root_instance(&mut self, class: ClassId) -> Result<InstanceId, Stop> {
        let made = self.type_info(class).and_then(|info| {
            let environment = self.outside_layers(&info.modifiers).into();
            self.new_instance(NewInstance { environment, ..NewInstance::of(info.class) })
        });
        made.map_err(|failure| {
            self.report(failure);
            Stop
        })
    }

    /// Tells the user what went wrong; the flattener goes on with the next thing.
    pub(crate) fn report(&mut self, failure: Failure) {
        self.has_failed = true;
        if let Some(diagnostic) = failure.into_diagnostic() {
            self.diagnostics.push(*diagnostic);
        }
    }

    /// The shared name of an attribute.
    pub(crate) fn attribute_name(&mut self, name: &'static str) -> Arc<str> {
        self.attribute_names.entry(name).or_insert_with(|| name.into()).clone()
    }
}
