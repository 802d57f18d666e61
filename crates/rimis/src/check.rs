//! Whether the structure of a model depends on its mode.
//!
//! Ordinary tools analyze a model as if all branches of its conditions were taken at once. That is right exactly where
//! it gives what the exact analysis gives in every mode: the same offsets, and the same equations solved for the same
//! variables. In modes in which an equation is trivial a block may fall apart; solving it as a whole is still right.

use modeshift_dae::{EquationId, Id, VariableId};
use modeshift_modes::ModeSet;
use modeshift_structure::one_mode::{self, Block, Signature, matched};
use modeshift_structure::{Analysis, Thermometer};

/// What of a model's structure depends on the mode, in words; nothing if the approximate analysis is exact.
pub fn mode_dependence(analysis: &Analysis) -> Vec<String> {
    let united = United::new(analysis);
    let Ok(matched) = matched(&united.signature) else {
        return vec!["as if all modes were one, the model is structurally singular".to_string()];
    };
    let mut found = offsets(analysis, &united, &matched.c, &matched.d);
    found.extend(blocks(analysis, &united, &one_mode::blocks(&united.signature, &matched)));
    found
}

/// All branches at once: the highest derivative of each variable in each equation, whatever the mode.
struct United {
    signature: Signature,
    equations: Vec<EquationId>,
    variables: Vec<VariableId>,
    /// The columns of variables.
    column: Vec<u32>,
    row: Vec<u32>,
}

impl United {
    fn new(analysis: &Analysis) -> Self {
        let incidence = &analysis.incidence;
        let there = |guard: ModeSet| !guard.is_empty();
        let variables: Vec<VariableId> =
            incidence.variables().ids().filter(|&id| there(incidence.variables()[id].guard)).collect();
        let equations: Vec<EquationId> =
            incidence.equations().ids().filter(|&id| there(incidence.equations()[id].guard)).collect();
        let column = numbers(incidence.variables().len(), variables.iter().map(|id| id.index()));
        let row = numbers(incidence.equations().len(), equations.iter().map(|id| id.index()));
        let mut signature = Signature::new(variables.len());
        for &equation in &equations {
            signature.push(incidence.edges_of_equation(equation).filter_map(|edge| {
                let highest = incidence.orders(edge).iter().map(|&(order, _)| order).max()?;
                Some((column[incidence.variable(edge).index()], highest))
            }));
        }
        United { signature, equations, variables, column, row }
    }
}

fn numbers(count: usize, chosen: impl Iterator<Item = usize>) -> Vec<u32> {
    let mut numbers = vec![u32::MAX; count];
    chosen.enumerate().for_each(|(number, at)| numbers[at] = number as u32);
    numbers
}

fn offsets(analysis: &Analysis, united: &United, c: &[u32], d: &[u32]) -> Vec<String> {
    let is_always = |offset: &Thermometer, value: u32| {
        offset.mode_sets().len() as u32 == value && offset.mode_sets().iter().all(|modes| modes.is_all())
    };
    let (incidence, offsets) = (&analysis.incidence, &analysis.offsets);
    let equations = united.equations.iter().zip(c).filter(|(id, value)| !is_always(&offsets.equations[**id], **value));
    let equations = equations.map(|(&id, _)| &incidence.equations()[id].name);
    let variables = united.variables.iter().zip(d).filter(|(id, value)| !is_always(&offsets.variables[**id], **value));
    let variables = variables.map(|(&id, _)| &incidence.variables()[id].name);
    let equations = equations.map(|name| format!("how often equation {name} is differentiated depends on the mode"));
    equations.chain(variables.map(|name| format!("the leading derivative of {name} depends on the mode"))).collect()
}

/// Every exact block lies within an approximate one, and every approximate one is an exact one in some mode.
fn blocks(analysis: &Analysis, united: &United, approximate: &[Block]) -> Vec<String> {
    let mut block_of_row = vec![u32::MAX; united.equations.len()];
    let mut block_of_column = vec![u32::MAX; united.variables.len()];
    for (at, block) in approximate.iter().enumerate() {
        block.rows.iter().for_each(|row| block_of_row[row.index()] = at as u32);
        block.columns.iter().for_each(|column| block_of_column[column.index()] = at as u32);
    }
    let mut found = Vec::new();
    let mut is_exact = vec![false; approximate.len()];
    for (_, block) in analysis.graph.blocks() {
        let rows = block.equations.iter().map(|equation| block_of_row[united.row[equation.of.index()] as usize]);
        let columns = block.writes.iter().map(|write| block_of_column[united.column[write.of.index()] as usize]);
        let mut numbers: Vec<u32> = rows.chain(columns).collect();
        numbers.dedup();
        match numbers.as_slice() {
            [only] => is_exact[*only as usize] |= block.equations.len() == approximate[*only as usize].rows.len(),
            _ => {
                let name = &analysis.incidence.equations()[block.equations[0].of].name;
                found.push(format!("for which variable equation {name} is solved depends on the mode"));
            }
        }
    }
    for (block, _) in approximate.iter().zip(&is_exact).filter(|(_, exact)| !**exact) {
        let name = &analysis.incidence.equations()[united.equations[block.rows[0].index()]].name;
        let size = block.rows.len();
        found.push(format!("equation {name} is in a loop of {size} equations that no mode has"));
    }
    found
}
