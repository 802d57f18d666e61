//! A file as the page has it, and as it is written back. A text area knows neither byte order marks nor how lines end, so
//! both are taken from the file; and what somebody else wrote meanwhile is not overwritten. A file is replaced as a whole:
//! where writing fails, it is what it was.

use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

use crate::access::token;
use crate::digest::{base64, sha1};

/// What the page has to name to write a file: another text has another one.
pub fn version(bytes: &[u8]) -> String {
    format!("\"{}\"", base64(&sha1(bytes)))
}

/// Why a file that is now so must not be written by a page that has read the version it names; `*` is any.
pub fn objection(now: Option<&[u8]>, has_read: Option<&str>) -> Option<&'static str> {
    match (now, has_read) {
        (_, Some("*")) | (None, None) => None,
        (Some(bytes), Some(known)) if version(bytes) == known => None,
        (Some(_), Some(_)) => Some("was changed outside since it was opened"),
        (None, Some(_)) => Some("was removed since it was opened"),
        (Some(_), None) => Some("is there already, and which version of it was read is not said"),
    }
}

/// A text of the page as the file has it: with its byte order mark, and its ends of lines. Lines before and behind what was
/// changed keep theirs; those between end as most do.
pub fn written(before: &[u8], text: &str) -> Vec<u8> {
    let before = String::from_utf8_lossy(before);
    let (mark, before) = match before.strip_prefix(MARK) {
        Some(rest) => (MARK, rest),
        None => ("", &*before),
    };
    let (old, new) = (lines(before), lines(text));
    let same = |(one, other): &(&Line<'_>, &Line<'_>)| one.0 == other.0;
    let first = old.iter().zip(&new).take_while(same).count();
    let most = old.len().min(new.len()) - first;
    let last = old.iter().rev().zip(new.iter().rev()).take_while(same).count().min(most);
    let usual = usual_end(&old);
    let mut file = mark.to_string();
    for (at, (content, end)) in new.iter().enumerate() {
        let kept = match at {
            at if at < first => Some(old[at].1),
            at if at + last >= new.len() => Some(old[at + old.len() - new.len()].1),
            _ => None,
        };
        file.push_str(content);
        if !end.is_empty() {
            file.push_str(kept.filter(|kept| !kept.is_empty()).unwrap_or(usual));
        }
    }
    file.into_bytes()
}

/// Puts a text in the place of a file: it is written beside it, and renamed when it is all there.
pub fn replace(path: &Path, text: &[u8]) -> io::Result<()> {
    // A link stays one: what it leads to is replaced.
    let (path, before) = match path.symlink_metadata() {
        Ok(_) => (path.canonicalize()?, Some(path.metadata()?)),
        Err(_) => (path.to_path_buf(), None),
    };
    if let Some(reason) = before.as_ref().and_then(irreplaceable) {
        return Err(io::Error::other(reason));
    }
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let beside = path.with_file_name(format!(".{name}.{}", token()?));
    let done = write_beside(&beside, text, before.as_ref()).and_then(|()| std::fs::rename(&beside, &path));
    if done.is_err() {
        // What is half written is of no use to anybody.
        let _ = std::fs::remove_file(&beside);
    }
    done
}

fn write_beside(path: &Path, text: &[u8], before: Option<&Metadata>) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).create_new(true).open(path)?;
    file.write_all(text)?;
    if let Some(before) = before {
        keep_owner(&file, before)?;
        file.set_permissions(before.permissions())?;
    }
    // A disk that is full may say so no sooner.
    file.sync_all()
}

/// Why another file cannot stand for one.
fn irreplaceable(file: &Metadata) -> Option<&'static str> {
    #[cfg(unix)]
    if std::os::unix::fs::MetadataExt::nlink(file) > 1 {
        return Some("the file has other names (hard links), under which the old text would stay");
    }
    match file.is_file() {
        true => file.permissions().readonly().then_some("the file is read-only"),
        false => Some("this is no ordinary file"),
    }
}

#[cfg(unix)]
fn keep_owner(file: &File, before: &Metadata) -> io::Result<()> {
    use std::os::unix::fs::MetadataExt;
    let now = file.metadata()?;
    match (now.uid(), now.gid()) == (before.uid(), before.gid()) {
        true => Ok(()),
        false => std::os::unix::fs::fchown(file, Some(before.uid()), Some(before.gid())),
    }
}

#[cfg(not(unix))]
fn keep_owner(_: &File, _: &Metadata) -> io::Result<()> {
    Ok(())
}

const MARK: &str = "\u{feff}";

/// A line, and what ends it; nothing ends the last one of some texts.
type Line<'a> = (&'a str, &'a str);

fn lines(mut text: &str) -> Vec<Line<'_>> {
    let mut found = Vec::new();
    while let Some(at) = text.find(['\r', '\n']) {
        let length = if text[at..].starts_with("\r\n") { 2 } else { 1 };
        found.push((&text[..at], &text[at..at + length]));
        text = &text[at + length..];
    }
    if !text.is_empty() {
        found.push((text, ""));
    }
    found
}

/// How most lines end.
fn usual_end(lines: &[Line<'_>]) -> &'static str {
    let count = |end: &str| lines.iter().filter(|(_, it)| *it == end).count();
    // Of ends that are as many, the last one is taken.
    ["\r", "\r\n", "\n"].into_iter().max_by_key(|end| count(end)).unwrap_or("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_others_wrote_is_not_overwritten() {
        let read = version(b"model A end A;");
        assert_eq!(objection(Some(b"model A end A;"), Some(&read)), None);
        assert!(objection(Some(b"model B end B;"), Some(&read)).is_some());
        assert!(objection(None, Some(&read)).is_some() && objection(Some(b"x"), None).is_some());
        assert_eq!((objection(Some(b"x"), Some("*")), objection(None, None)), (None, None));
    }

    /// Whatever goes wrong, the file is as before or as wanted, and nothing lies beside it.
    #[cfg(unix)]
    #[test]
    fn a_file_is_replaced_as_a_whole() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let directory = std::env::temp_dir().join(format!("modeshift-saving-{}", std::process::id()));
        std::fs::create_dir_all(&directory).expect("a temporary directory");
        let at = |name: &str| directory.join(name);
        let mode = |bits: u32| std::fs::Permissions::from_mode(bits);
        let read = |name: &str| std::fs::read_to_string(at(name)).expect("it is there");
        std::fs::write(at("a.mo"), "before").expect("a temporary file");
        std::fs::set_permissions(at("a.mo"), mode(0o640)).expect("our own file");
        symlink(at("a.mo"), at("link.mo")).expect("a link");
        let inode = || std::os::unix::fs::MetadataExt::ino(&at("a.mo").metadata().expect("it is there"));
        let before = inode();
        replace(&at("link.mo"), b"after").expect("nothing is in the way");
        assert_ne!(before, inode(), "the old text is whole until the new one is");
        assert_eq!((read("a.mo").as_str(), read("link.mo").as_str()), ("after", "after"));
        assert!(at("link.mo").symlink_metadata().expect("it is there").is_symlink());
        let bits = at("a.mo").metadata().expect("it is there").permissions().mode() & 0o777;
        assert_eq!(bits, 0o640);
        std::fs::hard_link(at("a.mo"), at("other.mo")).expect("another name");
        assert!(replace(&at("a.mo"), b"no").is_err() && read("a.mo") == "after", "it has two names");
        std::fs::remove_file(at("other.mo")).expect("it can go");
        std::fs::set_permissions(at("a.mo"), mode(0o440)).expect("our own file");
        assert!(replace(&at("a.mo"), b"no").is_err() && read("a.mo") == "after", "it is read-only");
        std::fs::create_dir(at("d.mo")).expect("a directory");
        assert!(replace(&at("d.mo"), b"no").is_err() && replace(&at("no/such.mo"), b"no").is_err());
        replace(&at("new.mo"), b"new").expect("nothing is in the way");
        let mut names: Vec<_> =
            std::fs::read_dir(&directory).expect("it is there").flatten().map(|it| it.file_name()).collect();
        names.sort();
        assert_eq!(names, ["a.mo", "d.mo", "link.mo", "new.mo"], "nothing is left beside them");
        std::fs::remove_dir_all(&directory).expect("it can go");
    }

    /// What a text area makes of a file.
    fn as_shown(file: &str) -> String {
        file.trim_start_matches(MARK).replace("\r\n", "\n").replace('\r', "\n")
    }

    /// Every file that is saved as it was shown is what it was, however its lines end.
    #[test]
    fn what_was_not_changed_is_written_as_it_was() {
        let ends = ["\n", "\r\n", "\r", ""];
        for number in 0..4 * 4 * 4 * 4 * 2 {
            let pick = |place: u32| ends[number / 4usize.pow(place) % 4];
            let mark = if number < 256 { "" } else { MARK };
            let file = format!("{mark}model A{} Real x;{} Real x;{}end A;{}", pick(0), pick(1), pick(2), pick(3));
            let saved = written(file.as_bytes(), &as_shown(&file));
            assert_eq!(String::from_utf8_lossy(&saved), file, "{file:?}");
        }
    }

    #[test]
    fn lines_that_are_new_end_as_most_do() {
        let check = |file: &str, text: &str, saved: &str| {
            assert_eq!(String::from_utf8_lossy(&written(file.as_bytes(), text)), saved);
        };
        check("a\r\nb\r\nc\r\n", "a\nB\nb\nc\n", "a\r\nB\r\nb\r\nc\r\n");
        check("a\nb\r\nc\r\n", "a\nx\nc\n", "a\nx\r\nc\r\n");
        check("\u{feff}a\r\n", "", "\u{feff}");
        check("a", "a\nb\n", "a\nb\n");
        check("a\r\nb", "a\nb\nc", "a\r\nb\r\nc");
        check("", "a\n", "a\n");
    }
}
