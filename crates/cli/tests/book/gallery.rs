//! The gallery: each model with its picture, its command, its source, and what other tools did with it.

use super::page::{Page, anchor, sources};

/// The sections of a page with their headings.
fn sections(text: &str) -> impl Iterator<Item = (&str, &str)> {
    text.split("\n## ").skip(1).map(|section| section.split_once('\n').expect("a heading is a line"))
}

#[test]
fn every_model_has_picture_command_source_and_what_other_tools_did() {
    let contents = Page::read(sources().join("gallery/index.md")).text;
    let runs = Page::read(sources().join("gallery/other-tools.md")).text;
    let runs = sections(&runs).find(|(heading, _)| *heading == "rumoca").expect("what rumoca did").1.to_string();
    let mut count = 0;
    for name in ["papers", "circuits", "mechanics", "fluids"] {
        let page = Page::read(sources().join(format!("gallery/{name}.md")));
        for (heading, section) in sections(&page.text) {
            for part in ["![", "$ modeshift ", "\nSource: ", "\nOther tools: "] {
                assert!(section.contains(part), "{name}: {heading} has no {part:?}");
            }
            let entry = format!("]({name}.md#{})", anchor(heading));
            assert!(contents.contains(&entry), "{heading} is not in the contents of the gallery");
            count += 1;
        }
    }
    let rows = |text: &str, start: &str| text.lines().filter(|line| line.starts_with(start)).count();
    assert!(count >= 25 && rows(&contents, "| [") == count, "{count} models");
    assert_eq!(rows(&runs, "| ") - 1, count, "each was given to rumoca");
}
