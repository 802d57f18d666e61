//! What tests and benches of several crates share; no crate depends on it outside of them.
//!
//! From a text to its multimode system in one call, for models that need no libraries.

use modeshift_dae::MultimodeDae;
use modeshift_diagnostics::Diagnostics;
use modeshift_elaborate::elaborate;
use modeshift_flatten::{Library, Memory, Request, flatten, flatten_mel};
use modeshift_syntax::parse_mel;

/// No values for parameters beside those of the text.
pub const NO_OVERRIDES: [(&str, &str); 0] = [];

/// The multimode system of the last model of a Modelica text, with values for parameters; all that is wrong otherwise.
pub fn multimode_dae<Name: AsRef<str>, Value: AsRef<str>>(
    text: &str,
    overrides: &[(Name, Value)],
) -> Result<MultimodeDae, Diagnostics> {
    let mut diagnostics = Diagnostics::new();
    let mut library = Library::new(Memory::new(), Vec::new());
    library.add_text("text.mo", text, &mut diagnostics);
    let request = Request { model: None, overrides: owned(overrides) };
    let flat = flatten(&mut library, &request, &mut diagnostics);
    let dae = flat.and_then(|flat| elaborate(flat, &mut diagnostics));
    dae.ok().filter(|_| !diagnostics.has_errors()).ok_or(diagnostics)
}

/// The same of a MEL program, which gets this name.
pub fn multimode_dae_of_mel<Name: AsRef<str>, Value: AsRef<str>>(
    name: &str,
    text: &str,
    overrides: &[(Name, Value)],
) -> Result<MultimodeDae, Diagnostics> {
    let mut diagnostics = Diagnostics::new();
    let mut library = Library::new(Memory::new(), Vec::new());
    let file = library.sources_mut().add("text.mel", text);
    let program = parse_mel(file, text, &mut diagnostics);
    let flat = flatten_mel(name, &program, &owned(overrides), &mut diagnostics);
    let dae = flat.and_then(|flat| elaborate(flat, &mut diagnostics));
    dae.ok().filter(|_| !diagnostics.has_errors()).ok_or(diagnostics)
}

fn owned<Name: AsRef<str>, Value: AsRef<str>>(overrides: &[(Name, Value)]) -> Vec<(String, String)> {
    overrides.iter().map(|(name, value)| (name.as_ref().to_string(), value.as_ref().to_string())).collect()
}
