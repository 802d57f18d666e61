//! Differences of two expressions as tapes: equations and relations as residuals, with partial derivatives, along jets.

use std::sync::{Mutex, PoisonError};

use modeshift_dae::{Derivative, ExpressionId, FlatModel, Node, VariableId};
use modeshift_numerics::{Compiler, Differentiated, Input, NativeFunctions, NotNumeric, Tape, TaylorWorkspace};
use modeshift_structure::one_mode::{Column, ModeStructure, Row};

use super::jet::{Jet, Partial, Residuals};
use super::sums::Sums;

/// The difference of two expressions and its partial derivatives by the unknowns in them.
pub struct DifferenceTape {
    form: Form,
    /// The continuous variables with the orders that are written, which are the first inputs.
    unknowns: Vec<Derivative<VariableId>>,
    /// Whether no partial derivative depends on an unknown.
    is_linear: bool,
    /// By unknown, where they are the same at all times: the partial derivatives.
    constant: Option<Vec<f64>>,
}

/// How it is computed.
enum Form {
    /// As sums, which have constant partial derivatives.
    Sums(Sums),
    /// By a tape.
    Tape(Box<Taped>),
}

struct Taped {
    tape: Differentiated,
    /// By order, for the residual alone and for all.
    workspaces: Mutex<[Vec<Option<TaylorWorkspace>>; 2]>,
}

/// Which results are wanted.
#[derive(Clone, Copy)]
enum Wanted {
    Residual = 0,
    Everything = 1,
}

impl DifferenceTape {
    /// Compiles `left - right`; what `constants` knows is a constant. An error where a side is not numeric.
    pub fn new(
        model: &FlatModel,
        natives: &NativeFunctions,
        sides: [ExpressionId; 2],
        constants: &dyn Fn(Input) -> Option<f64>,
    ) -> Result<Self, NotNumeric> {
        let unknowns = unknowns_in(model, &sides);
        if let Some(sums) = Sums::of(model, sides, &unknowns, constants) {
            let constant = Some(sums.factors());
            return Ok(DifferenceTape { form: Form::Sums(sums), unknowns, is_linear: true, constant });
        }
        Self::taped(model, natives, sides, unknowns, constants)
    }

    fn taped(
        model: &FlatModel,
        natives: &NativeFunctions,
        sides: [ExpressionId; 2],
        unknowns: Vec<Derivative<VariableId>>,
        constants: &dyn Fn(Input) -> Option<f64>,
    ) -> Result<Self, NotNumeric> {
        let inputs: Vec<Input> = unknowns.iter().map(|it| Input::Variable(it.of, it.order)).collect();
        let compiler = Compiler::new(model, natives).with_known_inputs(constants);
        let tape = compiler.differentiated(&sides, &inputs)?;
        let is_linear = tape.is_linear();
        let is_constant = is_linear && inputs.len() == tape.inputs().len();
        let taped = Taped { tape, workspaces: Mutex::new([Vec::new(), Vec::new()]) };
        let constant = is_constant.then(|| taped.partials(&vec![0.0; inputs.len()], inputs.len(), 0));
        Ok(DifferenceTape { form: Form::Tape(Box::new(taped)), unknowns, is_linear, constant })
    }

    /// Whether the partial derivatives are the same along all jets through an instant.
    pub fn is_linear(&self) -> bool {
        self.is_linear
    }

    /// Whether the partial derivatives are the same at all times and values.
    pub fn is_constant(&self) -> bool {
        self.constant.is_some()
    }

    /// The partial derivatives by the unknowns, where everything has these values.
    pub fn coefficients(
        &self,
        value: impl Fn(Input) -> f64,
    ) -> impl Iterator<Item = (Derivative<VariableId>, f64)> + '_ {
        let partials = self.partials(|inputs, _| inputs.iter().map(|&input| value(input)).collect(), 0);
        self.unknowns.iter().copied().zip(partials)
    }

    /// The continuous variables with the orders that are written.
    pub fn unknowns(&self) -> &[Derivative<VariableId>] {
        &self.unknowns
    }

    /// The difference in a mode; what is no unknown of the mode has the value that `known` says.
    pub fn at<'a>(&'a self, structure: &'a ModeStructure, known: &'a dyn Fn(Input) -> Option<f64>) -> DifferenceAt<'a> {
        DifferenceAt { tape: self, structure, known }
    }

    /// The residual and its first time derivatives from the series of the inputs.
    pub(crate) fn residual(&self, series: impl Fn(&[Input], u32) -> Vec<f64>, highest: u32) -> Vec<f64> {
        match &self.form {
            Form::Sums(sums) => {
                let inputs = series(sums.inputs(), highest);
                (0..=highest as usize).map(|k| of_sums(sums, &inputs, k, highest)).collect()
            }
            Form::Tape(taped) => {
                let inputs = series(taped.tape.residuals.inputs(), highest);
                difference(&taped.outputs(Wanted::Residual, &inputs, highest), highest)
            }
        }
    }

    /// One time derivative of the residual.
    pub(crate) fn derivative(&self, series: impl Fn(&[Input], u32) -> Vec<f64>, order: u32) -> f64 {
        let at = order as usize;
        match &self.form {
            Form::Sums(sums) => of_sums(sums, &series(sums.inputs(), order), at, order),
            Form::Tape(taped) => {
                let inputs = series(taped.tape.residuals.inputs(), order);
                let outputs = taped.outputs(Wanted::Residual, &inputs, order);
                (outputs[at] - outputs[at + at + 1]) * factorial(at)
            }
        }
    }

    /// The partial derivatives by the unknowns, each with its first time derivatives, one after the other.
    pub(crate) fn partials(&self, series: impl Fn(&[Input], u32) -> Vec<f64>, highest: u32) -> Vec<f64> {
        match (&self.constant, &self.form) {
            (Some(constant), _) if highest == 0 => constant.clone(),
            (Some(constant), Form::Sums(_)) => {
                let mut partials = vec![0.0; constant.len() * (highest as usize + 1)];
                partials.chunks_exact_mut(highest as usize + 1).zip(constant).for_each(|(own, &value)| own[0] = value);
                partials
            }
            (_, Form::Tape(taped)) => {
                taped.partials(&series(taped.tape.inputs(), highest), self.unknowns.len(), highest)
            }
            (None, Form::Sums(_)) => unreachable!("sums have constant factors"),
        }
    }
}

/// One time derivative of the difference of two sums.
fn of_sums(sums: &Sums, inputs: &[f64], order: usize, highest: u32) -> f64 {
    let [left, right] = sums.coefficients(inputs, order, highest as usize);
    (left - right) * factorial(order)
}

impl Taped {
    /// By unknown, the partial derivative and its first time derivatives.
    fn partials(&self, inputs: &[f64], unknowns: usize, highest: u32) -> Vec<f64> {
        let length = highest as usize + 1;
        let outputs = self.outputs(Wanted::Everything, inputs, highest);
        let mut partials = vec![0.0; unknowns * length];
        let entries: Vec<&[f64]> = outputs.chunks_exact(length).skip(2).collect();
        let pattern = self.tape.pattern();
        for (side, sign) in [(0, 1.0), (1, -1.0)] {
            for (&unknown, entry) in pattern.row(side).iter().zip(&entries[pattern.row_range(side)]) {
                let own = &mut partials[unknown as usize * length..][..length];
                own.iter_mut().enumerate().for_each(|(k, share)| *share += sign * entry[k] * factorial(k));
            }
        }
        partials
    }

    /// Series of the results, one after the other.
    fn outputs(&self, wanted: Wanted, inputs: &[f64], highest: u32) -> Vec<f64> {
        let tape: &Tape = match wanted {
            Wanted::Residual => &self.tape.residuals,
            Wanted::Everything => self.tape.tape(),
        };
        let mut outputs = vec![0.0; tape.output_count() * (highest as usize + 1)];
        let mut workspaces = self.workspaces.lock().unwrap_or_else(PoisonError::into_inner);
        let workspaces = &mut workspaces[wanted as usize];
        if workspaces.len() <= highest as usize {
            workspaces.resize(highest as usize + 1, None);
        }
        let workspace =
            workspaces[highest as usize].get_or_insert_with(|| TaylorWorkspace::new(tape, highest as usize));
        tape.evaluate_taylor(inputs, workspace, &mut outputs);
        outputs
    }
}

/// Continuous unknowns of the current instant in expressions, with the orders that are written, ascending.
pub(crate) fn unknowns_in(model: &FlatModel, expressions: &[ExpressionId]) -> Vec<Derivative<VariableId>> {
    let mut found = Vec::new();
    for &expression in expressions {
        model.expressions.for_each(expression, |_, node| {
            found.extend(node.derivative().filter(|it| model.variables[it.of].is_continuous_unknown()));
            !matches!(node, Node::Pre(_))
        });
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// A difference in a mode, as the residual of an equation.
pub struct DifferenceAt<'a> {
    tape: &'a DifferenceTape,
    structure: &'a ModeStructure,
    known: &'a dyn Fn(Input) -> Option<f64>,
}

impl DifferenceAt<'_> {
    fn series(&self, inputs: &[Input], jet: &Jet, highest: u32) -> Vec<f64> {
        let column_of = |variable| self.structure.column(variable);
        input_series(inputs.iter().copied(), jet, highest, column_of, self.known)
    }
}

impl Residuals for DifferenceAt<'_> {
    fn residual(&self, _: Row, jet: &Jet, highest: u32) -> Vec<f64> {
        self.tape.residual(|inputs, highest| self.series(inputs, jet, highest), highest)
    }

    fn partials(&self, _: Row, jet: &Jet, highest: u32) -> Vec<Partial> {
        let length = highest as usize + 1;
        let partials = self.tape.partials(|inputs, highest| self.series(inputs, jet, highest), highest);
        let unknowns = self.tape.unknowns.iter().zip(partials.chunks_exact(length));
        let partial = |(&Derivative { of: variable, order }, derivatives): (&Derivative<VariableId>, &[f64])| {
            Some(Partial { column: self.structure.column(variable)?, order, derivatives: derivatives.to_vec() })
        };
        unknowns.filter_map(partial).collect()
    }

    fn is_linear(&self, _: Row) -> bool {
        self.tape.is_linear
    }
}

/// Series of the inputs of a tape along a jet, one after the other. What is neither time nor a variable of the jet is
/// constant: what `known` says, else not a number.
pub(crate) fn input_series(
    inputs: impl ExactSizeIterator<Item = Input>,
    jet: &Jet,
    highest: u32,
    column_of: impl Fn(VariableId) -> Option<Column>,
    known: &dyn Fn(Input) -> Option<f64>,
) -> Vec<f64> {
    let constant = |input: Input, k: u32| if k == 0 { known(input).unwrap_or(f64::NAN) } else { 0.0 };
    let mut series = Vec::with_capacity(inputs.len() * (highest as usize + 1));
    for input in inputs {
        let mut factorial = 1.0;
        for k in 0..=highest {
            factorial *= f64::from(k.max(1));
            let derivative = match input {
                Input::Time if k == 0 => jet.time,
                Input::Time => f64::from(u8::from(k == 1)),
                Input::Variable(variable, order) => match column_of(variable) {
                    Some(column) => jet.get(column, order + k),
                    None => constant(input, k),
                },
                _ => constant(input, k),
            };
            series.push(derivative / factorial);
        }
    }
    series
}

/// Derivatives of the difference of the first two results of a tape from their series.
fn difference(outputs: &[f64], highest: u32) -> Vec<f64> {
    let length = highest as usize + 1;
    let (left, right) = outputs[..2 * length].split_at(length);
    let difference = left.iter().zip(right).map(|(left, right)| left - right);
    difference.enumerate().map(|(k, coefficient)| coefficient * factorial(k)).collect()
}

fn factorial(k: usize) -> f64 {
    (2..=k).map(|factor| factor as f64).product()
}

#[cfg(test)]
mod tests {
    use modeshift_numerics::{Input, NativeFunctions};

    use super::{DifferenceTape, Form, unknowns_in};

    /// Equations, and whether they are sums that need no tape.
    const EQUATIONS: [(&str, bool); 9] = [
        ("x1 = x2", true),
        ("0 = x1 + x2 - x3", true),
        ("-x1 + 3 = p*x2 - x3*0.1 - p", true),
        ("x1 - x1 + der(x2) = 7e-3*x3 + der(x2)", true),
        ("2 = -der(x3) - q*x2", true),
        ("x1 = x2 - (x3 + 1)", false),
        ("x1*x2 = 3", false),
        ("x1 = z*x2", false),
        ("x1 = time + x3", false),
    ];

    #[test]
    fn sums_are_what_tapes_compute_to_the_last_bit() {
        let declared = "Real x1, x2, x3; parameter Real p = 1/3, q = -1, z = 0;";
        let equations: Vec<&str> = EQUATIONS.iter().map(|it| it.0).collect();
        let text = format!("model M {declared} equation {}; end M;", equations.join("; "));
        let dae = modeshift_testkit::multimode_dae(&text, &modeshift_testkit::NO_OVERRIDES).expect("a model");
        let (model, natives) = (&dae.model, NativeFunctions::of(&dae.model));
        let parameter = |input: Input| match input {
            Input::Variable(id, 0) => match &*model.variables[id].name {
                "p" => Some(1.0 / 3.0),
                "q" => Some(-1.0),
                "z" => Some(0.0),
                _ => None,
            },
            _ => None,
        };
        for (equation, (text, is_sum)) in model.equations.iter().zip(EQUATIONS) {
            let sides = [equation.left, equation.right];
            let plain = DifferenceTape::new(model, &natives, sides, &parameter).expect("numbers");
            let unknowns = unknowns_in(model, &sides);
            let taped = DifferenceTape::taped(model, &natives, sides, unknowns, &parameter).expect("numbers");
            assert_eq!(matches!(plain.form, Form::Sums(_)), is_sum, "{text}");
            assert_eq!(plain.is_linear(), taped.is_linear(), "{text}");
            assert_eq!(plain.is_constant(), taped.is_constant(), "{text}");
            let series = |inputs: &[Input], highest: u32| {
                let count = inputs.len() * (highest as usize + 1);
                (0..count).map(|at| (0.7 * at as f64 + 1.3).sin() * 10_f64.powi(at as i32 % 5)).collect::<Vec<f64>>()
            };
            for order in 0..4 {
                let both = [&plain, &taped].map(|it| (it.residual(series, order), it.derivative(series, order)));
                assert_eq!(both[0], both[1], "{text}, order {order}");
                assert_eq!(plain.partials(series, order), taped.partials(series, order), "{text}, order {order}");
            }
        }
    }
}
