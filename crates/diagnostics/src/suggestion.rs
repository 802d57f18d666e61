//! "Did you mean": the nearest of the names that would have been right.

/// How many names are tried as repairs.
const MOST_TRIED: usize = 4;

/// A question with the one or two nearest candidates; `None` if none is near.
pub fn did_you_mean<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<String> {
    match nearest_names(name, candidates).as_slice() {
        [] => None,
        [only] => Some(format!("did you mean `{only}`?")),
        [first, second, ..] => Some(format!("did you mean `{first}` or `{second}`?")),
    }
}

/// The names that are near, the nearest first, never the name itself. Nearest to `diode.i` is what is called `i` in parts of `diode`.
pub fn nearest_names<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let length = name.chars().count();
    let limit = (length / 3).max(1);
    // To a name of one or two letters, every single letter would be near: only one that is twice in it is.
    let is_other_letter = |candidate: &str| {
        length <= 2 && candidate.chars().count() == 1 && distance(&candidate.repeat(length), name, 1) > 0
    };
    let mut near: Vec<(usize, &str)> = candidates
        .into_iter()
        .filter(|candidate| *candidate != name && !is_other_letter(candidate))
        .map(|candidate| (if is_deeper(candidate, name) { 0 } else { distance(name, candidate, limit) }, candidate))
        .filter(|(distance, _)| *distance <= limit)
        .collect();
    near.sort();
    near.dedup();
    near.into_iter().take(MOST_TRIED).map(|(_, name)| name).collect()
}

/// Whether a dotted name has another one's component and last part, and more between them.
fn is_deeper(candidate: &str, name: &str) -> bool {
    name.rsplit_once('.').is_some_and(|(component, last)| {
        let inside = candidate.strip_prefix(component).and_then(|rest| rest.strip_suffix(last));
        inside.is_some_and(|between| between.len() > 1 && between.starts_with('.') && between.ends_with('.'))
    })
}

/// Edit distance without regard to case, or `limit + 1` where it is greater. Two letters in each other's place are one edit
/// (optimal string alignment).
fn distance(one: &str, other: &str, limit: usize) -> usize {
    let folded = |text: &str| text.chars().flat_map(char::to_lowercase).take(64).collect::<Vec<char>>();
    let (one, other) = (folded(one), folded(other));
    if one.len().abs_diff(other.len()) > limit {
        return limit + 1;
    }
    let mut before: Vec<usize> = Vec::new();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (above, left) in one.iter().enumerate() {
        let mut next = vec![above + 1; other.len() + 1];
        for (at, right) in other.iter().enumerate() {
            let replaced = row[at] + usize::from(left != right);
            next[at + 1] = replaced.min(row[at + 1] + 1).min(next[at] + 1);
            let crossed = above > 0 && at > 0 && one[above - 1] == *right && *left == other[at - 1];
            if crossed {
                next[at + 1] = next[at + 1].min(before[at - 1] + 1);
            }
        }
        before = std::mem::replace(&mut row, next);
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

    #[test]
    fn two_letters_in_each_others_place_are_one_mistake() {
        assert_eq!(did_you_mean("xy", ["yx", "ab"]), Some("did you mean `yx`?".to_string()));
        assert_eq!(did_you_mean("Gruond", ["Ground"]), Some("did you mean `Ground`?".to_string()));
    }

    #[test]
    fn what_parts_of_a_component_have_comes_first() {
        let names = ["coil.i", "diode.n.i", "diode.p.i", "diode.p.v"];
        assert_eq!(did_you_mean("diode.i", names), Some("did you mean `diode.n.i` or `diode.p.i`?".to_string()));
        assert_eq!(did_you_mean("d.i", ["dd.i", "d.ii"]), Some("did you mean `d.ii` or `dd.i`?".to_string()));
    }

    #[test]
    fn a_name_is_never_suggested_for_itself() {
        assert_eq!(did_you_mean("valve", ["valve"]), None);
        assert_eq!(did_you_mean("t", ["T", "u"]), Some("did you mean `T`?".to_string()));
        assert_eq!(did_you_mean("b", ["bh", "c"]), Some("did you mean `bh`?".to_string()));
    }
}
