//! The page itself and the examples, which are part of the program, packed by `build.rs`.

use std::sync::OnceLock;

use miniz_oxide::inflate::decompress_to_vec_zlib;

/// Name, whether it is an example, and where its text starts and ends.
type Entry = (&'static str, bool, usize, usize);

const ENTRIES: &[Entry] = &include!(concat!(env!("OUT_DIR"), "/assets.rs"));

/// All texts, one behind the other.
fn texts() -> &'static str {
    static TEXTS: OnceLock<String> = OnceLock::new();
    TEXTS.get_or_init(|| {
        let packed = include_bytes!(concat!(env!("OUT_DIR"), "/assets.zlib"));
        let bytes = decompress_to_vec_zlib(packed).expect("packed when this was built");
        String::from_utf8(bytes).expect("texts were packed")
    })
}

fn text(name: &str, is_example: bool) -> Option<&'static str> {
    let entry = ENTRIES.iter().find(|entry| (entry.0, entry.1) == (name, is_example))?;
    texts().get(entry.2..entry.3)
}

/// A file of the page: its kind and its text.
pub fn page(name: &str) -> Option<(&'static str, &'static str)> {
    let name = if name.is_empty() { "index.html" } else { name };
    let kind = match name.rsplit('.').next() {
        Some("html") => "text/html; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        _ => return None,
    };
    text(name, false).map(|text| (kind, text))
}

/// All files of the page with their texts.
pub fn files() -> impl Iterator<Item = (&'static str, &'static str)> {
    let files = ENTRIES.iter().filter(|entry| !entry.1);
    files.filter_map(|entry| Some((entry.0, texts().get(entry.2..entry.3)?)))
}

/// The names of the models that are there without a file, the first one first.
pub fn examples() -> impl Iterator<Item = &'static str> {
    ENTRIES.iter().filter(|entry| entry.1).map(|entry| entry.0)
}

/// The text of an example.
pub fn example(name: &str) -> Option<&'static str> {
    text(name, true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_and_every_example_are_there_as_they_were_packed() {
        assert!(page("").is_some_and(|(kind, text)| kind.starts_with("text/html") && text.contains("app.js")));
        assert!(page("app.js").is_some_and(|(_, text)| text.starts_with("// The page")));
        assert!(page("WaterTank.mo").is_none() && page("../lib.rs").is_none());
        assert_eq!(examples().next(), Some("WaterTank.mo"));
        for name in examples() {
            assert!(example(name).is_some_and(|text| text.starts_with("//")), "{name}");
        }
    }
}
