//! The FMU as a whole: description, model, and the engine for this platform.

use modeshift_driver::loaded::Loaded;

use crate::description::description;
use crate::interface::interface;
use crate::resource::{RESOURCE, Resource};
use crate::zip::zip;

/// The versions of FMI.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Version {
    /// 2.0
    Two,
    /// 3.0
    Three,
}

/// Who integrates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The FMU itself.
    CoSimulation,
    /// Its importer.
    ModelExchange,
    /// Either.
    Both,
}

impl Kind {
    /// Whether the FMU can.
    pub fn has_co_simulation(self) -> bool {
        self != Kind::ModelExchange
    }

    /// Whether its importer can.
    pub fn has_model_exchange(self) -> bool {
        self != Kind::CoSimulation
    }
}

/// The name of a model as one that C allows.
pub fn identifier(model: &str) -> String {
    let last = model.rsplit('.').next().unwrap_or(model);
    let usable = |letter: char| if letter.is_ascii_alphanumeric() { letter } else { '_' };
    let name: String = last.chars().map(usable).collect();
    if name.starts_with(|letter: char| letter.is_ascii_digit()) || name.is_empty() { format!("_{name}") } else { name }
}

/// The directory of binaries for the platform that this program was built for, and how libraries end there.
fn platform(version: Version) -> (String, &'static str) {
    let (system, ending) = match std::env::consts::OS {
        "macos" => ("darwin", "dylib"),
        "windows" => ("windows", "dll"),
        other => (other, "so"),
    };
    let is_wide = cfg!(target_pointer_width = "64");
    let old = match system {
        "windows" => "win",
        system => system,
    };
    let directory = match version {
        Version::Two => format!("{old}{}", if is_wide { 64 } else { 32 }),
        Version::Three => format!("{}-{system}", std::env::consts::ARCH),
    };
    (directory, ending)
}

/// The archive: the description, the model, and the library of the engine. Nothing where it would be too large.
pub fn archive(resource: &Resource, loaded: &Loaded, version: Version, library: Vec<u8>) -> Option<Vec<u8>> {
    let slots = interface(loaded, resource.exchange());
    let name = identifier(&loaded.model().name);
    let text = description(loaded, &slots, version, resource.kind(), (&name, &resource.token()));
    let (directory, ending) = platform(version);
    zip(&[
        ("modelDescription.xml".to_string(), text.into_bytes()),
        (format!("resources/{RESOURCE}"), resource.to_bytes()),
        (format!("binaries/{directory}/{name}.{ending}"), library),
    ])
}
