//! Tables in files: the matrix of a file takes the place of its name.

use std::path::PathBuf;

use modeshift_dae::ObjectArgument;
use modeshift_diagnostics::Diagnostics;
use modeshift_flatten::{Library, Memory, Request, flatten};

/// Rows, columns and values of the table of this name in a file that lies among the resources of a package; or what is said.
fn table(file: &str, bytes: &[u8], name: &str, last: &str) -> Result<(Vec<usize>, Vec<f64>), String> {
    let files = Memory::new()
        .with("lib/P/package.mo", "within; package P package Sub end Sub; end P;")
        .with_bytes(format!("lib/P/Resources/{file}"), bytes);
    let mut library = Library::new(files, vec![PathBuf::from("lib")]);
    let mut diagnostics = Diagnostics::new();
    let text = format!(
        "package T
          class Table extends ExternalObject;
            function constructor input String tableName; input String fileName; input Real table[:, :];
              input String delimiter = \",\"; input Integer headers = 0; output Table id;
              external \"C\" id = ModelicaStandardTables_CombiTable1D_init3(fileName, tableName, table, delimiter, headers);
            end constructor;
            function destructor input Table id; external \"C\" close(id); end destructor;
          end Table;
          function path input String uri; output String name; external \"C\" name = ModelicaInternal_fullPathName(uri); end path;
          model M parameter String file = path(\"modelica://P.Sub/Resources/{file}\");
            Table id = Table(\"{name}\", file, fill(0.0, 0, 2){last}); end M;
        end T;"
    );
    library.add_text("test.mo", &text, &mut diagnostics);
    let request = Request { model: Some("T.M".into()), overrides: Vec::new() };
    let model = flatten(&mut library, &request, &mut diagnostics);
    let said = || diagnostics.iter().map(|it| it.message.clone()).collect::<Vec<_>>().join("; ");
    let model = model.map_err(|_| said())?;
    assert!(!diagnostics.has_errors(), "{}", said());
    match &model.objects.first().expect("an object").arguments[..] {
        [ObjectArgument::Text(name), ObjectArgument::Text(file), ObjectArgument::Numbers(sizes, values), ..] => {
            assert_eq!((&**name, &**file), ("NoName", "NoName"));
            Ok((sizes.clone(), values.clone()))
        }
        other => panic!("{other:?}"),
    }
}

fn text(bytes: &[u8], name: &str) -> Result<(Vec<usize>, Vec<f64>), String> {
    table("x.txt", bytes, name, "")
}

#[test]
fn texts_hold_several_matrices_and_remarks() {
    let file = b"#1\n# first\ndouble a(2,3) # said\n 0 1.5 2 # one\n1e1;-4,\t5\n\nfloat b( 1 , 2 )\n7 8\n";
    assert_eq!(text(file, "a"), Ok((vec![2, 3], vec![0.0, 1.5, 2.0, 10.0, -4.0, 5.0])));
    assert_eq!(text(file, "b"), Ok((vec![1, 2], vec![7.0, 8.0])));
    assert!(text(file, "c").is_err_and(|it| it.contains("there is a, b")));
    assert!(text(b"#1\ndouble a(2,2)\n1 2\n3\n", "a").is_err_and(|it| it.contains("3 values instead of 4")));
    assert!(text(b"double a(1,1)\n1\n", "a").is_err_and(|it| it.contains("#1")));
    assert!(text(b"#1\ndouble a(1,1)\nx\n", "a").is_err_and(|it| it.contains("`x` is not a number")));
}

#[test]
fn separated_values_are_read_behind_their_headers() {
    let read = |bytes: &[u8]| table("x.csv", bytes, "any", ", \";\", 1");
    assert_eq!(read(b"time;value\n0;1\r\n1.5; -2\n"), Ok((vec![2, 2], vec![0.0, 1.0, 1.5, -2.0])));
    assert!(read(b"h\n0;1\n1\n").is_err_and(|it| it.contains("line 3")));
}

fn words(numbers: &[u32], is_big: bool) -> Vec<u8> {
    numbers.iter().flat_map(|it| if is_big { it.to_be_bytes() } else { it.to_le_bytes() }).collect()
}

fn version_4(kind: u32, name: &str, sizes: [u32; 2], data: &[u8]) -> Vec<u8> {
    let head = words(&[kind, sizes[0], sizes[1], 0, name.len() as u32 + 1], kind >= 1000);
    [&head, name.as_bytes(), &[0], data].concat()
}

#[test]
fn files_of_version_4_are_read_in_both_orders_of_bytes() {
    let little: Vec<u8> = [1.0, 3.0, 2.0, 4.5f64].iter().flat_map(|it| it.to_le_bytes()).collect();
    let other: Vec<u8> = [7i16, -8].iter().flat_map(|it| it.to_le_bytes()).collect();
    let file = [version_4(30, "b", [1, 2], &other), version_4(0, "a", [2, 2], &little)].concat();
    let read = |bytes: &[u8], name: &str| table("x.mat", bytes, name, "");
    assert_eq!(read(&file, "a"), Ok((vec![2, 2], vec![1.0, 2.0, 3.0, 4.5])));
    assert_eq!(read(&file, "b"), Ok((vec![1, 2], vec![7.0, -8.0])));
    assert!(read(&file, "c").is_err_and(|it| it.contains("there is b, a")));
    assert!(read(&file[..file.len() - 1], "a").is_err());
    let big: Vec<u8> = [1.5f32, 2.5].iter().flat_map(|it| it.to_be_bytes()).collect();
    assert_eq!(read(&version_4(1010, "a", [2, 1], &big), "a"), Ok((vec![2, 1], vec![1.5, 2.5])));
}

fn padded(kind: u32, content: &[u8]) -> Vec<u8> {
    let mut bytes = [words(&[kind, content.len() as u32], false), content.to_vec()].concat();
    bytes.resize(bytes.len().div_ceil(8) * 8, 0);
    bytes
}

#[test]
fn files_of_versions_5_to_7_are_read_plain_and_compressed() {
    let values: Vec<u8> = [1.0, 3.0, 2.0, 4.0f64].iter().flat_map(|it| it.to_le_bytes()).collect();
    let short_name = [words(&[1 | 3 << 16], false), b"tab\0".to_vec()].concat();
    let content =
        [padded(6, &words(&[6, 0], false)), padded(5, &words(&[2, 2], false)), short_name, padded(9, &values)];
    let element = padded(14, &content.concat());
    let mut header = vec![b' '; 128];
    header[..10].copy_from_slice(b"MATLAB 5.0");
    header[124..].copy_from_slice(&[0, 1, b'I', b'M']);
    let read = |element: &[u8], name: &str| table("x.mat", &[&header, element].concat(), name, "");
    let expected = Ok((vec![2, 2], vec![1.0, 2.0, 3.0, 4.0]));
    assert_eq!(read(&element, "tab"), expected);
    let packed = miniz_oxide::deflate::compress_to_vec_zlib(&element, 6);
    assert_eq!(read(&[words(&[15, packed.len() as u32], false), packed].concat(), "tab"), expected);
    assert!(read(&element, "other").is_err_and(|it| it.contains("there is tab")));
    header[..10].copy_from_slice(b"MATLAB 7.3");
    assert!(table("x.mat", &header, "tab", "").is_err_and(|it| it.contains("7.3")));
}

#[test]
fn a_file_that_is_not_there_is_refused_where_it_is_named() {
    let said = table("y.txt", b"", "a", "").expect_err("empty");
    assert!(said.contains("cannot be read from `lib/P/Resources/y.txt`"), "{said}");
}

#[test]
fn lines_of_files_numbers_in_them_and_hashes_are_values() {
    let files = Memory::new()
        .with("lib/P/package.mo", "within; package P end P;")
        .with("lib/P/Resources/x.txt", "first\n a -42 1.5e1x\n");
    let mut library = Library::new(files, vec![PathBuf::from("lib")]);
    let mut diagnostics = Diagnostics::new();
    let text = "package T
        function line input String file; input Integer n; output String text; output Boolean isEnd;
          external \"C\" text = ModelicaInternal_readLine(file, n, isEnd); end line;
        function count input String file; output Integer n; external \"C\" n = ModelicaInternal_countLines(file); end count;
        function whole input String text; input Integer start; input Boolean unsigned = false; output Integer next;
          output Integer number; external \"C\" ModelicaStrings_scanInteger(text, start, unsigned, next, number); end whole;
        function real input String text; input Integer start; input Boolean unsigned = false; output Integer next;
          output Real number; external \"C\" ModelicaStrings_scanReal(text, start, unsigned, next, number); end real;
        function hash input String text; output Integer n; external \"C\" n = ModelicaStrings_hashString(text); end hash;
        function read input String file; output Real y; protected Integer next; Integer n; Integer none; Real r; algorithm
          (next, n) := whole(line(file, 2), 3); (next, r) := real(line(file, 2), next); (none, n) := whole(line(file, 2), next);
          y := 1000*r + 10*next + none + n; end read;
        model M constant String file = \"modelica://P/Resources/x.txt\"; constant Real y = read(file);
          constant Integer n = count(file); constant Integer h = hash(\"Model.noise\"); Real z = y + n; Real k = h; end M;
        end T;";
    library.add_text("test.mo", text, &mut diagnostics);
    let request = Request { model: Some("T.M".into()), overrides: Vec::new() };
    let model = flatten(&mut library, &request, &mut diagnostics).unwrap_or_else(|_| panic!("{diagnostics:#?}"));
    // Behind `-42` the text goes on at 7, behind `1.5e1` at 13; there no Integer is.
    let value = |name: &str| {
        let variable = model.variables.iter().find(|it| &*it.name == name).expect("a constant of this name");
        variable.binding.and_then(|binding| model.expressions.literal(binding))
    };
    assert_eq!(["y", "n", "h"].map(value), [15_143.0, 2.0, 1_869_873_966.0].map(Some));
}
