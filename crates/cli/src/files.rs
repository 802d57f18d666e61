//! Reading what the user names and writing what the user asked for.

use std::io::{self, ErrorKind, Read, Write};
use std::path::Path;

use modeshift_driver::{Dialect, Source};

/// The text of a file, or of standard input for `-`, or one line that says why it cannot be had.
pub fn read_source(path: &Path) -> Result<Source, String> {
    if path == Path::new("-") {
        let bytes = read_standard_input().map_err(|error| format!("cannot read standard input: {error}"))?;
        return source("<stdin>".to_string(), bytes, Dialect::Modelica);
    }
    let name = path.display().to_string();
    if path.is_dir() {
        return Err(format!(
            "`{name}` is a directory; name a file in it, such as its `package.mo`, or give the directory above with \
             -L and the class with -m"
        ));
    }
    let bytes = std::fs::read(path).map_err(|error| format!("cannot read `{name}`: {}", reason(&error)))?;
    let is_mel = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("mel"));
    source(name, bytes, if is_mel { Dialect::Mel } else { Dialect::Modelica })
}

fn read_standard_input() -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    io::stdin().lock().read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Decodes UTF-8, without the byte order mark that some editors write.
fn source(name: String, bytes: Vec<u8>, dialect: Dialect) -> Result<Source, String> {
    if bytes.len() > u32::MAX as usize {
        return Err(format!("`{name}` has {} bytes; files of 4 GiB and more are not supported", bytes.len()));
    }
    match String::from_utf8(bytes) {
        Ok(text) => {
            let text = text.strip_prefix('\u{feff}').map(str::to_string).unwrap_or(text);
            Ok(Source { name, text, dialect })
        }
        Err(error) => {
            let at = error.utf8_error().valid_up_to();
            let line = error.as_bytes()[..at].iter().filter(|byte| **byte == b'\n').count() + 1;
            Err(format!("`{name}` is not UTF-8 text (line {line}, byte {at})"))
        }
    }
}

/// Writes a result to a file or to standard output. Whoever stops reading (`| head`) has seen enough: no error.
pub fn write_result(output: Option<&Path>, text: &str) -> Result<(), String> {
    match output {
        Some(path) => {
            let name = path.display();
            std::fs::write(path, text).map_err(|error| format!("cannot write `{name}`: {}", reason(&error)))
        }
        None => {
            let mut stdout = io::stdout().lock();
            match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
                Err(error) if error.kind() != ErrorKind::BrokenPipe => {
                    Err(format!("cannot write to standard output: {}", reason(&error)))
                }
                _ => Ok(()),
            }
        }
    }
}

/// Prints to standard error, where there is one.
pub fn say(text: &str) {
    let _ = io::stderr().lock().write_all(text.as_bytes());
}

/// The reason without the number that only programmers need.
pub fn reason(error: &io::Error) -> String {
    let text = error.to_string();
    match text.find(" (os error") {
        Some(at) => text[..at].to_lowercase(),
        None => text,
    }
}
