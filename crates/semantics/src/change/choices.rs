//! Where it is a choice which equation gives way to the laws of an instant, and what depends on it.

use std::collections::BTreeSet;

use crate::change::{Change, ChangeEnd, Reading};
use crate::domain::{Body, Shifted, Unknown};
use crate::graph::Graph;
use crate::values::series::Series;

/// What a choice is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LawChoice {
    /// The equations of which not all give way.
    pub equations: BTreeSet<Shifted<Body>>,
    /// The variables whose values depend on which of them do.
    pub variables: BTreeSet<Unknown>,
}

impl Graph {
    /// Where laws fire in a change: the equations that give way to them for some choices of line 5 and not for others, if values
    /// depend on it. Then more is said about the instant than it has unknowns, and nothing says what is to go.
    pub fn choice_of_laws(&self, change: &Change) -> Option<LawChoice> {
        let changes = self.changes_by_choice(change.before, change.after, Reading::default());
        let is_determined = |it: &&Change| matches!(it.end, ChangeEnd::Continuous | ChangeEnd::Transient);
        let changes: Vec<&Change> = changes.iter().filter(is_determined).collect();
        let erased: Vec<BTreeSet<Shifted<Body>>> = changes.iter().map(|it| it.erased()).collect();
        let everywhere = |it: &Shifted<Body>| erased.iter().all(|erased| erased.contains(it));
        let equations: BTreeSet<Shifted<Body>> =
            erased.iter().flatten().copied().filter(|it| !everywhere(it)).collect();
        let courses: Option<Vec<_>> = changes.iter().map(|it| self.course(it)).collect();
        let courses = courses.filter(|_| !equations.is_empty())?;
        let mut variables = BTreeSet::new();
        for (instant, values) in courses.first()?.instants.iter().enumerate() {
            for (variable, value) in values {
                let other = |course: &crate::values::Course| course.instants.get(instant)?.get(variable).cloned();
                if courses.iter().any(|course| other(course).is_none_or(|it| is_another(&it, value))) {
                    variables.insert(variable.of);
                }
            }
        }
        (!variables.is_empty()).then_some(LawChoice { equations, variables })
    }
}

/// Whether two values differ by more than something infinitesimal.
fn is_another(one: &Series, other: &Series) -> bool {
    (one - other).order().is_some_and(|order| order >= 0)
}
