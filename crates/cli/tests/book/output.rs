//! Excerpts of outputs: `…` alone in a line stands for any number of lines, in a line for any text.

/// Whether an output is what an excerpt says.
pub fn matches(excerpt: &[&str], output: &str) -> bool {
    let lines: Vec<&str> = output.lines().map(str::trim_end).collect();
    lines_match(excerpt, &lines)
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
