//! Reading what the user names and writing what the user asked for.

use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use modeshift_driver::{Dialect, Source};

/// What comes through a pipe may be this many bytes.
const LARGEST_STREAM: u64 = 256 << 20;

/// The text of a file, or of standard input for `-`, or one line that says why it cannot be had.
pub fn read_source(path: &Path) -> Result<Source, String> {
    if path == Path::new("-") {
        let bytes = read_standard_input().map_err(|error| format!("cannot read standard input: {error}"))?;
        return source("<stdin>".to_string(), None, bytes, Dialect::Modelica);
    }
    let path = file_of(path)?;
    let name = path.display().to_string();
    let bytes = read_bytes(&path).map_err(|error| format!("cannot read `{name}`: {}", reason(&error)))?;
    let dialect = dialect_of(&path);
    source(name, Some(path), bytes, dialect)
}

/// A file whose text comes from standard input, whatever is in it, and whether it is there at all.
pub fn read_text_of(path: &Path) -> Result<Source, String> {
    if path == Path::new("-") {
        return read_source(path);
    }
    let bytes = read_standard_input().map_err(|error| format!("cannot read standard input: {error}"))?;
    source(path.display().to_string(), Some(path.to_path_buf()), bytes, dialect_of(path))
}

fn dialect_of(path: &Path) -> Dialect {
    let is_mel = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("mel"));
    if is_mel { Dialect::Mel } else { Dialect::Modelica }
}

/// The files that a path means: itself, or for a directory every Modelica file of the packages in it, by name.
pub fn files_of(path: &Path) -> Vec<PathBuf> {
    if !path.is_dir() {
        return vec![path.to_path_buf()];
    }
    let (mut files, mut pending) = (Vec::new(), vec![path.to_path_buf()]);
    while let Some(directory) = pending.pop() {
        let entries = std::fs::read_dir(&directory).into_iter().flatten().flatten();
        let mut entries: Vec<_> = entries.filter_map(|entry| Some((entry.path(), entry.file_type().ok()?))).collect();
        entries.sort_by(|one, other| one.0.cmp(&other.0));
        let is_modelica = |path: &Path| path.extension().is_some_and(|extension| extension == "mo");
        files.extend(entries.iter().filter(|(path, kind)| !kind.is_dir() && is_modelica(path)).map(|it| it.0.clone()));
        // A symbolic link to a directory is not followed: it may lead back.
        let inside = entries.into_iter().rev().filter(|(_, kind)| kind.is_dir()).map(|(path, _)| path);
        pending.extend(inside.filter(|path| path.join("package.mo").is_file()));
    }
    if files.is_empty() { vec![path.to_path_buf()] } else { files }
}

/// The file itself; for the directory of a package, its `package.mo`.
fn file_of(path: &Path) -> Result<PathBuf, String> {
    if !path.is_dir() {
        return Ok(followed(path));
    }
    let package = path.join("package.mo");
    match package.is_file() {
        true => Ok(package),
        false => Err(format!(
            "cannot read `{}`: it is a directory without a `package.mo`; name a file in it, or give the directory with -L and the \
             class with -m",
            path.display()
        )),
    }
}

/// Where a package is that a link to its `package.mo` leads to: the classes are beside the file, unless some are beside
/// the link.
fn followed(path: &Path) -> PathBuf {
    let is_lone_link = path.file_name().is_some_and(|name| name == "package.mo")
        && path.is_symlink()
        && !path.parent().is_some_and(has_classes);
    let target = is_lone_link.then(|| path.canonicalize().ok()).flatten();
    target.unwrap_or_else(|| path.to_path_buf())
}

/// Whether a directory has files or directories of classes beside its `package.mo`.
fn has_classes(directory: &Path) -> bool {
    let directory = if directory.as_os_str().is_empty() { Path::new(".") } else { directory };
    let mut entries = std::fs::read_dir(directory).into_iter().flatten().flatten().map(|entry| entry.path());
    let is_class = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "mo");
    entries.any(|path| {
        let is_package = path.file_name().is_some_and(|name| name == "package.mo");
        is_class(&path) && !is_package || path.join("package.mo").is_file()
    })
}

/// A file as a whole; a pipe up to a limit, since it need not end; a device not at all.
pub fn read_bytes(path: &Path) -> io::Result<Vec<u8>> {
    use std::os::unix::fs::FileTypeExt as _;
    let kind = std::fs::metadata(path)?.file_type();
    if kind.is_char_device() || kind.is_block_device() || kind.is_socket() {
        return Err(io::Error::other("it is a device, not a file"));
    }
    match kind.is_file() {
        true => std::fs::read(path),
        false if kind.is_fifo() => read_to_a_limit(open_pipe(path, OpenOptions::new().read(true), "writes into")?),
        false => read_to_a_limit(File::open(path)?),
    }
}

/// Opens a file to write into, with what is in it; a pipe only where something reads from it.
pub fn open_for_writing(path: &Path) -> io::Result<File> {
    use std::os::unix::fs::FileTypeExt as _;
    let mut options = OpenOptions::new();
    match std::fs::metadata(path).is_ok_and(|it| it.file_type().is_fifo()) {
        true => open_pipe(path, options.write(true), "reads from"),
        false => options.write(true).create(true).truncate(false).open(path),
    }
}

/// A file to write into, with nothing in it.
pub fn emptied(path: &Path) -> io::Result<File> {
    let file = open_for_writing(path)?;
    // What is no plain file, such as a pipe, has no length and needs none.
    if file.metadata()?.is_file() {
        file.set_len(0)?;
    }
    Ok(file)
}

/// Writes a whole file.
pub fn write_bytes(path: &Path, bytes: &[u8]) -> io::Result<()> {
    emptied(path)?.write_all(bytes)
}

/// How long a pipe may be without anything at its other end.
const LONGEST_WAIT: Duration = Duration::from_secs(5);

/// A pipe, which is open as soon as something is at its other end: where nothing is, waiting would never end.
fn open_pipe(path: &Path, options: &OpenOptions, missing: &str) -> io::Result<File> {
    let (sender, opened) = std::sync::mpsc::channel();
    let (own, options) = (path.to_path_buf(), options.clone());
    std::thread::spawn(move || sender.send(options.open(own)));
    opened
        .recv_timeout(LONGEST_WAIT)
        .unwrap_or_else(|_| Err(io::Error::other(format!("it is a pipe, and nothing {missing} it"))))
}

fn read_standard_input() -> io::Result<Vec<u8>> {
    read_to_a_limit(io::stdin().lock())
}

fn read_to_a_limit(stream: impl Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    stream.take(LARGEST_STREAM + 1).read_to_end(&mut bytes)?;
    match bytes.len() as u64 > LARGEST_STREAM {
        true => Err(io::Error::other(format!("more than {} MB come from there", LARGEST_STREAM >> 20))),
        false => Ok(bytes),
    }
}

/// Decodes UTF-8, without the byte order mark that some editors write.
fn source(name: String, path: Option<PathBuf>, bytes: Vec<u8>, dialect: Dialect) -> Result<Source, String> {
    if bytes.len() > u32::MAX as usize {
        return Err(format!(
            "cannot read `{name}`: it has {} bytes; files of 4 GiB and more are not supported",
            bytes.len()
        ));
    }
    match String::from_utf8(bytes) {
        Ok(text) => {
            let text = text.strip_prefix('\u{feff}').map(str::to_string).unwrap_or(text);
            Ok(Source { name, path, text, dialect })
        }
        Err(error) => {
            let at = error.utf8_error().valid_up_to();
            let line = error.as_bytes()[..at].iter().filter(|byte| **byte == b'\n').count() + 1;
            Err(format!("cannot read `{name}`: it is not UTF-8 text (line {line}, byte {at})"))
        }
    }
}

/// Refuses to write to a file that was read, by whatever name.
pub fn refuse_overwriting<'a>(output: &Path, mut read: impl Iterator<Item = &'a Path>) -> Result<(), String> {
    let Ok(own) = std::fs::metadata(output).map(|it| identity(&it)) else { return Ok(()) };
    let same = |read: &&Path| std::fs::metadata(read).is_ok_and(|it| it.is_file() && identity(&it) == own);
    match read.find(same) {
        Some(name) if name == output => Err(format!("`{}` is not written: it was read", output.display())),
        Some(name) => Err(format!("`{}` is not written: it is `{}`, which was read", output.display(), name.display())),
        None => Ok(()),
    }
}

/// What a file is, whatever its name.
#[cfg(unix)]
pub fn identity(file: &std::fs::Metadata) -> (u64, u64) {
    use std::os::unix::fs::MetadataExt as _;
    (file.dev(), file.ino())
}

/// Writes a result to a file or to standard output. Whoever stops reading (`| head`) has seen enough: no error.
pub fn write_result(output: Option<&Path>, text: &str) -> Result<(), String> {
    match output {
        Some(path) => {
            let name = path.display();
            write_bytes(path, text.as_bytes()).map_err(|error| format!("cannot write `{name}`: {}", reason(&error)))
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
