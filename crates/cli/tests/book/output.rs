//! Excerpts of outputs: `…` alone in a line stands for any number of lines, in a line for any text.

/// Whether an output is what an excerpt says.
pub fn matches(excerpt: &[&str], output: &str) -> bool {
    let lines: Vec<&str> = output.lines().map(str::trim_end).collect();
    lines_match(excerpt, &lines)
}

/// An output for the page, with what its lines leave out left out again; nothing where lines are left out: a person chose them.
pub fn updated(excerpt: &[&str], output: &str) -> Option<String> {
    if excerpt.iter().any(|line| line.trim() == "…") {
        return None;
    }
    let shortened =
        |line: &str| excerpt.iter().find(|it| it.contains('…') && line_matches(it, line)).map(|it| it.to_string());
    let lines =
        output.lines().map(str::trim_end).map(|line| shortened(line).unwrap_or_else(|| without_seconds(line)) + "\n");
    Some(lines.collect())
}

/// A line of a summary without the time that the run took, which is another one each time.
fn without_seconds(line: &str) -> String {
    match line.rsplit_once(", in ") {
        Some((start, rest)) if rest.strip_suffix(" s").is_some_and(|it| it.parse::<f64>().is_ok()) => {
            format!("{start}, in … s")
        }
        _ => line.to_string(),
    }
}

fn lines_match(excerpt: &[&str], lines: &[&str]) -> bool {
    match excerpt.split_first() {
        None => lines.is_empty(),
        Some((first, rest)) if first.trim() == "…" => {
            (0..=lines.len()).any(|skipped| lines_match(rest, &lines[skipped..]))
        }
        Some((first, rest)) => lines
            .split_first()
            .is_some_and(|(line, others)| line_matches(first.trim_end(), line) && lines_match(rest, others)),
    }
}

fn line_matches(excerpt: &str, line: &str) -> bool {
    match excerpt.split_once('…') {
        None => excerpt == line,
        Some((start, rest)) => line.strip_prefix(start).is_some_and(|behind| {
            behind.char_indices().map(|(at, _)| at).chain([behind.len()]).any(|at| line_matches(rest, &behind[at..]))
        }),
    }
}

#[test]
fn an_excerpt_stands_for_what_it_leaves_out_and_for_nothing_else() {
    for (excerpt, output, expected) in [
        ("a\nb", "a\nb\n", true),
        ("a", "a\nb\n", false),
        ("a\n…", "a\nb\nc\n", true),
        ("…\nc", "a\nb\nc\n", true),
        ("…\nb", "a\nb\nc\n", false),
        ("a … c", "a 12 c\n", true),
        ("a … c", "a 12\n c\n", false),
        ("a\n…\nc", "a\nc\n", true),
    ] {
        let lines: Vec<&str> = excerpt.lines().collect();
        assert_eq!(matches(&lines, output), expected, "{excerpt:?} of {output:?}");
    }
}

#[test]
fn an_output_is_written_anew_without_what_differs_each_time() {
    let updated = |excerpt: &str, output: &str| updated(&excerpt.lines().collect::<Vec<_>>(), output);
    assert_eq!(
        updated("?", "M: simulated from 0 to 1, in 0.01 s\n").as_deref(),
        Some("M: simulated from 0 to 1, in … s\n")
    );
    assert_eq!(updated("x = 1.…\nb", "x = 1.5\nc\n").as_deref(), Some("x = 1.…\nc\n"));
    assert_eq!(updated("a\n…", "b\n"), None);
}
