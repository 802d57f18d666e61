//! `explain`: what a code means, from the pages of the register.

use modeshift_diagnostics::{Code, ExitStatus, Stage};

use crate::answers::with_headings;
use crate::commands::UsageError;
use crate::files::write_result;

/// Prints the pages of codes, or lists all codes where none is asked for.
pub fn explain(codes: &[String]) -> Result<ExitStatus, UsageError> {
    let text = if codes.is_empty() {
        with_headings(list(), |line| !line.starts_with(' ') && !line.is_empty())
    } else {
        let pages: Result<Vec<&str>, UsageError> = codes.iter().map(|text| Ok(code_named(text)?.page())).collect();
        with_headings(pages?.join("\n"), |line| line.starts_with('#'))
    };
    write_result(None, &text).map_err(UsageError)?;
    Ok(ExitStatus::Good)
}

/// All codes with their sentences, by stage.
fn list() -> String {
    let stage_text = |stage: Stage| {
        let codes = Code::ALL.iter().filter(|code| code.stage() == stage);
        let lines = codes.map(|code| format!("  {code}  {}\n", code.sentence()));
        format!("{}\n{}", stage.title(), lines.collect::<String>())
    };
    Stage::ALL.map(stage_text).join("\n")
}

/// The code that was meant, in capitals or not.
fn code_named(text: &str) -> Result<Code, UsageError> {
    Code::named(&text.to_ascii_uppercase()).ok_or_else(|| {
        let near = nearest(text).map_or(String::new(), |[one, other]| format!("; did you mean `{one}` or `{other}`?"));
        UsageError(format!("there is no code `{text}`{near}\n`modeshift explain` lists all codes"))
    })
}

/// The two codes whose numbers are nearest, those with the same letter first; none for a text without a number.
fn nearest(text: &str) -> Option<[Code; 2]> {
    let letter = text.chars().next().filter(char::is_ascii_alphabetic).map(|letter| letter.to_ascii_uppercase());
    let number: u32 = text.trim_start_matches(|first: char| first.is_ascii_alphabetic()).parse().ok()?;
    let distance = |code: &Code| {
        let (own_letter, own_number) = code.as_str().split_at(1);
        let other_letter = letter.is_some_and(|letter| !own_letter.starts_with(letter));
        (other_letter, own_number.parse().unwrap_or(0u32).abs_diff(number))
    };
    let mut codes = Code::ALL.to_vec();
    codes.sort_by_key(distance);
    codes.first_chunk().copied()
}
