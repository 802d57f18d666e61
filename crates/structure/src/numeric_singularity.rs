//! Structural optimism: blocks whose Jacobian is singular for reasons that the signature does not see.
//!
//! The Σ-method takes every coefficient for a number of its own. Where coefficients cancel (`y1' - y2'` in two
//! equations) or a parameter is zero, the block `J = ∂f_i/∂x_j^(d_j-c_i)` is singular although a matching exists.
//! Each block is looked at in its modes, with the values of parameters: its entries are differentiated exactly, and
//! where they are literals the rank is decided once; otherwise it is tried at a few generic points, and a block
//! that is singular at all of them is reported.
//!
//! Tan, Nedialkov and Pryce call the way out of the constant case the linear combination method; see
//! [`crate::regularize`].

use std::cell::OnceCell;
use std::rc::Rc;

use modeshift_dae::{
    Derivatives, EquationId, ExpressionId, FlatModel, Id, ModeVariableId, Node, PartialEvaluation, VariableId,
};
use modeshift_modes::{ModeSet, ModeVariable};
use modeshift_numerics::{Compiler, FactorFailure, Input, LinearSolver, Lu, NativeFunctions, Pattern, Singular};
use rustc_hash::FxHashMap;

use crate::always_zero::AlwaysZero;
use crate::graph::dependency_graph::{Block, BlockId, Derivative};
use crate::graph::sampled_blocks::{SampledBlock, sampled_blocks};
use crate::graph::small_blocks::{UnlistedBlock, small_blocks};
use crate::prime_field;
use crate::{Analysis, Incidence};

/// Blocks with more equations than this are not looked at.
const LARGEST_BLOCK: usize = 500;
/// A block is split by mode into at most this many cases.
const MOST_CASES: usize = 64;
/// Rows of Jacobians of several equations that are made in all, beside some per equation of the model: one block in many
/// modes would otherwise take longer than everything else.
const MOST_ROWS: usize = 50_000;
const ROWS_PER_EQUATION: usize = 50;
/// Blocks of some modes, where there are too many, are looked at as long as the cubes of their sizes add up to less, some tenth of a second.
const MOST_WORK_ON_SAMPLES: usize = 50_000_000;
/// At how many generic points a Jacobian that is not constant is tried before it counts as singular.
const POINTS: u64 = 4;
/// From this point on, variables are about as large as their `nominal` or `start` says: `exp(-9000/T)` is zero to the last digit at
/// temperatures of 1, and has a derivative at 300.
const FIRST_POINT_OF_SIZE: u64 = 2;
/// Entries outside, 2^±400, are beyond what scaling takes out of a matrix.
const TINY: f64 = 1.0 / HUGE;
const HUGE: f64 = 2.582_249_878_086_908_6e120;

/// Equations of a block that are dependent in what the block is solved for.
#[derive(Clone, Debug)]
pub struct Dependence {
    /// In which modes.
    pub modes: ModeSet,
    /// The equations, differentiated as in their block, with the weights by which they cancel.
    pub equations: Vec<(Derivative<EquationId>, f64)>,
    /// What the block is solved for.
    pub writes: Vec<Derivative<VariableId>>,
    /// Whether the coefficients are constant, so that the combination vanishes whatever the state.
    pub constant: bool,
    /// Whether its block is one of too many to be listed: in other modes there may be others like it.
    pub sampled: bool,
}

/// What was found, and what was not looked at.
#[derive(Clone, Debug, Default)]
pub struct NumericSingularities {
    /// Dependent equations, by block.
    pub dependences: Vec<Dependence>,
    /// What was not looked at.
    pub not_checked: NotChecked,
}

/// Blocks that were too large or too many to be looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NotChecked {
    /// How many were too large, or differ in too many modes.
    pub blocks: usize,
    /// How many equations have blocks that are too many to be listed: the small ones were looked at, and some others.
    pub equations: usize,
    /// From how many of these not all small ones were looked for.
    pub without_small: usize,
    /// How many others were looked at.
    pub sampled: usize,
}

impl NotChecked {
    /// Whether everything was looked at.
    pub fn is_nothing(self) -> bool {
        self == NotChecked::default()
    }
}

/// Looks for blocks whose Jacobian is singular with these values of parameters.
///
/// New expressions are added to the model's arena; nothing else of the model changes.
pub fn numeric_singularities(
    model: &mut FlatModel,
    analysis: &Analysis,
    value_of: &dyn Fn(VariableId) -> Option<f64>,
) -> NumericSingularities {
    let mut check = Check {
        model,
        analysis,
        value_of,
        found: NumericSingularities::default(),
        residuals: FxHashMap::default(),
        modes: FxHashMap::default(),
        rows: FxHashMap::default(),
        always_zero: AlwaysZero::default(),
        rows_left: MOST_ROWS + ROWS_PER_EQUATION * analysis.incidence.equations().len(),
    };
    // The small ones first: what is wrong shows there, and the large ones may be too many.
    let is_single = |(_, block): &(BlockId, Block<'_>)| block.equations.len() == 1;
    let single = analysis.graph.blocks().filter(is_single);
    let mut several: Vec<(BlockId, Block<'_>)> = analysis.graph.blocks().filter(|block| !is_single(block)).collect();
    several.sort_by_key(|(_, block)| block.equations.len());
    let mut found = Vec::new();
    for (id, block) in single.chain(several) {
        check.block(block);
        found.extend(check.found.dependences.drain(..).map(|dependence| (id, dependence)));
    }
    found.sort_by_key(|(id, _)| *id);
    check.found.dependences = found.into_iter().map(|(_, dependence)| dependence).collect();
    let (small, without_small) = small_blocks(analysis);
    for UnlistedBlock { guard, equations, writes } in &small {
        check.block(Block { guard: *guard, equations, writes, reads: &[] });
    }
    let before = check.found.dependences.len();
    let (mut sampled, mut work) = (0, 0);
    sampled_blocks(analysis, LARGEST_BLOCK, |block| {
        check.sampled_block(block);
        (sampled, work) = (sampled + 1, work + block.equations.len().pow(3));
        // Of one cause, very many blocks are singular: one of them is told.
        work < MOST_WORK_ON_SAMPLES && check.found.dependences.len() == before
    });
    check.found.dependences.truncate(before + 1);
    check.found.dependences.iter_mut().skip(before).for_each(|it| it.sampled = true);
    let equations = analysis.graph.not_listed().len();
    check.found.not_checked = NotChecked { equations, without_small, sampled, ..check.found.not_checked };
    check.found
}

struct Check<'a> {
    model: &'a mut FlatModel,
    analysis: &'a Analysis,
    value_of: &'a dyn Fn(VariableId) -> Option<f64>,
    found: NumericSingularities,
    residuals: FxHashMap<EquationId, ExpressionId>,
    /// The mode variables of a residual, with the modes in which each is true.
    modes: FxHashMap<EquationId, Rc<[(ModeVariableId, ModeSet)]>>,
    /// Rows that were made. Blocks of many modes have few different ones.
    rows: FxHashMap<RowForm, Rc<Row>>,
    /// Variables that vanish with the values of parameters.
    always_zero: AlwaysZero,
    /// Rows of Jacobians of several equations that may still be made.
    rows_left: usize,
}

/// What a row of a Jacobian depends on: its equation, the unknowns of the block that it has, and what is decided of its modes.
#[derive(PartialEq, Eq, Hash)]
struct RowForm {
    equation: Derivative<EquationId>,
    unknowns: Vec<Derivative<VariableId>>,
    modes: Vec<Option<bool>>,
}

/// A row of Jacobians.
struct Row {
    /// What is not zero by structure: the place among the unknowns, and the entry.
    entries: Vec<(usize, ExpressionId)>,
    /// Places of entries that have no derivative, such as those of an opaque function: taken for numbers of their own.
    opaque: Vec<usize>,
    is_constant: bool,
    /// A mode variable on which an entry still depends, as the modes in which it is true.
    undecided: Option<ModeSet>,
    /// By generic point, the values of the entries; nothing where they cannot be computed.
    values: OnceCell<Option<Vec<Vec<f64>>>>,
}

/// The modes in which a block is looked at.
#[derive(Clone, Copy)]
enum Among<'a> {
    /// All of these.
    Modes(ModeSet),
    /// One, by its values.
    Mode(&'a [bool]),
}

/// The Jacobian of a block in some of its modes: rows with the columns of their unknowns, ascending.
struct Jacobian {
    rows: Vec<(Rc<Row>, Vec<u32>)>,
}

impl Jacobian {
    /// The entries of a row by column.
    fn entries(&self, row: usize) -> impl Iterator<Item = (u32, ExpressionId)> {
        let (row, columns) = &self.rows[row];
        row.entries.iter().map(|&(place, entry)| (columns[place], entry))
    }

    fn has_opaque_entries(&self) -> bool {
        self.rows.iter().any(|(row, _)| !row.opaque.is_empty())
    }
}

impl Check<'_> {
    fn block(&mut self, block: Block<'_>) {
        if let ([equation], [write]) = (block.equations, block.writes)
            && self.has_plain_term(equation, write)
        {
            debug_assert!(self.is_one_or_minus_one(block));
            return; // most blocks
        }
        if block.equations.len() > LARGEST_BLOCK {
            self.found.not_checked.blocks += 1;
            return;
        }
        let mut cases = vec![block.guard];
        let mut decided = 0;
        while let Some(modes) = cases.pop() {
            if decided + cases.len() >= MOST_CASES {
                self.found.not_checked.blocks += 1;
                return;
            }
            let rows = if block.equations.len() > 1 { block.equations.len() } else { 0 };
            let Some(rows_left) = self.rows_left.checked_sub(rows) else {
                self.found.not_checked.blocks += 1;
                return;
            };
            self.rows_left = rows_left;
            let jacobian = self.jacobian(block, Among::Modes(modes));
            match jacobian.rows.iter().find_map(|(row, _)| row.undecided) {
                Some(literal) => {
                    let space = &self.analysis.space;
                    cases.extend([space.difference(modes, literal), space.and(modes, literal)]);
                }
                None => {
                    self.decide(block, &jacobian, || modes);
                    decided += 1;
                }
            }
        }
    }

    /// The same of a block in one mode.
    fn sampled_block(&mut self, found: &SampledBlock<'_>) {
        let SampledBlock { equations, writes, mode } = found;
        let block = Block { guard: ModeSet::ALL, equations, writes, reads: &[] };
        let jacobian = self.jacobian(block, Among::Mode(mode));
        let value = |(at, &value): (usize, &bool)| (ModeVariable(at as u32), value);
        let values: Vec<(ModeVariable, bool)> = mode.iter().enumerate().map(value).collect();
        let space = &self.analysis.space;
        self.decide(block, &jacobian, || space.valuation(&values));
    }

    /// Whether what an equation is solved for is one term of its sums and occurs nowhere else in it: its coefficient is 1 or -1,
    /// whatever the mode.
    fn has_plain_term(&self, equation: &Derivative<EquationId>, write: &Derivative<VariableId>) -> bool {
        let Some(order) = write.order.checked_sub(equation.order) else {
            return false;
        };
        let modeshift_dae::Equation { left, right, .. } = self.model.equations[equation.of];
        let mut search = PlainTerm { model: self.model, unknown: Derivative::new(write.of, order), parts: 0, found: 0 };
        search.sum(left) && search.sum(right) && search.found == 1
    }

    /// Whether the derivative of a block of one equation says the same, where it is a number.
    fn is_one_or_minus_one(&mut self, block: Block<'_>) -> bool {
        let jacobian = self.jacobian(block, Among::Modes(block.guard));
        let entries: Vec<ExpressionId> = jacobian.entries(0).map(|(_, entry)| entry).collect();
        let is_one = |&entry: &ExpressionId| self.model.expressions.literal(entry).is_none_or(|it| it.abs() == 1.0);
        entries.len() == 1 && entries.iter().all(is_one)
    }

    /// `left - right` of an equation, built once.
    fn residual(&mut self, equation: EquationId) -> ExpressionId {
        let model = &mut *self.model;
        *self.residuals.entry(equation).or_insert_with(|| {
            let modeshift_dae::Equation { left, right, .. } = model.equations[equation];
            model.expressions.difference(left, right)
        })
    }

    /// The block's Jacobian, with modes and parameters filled in as far as these modes decide them.
    fn jacobian(&mut self, block: Block<'_>, modes: Among<'_>) -> Jacobian {
        let columns: FxHashMap<VariableId, (u32, u32)> =
            block.writes.iter().zip(0..).map(|(write, column)| (write.of, (column, write.order))).collect();
        let row = |equation: &Derivative<EquationId>| {
            let unknowns = unknowns_of(&self.analysis.incidence, equation.of, &columns);
            let of_row = unknowns.iter().map(|&(variable, _, top)| Derivative::new(variable, top)).collect();
            let columns = unknowns.iter().map(|&(_, column, _)| column).collect();
            (self.row(*equation, of_row, modes), columns)
        };
        Jacobian { rows: block.equations.iter().map(row).collect() }
    }

    /// The row of an equation for some unknowns, made once for what these modes decide.
    fn row(
        &mut self,
        equation: Derivative<EquationId>,
        unknowns: Vec<Derivative<VariableId>>,
        modes: Among<'_>,
    ) -> Rc<Row> {
        let of_equation = self.modes_of(equation.of);
        let decided = of_equation.iter().map(|&(_, literal)| decided_value(self.analysis, modes, literal)).collect();
        let form = RowForm { equation, unknowns, modes: decided };
        if let Some(row) = self.rows.get(&form) {
            return Rc::clone(row);
        }
        let residual = self.residual(equation.of);
        let known: FxHashMap<ModeVariableId, Option<bool>> =
            of_equation.iter().map(|it| it.0).zip(form.modes.iter().copied()).collect();
        let mut values = FxHashMap::default();
        self.parameter_literals(residual, &mut values);
        let mut evaluation = PartialEvaluation::new(
            |mode: ModeVariableId| known.get(&mode).copied().flatten(),
            |variable: VariableId| values.get(&variable).copied(),
        );
        let residual = evaluation.of(&mut self.model.expressions, residual);
        let (mut entries, mut opaque) = (Vec::new(), Vec::new());
        for (place, &Derivative { of, order: top }) in form.unknowns.iter().enumerate() {
            let Some(order) = top.checked_sub(equation.order) else {
                continue;
            };
            let FlatModel { variables, functions, expressions, .. } = &mut *self.model;
            match Derivatives::by_variable(Derivative::new(of, order), variables, functions).of(expressions, residual) {
                Ok(entry) => entries.push((place, evaluation.of(expressions, entry))),
                Err(_) => opaque.push(place),
            }
        }
        let vanishing = self.vanishing(&form, &entries);
        if !vanishing.is_empty() {
            let mut evaluation = PartialEvaluation::new(|_| None, |variable| vanishing.get(&variable).copied());
            let expressions = &mut self.model.expressions;
            entries.iter_mut().for_each(|(_, entry)| *entry = evaluation.of(expressions, *entry));
        }
        let is_constant = entries.iter().all(|&(_, entry)| self.model.expressions.literal(entry).is_some());
        let undecided = entries.iter().filter(|_| !is_constant).find_map(|&(_, entry)| self.undecided(entry, modes));
        let row = Rc::new(Row { entries, opaque, is_constant, undecided, values: OnceCell::new() });
        self.rows.insert(form, Rc::clone(&row));
        row
    }

    /// The variables in the entries of a row, other than its unknowns, that are zero whatever the state, with that literal.
    fn vanishing(&mut self, form: &RowForm, entries: &[(usize, ExpressionId)]) -> FxHashMap<VariableId, ExpressionId> {
        let mut contained = Vec::new();
        for &(_, entry) in entries {
            self.model.expressions.for_each(entry, |_, node| {
                if let Node::Variable(variable, 0) = node {
                    contained.push(variable);
                }
                true
            });
        }
        contained.sort_unstable();
        contained.dedup();
        contained.retain(|variable| {
            !form.unknowns.iter().any(|unknown| unknown.of == *variable)
                && self.always_zero.contains(*variable, self.model, self.value_of)
        });
        contained.into_iter().map(|variable| (variable, self.model.expressions.real(0.0))).collect()
    }

    /// The mode variables of an equation, with the modes in which each is true.
    fn modes_of(&mut self, equation: EquationId) -> Rc<[(ModeVariableId, ModeSet)]> {
        let residual = self.residual(equation);
        let (space, invariant, expressions) = (&self.analysis.space, &self.analysis.invariant, &self.model.expressions);
        let modes = self.modes.entry(equation).or_insert_with(|| {
            let mut modes: Vec<(ModeVariableId, ModeSet)> = Vec::new();
            expressions.for_each(residual, |_, node| {
                if let Node::Mode(mode) = node
                    && modes.iter().all(|known| known.0 != mode)
                {
                    modes.push((mode, invariant.project(space, space.literal(ModeVariable(mode.0)))));
                }
                true
            });
            modes.into()
        });
        Rc::clone(modes)
    }

    /// Literals for the parameters of an expression whose values are known.
    fn parameter_literals(&mut self, residual: ExpressionId, values: &mut FxHashMap<VariableId, ExpressionId>) {
        let mut parameters = Vec::new();
        self.model.expressions.for_each(residual, |_, node| {
            if let Node::Variable(variable, 0) = node {
                parameters.push(variable);
            }
            true
        });
        for variable in parameters {
            if let Some(value) = (self.value_of)(variable) {
                values.entry(variable).or_insert_with(|| self.model.expressions.real(value));
            }
        }
    }

    /// A mode variable on which an entry depends, as the modes in which it is true, that has no one value in these modes.
    fn undecided(&self, entry: ExpressionId, modes: Among<'_>) -> Option<ModeSet> {
        let mut undecided = None;
        self.model.expressions.for_each(entry, |_, node| {
            if let (Node::Mode(mode), None) = (node, undecided) {
                let space = &self.analysis.space;
                let literal = self.analysis.invariant.project(space, space.literal(ModeVariable(mode.0)));
                undecided = decided_value(self.analysis, modes, literal).is_none().then_some(literal);
            }
            undecided.is_none()
        });
        undecided
    }

    /// Finds out whether the Jacobian is singular, and records what depends on what.
    fn decide(&mut self, block: Block<'_>, jacobian: &Jacobian, modes: impl Fn() -> ModeSet) {
        let expressions = &self.model.expressions;
        if let [(row, _)] = &jacobian.rows[..]
            && row.is_constant
            && row.opaque.is_empty()
            && row.entries.iter().any(|&(_, entry)| expressions.literal(entry) != Some(0.0))
        {
            return; // most blocks: one equation, a coefficient that is not zero
        }
        let Some(singular) = self.singular_everywhere(jacobian) else {
            return;
        };
        let smallest_first = {
            let mut rows = singular.dependent_rows;
            rows.sort_by_key(Vec::len);
            rows
        };
        for weights in smallest_first {
            let is_constant = |row: usize| jacobian.rows[row].0.is_constant && jacobian.rows[row].0.opaque.is_empty();
            self.found.dependences.push(Dependence {
                modes: modes(),
                constant: weights.iter().all(|&(row, _)| is_constant(row)),
                equations: weights.into_iter().map(|(row, weight)| (block.equations[row], weight)).collect(),
                writes: block.writes.to_vec(),
                sampled: false,
            });
        }
    }

    /// The rank deficiency, if there is one at every point that was tried, and not from rounding.
    fn singular_everywhere(&self, jacobian: &Jacobian) -> Option<Singular> {
        let size = jacobian.rows.len();
        let pattern = Pattern::from_rows(size, (0..size).map(|row| columns_of(jacobian, row)));
        let mut last = None;
        for point in 0..POINTS {
            let mut generic = Generic::new(point);
            let mut matrix = Vec::with_capacity(pattern.entry_count());
            for (row, columns) in &jacobian.rows {
                let values = self.values_of(row)?[point as usize].iter();
                let of_entries = row.entries.iter().zip(values).map(|(&(place, _), &value)| (columns[place], value));
                let mut of_row: Vec<(u32, f64)> = of_entries.collect();
                of_row.extend(row.opaque.iter().map(|&place| (columns[place], generic.number())));
                of_row.sort_unstable_by_key(|it| it.0);
                matrix.extend(of_row.iter().map(|it| it.1));
            }
            // Beyond what can be scaled nothing is decided: an exponential took the point out of all bounds.
            if matrix.iter().any(|entry| *entry != 0.0 && !(TINY..=HUGE).contains(&entry.abs())) {
                continue;
            }
            match Lu::for_pattern(&pattern).factor(&pattern, &matrix) {
                Ok(()) => return None,
                Err(FactorFailure::NotFinite { .. }) => {}
                Err(FactorFailure::Singular(_)) if last.is_none() && self.is_regular_without_rounding(jacobian) => {
                    return None;
                }
                Err(FactorFailure::Singular(singular)) => last = Some(singular),
            }
        }
        last
    }

    fn is_regular_without_rounding(&self, jacobian: &Jacobian) -> bool {
        let entries = |row: usize| jacobian.entries(row).collect();
        let rows: Vec<Vec<(u32, ExpressionId)>> = (0..jacobian.rows.len()).map(entries).collect();
        !jacobian.has_opaque_entries() && prime_field::is_regular(&self.model.expressions, &rows) == Some(true)
    }

    /// By generic point, the values of the entries of a row.
    fn values_of<'r>(&self, row: &'r Row) -> Option<&'r Vec<Vec<f64>>> {
        let evaluate = || {
            let entries: Vec<ExpressionId> = row.entries.iter().map(|it| it.1).collect();
            let natives = NativeFunctions::of(self.model);
            let tape = Compiler::new(self.model, &natives).tape(&entries).ok()?;
            let mut workspace = tape.workspace();
            let at_point = |point: u64| {
                let mut generic = Generic::new(point);
                let size = |input| {
                    if point < FIRST_POINT_OF_SIZE { 1.0 } else { self.size_of(input) }
                };
                let inputs: Vec<f64> = tape.inputs().iter().map(|&input| size(input) * generic.value(input)).collect();
                let mut values = vec![0.0; entries.len()];
                tape.evaluate(&inputs, &mut workspace, &mut values);
                values
            };
            Some((0..POINTS).map(at_point).collect())
        };
        row.values.get_or_init(evaluate).as_ref()
    }

    /// How large a variable is, as far as the modeler says: its nominal value, else its start value, else 1.
    fn size_of(&self, input: Input) -> f64 {
        let (Input::Variable(variable, 0) | Input::LeftVariable(variable, 0)) = input else {
            return 1.0;
        };
        let declared = &self.model.variables[variable];
        let number = |id: ExpressionId| match self.model.expressions.node(id) {
            Node::Variable(of, 0) => (self.value_of)(of),
            _ => self.model.expressions.literal(id),
        };
        let is_size = |value: &f64| value.is_finite() && *value != 0.0;
        let said = |attribute: Option<ExpressionId>| attribute.and_then(number).filter(is_size);
        said(declared.nominal).or_else(|| said(declared.start)).unwrap_or(1.0)
    }
}

/// Looks through the sums of an equation for one unknown.
struct PlainTerm<'a> {
    model: &'a FlatModel,
    unknown: Derivative<VariableId>,
    /// How many subexpressions were looked at, nothing shared.
    parts: usize,
    found: usize,
}

impl PlainTerm<'_> {
    /// Most equations have fewer parts than this; what has more is differentiated.
    const MOST_PARTS: usize = 32;

    /// Counts the terms of a sum that are the unknown; false where it may occur in another way.
    fn sum(&mut self, sum: ExpressionId) -> bool {
        use modeshift_dae::ArithmeticOperator::{Add, Subtract};
        self.parts += 1;
        match self.model.expressions.node(sum) {
            _ if self.parts > Self::MOST_PARTS => false,
            Node::Arithmetic(Add | Subtract, a, b) => self.sum(a) && self.sum(b),
            Node::Negate(a) => self.sum(a),
            Node::Variable(of, order) if Derivative::new(of, order) == self.unknown => {
                self.found += 1;
                true
            }
            _ => self.is_absent(sum),
        }
    }

    fn is_absent(&mut self, id: ExpressionId) -> bool {
        self.parts += 1;
        match self.model.expressions.node(id) {
            _ if self.parts > Self::MOST_PARTS => false,
            // What is called may depend on more than its arguments.
            Node::Call(..) | Node::Function(..) | Node::Output(..) => false,
            Node::Variable(of, order) => Derivative::new(of, order) != self.unknown,
            _ => self.model.expressions.children(id).all(|child| self.is_absent(child)),
        }
    }
}

/// Columns of a row with an entry, ascending.
fn columns_of(jacobian: &Jacobian, row: usize) -> Vec<u32> {
    let (row, columns) = &jacobian.rows[row];
    let listed = row.entries.iter().map(|&(place, _)| columns[place]);
    let mut columns: Vec<u32> = listed.chain(row.opaque.iter().map(|&place| columns[place])).collect();
    columns.sort_unstable();
    columns
}

/// The unknowns of a block that occur in an equation: variable, column, order of its leading derivative.
fn unknowns_of(
    incidence: &Incidence,
    equation: EquationId,
    columns: &FxHashMap<VariableId, (u32, u32)>,
) -> Vec<(VariableId, u32, u32)> {
    let edges = incidence.edges_of_equation(equation).map(|edge| incidence.variable(edge));
    let mut unknowns: Vec<_> =
        edges.filter_map(|variable| columns.get(&variable).map(|&(column, top)| (variable, column, top))).collect();
    unknowns.sort_by_key(|&(_, column, _)| column);
    unknowns
}

/// The value that a mode variable, true in the modes `literal`, has in all of these modes.
fn decided_value(analysis: &Analysis, modes: Among<'_>, literal: ModeSet) -> Option<bool> {
    let modes = match modes {
        Among::Modes(modes) => modes,
        Among::Mode(values) => {
            return Some(analysis.space.evaluate(literal, |variable| values[variable.index()]));
        }
    };
    if !analysis.space.intersects(modes, literal) {
        Some(false)
    } else if analysis.space.implies(modes, literal) {
        Some(true)
    } else {
        None
    }
}

/// Numbers without relations between them: the same for the same input at the same point, between 0.5 and 1.5.
pub(crate) struct Generic {
    seed: u64,
    next: u64,
}

impl Generic {
    pub(crate) fn new(point: u64) -> Self {
        Generic { seed: point + 1, next: 0 }
    }

    pub(crate) fn value(&mut self, input: Input) -> f64 {
        let key = match input {
            Input::Time => 1,
            Input::Variable(variable, order) => 2 + 16 * (variable.index() as u64 + 1) + u64::from(order),
            Input::LeftVariable(variable, order) => 3 + 31 * (variable.index() as u64 + 1) + u64::from(order),
            Input::Mode(_) | Input::LeftMode(_) | Input::Run(_) => return 0.0,
            Input::Homotopy => return 1.0,
        };
        self.mixed(key)
    }

    fn number(&mut self) -> f64 {
        self.next += 1;
        self.mixed(u64::MAX - self.next)
    }

    /// The finalizer of splitmix64 over seed and key.
    fn mixed(&self, key: u64) -> f64 {
        let mut bits = key.wrapping_mul(0x9E37_79B9_7F4A_7C15).wrapping_add(self.seed << 32);
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        0.5 + ((bits ^ (bits >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }
}
