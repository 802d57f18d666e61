//! Partial valuations of mode variables, as in `--at bh=true,bl=false`.
//!
//! A name may be a relation (`x >= 1=true`), so the value stands behind the last `=`. Commas separate unless they
//! stand in quotes or brackets; a name in double quotes is taken as it is. Spaces in names do not matter.

use modeshift_diagnostics::did_you_mean;

/// The value of some mode variables, given by their positions in a list of names.
pub type Valuation = Vec<(usize, bool)>;

/// Reads a valuation of these mode variables, or says what is wrong with it.
pub fn parse_valuation<'a>(text: &str, names: impl Iterator<Item = &'a str> + Clone) -> Result<Valuation, String> {
    let mut valuation: Valuation = Vec::new();
    for entry in split_outside_quotes(text) {
        let (name, value) = parse_entry(&entry)?;
        let position = find(&name, names.clone())?;
        match valuation.iter().find(|(other, _)| *other == position) {
            Some((_, other)) if *other != value => return Err(format!("`{name}` is given both values")),
            Some(_) => {}
            None => valuation.push((position, value)),
        }
    }
    if valuation.is_empty() {
        return Err("expected values of mode variables, such as `bh=true,bl=false`".to_string());
    }
    Ok(valuation)
}

fn find<'a>(name: &str, names: impl Iterator<Item = &'a str> + Clone) -> Result<usize, String> {
    let spaceless = |text: &str| text.chars().filter(|character| !character.is_whitespace()).collect::<String>();
    let wanted = spaceless(name);
    if let Some(position) = names.clone().position(|known| spaceless(known) == wanted) {
        return Ok(position);
    }
    Err(match did_you_mean(name, names.clone()) {
        Some(suggestion) => format!("the model has no mode variable `{name}`; {suggestion}"),
        None => format!("the model has no mode variable `{name}`; it has {}", listed(names)),
    })
}

/// Up to five names.
fn listed<'a>(names: impl Iterator<Item = &'a str> + Clone) -> String {
    let shown: Vec<String> = names.clone().take(5).map(|name| format!("`{name}`")).collect();
    match (shown.len(), names.count()) {
        (0, _) => "none".to_string(),
        (shown_count, count) if count > shown_count => format!("{} and {} more", shown.join(", "), count - shown_count),
        _ => shown.join(", "),
    }
}

fn parse_entry(entry: &str) -> Result<(String, bool), String> {
    let wrong = || format!("expected `name=true` or `name=false`, found `{}`", entry.trim());
    let (name, value) = entry.rsplit_once('=').ok_or_else(wrong)?;
    let value = match value.trim() {
        "true" | "1" => true,
        "false" | "0" => false,
        _ => return Err(wrong()),
    };
    let name = name.trim();
    let name = name.strip_prefix('"').and_then(|inner| inner.strip_suffix('"')).unwrap_or(name);
    if name.is_empty() { Err(wrong()) } else { Ok((name.to_string(), value)) }
}

/// Pieces between commas that stand neither in quotes nor in brackets; empty ones are left out.
pub(crate) fn split_outside_quotes(text: &str) -> Vec<String> {
    let mut pieces = vec![String::new()];
    let mut quote = None;
    let mut depth = 0;
    for character in text.chars() {
        match (quote, character) {
            (Some(open), _) if character == open => quote = None,
            (None, '"' | '\'') => quote = Some(character),
            (None, '[' | '(' | '{') => depth += 1,
            (None, ']' | ')' | '}') => depth -= 1,
            _ => {}
        }
        match pieces.last_mut() {
            Some(piece) if character != ',' || quote.is_some() || depth > 0 => piece.push(character),
            _ => pieces.push(String::new()),
        }
    }
    pieces.retain(|piece| !piece.trim().is_empty());
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAMES: [&str; 5] = ["bh", "bl", "x >= 1", "valve[1,2].open", "'a,b'"];

    fn check(text: &str, expected: Result<&[(usize, bool)], &str>) {
        let found = parse_valuation(text, NAMES.into_iter());
        assert_eq!(found.as_deref().map_err(String::as_str), expected);
    }

    #[test]
    fn partial_valuations_name_any_mode_variables() {
        check("bh=true,bl=false", Ok(&[(0, true), (1, false)]));
        check(" bl = 1 ,", Ok(&[(1, true)]));
        check("bl=true,bl=true", Ok(&[(1, true)]));
    }

    #[test]
    fn names_may_be_relations_or_contain_commas() {
        check("x>=1=true", Ok(&[(2, true)]));
        check("\"valve[1,2].open\"=false,bh=true", Ok(&[(3, false), (0, true)]));
        check("valve[1, 2].open=false,'a,b'=true", Ok(&[(3, false), (4, true)]));
    }

    #[test]
    fn mistakes_are_explained() {
        check("", Err("expected values of mode variables, such as `bh=true,bl=false`"));
        check("bh", Err("expected `name=true` or `name=false`, found `bh`"));
        check("bh=yes", Err("expected `name=true` or `name=false`, found `bh=yes`"));
        check("bh=true,bh=false", Err("`bh` is given both values"));
        check("b=true", Err("the model has no mode variable `b`; did you mean `bh` or `bl`?"));
        check(
            "pump=true",
            Err("the model has no mode variable `pump`; it has `bh`, `bl`, `x >= 1`, `valve[1,2].open`, `'a,b'`"),
        );
    }
}
