//! What each request of the protocol gets.

use std::path::PathBuf;

use serde_json::{Value, json};

use super::client::{Client, edited};
use crate::support::{root, temporary};

const CIRCUIT: &str = "\
package P \"parts\"
  connector Pin
    Real v \"potential\";
    flow Real i \"current\";
  end Pin;
  partial model TwoPin
    Pin p, n;
    Real u(unit = \"V\") \"voltage\";
  equation
    u = p.v - n.v;
    0 = p.i + n.i;
  end TwoPin;
  model Resistor \"a resistor\"
    extends TwoPin;
    parameter Real R = 2 \"resistance\";
  equation
    u = R*p.i;
  end Resistor;
  model Source
    extends TwoPin;
  equation
    u = 3;
  end Source;
  model Ground Pin p; equation p.v = 0; end Ground;
  function square
    input Real x \"what is squared\";
    output Real y;
  algorithm
    y := x^2;
  end square;
  model Circuit
    Resistor r(R = 5);
    Source s; Ground g;
    Real q = square(r.u);
  equation
    connect(r.p, s.p);
    connect(r.n, s.n);
    connect(s.n, g.p);
  end Circuit;
end P;
";

fn water_tank() -> (PathBuf, String) {
    let path = root().join("models/WaterTank.mo").canonicalize().expect("a model of the papers");
    let text = std::fs::read_to_string(&path).expect("a model of the papers");
    (path, text)
}

fn circuit() -> Client {
    Client::open(&temporary("Circuit.mo"), CIRCUIT)
}

fn labels(items: &Value) -> Vec<&str> {
    items["items"].as_array().expect("a list").iter().filter_map(|item| item["label"].as_str()).collect()
}

#[test]
fn what_the_analysis_knows_is_shown_beside_the_text() {
    let (path, text) = water_tank();
    let mut client = Client::open(&path, &text);
    client.wait_for_facts();
    let hover = client.at("hover", "z + y§l - yh", json!({}));
    let shown = hover["contents"]["value"].as_str().expect("markdown");
    assert!(shown.contains("correction of the outflow while the tank is empty"), "{shown}");
    assert!(shown.contains("- when `bl`: `yl` from `e2`\n- when `not bl`: `yl` from `el2`"), "{shown}");
    let hover = client.at("hover", "/* e§h2: */", json!({}));
    let shown = hover["contents"]["value"].as_str().expect("markdown");
    assert!(shown.contains("equation **eh2**\n- differentiated once when `bh`"), "{shown}");
    let all = json!({"start": {"line": 0, "character": 0}, "end": {"line": 99, "character": 0}});
    let hints = client.ask("inlayHint", json!({"range": all})).to_string();
    assert!(hints.contains("when bl → yl · when not (bh or bl) → x' · when bh → yh"), "{hints}");
    // What was found stays where it was while one types elsewhere.
    client.replace("// 0 <= xmax - x", "// a new line\n  // 0 <= xmax - x");
    let moved = client.ask("inlayHint", json!({"range": all}));
    let line = |hints: &Value| hints.as_array().and_then(|it| it.last()?["position"]["line"].as_u64());
    assert_eq!(line(&moved), Some(28));
    let lenses = client.ask("codeLens", json!({}));
    let lens = client.request("codeLens/resolve", lenses[0].clone());
    assert_eq!(lens["command"]["title"], json!("3 modes · index 2 when bh or bl"));
    client.end();
}

/// A name before another declaration is half a type while it is typed, and that of a component that it leads to itself.
#[test]
fn names_that_lead_to_themselves_are_answered() {
    let texts = [
        "model E\n  A§.B A;\nend E;\n",
        "model E\n  A.x B;\n  B§.x A;\nend E;\n",
        "package P\n  model M\n    P§.A\n    P.Q c;\n  end M;\nend P;\n",
        "model A\n  extends A§.B;\n  model B extends A; end B;\n  B b;\nend A;\n",
        "package A\n  extends §B;\n  package B extends C; package C extends A; end C; end B;\n  model M end M;\nend A;\n",
    ];
    for (number, text) in texts.iter().enumerate() {
        let plain = text.replace('§', "");
        let mut client = Client::open(&temporary(&format!("Circle{number}.mo")), &plain);
        for what in ["hover", "definition", "typeDefinition", "references", "documentHighlight", "completion"] {
            let more = if what == "references" { json!({"context": {"includeDeclaration": true}}) } else { json!({}) };
            client.at(what, text, more);
        }
        client.end();
    }
}

#[test]
fn every_model_of_a_file_has_a_lens_of_its_own() {
    let mut client = circuit();
    let lenses = client.ask("codeLens", json!({}));
    let models: Vec<&str> =
        lenses.as_array().expect("a list").iter().filter_map(|it| it["data"]["model"].as_str()).collect();
    assert_eq!(models, ["P.Resistor", "P.Source", "P.Ground", "P.Circuit"]);
    let circuit = client.request("codeLens/resolve", lenses[6].clone());
    assert_eq!(circuit["command"]["title"], json!("1 mode · index 1"));
    client.end();
}

/// Short classes, quoted names, `within` and words in comments: as the program reads them, and with the default that it has.
#[test]
fn the_models_of_a_file_are_those_of_the_program() {
    let short = "model Base\n  parameter Real k = 1;\nend Base;\nmodel 'my model'\n  Real q = 7;\nend 'my model';\nmodel Fast = Base(k = 30);\n";
    let packages = "within Lib; // model Comment\npackage P\n  model A end A;\n  package Q model B end B; end Q;\nend P;\n\
                    partial model Part end Part;\nblock Outer\n  model Inner end Inner;\nend Outer;\nfunction f end f;\n";
    let inside = "package P\n  model A end A;\n  block B end B;\n  package Q model C end C; end Q;\nend P;\n";
    for (name, text, expected, default) in [
        ("Short.mo", short, vec!["Base", "'my model'", "Fast"], "Fast"),
        ("Packages.mo", packages, vec!["Lib.P.A", "Lib.P.Q.B", "Lib.Outer", "Lib.Outer.Inner"], "Lib.Outer"),
        ("Inside.mo", inside, vec!["P.A", "P.B", "P.Q.C"], "P.B"),
    ] {
        let mut client = Client::open(&temporary(name), text);
        let parameters = json!({"textDocument": {"uri": client.uri}});
        let models = client.request("modeshift/models", parameters);
        let models = models.as_array().expect("a list");
        let names: Vec<&str> = models.iter().filter_map(|it| it["name"].as_str()).collect();
        assert_eq!(names, expected, "{name}");
        let usual: Vec<&str> =
            models.iter().filter(|it| it["isDefault"] == json!(true)).filter_map(|it| it["name"].as_str()).collect();
        assert_eq!(usual, [default], "{name}");
        client.end();
    }
}

#[test]
fn the_model_that_a_client_shows_is_the_one_that_is_judged() {
    let text = "model Wrong Real x; equation x = y; end Wrong;\nmodel Right Real x = 1; end Right;\n";
    let mut client = Client::open(&temporary("Two.mo"), text);
    assert!(client.diagnostics().is_empty(), "the last model is right");
    let uri = client.uri.clone();
    let mut judged = |model: &str| {
        client.notify("modeshift/model", json!({"textDocument": {"uri": uri}, "model": model}));
        client.diagnostics().iter().map(|it| it["code"].as_str().unwrap_or_default().to_string()).collect::<Vec<_>>()
    };
    assert_eq!(judged("Wrong"), ["E0201"]);
    assert!(judged("Right").is_empty());
    assert!(judged("").is_empty());
    assert_eq!(judged("Wrong"), ["E0201"]);
    client.replace("x = y", "x = 2");
    assert!(client.diagnostics().is_empty(), "it was mended");
    client.replace("x = 2", "x = y");
    assert_eq!(client.diagnostics().len(), 1, "it is still the one that is judged");
    client.end();
}

#[test]
fn names_lead_to_their_declarations() {
    let mut client = circuit();
    let mut line = |piece: &str| {
        let found = client.at("definition", piece, json!({}));
        found["range"]["start"]["line"].as_u64()
    };
    assert_eq!(line("Real q = square(§r.u)"), Some(31), "a component");
    assert_eq!(line("Real q = square(r.§u)"), Some(7), "an inherited element of its class");
    assert_eq!(line("Real q = squ§are"), Some(24), "a function");
    assert_eq!(line("connect(r.p§, s.p)"), Some(6), "one of two components of a declaration");
    assert_eq!(line("Resistor r(§R = 5)"), Some(14), "a modifier");
    assert_eq!(line("equation p.§v = 0"), Some(2), "an element of a connector");
    assert_eq!(line("    extends Two§Pin;\n    parameter"), Some(5), "a base class");
    assert_eq!(line("end Cir§cuit"), Some(30), "the end of a class");
    client.end();
}

#[test]
fn a_name_is_renamed_wherever_it_is_meant_and_nowhere_else() {
    let mut client = circuit();
    let uri = client.uri.clone();
    let change = client.at("rename", "parameter Real §R = 2", json!({"newName": "Ohm"}));
    let renamed = edited(CIRCUIT, &change["changes"][&uri]);
    let expected =
        CIRCUIT.replace("Real R =", "Real Ohm =").replace("R*p.i", "Ohm*p.i").replace("(R = 5)", "(Ohm = 5)");
    assert_eq!(renamed, expected);
    let change = client.at("rename", "model §Source", json!({"newName": "Battery"}));
    let renamed = edited(CIRCUIT, &change["changes"][&uri]);
    assert_eq!(renamed, CIRCUIT.replace("Source", "Battery"));
    let refused = |client: &mut Client, piece: &str, name: &str| {
        let position = client.place(piece);
        let parameters = json!({"textDocument": {"uri": client.uri}, "position": position, "newName": name});
        client.respond("textDocument/rename", parameters)["error"]["message"].as_str().map(str::to_string)
    };
    assert_eq!(refused(&mut client, "Real q§ = ", "r").as_deref(), Some("there is a `r` already"));
    assert_eq!(refused(&mut client, "Real q§ = ", "1x").as_deref(), Some("`1x` is no name"));
    assert_eq!(refused(&mut client, "Real q§ = ", "end").as_deref(), Some("`end` is no name"));
    let meant = Some("`time` means something in the language");
    assert_eq!(refused(&mut client, "Real q§ = ", "time").as_deref(), meant);
    let used = Some("`Source` is used in this file already: choose another name");
    assert_eq!(refused(&mut client, "Real q§ = ", "Source").as_deref(), used);
    assert_eq!(refused(&mut client, "Re§al q = ", "x").as_deref(), Some("this is a word of the language"));
    client.end();
}

#[test]
fn a_class_of_a_package_is_renamed_in_all_its_files() {
    let directory = temporary("Shop");
    let _ = std::fs::remove_dir_all(&directory);
    std::fs::create_dir_all(&directory).expect("a temporary directory");
    let write = |name: &str, text: &str| std::fs::write(directory.join(name), text).expect("a temporary file");
    write("package.mo", "package Shop\nend Shop;\n");
    write("package.order", "User\nPart\n");
    write("Part.mo", "within Shop;\nmodel Part\n  Real x = 1;\nend Part;\n");
    let user = "within Shop;\nmodel User\n  Part a;\n  Real y = a.x;\nend User;\n";
    write("User.mo", user);
    let mut client = Client::open(&directory.join("User.mo"), user);
    let change = client.at("rename", "  Pa§rt a", json!({"newName": "Piece"}));
    // A package finds its classes by the names of files: the file gets the new name, behind the edits.
    let [edits @ .., file] = change["documentChanges"].as_array().expect("a list").as_slice() else {
        panic!("{change}")
    };
    let of = |name: &str| {
        let is_of = |it: &&Value| it["textDocument"]["uri"].as_str().is_some_and(|uri| uri.ends_with(name));
        edits.iter().find(is_of).and_then(|it| it["edits"].as_array()).map(Vec::len)
    };
    assert_eq!((edits.len(), of("User.mo"), of("Part.mo"), of("package.order")), (3, Some(1), Some(2), Some(1)));
    let ends = |key: &str, name: &str| file[key].as_str().is_some_and(|uri| uri.ends_with(name));
    assert!(file["kind"] == json!("rename") && ends("oldUri", "/Part.mo") && ends("newUri", "/Piece.mo"), "{file}");
    let refused = |client: &mut Client, name: &str| {
        let position = client.place("  Pa§rt a");
        let parameters = json!({"textDocument": {"uri": client.uri}, "position": position, "newName": name});
        client.respond("textDocument/rename", parameters)["error"]["message"].as_str().map(str::to_string)
    };
    write("Other.mo", "within Shop;\nmodel Different\nend Different;\n");
    assert_eq!(refused(&mut client, "Other").as_deref(), Some("there is a file `Other.mo` already"));
    let found = client.at("references", "a.§x", json!({"context": {"includeDeclaration": true}}));
    assert_eq!(found.as_array().map(Vec::len), Some(2), "{found}");
    client.end();
}

/// All `inner` and `outer` of a name are renamed together, from each of them; what only is called so stays.
#[test]
fn what_finds_each_other_by_its_name_is_renamed_together() {
    let text = "model World\n  Real g = 9.81;\nend World;\nmodel Body\n  outer World world;\n  Real a = -world.g;\nend Body;\n\
                model M\n  inner World world(g = 1);\n  Body body;\n  Real b = body.world.g;\nend M;\n\
                model Other\n  World world;\n  Real c = world.g;\nend Other;\n";
    let mut client = Client::open(&temporary("Worlds.mo"), text);
    let uri = client.uri.clone();
    for piece in ["outer World wor§ld", "inner World wor§ld", "-wor§ld.g", "body.wor§ld"] {
        let found = client.at("rename", piece, json!({"newName": "earth"}));
        assert_eq!(
            edited(text, &found["changes"][&uri]),
            text.replace("outer World world", "outer World earth")
                .replace("inner World world", "inner World earth")
                .replace("-world.g", "-earth.g")
                .replace("body.world", "body.earth"),
            "{piece}"
        );
    }
    let found = client.at("rename", "c = wor§ld", json!({"newName": "earth"}));
    assert_eq!(
        edited(text, &found["changes"][&uri]),
        text.replace("\n  World world", "\n  World earth").replace("c = world", "c = earth")
    );
    // Bodies of a library look for what this is called.
    let foreign = "model N\n  inner Modeshift.Electrical.Ground ground;\nend N;\n";
    client.also_open(&temporary("Foreign.mo"), foreign);
    let position = client.place("Ground grou§nd");
    let parameters = json!({"textDocument": {"uri": client.uri}, "position": position, "newName": "earth"});
    let answer = client.respond("textDocument/rename", parameters);
    assert!(answer["error"]["message"].as_str().is_some_and(|it| it.contains("it has to stay")), "{answer}");
    client.end();
}

/// Whatever stands in the place of something has elements of the same names: renaming one alone breaks the model.
#[test]
fn an_element_is_not_renamed_where_another_class_has_to_have_it_too() {
    let text = "model Sub\n  replaceable model Inner\n    Real q = 1;\n    Real alone = 2;\n  end Inner;\n  Inner inn;\nend Sub;\n\
                model Other\n  Real q = 2;\n  Real more = 3;\nend Other;\n\
                model Load\n  Real heat = 1;\n  Real shared;\nend Load;\n\
                model Lamp\n  Real heat = 2;\n  Real shared;\nend Lamp;\n\
                model Face\n  Real u;\nend Face;\nmodel Usual\n  Real u = 1;\nend Usual;\n\
                model Room\n  replaceable Load load;\n  replaceable Usual usual constrainedby Face;\nend Room;\n\
                model Hall\n  extends Room(redeclare Lamp load);\nend Hall;\n\
                model House\n  extends Sub;\n  redeclare model Inner\n    Real q = 5;\n  end Inner;\nend House;\n\
                model Top\n  Sub s(redeclare model Inner = Other);\n  Real y = s.inn.q;\nend Top;\n\
                model Deep1\n  Load part;\nend Deep1;\nmodel Deep2\n  Strange part;\nend Deep2;\n\
                model Strange\n  Real heat = 3;\n  Real shared;\nend Strange;\n\
                model Nest\n  replaceable Deep1 deep;\nend Nest;\nmodel Nested\n  Nest n(redeclare Deep2 deep);\nend Nested;\n";
    let mut client = Client::open(&temporary("Stands.mo"), text);
    let mut answer = |piece: &str| {
        let position = client.place(piece);
        let parameters = json!({"textDocument": {"uri": client.uri}, "position": position, "newName": "zzz"});
        client.respond("textDocument/rename", parameters)
    };
    for piece in [
        "Real §q = 1",
        "Real §q = 2",
        "Real §q = 5",
        "s.inn.§q",
        "Load\n  Real §heat",
        "Lamp\n  Real §heat",
        "Strange\n  Real §heat",
        "Real §u;",
        "Real §u = 1",
    ] {
        let answer = answer(piece);
        let message = answer["error"]["message"].as_str().unwrap_or_default();
        assert!(message.contains("one stands in the place of the other"), "{piece}: {answer}");
    }
    for piece in ["Real §alone", "Real §more", "Sub §s(", "Real §y"] {
        let answer = answer(piece);
        assert!(answer["result"]["changes"].is_object(), "{piece}: {answer}");
    }
    client.end();
}

/// The same where a file that does not mention the element puts the class in its place.
#[test]
fn who_stands_for_whom_is_looked_for_in_all_files() {
    let directory = temporary("Stands");
    let _ = std::fs::remove_dir_all(&directory);
    std::fs::create_dir_all(&directory).expect("a temporary directory");
    let write = |name: &str, text: &str| std::fs::write(directory.join(name), text).expect("a temporary file");
    let load = "within Stands;\nmodel Load\n  Real heat = 1;\nend Load;\n";
    write("package.mo", "package Stands\nend Stands;\n");
    write("Load.mo", load);
    write("Lamp.mo", "within Stands;\nmodel Lamp\n  Real heat = 2;\nend Lamp;\n");
    write("Room.mo", "within Stands;\nmodel Room\n  replaceable Load load;\nend Room;\n");
    write("Use.mo", "within Stands;\nmodel Use\n  Room room(redeclare Lamp load);\nend Use;\n");
    let mut client = Client::open(&directory.join("Load.mo"), load);
    let position = client.place("Real §heat");
    let parameters = json!({"textDocument": {"uri": client.uri}, "position": position, "newName": "zzz"});
    let answer = client.respond("textDocument/rename", parameters);
    assert!(
        answer["error"]["message"].as_str().is_some_and(|it| it.contains("`Stands.Lamp` has a `heat`")),
        "{answer}"
    );
    client.end();
}

/// A component by itself is judged, and told of, among surroundings.
#[test]
fn hints_of_a_component_are_those_among_surroundings() {
    let text = "connector Pin\n  Real v;\n  flow Real i;\nend Pin;\nmodel Diode\n  Pin p, n;\n  Real s(start = -1);\n  Boolean on = s > 0;\n\
                equation\n  p.v - n.v = if on then 0 else s;\n  p.i = if on then s else 0;\n  p.i + n.i = 0;\nend Diode;\n";
    let mut client = Client::open(&temporary("Diode.mo"), text);
    client.wait_for_facts();
    let all = json!({"start": {"line": 0, "character": 0}, "end": {"line": 99, "character": 0}});
    let hints = client.ask("inlayHint", json!({"range": all}));
    let labels: Vec<&str> = hints.as_array().expect("a list").iter().filter_map(|it| it["label"].as_str()).collect();
    // Neither equation gives `s` in all modes.
    assert!(labels.iter().any(|it| it.contains("→ s")), "{labels:?}");
    assert!(labels.iter().all(|it| !it.contains("→ s") || it.contains("when")), "{labels:?}");
    client.end();
}

/// A folder that the client works in is searched, also where no file of it is open.
#[test]
fn a_name_is_renamed_in_all_files_of_the_folder() {
    let directory = temporary("Workplace");
    let _ = std::fs::remove_dir_all(&directory);
    std::fs::create_dir_all(directory.join("Lib")).expect("a temporary directory");
    let write = |name: &str, text: &str| std::fs::write(directory.join(name), text).expect("a temporary file");
    let base = "within Lib;\nmodel Base\n  Real x(start = 1);\nend Base;\n";
    write("Lib/package.mo", "package Lib\nend Lib;\n");
    write("Lib/Base.mo", base);
    write("use.mo", "model Use\n  Lib.Base d(x(start = 8));\n  Real y = d.x;\nend Use;\n");
    write("other.mo", "model Other\n  Real x = 3;\nend Other;\n");
    let mut client = Client::working_in(&directory);
    client.also_open(&directory.join("Lib/Base.mo"), base);
    let found = client.at("rename", "Real §x", json!({"newName": "position"}));
    let changes = found["changes"].as_object().expect("edits");
    let count = |name: &str| {
        let of_file = changes.iter().find(|(uri, _)| uri.ends_with(name));
        of_file.and_then(|(_, edits)| edits.as_array()).map_or(0, Vec::len)
    };
    assert_eq!((count("/Base.mo"), count("/use.mo"), count("/other.mo")), (1, 2, 0), "{found}");
    let found = client.at("references", "Real §x", json!({"context": {"includeDeclaration": false}}));
    assert_eq!(found.as_array().map(Vec::len), Some(2), "{found}");
    client.end();
}

/// A byte order mark at any place leaves the server alive, and places behind it where they are.
#[test]
fn byte_order_marks_move_no_places() {
    let mut client = Client::new();
    for (name, text, line, character) in [
        ("MarkBefore.mo", "\u{feff}model A\n  Real x = y;\nend A;\n", 1, 11),
        ("MarkAlone.mo", "\u{feff}model A Real x = y; end A;\n", 0, 18),
        ("MarkInside.mo", "model A\n  Boolean g; Real x;\nequation\n  x = \u{feff}f\nend A;\n", 3, 7),
        ("MarkLater.mo", "model A\n  /* \u{feff} */ Real x = y;\nend A;\n", 1, 19),
    ] {
        client.also_open(&temporary(name), text);
        let found = client.diagnostics();
        let start = &found[0]["range"]["start"];
        assert_eq!(*start, json!({"line": line, "character": character}), "{name}: {found:?}");
    }
    client.end();
}

/// What is typed in one document counts for the others before it is saved, and no longer when it is closed.
#[test]
fn other_documents_are_judged_by_texts_that_are_not_saved() {
    let directory = temporary("Depot");
    let _ = std::fs::remove_dir_all(&directory);
    std::fs::create_dir_all(&directory).expect("a temporary directory");
    let write = |name: &str, text: &str| std::fs::write(directory.join(name), text).expect("a temporary file");
    let part = "within Depot;\nmodel Part\n  Real x = 1;\nend Part;\n";
    let user = "within Depot;\nmodel User\n  Part a;\n  Real y = a.x;\nend User;\n";
    write("package.mo", "package Depot\nend Depot;\n");
    write("Part.mo", part);
    write("User.mo", user);
    let mut client = Client::open(&directory.join("User.mo"), user);
    assert!(client.diagnostics().is_empty());
    let using = client.uri.clone();
    client.also_open(&directory.join("Part.mo"), part);
    client.replace("Real x", "Real z");
    client.wait_for(&using, |said| said.iter().any(|it| it["code"] == json!("E0201")));
    client.replace("Real z", "Real x");
    client.wait_for(&using, <[Value]>::is_empty);
    client.replace("Real x", "Real w");
    client.wait_for(&using, |said| !said.is_empty());
    client.notify("textDocument/didClose", json!({"textDocument": {"uri": client.uri}}));
    client.wait_for(&using, <[Value]>::is_empty);
    client.end();
}

#[test]
fn proposals_fit_their_place_also_in_broken_text() {
    let mut client = circuit();
    let found = client.at("completion", "square(r.§u)", json!({}));
    assert_eq!(labels(&found), ["R", "p", "n", "u"]);
    let found = client.at("completion", "Resistor r(§R = 5)", json!({}));
    assert_eq!(labels(&found), ["R", "p", "n", "u"]);
    assert_eq!(found["items"][0]["insertText"], json!("R = "));
    let found = client.at("completion", "Real u(§unit", json!({}));
    assert!(labels(&found).starts_with(&["start", "fixed", "unit"]), "{found}");
    client.replace("connect(r.n, s.n);", "connect(");
    let found = client.at("completion", "connect(§\n", json!({}));
    assert_eq!(labels(&found), ["r.p", "r.n", "s.p", "s.n", "g.p"]);
    client.replace("connect(", "r.\n    connect(");
    let found = client.at("completion", "  r.§\n", json!({}));
    assert_eq!(labels(&found), ["R", "p", "n", "u"]);
    let found = client.at("completion", "extends Two§Pin;\n    parameter", json!({}));
    let found = labels(&found);
    assert!(["TwoPin", "Pin", "Modelica", "Modeshift"].iter().all(|name| found.contains(name)), "{found:?}");
    client.replace("Source s;", "Source s; Modeshift.");
    let found = client.at("completion", "Modeshift.§", json!({}));
    assert!(labels(&found).contains(&"Electrical"), "{found}");
    client.end();
}

/// With the first name of the next line, what is begun reads as a declaration.
#[test]
fn a_name_that_is_begun_above_a_dotted_type_is_completed() {
    let text = "package Lib\n  package Sources\n    model Sine Real y; parameter Real amplitude = 1; end Sine;\n    model Step end Step;\n  end Sources;\nend Lib;\n\
                model M\n  Lib.Sources.Sine first;\n  ?\n  Lib.Sources.Sine sine(amplitude = 2);\nend M;\n";
    let mut client = Client::open(&temporary("Begun.mo"), text);
    let mut typed = "?".to_string();
    for (begun, expected) in
        [("Lib.S", vec!["Sources"]), ("Lib.Sources.S", vec!["Sine", "Step"]), ("first.am", vec!["y", "amplitude"])]
    {
        client.replace(&format!("first;\n  {typed}\n"), &format!("first;\n  {begun}\n"));
        typed = begun.to_string();
        let found = client.at("completion", &format!("  {begun}§\n"), json!({}));
        assert_eq!(labels(&found), expected, "{begun}");
    }
    client.end();
}

#[test]
fn the_arguments_of_a_function_are_shown_while_it_is_called() {
    let mut client = circuit();
    let help = client.at("signatureHelp", "square(§r.u)", json!({}));
    assert_eq!(help["signatures"][0]["label"], json!("square(Real x)"));
    client.replace("u = 3;", "u = max(1, sample(0,");
    let help = client.at("signatureHelp", "sample(0,§", json!({}));
    assert_eq!(
        (&help["signatures"][0]["label"], &help["activeParameter"]),
        (&json!("sample(start, interval)"), &json!(1))
    );
    client.end();
}

#[test]
fn the_outline_has_classes_components_and_named_equations() {
    let (path, text) = water_tank();
    let mut client = Client::open(&path, &text);
    let outline = client.ask("documentSymbol", json!({}));
    let names: Vec<&str> =
        outline[0]["children"].as_array().expect("a list").iter().filter_map(|it| it["name"].as_str()).collect();
    assert_eq!(outline[0]["name"], json!("WaterTank"));
    assert!(names.starts_with(&["xmax", "xmin"]) && names.ends_with(&["eh1", "eh2", "el1", "el2"]), "{names:?}");
    let folds = client.ask("foldingRange", json!({}));
    assert!(folds.as_array().is_some_and(|it| it.contains(&json!({"startLine": 3, "endLine": 28}))), "{folds}");
    let tokens = client.ask("semanticTokens/full", json!({}))["data"].as_array().map(Vec::len);
    assert!(tokens.is_some_and(|count| count > 500 && count % 5 == 0));
    client.end();
}

#[test]
fn an_edit_that_was_tried_out_mends_what_is_wrong() {
    let (path, text) = water_tank();
    let mut client = Client::open(&path, &text);
    let mut mended = |wrong: (&str, &str), expected: &str| {
        client.replace(wrong.0, wrong.1);
        let diagnostics = client.diagnostics();
        let actions =
            client.ask("codeAction", json!({"range": diagnostics[0]["range"], "context": {"diagnostics": []}}));
        assert_eq!(actions[0]["title"], json!(expected), "{diagnostics:?}");
        let edits = actions[0]["edit"]["changes"][&client.uri].clone();
        let after = edited(&client.text, &edits);
        let length = client.text.len();
        client.edit(0..length, &after);
        let left = client.diagnostics();
        assert!(left.iter().all(|it| it["severity"] != json!(1)), "{left:?}");
    };
    mended(("z + yl - yh", "z + yll - yh"), "replace `yll` by `yl`");
    mended(("bl = (sl >= 0);", "bl = (sl >= 0)"), "insert `;`");
    mended(("end WaterTank", "end WatrTank"), "write `end WaterTank;`");
    mended(("cos(2*Modelica.Constants.pi*time)", "cos(2*Modelica.Constants.pi*time"), "insert `)`");
    client.end();
}

#[test]
fn a_document_with_letters_of_any_width_keeps_its_places() {
    let text = "model M \"größe 𝄞\"\n  Real x \"𝄞\"; Real y = z;\nend M;\n";
    let mut client = Client::open(&temporary("Wide.mo"), text);
    let range = client.diagnostics()[0]["range"].clone();
    assert_eq!(range, json!({"start": {"line": 1, "character": 24}, "end": {"line": 1, "character": 25}}));
    client.replace("= z", "= 1 - x");
    assert_eq!(client.at("definition", "1 - §x", json!({}))["range"]["start"]["character"], json!(7));
    client.end();
}

#[test]
fn requests_that_make_no_sense_are_answered_with_an_error() {
    let mut client = Client::new();
    let error = client.respond("no/such", json!({}));
    assert_eq!(error["error"]["code"], json!(-32601));
    let place = json!({"line": 0, "character": 0});
    let closed = json!({"textDocument": {"uri": "file:///no.mo"}, "position": place});
    assert_eq!(client.respond("textDocument/hover", closed)["result"], Value::Null);
    let document = json!({"uri": "file:///no.mo"});
    for (method, parameters) in [
        ("textDocument/hover", json!({"textDocument": document})),
        ("textDocument/hover", json!({"textDocument": document, "position": {"line": -1, "character": 0}})),
        ("textDocument/hover", json!([1])),
        ("textDocument/formatting", json!({})),
        ("textDocument/rename", json!({"textDocument": document, "position": place, "newName": 3})),
        ("textDocument/codeAction", json!({"textDocument": document, "range": {"start": place}})),
        ("codeLens/resolve", json!("a lens")),
        ("codeLens/resolve", json!([1])),
    ] {
        let error = client.respond(method, parameters.clone());
        assert_eq!(error["error"]["code"], json!(-32602), "{method} {parameters}: {error}");
    }
    assert_eq!(client.respond("initialize", json!({"capabilities": {}}))["error"]["code"], json!(-32600));
    client.request("shutdown", Value::Null);
    let late = client.respond("textDocument/hover", json!({"textDocument": document, "position": place}));
    assert_eq!(late["error"]["code"], json!(-32600), "{late}");
    client.leave();
}

/// A package in a directory of its own, and a client with one of its files open.
fn package(name: &str, files: &[(&str, &[u8])], opened: &str) -> Client {
    let directory = temporary(name);
    let _ = std::fs::remove_dir_all(&directory);
    std::fs::create_dir_all(&directory).expect("a temporary directory");
    for (file, text) in files {
        std::fs::write(directory.join(file), text).expect("a temporary file");
    }
    let path = directory.join(opened);
    Client::open(&path, &std::fs::read_to_string(&path).expect("it is text"))
}

/// Why a renaming is refused.
fn refusal(client: &mut Client, piece: &str, name: &str) -> Option<String> {
    let parameters = json!({"textDocument": {"uri": client.uri}, "position": client.place(piece), "newName": name});
    client.respond("textDocument/rename", parameters)["error"]["message"].as_str().map(str::to_string)
}

/// A new name must not mean something else in any file where the old one is seen, written there or not.
#[test]
fn a_new_name_is_not_caught_by_a_declaration_in_another_file() {
    let files: [(&str, &[u8]); 6] = [
        ("package.mo", b"package Caught\n  constant Real k = 2;\n  constant Real far = 1;\nend Caught;\n"),
        ("A.mo", b"within Caught;\nmodel A\n  parameter Real p = 7;\n  Real z = k;\nend A;\n"),
        ("Base.mo", b"within Caught;\nmodel Base\n  Real g = 1;\nend Base;\n"),
        ("Derived.mo", b"within Caught;\nmodel Derived\n  extends Base;\n  Real q = 3;\nend Derived;\n"),
        ("Outside.mo", b"within Caught;\nmodel Outside\n  Base b;\n  Real r = b.g;\nend Outside;\n"),
        ("Sum.mo", b"within Caught;\nmodel Sum\n  extends Base;\n  Real s = far;\nend Sum;\n"),
    ];
    let mut client = package("Caught", &files, "package.mo");
    let said = refusal(&mut client, "Real k§ =", "p").expect("`p` of `A` would be meant");
    assert!(said.contains("A.mo`, line 3"), "{said}");
    assert_eq!(refusal(&mut client, "Real k§ =", "fine"), None);
    client.end();
    let mut client = package("Caught", &files, "Base.mo");
    for (name, place) in [("q", "Derived.mo`, line 4"), ("r", "Outside.mo`, line 4"), ("far", "Sum.mo`, line 4")] {
        let said = refusal(&mut client, "Real g§ =", name).unwrap_or_else(|| panic!("`{name}` is taken"));
        assert!(said.contains(place), "{said}");
    }
    // A name that is used where this is not seen is free.
    assert_eq!(refusal(&mut client, "Real g§ =", "z"), None);
    client.end();
}

/// A file that cannot be read as text may use the name: leaving it out would break it.
#[test]
fn a_file_that_is_no_text_is_not_left_out_of_a_renaming() {
    let files: [(&str, &[u8]); 3] = [
        ("package.mo", b"package Latin\n  constant Real k = 2;\n  constant Real only = 2;\nend Latin;\n"),
        ("A.mo", b"within Latin;\nmodel A\n  Real /*\xe9*/ z = k;\nend A;\n"),
        ("B.mo", b"within Latin;\nmodel B\n  Real z = k;\nend B;\n"),
    ];
    let mut client = package("Latin", &files, "package.mo");
    let said = refusal(&mut client, "Real k§ =", "kk").expect("it may be in `A.mo`");
    assert!(said.contains("A.mo") && said.contains("UTF-8"), "{said}");
    let found = client.at("references", "Real k§ =", json!({"context": {"includeDeclaration": false}}));
    assert_eq!(found.as_array().map(Vec::len), Some(1), "what can be read is found: {found}");
    client.end();
}

/// The name that an import gives is renamed, not what it stands for.
#[test]
fn an_alias_is_renamed_alone() {
    let text = "package Q\n  record Data Real a = 1; end Data;\n  model M\n    import C = Q.Data;\n    C d;\n    Q.Data e;\n  end M;\n\
                model N\n    import SI = Modelica.Units.SI;\n    SI.Voltage v = 1;\n  end N;\nend Q;\n";
    let mut client = Client::open(&temporary("Alias.mo"), text);
    for (piece, name, expected) in [
        ("import §C =", "CC", text.replace("import C =", "import CC =").replace("    C d", "    CC d")),
        ("    §C d", "CC", text.replace("import C =", "import CC =").replace("    C d", "    CC d")),
        ("import §SI =", "U", text.replace("import SI =", "import U =").replace("SI.Voltage v", "U.Voltage v")),
        ("§SI.Voltage", "U", text.replace("import SI =", "import U =").replace("SI.Voltage v", "U.Voltage v")),
    ] {
        let change = client.at("rename", piece, json!({"newName": name}));
        let uri = client.uri.clone();
        assert_eq!(edited(text, &change["changes"][&uri]), expected, "{piece}");
    }
    assert!(refusal(&mut client, "import §C =", "Data").is_some(), "it would mean the class");
    client.end();
    let files: [(&str, &[u8]); 3] = [
        ("package.mo", b"package Given\n  import D = Given.Data;\nend Given;\n"),
        ("Data.mo", b"within Given;\nrecord Data\n  Real a = 1;\nend Data;\n"),
        ("User.mo", b"within Given;\nmodel User\n  D d;\nend User;\n"),
    ];
    for (file, piece) in [("package.mo", "import §D"), ("User.mo", "  §D d")] {
        let mut client = package("Given", &files, file);
        let said = refusal(&mut client, piece, "DD").expect("other files see it");
        assert!(said.contains("by hand"), "{said}");
        client.end();
    }
}

/// What is put into a text with ends of lines as Windows has them has those too.
#[test]
fn edits_have_the_ends_of_lines_of_their_document() {
    let text =
        "model M\r\n  Real x;\r\nequation\r\n  if time > 1 then\r\n    x = 1;\r\n  else\r\n    x = 2;\r\nend M;\r\n";
    let mut client = Client::open(&temporary("Ends.mo"), text);
    let diagnostics = client.diagnostics();
    let actions = client.ask("codeAction", json!({"range": diagnostics[0]["range"], "context": {"diagnostics": []}}));
    let uri = client.uri.clone();
    let after = edited(text, &actions[0]["edit"]["changes"][&uri]);
    assert_ne!(after, text, "there is an edit: {diagnostics:?}");
    assert_eq!(after.matches('\n').count(), after.matches("\r\n").count(), "{after:?}");
    let length = client.text.len();
    client.edit(0..length, "model M\r\n Real x;\r\nend M;");
    let edits = client.ask("formatting", json!({"options": {}}));
    let after = edited(&client.text, &edits);
    assert_eq!(after, "model M\r\n  Real x;\r\nend M;\r\n");
    client.end();
}

#[test]
fn definitions_lead_into_a_library_on_the_path() {
    let library = temporary("Path");
    let package = library.join("Lib");
    std::fs::create_dir_all(&package).expect("a temporary directory");
    std::fs::write(package.join("package.mo"), "package Lib\nend Lib;\n").expect("a temporary file");
    std::fs::write(package.join("A.mo"), "within Lib;\nmodel A\n  Real x = 1;\nend A;\n").expect("a temporary file");
    let mut client = Client::with(&[("MODELICAPATH", &library)]);
    client.also_open(&temporary("Uses.mo"), "model Uses\n  Lib.A a;\nend Uses;\n");
    assert_eq!(client.diagnostics(), Vec::<Value>::new());
    let found = client.at("definition", "Lib.§A", json!({}));
    assert!(found["uri"].as_str().is_some_and(|uri| uri.ends_with("Lib/A.mo")), "{found}");
    let position = client.place("Lib.§A");
    let parameters = json!({"textDocument": {"uri": client.uri}, "position": position, "newName": "B"});
    assert!(!client.respond("textDocument/rename", parameters)["error"].is_null(), "a library is not renamed");
    client.end();
}
