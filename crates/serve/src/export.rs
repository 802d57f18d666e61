//! The page as a static directory: its files, models, and the engine as WebAssembly in the place of the server.

use std::io;
use std::path::Path;

use serde_json::json;

use crate::access::Root;
use crate::assets;
use crate::routes::MOST_FILES;

/// What every engine that fits this page says in one of its sections.
const INTERFACE: &str = concat!("modeshift page ", env!("CARGO_PKG_VERSION"), ";");

/// What a directory has that was written here.
const LIST: &str = "models.json";

/// Why there is no static directory.
#[derive(Debug)]
pub enum ExportError {
    /// The directory has files that are not ours.
    NotEmpty,
    /// This is no engine, or that of another version.
    OtherEngine,
    /// Something cannot be read or written.
    Failed(String, io::Error),
}

/// Writes the page to a directory, which is empty, new or an earlier one.
pub fn export(directory: &Path, root: Option<&Root>, engine: &[u8]) -> Result<(), ExportError> {
    let is_module = engine.starts_with(b"\0asm");
    if !is_module || !engine.windows(INTERFACE.len()).any(|it| it == INTERFACE.as_bytes()) {
        return Err(ExportError::OtherEngine);
    }
    let is_empty = std::fs::read_dir(directory).is_ok_and(|mut entries| entries.next().is_none());
    if directory.exists() && !is_empty && !directory.join(LIST).is_file() {
        return Err(ExportError::NotEmpty);
    }
    for (name, text) in assets::files() {
        // Without a server, the engine answers.
        let name = match name {
            "backend.js" => continue,
            "alone.js" => "backend.js",
            other => other,
        };
        write(directory, name, text.as_bytes())?;
    }
    write(directory, "modeshift.wasm", engine)?;
    let examples: Vec<&str> = assets::examples().collect();
    for name in &examples {
        write(directory, &format!("examples/{name}"), assets::example(name).unwrap_or_default().as_bytes())?;
    }
    // Of a file its neighbours are nobody's business.
    let files =
        root.map_or_else(Vec::new, |root| root.open.clone().map_or_else(|| root.files(MOST_FILES), |it| vec![it]));
    for name in &files {
        let path = root.and_then(|root| root.file(name)).ok_or(io::ErrorKind::NotFound.into());
        let text = path.and_then(std::fs::read).map_err(|error| ExportError::Failed(name.clone(), error))?;
        write(directory, &format!("models/{name}"), &text)?;
    }
    let open = root.and_then(|root| root.open.as_deref());
    let list = json!({"open": open, "files": files, "examples": examples, "version": env!("CARGO_PKG_VERSION")});
    write(directory, LIST, list.to_string().as_bytes())
}

fn write(directory: &Path, name: &str, bytes: &[u8]) -> Result<(), ExportError> {
    let path = directory.join(name);
    let around = path.parent().unwrap_or(directory);
    let written = std::fs::create_dir_all(around).and_then(|()| std::fs::write(&path, bytes));
    written.map_err(|error| ExportError::Failed(path.display().to_string(), error))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A directory that goes with the test.
    struct Place(std::path::PathBuf);

    impl Place {
        fn new(name: &str) -> Place {
            let path = std::env::temp_dir().join(format!("modeshift-export-{name}-{}", std::process::id()));
            std::fs::create_dir_all(&path).expect("a place for the test");
            Place(path)
        }
    }

    impl Drop for Place {
        fn drop(&mut self) {
            let _ = std::fs::remove_dir_all(&self.0);
        }
    }

    fn engine() -> Vec<u8> {
        [b"\0asm\x01\0\0\0", INTERFACE.as_bytes()].concat()
    }

    #[test]
    fn a_page_without_a_server_has_the_engine_in_its_place_and_the_models_that_were_named() {
        let place = Place::new("page");
        let (models, directory) = (place.0.join("models"), place.0.join("page"));
        std::fs::create_dir_all(models.join("P")).expect("directories");
        for name in ["P/package.mo", "A.mo", "private.txt"] {
            std::fs::write(models.join(name), name).expect("a file");
        }
        let root = Root::of(&models).expect("a directory");
        export(&directory, Some(&root), &engine()).expect("everything is there");
        let read = |name: &str| std::fs::read_to_string(directory.join(name)).expect(name);
        assert!(read("backend.js").contains("isAlone = true") && !directory.join("alone.js").exists());
        assert_eq!((read("models/P/package.mo"), read("models/A.mo")), ("P/package.mo".into(), "A.mo".into()));
        assert!(read("examples/WaterTank.mo").starts_with("//") && !directory.join("models/private.txt").exists());
        let list: serde_json::Value = serde_json::from_str(&read(LIST)).expect("JSON");
        assert_eq!(list["files"], json!(["A.mo", "P/package.mo"]));
        export(&directory, None, &engine()).expect("an earlier page is written over");
    }

    #[test]
    fn of_a_file_its_neighbours_stay_where_they_are() {
        let place = Place::new("file");
        for name in ["A.mo", "B.mo"] {
            std::fs::write(place.0.join(name), name).expect("a file");
        }
        let root = Root::of(&place.0.join("A.mo")).expect("a file");
        let directory = place.0.join("page");
        export(&directory, Some(&root), &engine()).expect("everything is there");
        assert!(directory.join("models/A.mo").exists() && !directory.join("models/B.mo").exists());
    }

    #[test]
    fn directories_of_others_and_engines_of_other_versions_are_refused() {
        let place = Place::new("refused");
        assert!(matches!(export(&place.0, None, b"\0asm\x01\0\0\0"), Err(ExportError::OtherEngine)));
        std::fs::write(place.0.join("index.html"), "mine").expect("a file");
        assert!(matches!(export(&place.0, None, &engine()), Err(ExportError::NotEmpty)));
        assert_eq!(std::fs::read_to_string(place.0.join("index.html")).expect("still there"), "mine");
    }
}
