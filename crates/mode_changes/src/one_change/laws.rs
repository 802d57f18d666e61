//! The laws of a `when` of a model, compiled: `v = -e*pre(v)` and `reinit(x, x0)`.

use modeshift_dae::{Derivative, ExpressionId, FlatModel, IndexVec, Node, VariableId, WhenAction, WhenActionKind};
use modeshift_numerics::{Compiler, Differentiated, Input, NativeFunctions, NotNumeric};
use modeshift_structure::one_mode::{Column, ModeStructure, Row};

use super::transient::{Laws, TransientStructure};
use crate::one_mode::Jet;

/// The laws among the actions of a `when` that fires.
pub struct WhenLaws {
    laws: Vec<CompiledLaw>,
    /// Right limits that are known: `x = value`, counted behind the laws.
    resets: Vec<(Column, f64)>,
    column_of: IndexVec<VariableId, Option<Column>>,
}

struct CompiledLaw {
    tape: Differentiated,
    /// Signs of the expressions of the tape in the law.
    signs: Vec<f64>,
    /// Right limits, the first inputs of the tape.
    contents: Vec<Derivative<Column>>,
    /// The variable of a `reinit`.
    reset: Option<Column>,
}

impl WhenLaws {
    /// Compiles the laws and resets among `actions`; others are passed over. `constants` knows modes, parameters and
    /// discrete variables.
    pub fn new(
        model: &FlatModel,
        natives: &NativeFunctions,
        structure: &ModeStructure,
        actions: &[WhenAction],
        constants: impl Fn(Input) -> Option<f64>,
    ) -> Result<Self, NotNumeric> {
        let mut column_of: IndexVec<VariableId, Option<Column>> = model.variables.iter().map(|_| None).collect();
        for column in structure.columns() {
            column_of[structure.variable(column)] = Some(column);
        }
        let mut result = WhenLaws { laws: Vec::new(), resets: Vec::new(), column_of };
        for sum in actions.iter().filter_map(|action| Sum::new(&action.kind)) {
            let (expressions, signs): (Vec<ExpressionId>, Vec<f64>) = sum.terms.iter().copied().unzip();
            let contents = result.contents_of(model, sum.reset, &expressions);
            let inputs: Vec<Input> =
                contents.iter().map(|it| Input::Variable(structure.variable(it.of), it.order)).collect();
            let compiler = Compiler::new(model, natives).with_known_inputs(&constants);
            let tape = compiler.differentiated(&expressions, &inputs)?;
            let reset = sum.reset.and_then(|variable| result.column_of[variable]);
            result.laws.push(CompiledLaw { tape, signs, contents, reset });
        }
        Ok(result)
    }

    /// The same with variables that have known right limits, as `reinit` gives them; those that do not exist in the mode are
    /// passed over.
    pub fn with_resets(mut self, resets: impl IntoIterator<Item = (VariableId, f64)>) -> Self {
        let known = resets.into_iter().filter_map(|(variable, value)| Some((self.column_of[variable]?, value)));
        self.resets = known.collect();
        self
    }

    /// Right limits in a law: variables outside `pre`, and the variable of a `reinit`.
    fn contents_of(
        &self,
        model: &FlatModel,
        reset: Option<VariableId>,
        expressions: &[ExpressionId],
    ) -> Vec<Derivative<Column>> {
        let mut found: Vec<Derivative<Column>> = Vec::new();
        found.extend(reset.and_then(|variable| self.column_of[variable]).map(|column| Derivative::new(column, 0)));
        for &expression in expressions {
            model.expressions.for_each(expression, |_, node| {
                if let Node::Variable(variable, order) = node {
                    found.extend(self.column_of[variable].map(|column| Derivative::new(column, order)));
                }
                !matches!(node, Node::Pre(_))
            });
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    fn inputs(&self, tape_inputs: &[Input], left: &Jet, right: &Jet) -> Vec<f64> {
        let value = |jet: &Jet, variable: VariableId, order: u32| match self.column_of[variable] {
            Some(column) => jet.get(column, order),
            None => f64::NAN,
        };
        let input = |&input: &Input| match input {
            Input::Time => right.time,
            Input::Variable(variable, order) => value(right, variable, order),
            Input::LeftVariable(variable, order) => value(left, variable, order),
            _ => f64::NAN,
        };
        tape_inputs.iter().map(input).collect()
    }

    /// The levels of a mode with these laws among them. `instantaneous` are the equations that hold for this instant only.
    pub fn levels(&self, structure: &ModeStructure, instantaneous: &IndexVec<Row, bool>) -> TransientStructure {
        let of_laws = self.laws.iter().map(|law| law.reset.is_some());
        let is_reset: Vec<bool> = of_laws.chain(self.resets.iter().map(|_| true)).collect();
        TransientStructure::with_resets(structure, instantaneous, &self.contents(), &is_reset)
    }

    fn evaluate(&self, law: usize, left: &Jet, right: &Jet) -> (f64, Vec<f64>) {
        let Some(compiled) = self.laws.get(law) else {
            let (column, value) = self.resets[law - self.laws.len()];
            return (right.get(column, 0) - value, vec![1.0]);
        };
        let CompiledLaw { tape, signs, contents, reset } = compiled;
        let inputs = self.inputs(tape.inputs(), left, right);
        let mut values = vec![0.0; signs.len()];
        let mut entries = vec![0.0; tape.pattern().entry_count()];
        tape.evaluate(&inputs, &mut tape.workspace(), &mut values, &mut entries);
        let mut residual: f64 = values.iter().zip(signs).map(|(value, sign)| sign * value).sum();
        let mut partials = vec![0.0; contents.len()];
        for (row, sign) in signs.iter().enumerate() {
            for (column, value) in tape.pattern().row_entries(&entries, row) {
                partials[column] += sign * value;
            }
        }
        if let Some(column) = *reset {
            residual += right.get(column, 0);
            let at = contents.binary_search(&Derivative::new(column, 0)).expect("a reset variable is in its law");
            partials[at] += 1.0;
        }
        (residual, partials)
    }
}

/// A law as a sum: the right limit of the variable of a `reinit`, if it is one, and expressions with their signs.
struct Sum {
    reset: Option<VariableId>,
    terms: Vec<(ExpressionId, f64)>,
}

impl Sum {
    fn new(kind: &WhenActionKind) -> Option<Self> {
        match *kind {
            WhenActionKind::Law(left, right) => Some(Sum { reset: None, terms: vec![(left, 1.0), (right, -1.0)] }),
            WhenActionKind::Reinit(variable, value) => Some(Sum { reset: Some(variable), terms: vec![(value, -1.0)] }),
            _ => None,
        }
    }
}

impl Laws for WhenLaws {
    fn contents(&self) -> Vec<Vec<Derivative<Column>>> {
        let laws = self.laws.iter().map(|law| law.contents.clone());
        laws.chain(self.resets.iter().map(|&(column, _)| vec![Derivative::new(column, 0)])).collect()
    }

    fn residual(&self, law: usize, left: &Jet, right: &Jet) -> f64 {
        self.evaluate(law, left, right).0
    }

    fn partials(&self, law: usize, left: &Jet, right: &Jet) -> Vec<(Derivative<Column>, f64)> {
        let partials = self.evaluate(law, left, right).1;
        match self.laws.get(law) {
            Some(compiled) => compiled.contents.iter().copied().zip(partials).collect(),
            None => vec![(Derivative::new(self.resets[law - self.laws.len()].0, 0), partials[0])],
        }
    }
}
