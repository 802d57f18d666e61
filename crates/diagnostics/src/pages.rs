//! The pages of the codes, which are part of the program, packed by `build.rs`.

use std::sync::OnceLock;

use miniz_oxide::inflate::decompress_to_vec_zlib;

/// The code, and where its page starts and ends; by code.
const ENTRIES: &[(&str, usize, usize)] = &include!(concat!(env!("OUT_DIR"), "/pages.rs"));

/// All pages, one behind the other.
fn texts() -> &'static str {
    static TEXTS: OnceLock<String> = OnceLock::new();
    TEXTS.get_or_init(|| {
        let packed = include_bytes!(concat!(env!("OUT_DIR"), "/pages.zlib"));
        let bytes = decompress_to_vec_zlib(packed).expect("packed when this was built");
        String::from_utf8(bytes).expect("texts were packed")
    })
}

/// The page of a registered code.
pub(crate) fn of(code: &str) -> &'static str {
    let place = ENTRIES.binary_search_by_key(&code, |entry| entry.0).expect("a code without a page does not compile");
    let (_, start, end) = ENTRIES[place];
    &texts()[start..end]
}

#[cfg(test)]
mod tests {
    use crate::Code;

    #[test]
    fn every_code_has_its_own_page() {
        for code in Code::ALL {
            assert!(code.page().starts_with(&format!("# {code}: ")), "{code}: {:?}", code.page().lines().next());
        }
    }
}
