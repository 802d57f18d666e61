//! The commands of a page, as a reader types them.

use std::fmt::Write as _;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use super::output;
use super::page::{Block, Page};
use super::picture::looks_the_same;
use crate::support::{root, temporary};

#[test]
fn every_command_prints_what_its_page_shows_and_every_picture_is_drawn() {
    let pages = Page::all();
    let (next, complaints) = (AtomicUsize::new(0), Mutex::new(String::new()));
    let work = || {
        while let Some(page) = pages.get(next.fetch_add(1, Ordering::Relaxed)) {
            let said = Session::new(page).run();
            complaints.lock().unwrap_or_else(PoisonError::into_inner).push_str(&said);
        }
    };
    std::thread::scope(|scope| {
        scope.spawn(work);
        scope.spawn(work);
    });
    let complaints = complaints.into_inner().unwrap_or_else(PoisonError::into_inner);
    assert!(complaints.is_empty(), "{complaints}");
}

/// Whether pages and pictures are to be written anew.
fn updates() -> bool {
    std::env::var_os("UPDATE_EXPECT").is_some()
}

/// A page that is being followed, in a directory of its own.
struct Session<'a> {
    page: &'a Page,
    directory: PathBuf,
    /// Files that the page has written, with their lines.
    files: Vec<(String, Vec<&'a str>)>,
    /// Places of the page with what belongs there.
    corrections: Vec<(std::ops::Range<usize>, String)>,
    complaints: String,
}

/// What a command came to.
struct Said {
    status: i32,
    output: String,
}

impl<'a> Session<'a> {
    fn new(page: &'a Page) -> Self {
        let directory = temporary(&format!("book/{}", page.name.replace('/', "-")));
        let _ = std::fs::remove_dir_all(&directory);
        std::fs::create_dir_all(&directory).expect("a directory for the page");
        #[cfg(unix)]
        std::os::unix::fs::symlink(root().join("models"), directory.join("models")).expect("a link to the models");
        Session { page, directory, files: Vec::new(), corrections: Vec::new(), complaints: String::new() }
    }

    /// Follows the page; returns what is wrong with it.
    fn run(mut self) -> String {
        let page = self.page;
        for block in page.blocks() {
            match block.language {
                "console" => self.console(&block),
                _ => self.file(block),
            }
        }
        self.pictures();
        if updates() && !self.corrections.is_empty() {
            self.correct();
        }
        self.complaints
    }

    fn complain(&mut self, line: usize, words: &str) {
        let _ = writeln!(self.complaints, "{}:{}: {words}", self.page.name, line + 1);
    }

    /// A block that is a file, or an excerpt of one.
    fn file(&mut self, block: Block<'a>) {
        if let Some(name) = block.lines.first().and_then(|line| file_name(line)) {
            let path = self.directory.join(name);
            std::fs::create_dir_all(path.parent().expect("below the directory")).expect("a directory");
            std::fs::write(&path, block.lines.join("\n") + "\n").expect("a file of the page");
            if !self.page.text.lines().any(|line| line.starts_with("$ ") && line.contains(name))
                && block.language != "yaml"
            {
                self.complain(block.start, &format!("no command uses {name}"));
            }
            self.files.push((name.to_string(), block.lines));
        } else if ["modelica", "mel", "rust"].contains(&block.language) {
            let library = library();
            let of_page = self.files.iter().any(|(_, lines)| is_excerpt(&block, lines));
            let is_included = block.lines.iter().all(|line| line.starts_with("{{#include "));
            if !of_page
                && !is_included
                && !library.iter().any(|text| is_excerpt(&block, &text.lines().collect::<Vec<_>>()))
            {
                self.complain(block.start, "this is neither a file, nor an excerpt of one above or of the library");
            }
        } else if ["python", "sh", "bash", "shell"].contains(&block.language) {
            self.complain(block.start, "a script without a file name is not run");
        }
    }

    /// Commands and what they print.
    fn console(&mut self, block: &Block<'a>) {
        if let Some(script) = block.attribute.strip_prefix("by=") {
            let text = std::fs::read_to_string(root().join(script)).unwrap_or_default();
            for (number, line) in block.lines.iter().enumerate() {
                if line.strip_prefix("$ ").is_some_and(|command| !text.contains(&in_script(command))) {
                    self.complain(block.start + number, &format!("{script} does not run this"));
                }
            }
            return;
        }
        let need = block.attribute.strip_prefix("needs=");
        if let Some(need) = need.into_iter().flat_map(|needs| needs.split('+')).find(|need| !is_there(need)) {
            eprintln!("skipped: {}:{} needs {need}", self.page.name, block.start + 1);
            return;
        }
        let (mut number, mut last) = (0, None::<Said>);
        while number < block.lines.len() {
            let Some(mut command) = block.lines[number].strip_prefix("$ ").map(str::to_string) else {
                self.complain(block.start + number, "an output without a command");
                return;
            };
            let at = block.start + number;
            while command.ends_with('\\') && number + 1 < block.lines.len() {
                number += 1;
                command = command.trim_end_matches('\\').to_string() + block.lines[number].trim_start();
            }
            number += 1;
            let length = block.lines[number..].iter().take_while(|line| !line.starts_with("$ ")).count();
            let expected = &block.lines[number..number + length];
            let said = match (&last, command.as_str()) {
                (Some(last), "echo $?") => Said { status: 0, output: last.status.to_string() + "\n" },
                _ => self.sh(&command, need == Some("msl")),
            };
            let status_is_told = block.lines.get(number + length).is_some_and(|line| *line == "$ echo $?");
            if said.status != 0 && !status_is_told {
                self.complain(at, &format!("`{command}` ends with status {}\n{}", said.status, said.output));
            }
            if !expected.is_empty() && !output::matches(expected, &said.output) {
                let place = block.start + number..block.start + number + length;
                self.differs(place, &command, expected, &said.output);
            }
            number += length;
            last = Some(said);
        }
    }

    /// An output that is not what the page shows.
    fn differs(&mut self, place: std::ops::Range<usize>, command: &str, expected: &[&str], output: &str) {
        match output::updated(expected, output).filter(|_| updates()) {
            Some(corrected) => self.corrections.push((place, corrected)),
            None => self.complain(place.start, &format!("`{command}` prints\n{output}")),
        }
    }

    /// Runs a command in the directory of the page, with both of its outputs in one, as a terminal shows them.
    fn sh(&self, command: &str, with_libraries: bool) -> Said {
        let program = Path::new(env!("CARGO_BIN_EXE_modeshift")).parent().expect("a folder").to_path_buf();
        let python = std::env::var_os("MODESHIFT_PYTHON").map(PathBuf::from);
        let python = python.as_deref().and_then(Path::parent).map(Path::to_path_buf);
        let old = std::env::var_os("PATH").unwrap_or_default();
        let folders = [program].into_iter().chain(python).chain(std::env::split_paths(&old));
        let (mut reader, writer) = std::io::pipe().expect("a pipe");
        let mut shell = Command::new("sh");
        shell.args(["-c", command]).current_dir(&self.directory).stdin(Stdio::null());
        shell.env("PATH", std::env::join_paths(folders).expect("folders"));
        shell.stdout(writer.try_clone().expect("a pipe")).stderr(writer);
        if !with_libraries {
            shell.env_remove("MODELICAPATH");
        }
        let mut child = shell.spawn().expect("a shell");
        drop(shell); // its ends of the pipe, so that reading ends with the command
        let mut output = String::new();
        reader.read_to_string(&mut output).expect("outputs are UTF-8");
        let status = child.wait().expect("commands end").code().unwrap_or(-1);
        Said { status, output }
    }

    /// The pictures of the page are those that its commands have drawn.
    fn pictures(&mut self) {
        for target in self.page.pictures() {
            let name = Path::new(&target).file_name().expect("a file").to_owned();
            let Ok(drawn) = std::fs::read_to_string(self.directory.join(&name)) else {
                self.complain(0, &format!("no command draws {target}"));
                continue;
            };
            let path = self.page.folder().join(&target);
            let same = std::fs::read_to_string(&path).is_ok_and(|kept| looks_the_same(&kept, &drawn));
            match (same, updates()) {
                (true, _) => {}
                (false, true) => std::fs::write(path, drawn).expect("a picture"),
                (false, false) => {
                    self.complain(0, &format!("{target} is not what is drawn now; UPDATE_EXPECT=1 draws it anew"))
                }
            }
        }
    }

    /// Writes the page with its corrections.
    fn correct(&self) {
        let mut lines: Vec<&str> = self.page.text.lines().collect();
        for (place, output) in self.corrections.iter().rev() {
            lines.splice(place.clone(), output.lines());
        }
        std::fs::write(&self.page.path, lines.join("\n") + "\n").expect("a page");
    }
}

/// A command of a page as a script for all versions and machines has it.
fn in_script(command: &str) -> String {
    let of_versions = command.replace(env!("CARGO_PKG_VERSION"), "${version}");
    of_versions.replace("x86_64", "${machine}").replace("amd64", "${architecture}")
}

/// Whether the lines of a block are in a file, in this order.
fn is_excerpt(block: &Block, lines: &[&str]) -> bool {
    let mut rest = lines.iter().map(|line| line.trim());
    block.lines.iter().map(|line| line.trim()).filter(|line| *line != "…").all(|line| rest.any(|it| it == line))
}

/// The files of the library that is part of the program.
fn library() -> Vec<String> {
    let files = std::fs::read_dir(root().join("library/Modeshift")).expect("the library");
    files.map(|file| std::fs::read_to_string(file.expect("readable").path()).expect("a file of the library")).collect()
}

/// The name of a file where a line is a comment of nothing else.
fn file_name(line: &str) -> Option<&str> {
    let name = line.strip_prefix("// ").or_else(|| line.strip_prefix("# "))?;
    let is_plain = name.chars().all(|character| character.is_ascii_alphanumeric() || "._-/".contains(character));
    (is_plain && name.contains('.') && !name.ends_with('.')).then_some(name)
}

/// Whether what a block needs is on this machine.
fn is_there(need: &str) -> bool {
    if let Some(module) = need.strip_prefix("python-") {
        let python = std::env::var_os("MODESHIFT_PYTHON").unwrap_or_else(|| "python3".into());
        return Command::new(python)
            .args(["-c", &format!("import {module}")])
            .output()
            .is_ok_and(|it| it.status.success());
    }
    if need == "fmi-library" {
        let beside = Path::new(env!("CARGO_BIN_EXE_modeshift")).with_file_name("libmodeshift_fmi.so");
        return std::env::var_os("MODESHIFT_FMI_LIBRARY").is_some() || beside.exists();
    }
    assert_eq!(need, "msl", "a block needs something that this test does not know");
    let paths = std::env::var_os("MODELICAPATH").unwrap_or_default();
    std::env::split_paths(&paths).any(|path| path.join("Modelica/package.mo").exists())
}
