//! Connectors that are not connected, and references (a ground, a fixed flange) that are missing or too many.

use modeshift_dae::VariableId;
use modeshift_diagnostics::{Diagnostics, Kind, Label, Repair};
use modeshift_report::Analyzed;
use modeshift_report::singular::singular_cases;
use modeshift_syntax::ast::{ClassBody, ClassKind, Equation, EquationKind, Variability};

use super::outline::{Member, Outline, name_of, path_text};

/// How many places are tried for a new reference, and how many partners for a connector.
const MOST_PLACES: usize = 3;

/// References of libraries: the class, its connector, and the package whose elements it goes with.
const REFERENCES: [(&str, &str, &str); 7] = [
    ("Modelica.Electrical.Analog.Basic.Ground", "p", "Modelica.Electrical"),
    ("Modeshift.Electrical.Ground", "p", "Modeshift.Electrical"),
    ("Modelica.Mechanics.Rotational.Components.Fixed", "flange", "Modelica.Mechanics.Rotational"),
    ("Modeshift.Rotational.Fixed", "flange", "Modeshift.Rotational"),
    ("Modelica.Mechanics.Translational.Components.Fixed", "flange", "Modelica.Mechanics.Translational"),
    ("Modeshift.Translational.Fixed", "flange", "Modeshift.Translational"),
    ("Modelica.Thermal.HeatTransfer.Sources.FixedTemperature", "port", "Modelica.Thermal"),
];

/// One connector of a component of the model.
struct Port {
    /// `source.p`
    name: String,
    /// The class of the connector.
    connector: String,
    /// Whether it is neither an input nor an output.
    is_acausal: bool,
}

/// What may be done about connections.
pub(super) fn candidates(outline: &Outline, analyzed: &Analyzed) -> Vec<Repair> {
    let model = &*analyzed.dae.model.name;
    let Some(members) = outline.members(model) else { return Vec::new() };
    let connected = connected(outline, model);
    let mut candidates = joined_ends(outline, model);
    candidates.extend(reference_too_many(outline, model, &members));
    candidates.extend(connector_not_connected(outline, model, &members, &connected));
    candidates
}

/// References that may be missing, for what is not determined. Where equations contradict each other, one more would only hide that: a
/// second ground that shorts a source.
pub(super) fn references(outline: &Outline, analyzed: &Analyzed) -> Vec<Repair> {
    let members = outline.members(&analyzed.dae.model.name);
    members.map(|members| reference_missing(outline, analyzed, &members)).unwrap_or_default()
}

/// Points at the components of the model whose inputs nothing gives a value, before the declarations of these inputs.
pub(super) fn blame_components(outline: &Outline, model: &str, diagnostics: &mut Diagnostics) {
    for diagnostic in diagnostics.iter_mut() {
        let Some(Kind::InputsWithoutValue(inputs)) = diagnostic.kind.clone() else { continue };
        for input in inputs.into_iter().rev() {
            let component = input.split(['.', '[']).next().unwrap_or(&input);
            if let Some(member) = outline.declared(model, component) {
                let label = Label { span: member.component.name.span, text: format!("of this, `{input}`") };
                diagnostic.labels.insert(0, label);
            }
        }
    }
}

/// The names that stand in `connect`, with the places of the equations.
fn connected(outline: &Outline, model: &str) -> Vec<(String, modeshift_diagnostics::Span)> {
    let connects = outline.all_equations(model).into_iter().filter_map(|equation| match &equation.kind {
        EquationKind::Connect(one, other) => Some((equation.span, [name_of(one), name_of(other)])),
        _ => None,
    });
    connects.flat_map(|(span, names)| names.into_iter().flatten().map(move |name| (name, span))).collect()
}

/// The connector of a class that does nothing but give a reference: one connector, one equation, no other unknown.
fn reference_connector(outline: &Outline, class: &str) -> Option<(String, String)> {
    let definition = outline.class(class)?;
    if definition.partial || !matches!(definition.kind, ClassKind::Model | ClassKind::Class) {
        return None;
    }
    let members = outline.members(class)?;
    let mut unknowns = members.iter().filter(|it| it.component.prefix.variability > Variability::Parameter);
    let (only, None) = (unknowns.next()?, unknowns.next()) else { return None };
    let connector = outline.connector(only)?;
    let has_one_equation = outline.equations(class)?.len() == 1;
    has_one_equation.then(|| (only.component.name.name.to_string(), connector))
}

/// Removes a connection of two connectors of one component.
fn joined_ends(outline: &Outline, model: &str) -> Vec<Repair> {
    let repair = |equation: &Equation| {
        let EquationKind::Connect(one, other) = &equation.kind else { return None };
        let (one, other) = (name_of(one)?, name_of(other)?);
        let component = one.split_once('.')?.0;
        let is_one = other.split_once('.').is_some_and(|it| it.0 == component) && one != other;
        let removed = outline.whole_statement(equation.span).filter(|_| is_one)?;
        let title = format!("remove `connect({one}, {other})`: it joins two ends of `{component}`");
        Some(Repair::replace(removed, "", title))
    };
    outline.all_equations(model).into_iter().filter_map(repair).collect()
}

/// Removes one of several references.
fn reference_too_many(outline: &Outline, model: &str, members: &[Member]) -> Vec<Repair> {
    let is_reference = |member: &&Member| {
        let class = outline.resolved(&member.component.type_name, &member.class);
        let names = outline.full_names(&member.component.type_name, &member.class);
        let of_library = REFERENCES.iter().any(|(reference, ..)| names.iter().any(|name| name == reference));
        of_library || class.is_some_and(|class| reference_connector(outline, &class).is_some())
    };
    let references: Vec<&Member> = members.iter().filter(|it| it.class == model).filter(is_reference).collect();
    if references.len() < 2 {
        return Vec::new();
    }
    let removed = |member: &&Member| {
        let name = &member.component.name.name;
        let prefix = format!("{name}.");
        let mut places: Vec<_> =
            connected(outline, model).into_iter().filter(|(it, _)| it.starts_with(&prefix)).map(|it| it.1).collect();
        places.dedup();
        let connects = places.into_iter().map(|span| {
            let span = outline.whole_statement(span)?;
            Some(modeshift_diagnostics::Edit { span, text: String::new() })
        });
        Outline::repair(
            format!("remove `{name}`: there is another"),
            std::iter::once(outline.without_component(member)).chain(connects),
        )
    };
    references.iter().rev().filter_map(removed).collect()
}

/// Connects what is not connected with what fits.
fn connector_not_connected(
    outline: &Outline,
    model: &str,
    members: &[Member],
    connected: &[(String, modeshift_diagnostics::Span)],
) -> Vec<Repair> {
    let ports: Vec<Port> =
        members.iter().filter(|it| it.component.dimensions.is_empty()).flat_map(|it| ports(outline, it)).collect();
    let is_connected = |port: &&Port| connected.iter().any(|(name, _)| *name == port.name);
    let (joined, open): (Vec<&Port>, Vec<&Port>) = ports.iter().partition(is_connected);
    let component = |port: &Port| port.name.split('.').next().unwrap_or_default().to_string();
    let mut candidates = Vec::new();
    for (at, port) in open.iter().enumerate() {
        // Two inputs give each other nothing, and two outputs are not one.
        let fits = |other: &&&Port| {
            other.connector == port.connector && component(other) != component(port) && port.is_acausal
        };
        let partners = open[at + 1..]
            .iter()
            .filter(fits)
            .take(MOST_PLACES)
            .chain(joined.iter().rev().filter(fits).take(MOST_PLACES));
        for partner in partners {
            let equation = format!("connect({}, {})", port.name, partner.name);
            let title = format!("add `{equation}`: `{}` is not connected", port.name);
            candidates.extend(Outline::repair(title, [outline.new_equation(model, &equation)]));
        }
    }
    candidates
}

/// The connectors of a component whose class is in this file.
fn ports(outline: &Outline, member: &Member) -> Vec<Port> {
    let class = outline.resolved(&member.component.type_name, &member.class);
    let Some(inside) = class.and_then(|class| outline.members(&class)) else { return Vec::new() };
    let port = |it: &Member| {
        let name = format!("{}.{}", member.component.name.name, it.component.name.name);
        let connector = outline.connector(it)?;
        let is_acausal = it.component.prefix.causality.is_none() && !is_signal(outline, &connector);
        Some(Port { name, connector, is_acausal })
    };
    inside.iter().filter(|it| !it.element.protected).filter_map(port).collect()
}

/// Whether a connector is a signal: `connector RealInput = input Real`.
fn is_signal(outline: &Outline, connector: &str) -> bool {
    matches!(outline.class(connector).map(|class| &class.body), Some(ClassBody::Short { prefix, .. }) if prefix.causality.is_some())
}

/// Adds a reference where potentials have none.
fn reference_missing(outline: &Outline, analyzed: &Analyzed, members: &[Member]) -> Vec<Repair> {
    let model = &*analyzed.dae.model.name;
    let places = floating_connectors(analyzed, members);
    let mut references: Vec<(String, String)> = Vec::new();
    for (name, _) in outline.classes() {
        if let Some((connector, _)) = reference_connector(outline, name) {
            let seen = outline.imported_as(name, model).unwrap_or_else(|| short_name(name, model));
            references.push((seen, connector));
        }
    }
    let names = |it: &Member| outline.full_names(&it.component.type_name, &it.class);
    let used: Vec<String> = members.iter().flat_map(names).collect();
    let uses = |package: &str| used.iter().any(|name| name.starts_with(package));
    let of_libraries = REFERENCES.iter().filter(|(_, _, package)| uses(package));
    references.extend(of_libraries.map(|(class, connector, _)| {
        let seen = outline.imported_as(class, model).unwrap_or_else(|| class.to_string());
        (seen, connector.to_string())
    }));
    // One that the model has already, by the name that it has there: `Basic.Ground`.
    for member in members {
        let written = path_text(&member.component.type_name);
        let is_meant = |class: &str| class.strip_suffix(&written).is_some_and(|before| before.ends_with('.'));
        if let Some((_, connector, _)) = REFERENCES.iter().find(|(class, ..)| is_meant(class)) {
            references.push((written, connector.to_string()));
        }
    }
    references.dedup();
    let mut candidates = Vec::new();
    for (class, connector) in references {
        let wish = class.rsplit('.').next().unwrap_or(&class).to_lowercase();
        let name = outline.free_name(model, &wish);
        for place in places.iter().take(MOST_PLACES) {
            let connect = format!("connect({place}, {name}.{connector})");
            let title = format!("add a `{class}` at `{place}`");
            let declaration = outline.new_declaration(model, &format!("{class} {name}"));
            candidates.extend(Outline::repair(title, [declaration, outline.new_equation(model, &connect)]));
        }
    }
    candidates
}

/// The name of a class as the model sees it.
fn short_name(class: &str, model: &str) -> String {
    let around = model.rsplit_once('.').map_or("", |(around, _)| around);
    class.strip_prefix(around).and_then(|rest| rest.strip_prefix('.')).unwrap_or(class).to_string()
}

/// Connectors whose potentials are not determined, those that usually are connected to a reference first.
fn floating_connectors(analyzed: &Analyzed, members: &[Member]) -> Vec<String> {
    let Analyzed { dae, analysis, singularities, .. } = analyzed;
    let cases = singular_cases(dae, analysis, singularities);
    let of_cases = cases.iter().flat_map(|(_, case)| case.underdetermined_variables.iter().copied());
    let of_places = singularities.places.iter().flat_map(|place| place.undetermined.iter().map(|(id, _)| *id));
    let mut open: Vec<VariableId> = of_cases.chain(of_places).collect();
    open.sort_unstable();
    open.dedup();
    let connector = |id: &VariableId| {
        let name = &*dae.model.variables[*id].name;
        let (connector, _) = name.rsplit_once('.')?;
        let (component, inside) = connector.split_once('.')?;
        let member = members.iter().find(|it| &*it.component.name.name == component)?;
        let class = path_text(&member.component.type_name).to_lowercase();
        let is_source =
            ["source", "voltage", "torque", "force", "supply", "battery"].iter().any(|it| class.contains(it));
        let is_second = matches!(inside, "n" | "flange_b" | "b");
        (!inside.contains('.')).then(|| (!(is_source && is_second), !is_second, connector.to_string()))
    };
    let mut connectors: Vec<(bool, bool, String)> = open.iter().filter_map(connector).collect();
    connectors.sort_by_key(|it| (it.0, it.1));
    connectors.dedup();
    connectors.into_iter().map(|it| it.2).collect()
}
