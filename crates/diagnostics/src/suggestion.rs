//! "Did you mean": the nearest of the names that would have been right.

/// A question with the one or two nearest candidates; `None` if none is near.
pub fn did_you_mean<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<String> {
    let limit = (name.chars().count() / 3).max(1);
    let mut near: Vec<(usize, &str)> = candidates
        .into_iter()
        .map(|candidate| (distance(name, candidate, limit), candidate))
        .filter(|(distance, _)| *distance <= limit)
        .collect();
    near.sort();
    near.dedup();
    match near.as_slice() {
        [] => None,
        [(_, only)] => Some(format!("did you mean `{only}`?")),
        [(_, first), (_, second), ..] => Some(format!("did you mean `{first}` or `{second}`?")),
    }
}

/// Edit distance without regard to case, or `limit + 1` where it is greater.
fn distance(one: &str, other: &str, limit: usize) -> usize {
    let folded = |text: &str| text.chars().flat_map(char::to_lowercase).take(64).collect::<Vec<char>>();
    let (one, other) = (folded(one), folded(other));
    if one.len().abs_diff(other.len()) > limit {
        return limit + 1;
    }
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (above, left) in one.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = above + 1;
        for (at, right) in other.iter().enumerate() {
            let replaced = diagonal + usize::from(left != right);
            diagonal = row[at + 1];
            row[at + 1] = replaced.min(diagonal + 1).min(row[at] + 1);
        }
    }
    row[other.len()].min(limit + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_near_names_are_suggested() {
        let names = ["valve", "value", "pressure"];
        assert_eq!(did_you_mean("vale", names), Some("did you mean `value` or `valve`?".to_string()));
        assert_eq!(did_you_mean("Presure", names), Some("did you mean `pressure`?".to_string()));
        assert_eq!(did_you_mean("x", names), None);
    }
}
