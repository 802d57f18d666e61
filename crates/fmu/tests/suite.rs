//! Models as FMUs.

use std::path::PathBuf;

use modeshift_driver::loaded::Loaded;
use modeshift_driver::{Dialect, Question, Source};
use modeshift_fmu::{Causality, Kind, Resource, Shown, Version, archive, identifier, interface};

fn question(text: &str, path: Option<PathBuf>) -> Question {
    let source = Source { name: "M.mo".into(), path, text: text.into(), dialect: Dialect::Modelica };
    let (overrides, libraries) = (vec![("k".into(), "3".into())], Vec::new());
    Question { source, overrides, libraries, ..Question::default() }
}

fn made(text: &str) -> (Resource, Loaded) {
    Resource::of(&question(text, None), Kind::CoSimulation).unwrap_or_else(|not_made| panic!("{}", not_made.text))
}

const MODEL: &str = "model M \"a <model>\"
  parameter Real k = 1 \"gain & more\";
  input Real u(start = 2, unit = \"V\");
  output Real y;
  Real x(start = 0, fixed = true);
equation
  der(x) = u - x;
  y = if x > 1 then k*x else x;
end M;";

#[test]
fn a_resource_is_loaded_again_from_its_bytes() {
    let (resource, loaded) = made(MODEL);
    let again = Resource::from_bytes(&resource.to_bytes()).expect("its own bytes");
    let other = again.load().unwrap_or_else(|refusal| panic!("{}", refusal.text()));
    assert_eq!(interface(&loaded, None), interface(&other, None));
    assert_eq!(resource.token(), again.token());
    assert!(Resource::from_bytes(&resource.to_bytes()[..40]).is_none());
}

#[test]
fn what_lies_beside_a_model_goes_with_it_and_where_it_was_does_not() {
    let directory = std::env::temp_dir().join(format!("modeshift_fmu_{}", std::process::id()));
    std::fs::create_dir_all(directory.join("P")).expect("a directory");
    std::fs::write(directory.join("P/package.mo"), "package P end P;").expect("a file");
    let part = "within P; model Part parameter Real k = 1; Real x; equation x = k; end Part;";
    std::fs::write(directory.join("P/Part.mo"), part).expect("a file");
    let whole = "within P; model Whole parameter Real k = 1; Part part(k = k); end Whole;";
    let made = Resource::of(&question(whole, Some(directory.join("P/Whole.mo"))), Kind::CoSimulation);
    std::fs::remove_dir_all(&directory).expect("the directory goes");
    let (resource, _) = made.unwrap_or_else(|not_made| panic!("{}", not_made.text));
    let bytes = resource.to_bytes();
    let name = directory.file_name().expect("a name").to_string_lossy().into_owned();
    assert!(!String::from_utf8_lossy(&bytes).contains(&name), "{}", String::from_utf8_lossy(&bytes));
    let again = Resource::from_bytes(&bytes).expect("its own bytes");
    again.load().unwrap_or_else(|refusal| panic!("{}", refusal.text()));
}

#[test]
fn inputs_outputs_and_parameters_are_seen_as_what_they_are() {
    let (_, loaded) = made(MODEL);
    let slots = interface(&loaded, None);
    let of = |name: &str| slots.iter().find(|slot| slot.name == name).unwrap_or_else(|| panic!("no {name}"));
    assert_eq!((of("k").causality, of("k").start), (Causality::Parameter, Some(3.0)));
    assert_eq!((of("u").causality, of("u").start, of("u").unit.as_deref()), (Causality::Input, Some(2.0), Some("V")));
    assert_eq!(of("y").causality, Causality::Output);
    assert_eq!(of("impulse(x)").shown, Shown::Impulse("x".to_string()));
}

#[test]
fn parameters_that_follow_from_others_are_calculated_and_enumerations_are_bounded() {
    let text = "package P type Kind = enumeration(a, b); model M parameter Real k = 1; parameter Real twice = 2*k;
      parameter Kind kind = Kind.a; Real x; equation x = if kind == Kind.a then k else twice; end M; end P;";
    let question = Question { model: Some("P.M".into()), overrides: Vec::new(), ..question(text, None) };
    let made = Resource::of(&question, Kind::CoSimulation);
    let (resource, loaded) = made.unwrap_or_else(|not_made| panic!("{}", not_made.text));
    let slots = interface(&loaded, None);
    let of = |name: &str| slots.iter().find(|slot| slot.name == name).unwrap_or_else(|| panic!("no {name}"));
    assert_eq!((of("k").causality, of("twice").causality), (Causality::Parameter, Causality::CalculatedParameter));
    assert_eq!(
        (of("kind").causality, of("kind").literals, of("kind").start),
        (Causality::Parameter, Some(2), Some(1.0))
    );
    for version in [Version::Two, Version::Three] {
        archive(&resource, &loaded, version, Vec::new()).expect("small");
    }
}

#[test]
fn the_archive_begins_and_ends_as_one() {
    let (resource, loaded) = made(MODEL);
    for version in [Version::Two, Version::Three] {
        let bytes = archive(&resource, &loaded, version, vec![0; 1000]).expect("small");
        assert_eq!(&bytes[..4], b"PK\x03\x04");
        assert_eq!(&bytes[bytes.len() - 22..][..4], b"PK\x05\x06");
    }
    assert_eq!(identifier("A.B.2nd model"), "_2nd_model");
}

#[test]
fn what_others_integrate_is_described_with_its_derivatives_and_indicators() {
    let made = Resource::of(&question(MODEL, None), Kind::Both);
    let (resource, loaded) = made.unwrap_or_else(|not_made| panic!("{}", not_made.text));
    let shape = resource.exchange().expect("a shape");
    let states: Vec<(&str, u32)> = shape.states.iter().map(|it| (&*it.variable, it.order)).collect();
    assert_eq!(states, [("x", 0)]);
    let again = Resource::from_bytes(&resource.to_bytes()).expect("its own bytes");
    assert_eq!((again.exchange(), again.kind()), (resource.exchange(), Kind::Both));
    let slots = interface(&loaded, resource.exchange());
    let rate = slots.iter().find(|slot| slot.name == "der(x)").expect("a derivative");
    assert_eq!(slots[rate.derivative.expect("of a state")].name, "x");
    let indicators = slots.iter().filter(|slot| matches!(slot.shown, Shown::Indicator(_))).count();
    assert_eq!(indicators, shape.indicators);
    // What co-simulation sees has the same numbers.
    let own = interface(&loaded, None);
    assert_eq!(own[..], slots[..own.len()]);
}

#[test]
fn a_model_whose_modes_have_different_states_is_refused_with_the_modes() {
    let text = "model M
  Real x(start = 0, fixed = true);
  Boolean p(start = false, fixed = true);
equation
  p = x >= 1;
  0 = if p then x - 2 else der(x) - 1;
end M;";
    let question = Question { overrides: Vec::new(), ..question(text, None) };
    let refusal = Resource::of(&question, Kind::ModelExchange).err().expect("no states in common").text;
    assert!(refusal.contains("E0847") && refusal.contains("`x`") && refusal.contains("co-simulation"), "{refusal}");
    Resource::of(&question, Kind::CoSimulation).unwrap_or_else(|not_made| panic!("{}", not_made.text));
}
