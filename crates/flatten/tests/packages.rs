//! A file that lies among the files of a package: what lies around it is found, and disagreements are reported.

use crate::support;

use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use modeshift_diagnostics::{Diagnostics, render_all};
use modeshift_flatten::{Files, Library, Memory, Parsed, Request, Version, flatten};

/// A library of two levels, with files, directories and an order.
fn parts() -> Memory {
    Memory::new()
        .with("lib/Parts/package.mo", "within; package Parts constant Real k = 2; end Parts;")
        .with("lib/Parts/package.order", "k\nSub\nElectrical\nMain\n")
        .with("lib/Parts/Electrical.mo", "within Parts; package Electrical model R Real v = k; end R; end Electrical;")
        .with("lib/Parts/Main.mo", "within Parts; model Main Sub.C c; Electrical.R r; end Main;")
        .with("lib/Parts/Sub/package.mo", "within Parts; package Sub constant Real m = 3*k; end Sub;")
        .with("lib/Parts/Sub/C.mo", "within Parts.Sub; model C Electrical.R r; Real w = m; end C;")
        .with("lib/Parts/Sub/Deep/package.mo", "within Parts.Sub; package Deep end Deep;")
        .with("lib/Parts/Sub/Deep/D.mo", "within Parts.Sub.Deep; model D Real x = m + k; end D;")
}

/// The equations of a model of a file, or everything that was said.
fn equations(files: Memory, path: &str, model: Option<&str>, libraries: &[&str]) -> Result<Vec<String>, String> {
    let text = files.read(path.as_ref())?;
    let mut library = Library::new(files, libraries.iter().map(PathBuf::from).collect());
    let mut diagnostics = Diagnostics::new();
    library.add_file(path.as_ref(), &text, &mut diagnostics);
    let request = Request { model: model.map(str::to_string), overrides: Vec::new() };
    let flat = match diagnostics.has_errors() {
        true => None,
        false => flatten(&mut library, &request, &mut diagnostics).ok(),
    };
    match flat {
        Some(flat) if diagnostics.is_empty() => Ok(support::equations(&flat)),
        _ => Err(render_all(&diagnostics, library.sources(), false)),
    }
}

#[track_caller]
fn check(path: &str, model: Option<&str>, expected: &[&str]) {
    assert_eq!(equations(parts(), path, model, &[]), Ok(expected.iter().map(|line| line.to_string()).collect()));
}

/// What is said must contain all of these.
#[track_caller]
fn check_said(files: Memory, path: &str, model: Option<&str>, expected: &[&str]) {
    match equations(files, path, model, &[]) {
        Ok(equations) => panic!("nothing is said, the equations are {equations:?}"),
        Err(said) => expected.iter().for_each(|part| assert!(said.contains(part), "no `{part}` in\n{said}")),
    }
}

#[test]
fn a_package_file_finds_the_files_beside_it() {
    let main = ["c.r.v = 2", "c.w = 6", "r.v = 2"];
    check("lib/Parts/package.mo", Some("Parts.Main"), &main);
    check("lib/Parts/package.mo", Some("Parts.Electrical.R"), &["v = 2"]);
    check("lib/Parts/package.mo", Some("Parts.Sub.Deep.D"), &["x = 8"]);
}

#[test]
fn a_package_inside_a_package_finds_what_is_around_it() {
    check("lib/Parts/Sub/package.mo", Some("Parts.Sub.C"), &["r.v = 2", "w = 6"]);
    check("lib/Parts/Sub/package.mo", Some("Parts.Main"), &["c.r.v = 2", "c.w = 6", "r.v = 2"]);
    check("lib/Parts/Sub/Deep/package.mo", Some("Parts.Sub.Deep.D"), &["x = 8"]);
}

#[test]
fn a_class_file_finds_what_is_around_it() {
    check("lib/Parts/Main.mo", None, &["c.r.v = 2", "c.w = 6", "r.v = 2"]);
    check("lib/Parts/Sub/Deep/D.mo", None, &["x = 8"]);
}

#[test]
fn a_class_may_be_named_from_the_package_of_the_file() {
    check("lib/Parts/Sub/C.mo", Some("C"), &["r.v = 2", "w = 6"]);
    check("lib/Parts/Sub/C.mo", Some("Deep.D"), &["x = 8"]);
}

#[test]
fn the_package_around_a_file_comes_before_one_of_the_same_name_on_the_library_path() {
    let files = parts()
        .with("other/Parts/package.mo", "within; package Parts constant Real k = 7; end Parts;")
        .with("other/Parts/Sub.mo", "within Parts; package Sub end Sub;");
    let found = |path| equations(files.clone(), path, Some("Parts.Sub.C"), &["other", "lib"]);
    assert_eq!(found("lib/Parts/Sub/C.mo"), Ok(vec!["r.v = 2".to_string(), "w = 6".to_string()]));
    assert_eq!(found("lib/Parts/package.mo"), Ok(vec!["r.v = 2".to_string(), "w = 6".to_string()]));
}

#[test]
fn top_level_packages_beside_the_outermost_one_are_found_after_the_library_path() {
    let files = parts()
        .with("lib/Services/package.mo", "package Services constant Real s = 5; end Services;")
        .with("lib/Parts/Sub/User.mo", "within Parts.Sub; model User Real x = Services.s; end User;")
        .with("other/Services.mo", "package Services constant Real s = 7; end Services;");
    for path in ["lib/Parts/package.mo", "lib/Parts/Main.mo", "lib/Parts/Sub/package.mo", "lib/Parts/Sub/User.mo"] {
        let found = |libraries| equations(files.clone(), path, Some("Parts.Sub.User"), libraries);
        assert_eq!(found(&[]), Ok(vec!["x = 5".to_string()]), "{path}");
        assert_eq!(found(&["other"]), Ok(vec!["x = 7".to_string()]), "{path}");
    }
    let files = files.with("lib/plain.mo", "model M Real x = Services.s; end M;");
    assert!(equations(files, "lib/plain.mo", None, &[]).is_err());
}

#[test]
fn a_library_path_to_a_package_itself_means_that_package_and_nothing_in_it() {
    let files = parts().with("user.mo", "model M Parts.Sub.C c; end M;").with("wrong.mo", "model M Sub.C c; end M;");
    let expected = ["c.r.v = 2", "c.w = 6"].map(str::to_string).to_vec();
    assert_eq!(equations(files.clone(), "user.mo", None, &["lib/Parts"]), Ok(expected));
    let said = equations(files, "wrong.mo", None, &["lib/Parts"]).expect_err("`Sub` is no top-level package");
    assert!(said.contains("unknown class `Sub`"), "{said}");
}

/// Files that write down what is read.
struct Recorded(Memory, Rc<RefCell<Vec<PathBuf>>>);

impl Files for Recorded {
    fn is_file(&self, path: &Path) -> bool {
        self.0.is_file(path)
    }
    fn read(&self, path: &Path) -> Result<String, String> {
        self.1.borrow_mut().push(path.to_path_buf());
        self.0.read(path)
    }
    fn directories(&self, path: &Path) -> Vec<String> {
        self.0.directories(path)
    }
    fn files(&self, path: &Path) -> Vec<String> {
        self.0.files(path)
    }
    fn directory_name(&self, path: &Path) -> Option<String> {
        self.0.directory_name(path)
    }
}

#[test]
fn a_library_path_to_the_same_directory_reads_no_file_twice() {
    let read = Rc::new(RefCell::new(Vec::new()));
    let mut library = Library::new(Recorded(parts(), read.clone()), vec!["lib".into()]);
    let mut diagnostics = Diagnostics::new();
    let path = "lib/Parts/Sub/package.mo";
    let text = parts().read(path.as_ref()).expect("it is there");
    library.add_file(path.as_ref(), &text, &mut diagnostics);
    let request = Request { model: Some("Parts.Main".into()), overrides: Vec::new() };
    assert!(flatten(&mut library, &request, &mut diagnostics).is_ok(), "{diagnostics:?}");
    let expected = ["lib/Parts/package.mo", "lib/Parts/Main.mo", "lib/Parts/Sub/C.mo", "lib/Parts/Electrical.mo"];
    assert_eq!(*read.borrow(), expected.map(PathBuf::from));
}

#[test]
fn a_text_without_a_file_has_no_neighbours() {
    let mut library = Library::new(parts(), Vec::new());
    let mut diagnostics = Diagnostics::new();
    library.add_text("<stdin>", "within Parts; model M Sub.C c; end M;", &mut diagnostics);
    assert!(flatten(&mut library, &Request::default(), &mut diagnostics).is_err());
    assert!(render_all(&diagnostics, library.sources(), false).contains("unknown class `Sub`"));
}

#[test]
fn a_file_in_the_directory_of_another_package_is_refused() {
    let files = parts().with("lib/Parts/Sub/E.mo", "within Parts.Electrical; model E Real x = 1; end E;");
    let expected =
        ["E0213", "`within Parts.Electrical` does not fit the directory", "is the package `Parts.Sub`", "E.mo:1:8"];
    check_said(files, "lib/Parts/Sub/E.mo", None, &expected);
}

#[test]
fn a_file_that_leaves_out_within_is_not_in_the_package() {
    let files = parts().with("lib/Parts/Sub/E.mo", "model E Real x = 1; end E;");
    let expected = ["warning[W0213]", "`E` lies in the directory of package `Parts.Sub`", "`within Parts.Sub;`"];
    check_said(files, "lib/Parts/Sub/E.mo", None, &expected);
}

#[test]
fn names_that_differ_from_those_of_files_and_directories_are_reported() {
    let files = parts()
        .with("lib/Parts/Other.mo", "within Parts; model Another Real x = k; end Another;")
        .with("lib/Parts/Dir/package.mo", "within Parts; package Name model M Real x = k; end M; end Name;")
        .with("Tools-main/package.mo", "package Tools model M Real x = 1; end M; end Tools;")
        .with("Tools 1.2/package.mo", "package Tools model M Real x = 1; end M; end Tools;");
    check_said(files.clone(), "lib/Parts/Other.mo", None, &["warning[W0214]", "`Another` is in the file `lib/Parts/"]);
    check_said(files.clone(), "lib/Parts/Dir/package.mo", None, &["W0214", "`Name` is in the directory `Dir`"]);
    check_said(files.clone(), "Tools-main/package.mo", None, &["`Tools` is in the directory `Tools-main`"]);
    assert_eq!(equations(files, "Tools 1.2/package.mo", None, &[]), Ok(vec!["x = 1".to_string()]));
}

#[test]
fn a_file_of_a_library_that_holds_another_class_is_reported_when_it_is_needed() {
    let files = parts()
        .with("lib/Parts/Other.mo", "within Parts; model Another Real x = k; end Another;")
        .with("lib/Parts/Far.mo", "within Elsewhere; model Far Real x = k; end Far;");
    let package = "lib/Parts/package.mo";
    assert!(equations(files.clone(), package, Some("Parts.Main"), &[]).is_ok());
    check_said(files.clone(), package, Some("Parts.Other"), &["E0214", "`lib/Parts/Other.mo` has no class `Other`"]);
    let expected = ["W0215", "`within Elsewhere` in a file that is read as part of `Parts`"];
    check_said(files, package, Some("Parts.Far"), &expected);
}

#[test]
fn a_class_in_the_file_of_the_package_and_in_its_own_is_declared_twice() {
    let files = parts()
        .with("lib/Two/package.mo", "within; package Two model M Real x = 1; end M; end Two;")
        .with("lib/Two/M.mo", "within Two; model M Real x = 2; end M;");
    check_said(files, "lib/Two/M.mo", None, &["E0202", "`M` is declared twice", "lib/Two/package.mo"]);
}

#[test]
fn the_order_of_a_package_lists_what_is_there() {
    let files = parts().with("lib/Parts/package.order", "k\nSub\nElectrical\nMain\nGone\n");
    let expected = ["warning[W0216]", "`package.order` lists `Gone`"];
    check_said(files, "lib/Parts/package.mo", Some("Parts.Main"), &expected);
}

#[test]
fn without_a_model_in_the_file_those_of_the_package_are_proposed() {
    check_said(
        parts(),
        "lib/Parts/package.mo",
        None,
        &[
            "E0200",
            "name a class with `-m`, such as `Parts.Sub.C`, `Parts.Sub.Deep.D`, `Parts.Electrical.R`, `Parts.Main`",
        ],
    );
    let example = "within Parts; model Example Main m; annotation(experiment(StopTime = 1)); end Example;";
    let files = parts().with("lib/Parts/Example.mo", example);
    check_said(files, "lib/Parts/package.mo", None, &["such as `Parts.Example`\n"]);
}

#[test]
fn a_page_of_documentation_is_not_the_model_that_is_meant() {
    let files = parts().with(
        "lib/Parts/package.mo",
        "within; package Parts constant Real k = 2;
         package Guide class Contact end Contact; annotation(DocumentationClass = true); end Guide; end Parts;",
    );
    check_said(files, "lib/Parts/package.mo", None, &["E0200"]);
}

#[test]
fn a_misspelt_class_is_sought_in_the_deepest_package_that_is_there() {
    let expected =
        ["E0201", "there is no class `Parts.Sub.Dep.D`: `Parts.Sub` has no class `Dep`", "did you mean `Deep`?"];
    check_said(parts(), "lib/Parts/package.mo", Some("Parts.Sub.Dep.D"), &expected);
}

#[test]
fn where_the_way_up_ends_early_outer_packages_are_made_up() {
    let files = Memory::new()
        .with("Sub/package.mo", "within Parts; package Sub constant Real m = 3; end Sub;")
        .with("Sub/C.mo", "within Parts.Sub; model C Real w = m; end C;");
    assert_eq!(equations(files, "Sub/C.mo", None, &[]), Ok(vec!["w = 3".to_string()]));
}

/// Files that count how often they are read, and have versions.
struct Counted {
    files: Memory,
    version: Version,
    reads: Rc<RefCell<usize>>,
}

impl Files for Counted {
    fn is_file(&self, path: &Path) -> bool {
        self.files.is_file(path)
    }
    fn read(&self, path: &Path) -> Result<String, String> {
        *self.reads.borrow_mut() += 1;
        self.files.read(path)
    }
    fn directories(&self, path: &Path) -> Vec<String> {
        self.files.directories(path)
    }
    fn files(&self, path: &Path) -> Vec<String> {
        self.files.files(path)
    }
    fn version(&self, _: &Path) -> Option<Version> {
        Some(self.version)
    }
    fn directory_name(&self, path: &Path) -> Option<String> {
        self.files.directory_name(path)
    }
}

#[test]
fn a_library_is_read_again_only_where_it_changed() {
    let (parsed, reads) = (Parsed::default(), Rc::new(RefCell::new(0)));
    let ask = |text: &str, age: u64| {
        let files = Memory::new().with("lib/L.mo", text);
        let version = (std::time::UNIX_EPOCH + std::time::Duration::from_secs(age), text.len() as u64);
        let files = Counted { files, version, reads: reads.clone() };
        let mut library = Library::new(files, vec!["lib".into()]).keeping(parsed.clone());
        let mut diagnostics = Diagnostics::new();
        library.add_text("m.mo", "model M L.A a; end M;", &mut diagnostics);
        let flat = flatten(&mut library, &Request { model: None, overrides: Vec::new() }, &mut diagnostics);
        let said = render_all(&diagnostics, library.sources(), false);
        (flat.map(|flat| support::equations(&flat)).unwrap_or_default(), said, *reads.borrow())
    };
    let first = "package L model A Real x = 1; end A; end L;";
    assert_eq!(ask(first, 1), (vec!["a.x = 1".to_string()], String::new(), 1));
    assert_eq!(ask(first, 1), (vec!["a.x = 1".to_string()], String::new(), 1));
    assert_eq!(ask("package L model A Real x = 2; end A; end L;", 2), (vec!["a.x = 2".to_string()], String::new(), 2));
    // What is wrong with a file is said each time, with its text.
    let wrong = "package L model A Real x = 2 end A; end L;";
    let (_, said, reads) = ask(wrong, 3);
    assert!(said.contains("E0102") && said.contains(wrong), "{said}");
    assert_eq!(ask(wrong, 3), (Vec::new(), said, reads));
}
