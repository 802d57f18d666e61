//! Flattens a file and prints counts and equations: a tool for looking at what was understood.
use modeshift_dae::ExpressionText;
use modeshift_diagnostics::Diagnostics;
use modeshift_flatten::{Disk, Library, Request, flatten};
use std::path::Path;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let quiet = arguments.iter().any(|a| a == "-q");
    let arguments: Vec<String> = arguments.into_iter().filter(|a| a != "-q").collect();
    let directories = std::env::var_os("MODELICAPATH").map(|p| std::env::split_paths(&p).collect()).unwrap_or_default();
    let mut library = Library::new(Disk, directories);
    let mut diagnostics = Diagnostics::new();
    let mut request = Request::default();
    for argument in &arguments {
        if let Some((name, value)) = argument.split_once('=') {
            request.overrides.push((name.into(), value.into()));
        } else if argument.ends_with(".mo") {
            library.add_file(Path::new(argument), &mut diagnostics);
        } else {
            request.model = Some(argument.clone());
        }
    }
    let start = std::time::Instant::now();
    let result = flatten(&mut library, &request, &mut diagnostics);
    eprintln!("{:?}", start.elapsed());
    for d in diagnostics.iter() {
        if d.severity == modeshift_diagnostics::Severity::Error || !quiet {
            let place =
                d.labels.first().and_then(|l| library.sources().place(l.span)).map(|(f, lc)| format!("{f}:{lc}"));
            eprintln!(
                "{} {}: {} {:?} {:?} {:?}",
                d.code,
                place.unwrap_or_default(),
                d.message,
                d.labels
                    .iter()
                    .skip(1)
                    .map(|l| library.sources().place(l.span).map(|(f, lc)| format!("{f}:{lc} {}", l.text)))
                    .collect::<Vec<_>>(),
                d.notes,
                d.help
            );
        }
    }
    let Ok(model) = result else { std::process::exit(1) };
    let text = |id| ExpressionText { model: &model, modes: None, expression: id }.to_string();
    let unknowns = model.variables.iter().filter(|v| v.is_unknown()).count();
    eprintln!(
        "{} variables, {} unknowns, {} equations, {} whens, {} initial, {} expressions",
        model.variables.len(),
        unknowns,
        model.equations.len(),
        model.when_clauses.len(),
        model.initial_equations.len(),
        model.expressions.len()
    );
    if quiet {
        return;
    }
    for v in model.variables.iter() {
        println!(
            "{:?} {:?} {} {} start={:?} fixed={:?} binding={:?} unit={:?}",
            v.variability,
            v.ty,
            v.name,
            text(v.guard),
            v.start.map(text),
            v.fixed,
            v.binding.map(text),
            v.unit
        );
    }
    for e in model.equations.iter() {
        println!("[{}] {}: {} = {}", text(e.guard), e.name, text(e.left), text(e.right));
    }
    for e in &model.initial_equations {
        println!("initial [{}] {} = {}", text(e.guard), text(e.left), text(e.right));
    }
    for w in &model.when_clauses {
        for b in &w.branches {
            println!("when {:?}: {:?}", b.conditions.iter().map(|&c| text(c)).collect::<Vec<_>>(), b.actions);
        }
    }
}
