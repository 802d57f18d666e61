//! The pictures of `docs/gallery.md`, drawn by the commands that stand there.
//!
//! `cargo test -p modeshift-cli --test gallery -- --ignored` draws them anew.

use crate::support;
use support::{modeshift, root, temporary};

/// The commands of the page: lines of code that begin with `modeshift simulate`.
fn commands() -> Vec<String> {
    let page = std::fs::read_to_string(root().join("docs/gallery.md")).expect("the page is there");
    page.lines().filter(|line| line.starts_with("modeshift simulate ")).map(str::to_string).collect()
}

/// Runs a command of the page, its result to a temporary file.
fn draw(command: &str) {
    let result = temporary("gallery.csv");
    let words = command.split_whitespace().skip(1).map(|word| word.trim_matches('\''));
    let arguments: Vec<&str> = words.chain(["-o", result.to_str().expect("UTF-8")]).collect();
    let outcome = modeshift(&arguments);
    assert_eq!(outcome.status, 0, "{command}\n{}", outcome.stderr);
}

#[test]
fn every_picture_of_the_page_is_drawn_by_a_command_on_it() {
    let page = std::fs::read_to_string(root().join("docs/gallery.md")).expect("the page is there");
    let pictures: Vec<&str> = page.split("](gallery/").skip(1).filter_map(|rest| rest.split(')').next()).collect();
    let commands = commands();
    assert_eq!(pictures.len(), commands.len());
    for (picture, command) in pictures.iter().zip(&commands) {
        assert!(command.ends_with(&format!("--plot docs/gallery/{picture}")), "{command}");
        assert!(root().join("docs/gallery").join(picture).exists(), "{picture}");
    }
}

#[test]
#[ignore = "draws the pictures anew: cargo test -p modeshift-cli --test gallery -- --ignored"]
fn the_pictures_are_drawn_anew() {
    commands().iter().for_each(|command| draw(command));
}
