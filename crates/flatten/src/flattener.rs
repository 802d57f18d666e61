//! The flattener's state and its course: instances, machines, variables, connections, equations, checks.

use std::sync::Arc;

use modeshift_dae::FlatModel;
use modeshift_diagnostics::{Code, Diagnostic, Diagnostics, Stop};
use modeshift_syntax::ast::ClassKind;

use crate::classes::library::{ClassId, Library};
use crate::classes::{Classes, annotations};
use crate::equations::connect::Connections;
use crate::equations::surroundings::{Joined, Surroundings};
use crate::expressions::evaluate::Values;
use crate::expressions::statements::Execution;
use crate::failure::Failure;
use crate::instances::overrides::Override;
use crate::instances::tree::{InstanceId, Instances, NewInstance, outside_layers};
use crate::machines::Machines;

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
    flatten_within(library, request, Surroundings::Nothing, diagnostics).map(|(model, _)| model)
}

/// The same of a component by itself, as others will use it: its connectors are joined to something, and named.
pub fn flatten_component(
    library: &mut Library,
    request: &Request,
    surroundings: Surroundings,
    diagnostics: &mut Diagnostics,
) -> Result<(FlatModel, Vec<Joined>), Stop> {
    flatten_within(library, request, surroundings, diagnostics)
}

fn flatten_within(
    library: &mut Library,
    request: &Request,
    surroundings: Surroundings,
    diagnostics: &mut Diagnostics,
) -> Result<(FlatModel, Vec<Joined>), Stop> {
    let errors = diagnostics.error_count();
    let overrides = crate::instances::overrides::read(&request.overrides, library, diagnostics);
    let class = model_class(library, request, diagnostics).ok_or(Stop)?;
    let mut flattener = Flattener::new(Classes::new(library, diagnostics), overrides, class);
    flattener.connections.surroundings = surroundings;
    let joined = flattener.flatten_class(class)?;
    let Flattener { classes, mut model, has_failed, .. } = flattener;
    model.enumerations = classes.enumerations.all;
    if has_failed && diagnostics.error_count() == errors {
        let place = library.class(class).definition.name.span;
        let message = "unsupported construct: something in this model that is not told apart from others";
        diagnostics.push(Diagnostic::error(Code::E0290, message).label(place, "in this model, or in what it contains"));
    }
    if has_failed || diagnostics.error_count() > errors { Err(Stop) } else { Ok((model, joined)) }
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

/// Everything that is known while a model is flattened, by what it is for. What is wanted may be known only with
/// the help of any other part: the size of an array may be the value of a parameter of a class that a modifier
/// redeclares. So whatever translates expressions or makes instances takes the whole; the rest takes one part.
pub(crate) struct Flattener<'a> {
    /// What is written: classes, what they inherit, which class a name means.
    pub(crate) classes: Classes<'a>,
    /// What there is: components and their variables.
    pub(crate) instances: Instances,
    /// Values known at translation.
    pub(crate) values: Values,
    /// Functions and algorithms that were executed.
    pub(crate) execution: Execution,
    /// What is connected with what.
    pub(crate) connections: Connections,
    /// State machines.
    pub(crate) machines: Machines,
    /// Values from outside.
    pub(crate) overrides: Vec<Override>,
    /// What comes out.
    pub(crate) model: FlatModel,
    /// Whether anything was wrong.
    has_failed: bool,
    /// Whether the model is too large or too deep, so that making more of it is pointless.
    pub(crate) is_exhausted: bool,
}

impl<'a> Flattener<'a> {
    fn new(classes: Classes<'a>, overrides: Vec<Override>, class: ClassId) -> Self {
        let name = classes.library.class(class).name.clone();
        Flattener {
            classes,
            instances: Instances::default(),
            values: Values::default(),
            execution: Execution::default(),
            connections: Connections::default(),
            machines: Machines::default(),
            overrides,
            model: FlatModel::new(name),
            has_failed: false,
            is_exhausted: false,
        }
    }

    /// The connectors of its own that were joined to surroundings come back.
    fn flatten_class(&mut self, class: ClassId) -> Result<Vec<Joined>, Stop> {
        let definition = self.classes.library.class(class).definition.clone();
        let kind = definition.kind;
        if !matches!(
            kind,
            ClassKind::Model | ClassKind::Block | ClassKind::Class | ClassKind::Connector | ClassKind::Record
        ) {
            let message = format!("`{}` is not a model", definition.name.name);
            self.say(Diagnostic::error(Code::E0208, message).label(definition.name.span, ""));
            return Err(Stop);
        }
        if definition.partial {
            let message = format!(
                "`{}` is partial: something is left to be filled in by models that extend it",
                definition.name.name
            );
            self.say(Diagnostic::error(Code::E0208, message).label(definition.name.span, ""));
            return Err(Stop);
        }
        let root = self.root_instance(class)?;
        self.expand(root);
        if self.is_exhausted {
            return Err(Stop);
        }
        self.find_machines(root);
        let truth = self.model.expressions.boolean(true);
        self.describe_variables(root, truth);
        self.collect_connections(root);
        self.form_connection_sets(root);
        self.add_equations(root, truth);
        let joined = self.join_surroundings(root, truth);
        self.define_machines();
        self.leave_out_unused_elements();
        self.settle_discrete_variables();
        self.mark_evaluated();
        self.check_overrides();
        self.model.description = definition.description.as_deref().map(Arc::from);
        self.model.documentation = annotations::documentation(definition.annotation.as_ref());
        self.model.experiment = annotations::experiment(definition.annotation.as_ref());
        Ok(joined)
    }

    fn root_instance(&mut self, class: ClassId) -> Result<InstanceId, Stop> {
        let made = self.classes.type_info(class).and_then(|info| {
            let environment = outside_layers(&info.modifiers).into();
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
            self.say(*diagnostic);
        }
    }

    /// Tells the user something.
    pub(crate) fn say(&mut self, diagnostic: Diagnostic) {
        self.classes.diagnostics.push(diagnostic);
    }
}
