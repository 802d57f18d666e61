//! Parts of a model between which no jump passes.
//!
//! What makes a state jump at a mode change is passed on from a variable to the equations that contain the derivative of
//! it that they are solved for, or may be: where offsets and order meet, `d - c = σ`. A derivative below that is a state
//! of its own and does not jump along. So restarts of different parts, say of two clutches with an elastic shaft between
//! them, have nothing to do with each other, and each is found for itself. Equations that only watch, such as a sum of
//! torques, pass on nothing that a state or a guard would notice; they join no parts.

use modeshift_dae::{EquationId, Id, IndexVec, MultimodeDae, Node, UnionFind, VariableId};
use modeshift_structure::{Analysis, EdgeId};

/// The part that each equation belongs to.
pub(crate) fn parts(dae: &MultimodeDae, analysis: &Analysis) -> IndexVec<EquationId, usize> {
    let incidence = &analysis.incidence;
    let matters = Noticed::new(dae, analysis).equations;
    let equations = incidence.equations().len();
    let mut sets: UnionFind<usize> = UnionFind::new(equations + incidence.variables().len());
    for edge in incidence.edges().filter(|&edge| passes_jumps(analysis, edge) && matters[incidence.equation(edge)]) {
        sets.join(incidence.equation(edge).index(), equations + incidence.variable(edge).index());
    }
    incidence.equations().ids().map(|equation| sets.root(equation.index())).collect()
}

/// Whether the offsets of equation and variable meet in some mode.
fn passes_jumps(analysis: &Analysis, edge: EdgeId) -> bool {
    !analysis.matching.tight[edge].is_empty()
}

/// Variables whose jumps and impulses a state or a guard notices, and the equations that determine them in some mode.
struct Noticed<'a> {
    analysis: &'a Analysis,
    variables: IndexVec<VariableId, bool>,
    equations: IndexVec<EquationId, bool>,
}

impl<'a> Noticed<'a> {
    fn new(dae: &MultimodeDae, analysis: &'a Analysis) -> Self {
        let incidence = &analysis.incidence;
        let mut noticed = Noticed {
            analysis,
            variables: incidence.variables().iter().map(|_| false).collect(),
            equations: incidence.equations().iter().map(|_| false).collect(),
        };
        let is_state = |variable: &VariableId| analysis.offsets.variables[*variable].maximum() > 0;
        let mut pending: Vec<VariableId> = incidence.variables().ids().filter(is_state).collect();
        for definition in dae.mode_variables.iter().filter_map(|mode| mode.definition) {
            dae.model.expressions.for_each(definition, |_, node| {
                pending.extend(match node {
                    Node::Variable(variable, _) => Some(variable),
                    _ => None,
                });
                true
            });
        }
        while let Some(variable) = pending.pop() {
            if !std::mem::replace(&mut noticed.variables[variable], true) {
                noticed.look_behind(variable, &mut pending);
            }
        }
        noticed
    }

    /// What is passed on to a variable, by the equations that it is matched with.
    fn look_behind(&mut self, variable: VariableId, pending: &mut Vec<VariableId>) {
        let Analysis { incidence, matching, .. } = self.analysis;
        for &edge in incidence.edges_of_variable(variable) {
            let equation = incidence.equation(edge);
            if !matching.edges[edge].is_empty() && !std::mem::replace(&mut self.equations[equation], true) {
                let edges = incidence.edges_of_equation(equation).filter(|&edge| passes_jumps(self.analysis, edge));
                pending.extend(edges.map(|edge| incidence.variable(edge)));
            }
        }
    }
}
