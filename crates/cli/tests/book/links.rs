//! Every link leads somewhere.

use std::path::{Path, PathBuf};

use super::page::{Page, sources};
use crate::support::root;

/// Complaints about the links of a page; those of the book stay in the book, or lead to the net.
fn complaints(page: &Page, within: Option<&Path>) -> Vec<String> {
    page.links().into_iter().filter_map(|link| complaint(page, &link, within)).collect()
}

fn complaint(page: &Page, link: &str, within: Option<&Path>) -> Option<String> {
    if link.starts_with("https://") {
        return None;
    }
    let (file, anchor) = link.split_once('#').map_or((link, None), |(file, anchor)| (file, Some(anchor)));
    let path = if file.is_empty() { page.path.clone() } else { page.folder().join(file) };
    let Ok(found) = path.canonicalize() else { return Some(format!("{}: {link} leads nowhere", page.name)) };
    if within.is_some_and(|folder| !found.starts_with(folder)) {
        return Some(format!("{}: {link} leads out of the book", page.name));
    }
    let has_anchor = |anchor: &str| Page::read(path.clone()).anchors().iter().any(|it| it == anchor);
    anchor.filter(|anchor| !has_anchor(anchor)).map(|_| format!("{}: {link} names no heading", page.name))
}

#[test]
fn every_link_of_the_book_leads_somewhere_in_the_book() {
    let folder = sources().canonicalize().expect("the book");
    let wrong: Vec<String> = Page::all().iter().flat_map(|page| complaints(page, Some(&folder))).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_link_of_other_pages_leads_somewhere() {
    let mut pages: Vec<PathBuf> = Vec::new();
    for folder in ["", "docs", "benches", "tools/package"] {
        let files = std::fs::read_dir(root().join(folder)).into_iter().flatten().flatten().map(|entry| entry.path());
        pages.extend(files.filter(|path| path.extension().is_some_and(|extension| extension == "md")));
    }
    pages.sort();
    let wrong: Vec<String> = pages.into_iter().flat_map(|path| complaints(&Page::read(path), None)).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn pages_that_name_models_of_the_project_say_where_these_are() {
    let names_models = |page: &Page| page.text.lines().any(|line| line.starts_with("$ ") && line.contains(" models/"));
    let says_where =
        |page: &Page| page.links().iter().any(|link| link.ends_with("install.md#models-and-documentation"));
    let silent: Vec<String> =
        Page::all().into_iter().filter(|page| names_models(page) && !says_where(page)).map(|page| page.name).collect();
    assert!(silent.is_empty(), "{}", silent.join("\n"));
}

#[test]
fn every_page_is_in_the_table_of_contents_once() {
    let contents = Page::read(sources().join("SUMMARY.md"));
    let mut listed = contents.links();
    listed.sort();
    let pages = Page::all().into_iter().map(|page| page.name).filter(|name| name != "SUMMARY.md");
    let mut pages: Vec<String> = pages.collect();
    pages.sort();
    assert_eq!(listed, pages);
}

#[test]
fn every_picture_of_the_book_is_shown() {
    let shown: Vec<String> = Page::all().iter().flat_map(Page::pictures).collect();
    for entry in std::fs::read_dir(sources().join("pictures")).expect("pictures") {
        let name = entry.expect("readable").file_name().into_string().expect("UTF-8");
        let is_shown = shown.iter().any(|target| target.split('/').next_back() == Some(name.as_str()));
        assert!(is_shown, "no page shows {name}");
    }
}
