//! A page as data.

use std::path::{Path, PathBuf};

use crate::support::root;

/// The folder with the sources of the book.
pub fn sources() -> PathBuf {
    root().join("docs/book/src")
}

/// A page of the book.
pub struct Page {
    /// Where it is, below the folder of sources.
    pub name: String,
    pub path: PathBuf,
    pub text: String,
}

/// A fenced block of code.
pub struct Block<'a> {
    pub language: &'a str,
    /// What follows the language, behind a comma.
    pub attribute: &'a str,
    pub lines: Vec<&'a str>,
    /// The number of its first line in the page, from 0.
    pub start: usize,
}

impl Page {
    /// All pages, by name.
    pub fn all() -> Vec<Page> {
        let mut paths = Vec::new();
        collect(&sources(), &mut paths);
        paths.sort();
        paths.into_iter().map(Page::read).collect()
    }

    pub fn read(path: PathBuf) -> Page {
        let text = std::fs::read_to_string(&path).expect("a page");
        let name = path.strip_prefix(sources()).unwrap_or(&path).display().to_string();
        Page { name, path, text }
    }

    /// The folder that its links start from.
    pub fn folder(&self) -> &Path {
        self.path.parent().expect("a file is in a folder")
    }

    /// Its blocks of code, in order.
    pub fn blocks(&self) -> Vec<Block<'_>> {
        let (mut blocks, mut open): (Vec<Block>, Option<Block>) = (Vec::new(), None);
        for (number, line) in self.text.lines().enumerate() {
            match (open.take(), line.strip_prefix("```")) {
                (None, Some(words)) => {
                    let (language, attribute) = words.split_once(',').unwrap_or((words, ""));
                    open = Some(Block { language, attribute, lines: Vec::new(), start: number + 1 });
                }
                (Some(block), Some(_)) => blocks.push(block),
                (Some(mut block), None) => {
                    block.lines.push(line);
                    open = Some(block);
                }
                (None, None) => {}
            }
        }
        assert!(open.is_none(), "{}: a block of code is not closed", self.name);
        blocks
    }

    /// Where its links lead.
    pub fn links(&self) -> Vec<String> {
        self.targets().into_iter().filter(|(is_picture, _)| !is_picture).map(|(_, target)| target).collect()
    }

    /// The files of its pictures.
    pub fn pictures(&self) -> Vec<String> {
        self.targets().into_iter().filter(|(is_picture, _)| *is_picture).map(|(_, target)| target).collect()
    }

    fn targets(&self) -> Vec<(bool, String)> {
        let mut targets = Vec::new();
        for line in prose(&self.expanded()) {
            let line = without_code(&line);
            for (at, _) in line.match_indices("](") {
                // The words of a link may begin in the line before.
                let is_picture = line[..at].rfind('[').is_some_and(|start| line[..start].ends_with('!'));
                let target = line[at + 2..].split(')').next().unwrap_or_default();
                targets.push((is_picture, target.to_string()));
            }
        }
        targets
    }

    /// The anchors of its headings.
    pub fn anchors(&self) -> Vec<String> {
        let text = self.expanded();
        let headings = prose(&text)
            .filter_map(|line| line.starts_with('#').then(|| line.trim_start_matches('#').trim().to_string()));
        headings.map(|heading| anchor(&heading)).collect()
    }

    /// The text with what it includes.
    pub fn expanded(&self) -> String {
        let mut text = String::new();
        for line in self.text.lines() {
            match line.strip_prefix("{{#include ").and_then(|rest| rest.strip_suffix("}}")) {
                Some(file) => {
                    let path = self.folder().join(file);
                    text += &std::fs::read_to_string(&path).unwrap_or_else(|_| panic!("{}: no {file}", self.name));
                }
                None => text += line,
            }
            text.push('\n');
        }
        text
    }
}

/// All pages below a folder.
fn collect(folder: &Path, paths: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder of the book") {
        let path = entry.expect("readable").path();
        if path.is_dir() {
            collect(&path, paths);
        } else if path.extension().is_some_and(|extension| extension == "md") {
            paths.push(path);
        }
    }
}

/// The lines outside of blocks of code.
fn prose(text: &str) -> impl Iterator<Item = String> {
    let mut in_block = false;
    text.lines().filter_map(move |line| {
        let is_fence = line.starts_with("```");
        in_block ^= is_fence;
        (!in_block && !is_fence).then(|| line.to_string())
    })
}

/// A line without what is between backquotes.
fn without_code(line: &str) -> String {
    line.split('`').step_by(2).collect::<Vec<_>>().join("`")
}

/// The anchor of a heading: small letters, digits and hyphens.
pub fn anchor(heading: &str) -> String {
    let letters = heading.chars().filter_map(|character| match character {
        ' ' => Some('-'),
        '-' | '_' => Some(character),
        letter if letter.is_alphanumeric() => Some(letter),
        _ => None,
    });
    letters.flat_map(char::to_lowercase).collect()
}
