//! `docs/library.md`: one entry for each element of the library `Modeshift`, made from its source.

use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;

use expect_test::expect_file;
use modeshift_diagnostics::{Diagnostics, SourceMap, Span};
use modeshift_syntax::ast::{
    ArgumentKind, Causality, Class, ClassBody, ClassKind, Component, Composition, ElementKind, Equation, EquationKind,
    Expression, ExpressionKind, Modification, Variability,
};

const PACKAGES: [&str; 4] = ["Electrical", "Rotational", "Translational", "Fluid"];

/// A file of the library with its classes.
struct Source {
    text: String,
    package: Arc<Class>,
}

impl Source {
    fn read(name: &str) -> Source {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../library/Modeshift/{name}.mo"));
        let text = std::fs::read_to_string(path).expect("a file of the library");
        let (mut sources, mut diagnostics) = (SourceMap::default(), Diagnostics::new());
        let file = sources.add(name.to_string(), text.clone());
        let parsed = modeshift_syntax::parse(file, &text, &mut diagnostics);
        assert!(!diagnostics.has_errors());
        let package = parsed.definition().classes.into_iter().next().expect("a package");
        Source { text, package }
    }

    fn classes(&self) -> Vec<Arc<Class>> {
        let classes = elements(&self.package).map(|element| match element {
            ElementKind::Class(class) => Some(class.clone()),
            _ => None,
        });
        classes.flatten().collect()
    }

    fn at(&self, span: Span) -> String {
        let text = &self.text[span.start as usize..span.end as usize];
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    }
}

fn composition(class: &Class) -> Option<&Composition> {
    match &class.body {
        ClassBody::Long(composition) | ClassBody::Extends(_, composition) => Some(composition),
        _ => None,
    }
}

fn elements(class: &Class) -> impl Iterator<Item = &ElementKind> {
    composition(class).into_iter().flat_map(|it| &it.elements).map(|element| &element.kind)
}

fn components(class: &Class) -> impl Iterator<Item = &Arc<Component>> {
    elements(class).filter_map(|element| match element {
        ElementKind::Component(component) => Some(component),
        _ => None,
    })
}

/// `Documentation(info = "…")`
fn documentation(annotation: Option<&Modification>) -> Option<String> {
    let named = |modification: &Modification, wanted: &str| {
        modification.arguments.iter().find_map(|argument| match &argument.kind {
            ArgumentKind::Modify { name, modification } if &*name.parts[0].name == wanted => modification.clone(),
            _ => None,
        })
    };
    let info = named(&named(annotation?, "Documentation")?, "info")?;
    match info.value?.kind {
        ExpressionKind::String(text) => Some(text.split_whitespace().collect::<Vec<_>>().join(" ")),
        _ => None,
    }
}

/// Calls such as `transition(a, b, c)` among equations, in branches too.
fn calls<'a>(equations: &'a [Equation], found: &mut Vec<(&'a str, &'a [Expression])>) {
    for equation in equations {
        match &equation.kind {
            EquationKind::Call(Expression { kind: ExpressionKind::Call { function, arguments, .. }, .. }) => {
                found.push((&function.parts[0].name.name, arguments));
            }
            EquationKind::If { branches, otherwise } => {
                branches.iter().for_each(|(_, equations)| calls(equations, found));
                calls(otherwise, found);
            }
            _ => {}
        }
    }
}

/// `open -> closed: open.v > 0`, of each transition.
fn transitions(source: &Source, class: &Class) -> Vec<String> {
    let mut found = Vec::new();
    let sections = composition(class).into_iter().flat_map(|it| &it.equations);
    sections.for_each(|section| calls(&section.equations, &mut found));
    let transitions = found.into_iter().filter(|(name, _)| *name == "transition");
    let text = |(_, arguments): (&str, &[Expression])| {
        let [from, to, condition] = [0, 1, 2].map(|at| source.at(arguments[at].span));
        format!("`{from}` to `{to}` where `{condition}`")
    };
    transitions.map(text).collect()
}

fn type_name(component: &Component) -> &str {
    component.type_name.parts.last().map_or("", |part| &part.name)
}

/// Parameters and inputs, with the value they have by default.
fn settings(source: &Source, class: &Class) -> Vec<String> {
    let is_setting = |component: &&Arc<Component>| {
        component.prefix.variability == Variability::Parameter || component.prefix.causality == Some(Causality::Input)
    };
    let line = |component: &Arc<Component>| {
        let value = component.modification.as_ref().and_then(|it| it.value.as_ref());
        let value = value.map_or(String::new(), |value| format!(" = {}", source.at(value.span)));
        let kind = if component.prefix.causality == Some(Causality::Input) { "input" } else { "parameter" };
        let description = component.description.as_ref().map_or(String::new(), |text| format!(", {text}"));
        format!("`{}{value}`: {kind}{description}", component.name.name)
    };
    components(class).filter(is_setting).map(line).collect()
}

/// The first examples that have such a component.
fn examples(examples: &[Arc<Class>], package: &str, name: &str) -> Vec<String> {
    let uses = |component: &Arc<Component>| {
        let parts: Vec<&str> = component.type_name.parts.iter().map(|part| &*part.name).collect();
        match parts.as_slice() {
            // The examples import all of Electrical.
            [class] => package == "Electrical" && *class == name,
            [.., of, class] => *of == package && *class == name,
            [] => false,
        }
    };
    let using = examples.iter().filter(|example| components(example).any(uses)).take(3);
    using.map(|example| format!("`Modeshift.Examples.{}`", example.name.name)).collect()
}

fn entry(page: &mut String, source: &Source, class: &Class, package: &str, all_examples: &[Arc<Class>]) {
    let name = &class.name.name;
    let description = class.description.as_deref().unwrap_or_default();
    let _ = write!(page, "\n### {name}\n\n{description}.");
    if let Some(text) = documentation(class.annotation.as_ref()) {
        let _ = write!(page, " {text}");
    }
    page.push('\n');
    let settings = settings(source, class);
    let transitions = transitions(source, class);
    let states: Vec<String> = match transitions.is_empty() {
        true => Vec::new(),
        false => transitions.iter().map(|line| format!("From {line}.")).collect(),
    };
    let examples = examples(all_examples, package, name);
    let examples = if examples.is_empty() { Vec::new() } else { vec![format!("Example: {}.", examples.join(", "))] };
    let lines: Vec<String> = settings.into_iter().chain(states).chain(examples).collect();
    if !lines.is_empty() {
        page.push('\n');
    }
    lines.iter().for_each(|line| {
        let _ = writeln!(page, "- {line}");
    });
}

#[test]
fn the_page_about_the_library_is_made_from_its_source() {
    let all_examples = Source::read("Examples").classes();
    let mut page = String::from(
        "# The library `Modeshift`\n\n\
         Part of the program: no file has to be found. Made from `library/Modeshift` by a test (`UPDATE_EXPECT=1 cargo test`).\n\
         Elements whose equations change are state machines of components; which transition leads where is listed.\n",
    );
    for package in PACKAGES {
        let source = Source::read(package);
        let _ = write!(page, "\n## {package}\n");
        for class in source.classes() {
            if !class.partial && class.kind == ClassKind::Model {
                entry(&mut page, &source, &class, package, &all_examples);
            }
        }
    }
    let _ = write!(page, "\n## Examples\n\n| model | what it shows |\n|---|---|\n");
    for example in &all_examples {
        let _ = writeln!(page, "| `{}` | {} |", example.name.name, example.description.as_deref().unwrap_or_default());
    }
    expect_file!["../../../docs/library.md"].assert_eq(&page);
}

#[test]
fn every_element_has_a_description_and_an_example() {
    let all_examples = Source::read("Examples").classes();
    let mut without = Vec::new();
    for package in PACKAGES {
        let classes = Source::read(package).classes();
        for class in classes.iter().filter(|class| !class.partial && class.kind == ClassKind::Model) {
            let name = &class.name.name;
            assert!(class.description.is_some(), "{package}.{name}");
            // What serves as a state is shown by the elements it is a state of.
            let is_state = classes.iter().any(|other| components(other).any(|it| type_name(it) == &**name));
            if !is_state && examples(&all_examples, package, name).is_empty() {
                without.push(format!("{package}.{name}"));
            }
        }
    }
    assert_eq!(without, Vec::<String>::new());
}
