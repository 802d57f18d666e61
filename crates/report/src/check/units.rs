//! Units that do not go together: dimensions of expressions, from the `unit` attributes of the variables in them.
//!
//! A number, or a variable of which no unit is known, goes with everything; so does a product with a number, which may stand for a
//! quantity. A variable without a unit gets that of the expression that an equation of the user's file sets it equal to. A
//! length in mm and one in m do not go together either; the factor between them is told.

use modeshift_dae::{
    ArithmeticOperator, Builtin, Equation, ExpressionId, FlatModel, Node, RelationOperator, VariableId, short_text,
};
use modeshift_diagnostics::{Code, Diagnostic, Diagnostics, FileId, Span};
use modeshift_drawing::shortened;
use rustc_hash::FxHashMap;

use super::dimension::Unit;
use super::structure::name_span;

/// Longer expressions are cut.
const LONGEST_EXPRESSION: usize = 40;

/// Says where units do not go together, in equations of this file.
pub fn check_units(model: &FlatModel, file: FileId, diagnostics: &mut Diagnostics) {
    if model.variables.iter().all(|variable| variable.unit.is_none()) {
        return;
    }
    let mut units = Units::new(model);
    let own: Vec<&Equation> = model.equations.iter().filter(|equation| equation.span.file == file).collect();
    for equation in &own {
        units.infer(equation);
    }
    check_known(model, file, diagnostics);
    check_declarations(&mut units, file, diagnostics);
    let mut told: Vec<Span> = Vec::new();
    let mut tell = |units: &mut Units<'_>, roots: &[ExpressionId], pair: Option<[ExpressionId; 2]>, span: Span| {
        for &root in roots {
            units.dimension(root);
        }
        let unequal = pair.and_then(|sides| units.clash(sides, "set equal"));
        let found: Vec<Clash> = units.clashes.drain(..).chain(unequal).collect();
        if let Some(clash) = found.first().filter(|_| span.file == file && !told.contains(&span)) {
            told.push(span);
            diagnostics.push(units.diagnostic(clash, span));
        }
    };
    for equation in own {
        tell(&mut units, &[equation.left, equation.right], Some([equation.left, equation.right]), equation.span);
    }
    for assertion in &model.assertions {
        tell(&mut units, &[assertion.condition], None, assertion.span);
    }
    for branch in model.when_clauses.iter().flat_map(|clause| &clause.branches) {
        tell(&mut units, &branch.conditions, None, branch.span);
    }
}

/// Says which units of this file are not known: what is not compared is not right for that reason.
fn check_known(model: &FlatModel, file: FileId, diagnostics: &mut Diagnostics) {
    for variable in model.variables.iter().filter(|it| it.span.file == file) {
        let unknown = variable.unit.as_deref().filter(|unit| Unit::of(unit).is_none() && is_misspelt(unit));
        if let Some(unit) = unknown {
            let message = format!("`{unit}` is no unit that is known: nothing is compared with it");
            let warning = Diagnostic::warning(Code::W0322, message);
            let warning = warning.label(name_span(variable), format!("the unit of `{}`", variable.name));
            diagnostics
                .push(warning.help("write it with the symbols of SI and their powers, such as `m/s2` or `J/(kg.K)`"));
        }
    }
}

/// Whether a unit is composed of symbols of which one looks like a word. What stands alone, such as `%` or `pu`, and what is written in
/// capitals, such as `EUR/kg`, counts something of the modeler's own.
fn is_misspelt(unit: &str) -> bool {
    let symbols: Vec<&str> = unit.split(['/', '.', '(', ')']).map(str::trim).filter(|it| !it.is_empty()).collect();
    let is_word = |symbol: &str| {
        let letters = symbol.trim_end_matches(|it: char| it.is_ascii_digit() || matches!(it, '-' | '+'));
        !letters.is_empty() && letters.chars().all(|it| it.is_ascii_lowercase()) && Unit::of(letters).is_none()
    };
    symbols.len() > 1 && symbols.into_iter().any(is_word)
}

/// Says where the value of a parameter or a start value is in another unit than what it is for, in declarations of this file.
fn check_declarations(units: &mut Units<'_>, file: FileId, diagnostics: &mut Diagnostics) {
    let model = units.model;
    for (id, variable) in model.variables.iter_enumerated().filter(|(_, it)| it.span.file == file) {
        let Some(&own) = units.variables.get(&id) else { continue };
        let start = variable.start.map(|start| (start, "start value", variable.start_span));
        for (value, what, span) in variable.binding.map(|it| (it, "value", variable.span)).into_iter().chain(start) {
            let Some(other) = units.dimension(value).filter(|other| !other.goes_with(own) && span.file == file) else {
                continue;
            };
            let text = shortened(&short_text(model, None, value), LONGEST_EXPRESSION);
            let unit = variable.unit.as_deref().map_or_else(|| own.text(), str::to_string);
            let name = &variable.name;
            let message = format!(
                "units do not go together: `{name}` is in {unit}, its {what} `{text}` in {}",
                units.unit_text(value, other)
            );
            let warning = Diagnostic::warning(Code::W0322, message).label(span, format!("`{name}` is in {unit}"));
            diagnostics.push(match other.factor_to(own) {
                Some(factor) => warning.help(format!("multiply `{text}` by {}", rounded(factor))),
                None => warning.help("give another value, or change a `unit` that is not what is meant"),
            });
        }
    }
    units.clashes.clear();
}

/// A factor between units without what rounding added.
fn rounded(factor: f64) -> String {
    let digits: f64 = format!("{factor:.9e}").parse().unwrap_or(factor);
    digits.to_string()
}

/// Two expressions that should be of one unit.
struct Clash {
    sides: [ExpressionId; 2],
    dimensions: [Unit; 2],
    /// What is done with them.
    what: &'static str,
}

struct Units<'a> {
    model: &'a FlatModel,
    variables: FxHashMap<VariableId, Unit>,
    known: FxHashMap<ExpressionId, Option<Unit>>,
    clashes: Vec<Clash>,
}

impl<'a> Units<'a> {
    fn new(model: &'a FlatModel) -> Self {
        let written = model.variables.iter_enumerated();
        let variables = written.filter_map(|(id, it)| Some((id, Unit::of(it.unit.as_deref()?)?))).collect();
        Units { model, variables, known: FxHashMap::default(), clashes: Vec::new() }
    }

    /// Gives a variable without a unit that of what it is set equal to.
    fn infer(&mut self, equation: &Equation) {
        let Node::Variable(variable, 0) = self.model.expressions.node(equation.left) else { return };
        if self.model.variables[variable].unit.is_some() || self.variables.contains_key(&variable) {
            return;
        }
        if let Some(dimension) = self.dimension(equation.right) {
            self.variables.insert(variable, dimension);
            self.known.remove(&equation.left);
        }
        self.clashes.clear();
        self.known.clear();
    }

    /// The dimension of an expression, its parts first; clashes on the way are noted, each once.
    fn dimension(&mut self, root: ExpressionId) -> Option<Unit> {
        let mut pending = vec![(root, false)];
        while let Some((id, has_children)) = pending.pop() {
            if self.known.contains_key(&id) {
                continue;
            }
            if has_children {
                let dimension = self.combined(id);
                self.known.insert(id, dimension);
                continue;
            }
            pending.push((id, true));
            if !matches!(self.model.expressions.node(id), Node::Function(..)) {
                pending.extend(self.model.expressions.children(id).map(|child| (child, false)));
            }
        }
        self.of(root)
    }

    fn of(&self, id: ExpressionId) -> Option<Unit> {
        self.known.get(&id).copied().flatten()
    }

    /// The dimension of an expression whose parts are known.
    fn combined(&mut self, id: ExpressionId) -> Option<Unit> {
        use ArithmeticOperator::{Add, Divide, Multiply, Power, Subtract};
        match self.model.expressions.node(id) {
            Node::Time => Unit::of("s"),
            Node::Variable(variable, order) => {
                let per_second = Unit::of("s")?.power(-i8::try_from(order).ok()?)?;
                self.variables.get(&variable).copied()?.times(per_second)
            }
            Node::Pre(inside) | Node::Negate(inside) => self.of(inside),
            Node::Arithmetic(Add, a, b) => self.same([a, b], "added"),
            Node::Arithmetic(Subtract, a, b) => self.same([a, b], "subtracted"),
            Node::Arithmetic(Multiply, a, b) => self.of(a)?.times(self.of(b)?),
            Node::Arithmetic(Divide, a, b) => self.of(a)?.times(self.of(b)?.power(-1)?),
            Node::Arithmetic(Power, a, b) => {
                let power = self.model.expressions.literal(b).filter(|it| it.fract() == 0.0 && it.abs() < 20.0)?;
                self.of(a)?.power(power as i8)
            }
            Node::Relation(operator, a, b) => {
                // Only what is ordered is a quantity.
                if !matches!(operator, RelationOperator::Equal | RelationOperator::NotEqual) {
                    self.same([a, b], "compared");
                }
                None
            }
            Node::If(_, a, b) => self.same([a, b], "given in two branches"),
            Node::Call(Builtin::Min | Builtin::Max, list) => match *self.model.expressions.argument_list(list) {
                [a, b] => self.same([a, b], "compared"),
                _ => None,
            },
            Node::Call(Builtin::Abs | Builtin::NoEvent | Builtin::Delay, list) => {
                self.of(*self.model.expressions.argument_list(list).first()?)
            }
            Node::Call(Builtin::Sin | Builtin::Cos | Builtin::Tan, list) => {
                self.angle(*self.model.expressions.argument_list(list).first()?);
                Unit::of("1")
            }
            Node::Call(Builtin::Sqrt, list) => self.of(*self.model.expressions.argument_list(list).first()?)?.root(),
            _ => None,
        }
    }

    /// What a sine is taken of is an angle in radians; one in degrees is noted.
    fn angle(&mut self, id: ExpressionId) {
        let (Some(own), Some(radian)) = (self.of(id), Unit::of("rad")) else { return };
        if own.factor_to(radian).is_some() {
            self.clashes.push(Clash { sides: [id, id], dimensions: [own, radian], what: "its sine is taken" });
        }
    }

    /// The one dimension of both, or what is known of one; a clash is noted.
    fn same(&mut self, sides: [ExpressionId; 2], what: &'static str) -> Option<Unit> {
        if let Some(clash) = self.clash(sides, what) {
            self.clashes.push(clash);
            return None;
        }
        self.of(sides[0]).or(self.of(sides[1]))
    }

    fn clash(&self, sides: [ExpressionId; 2], what: &'static str) -> Option<Clash> {
        let dimensions = [self.of(sides[0])?, self.of(sides[1])?];
        (!dimensions[0].goes_with(dimensions[1])).then_some(Clash { sides, dimensions, what })
    }

    fn diagnostic(&self, clash: &Clash, span: Span) -> Diagnostic {
        let side = |at: usize| {
            let text = short_text(self.model, None, clash.sides[at]);
            (shortened(&text, LONGEST_EXPRESSION), self.unit_text(clash.sides[at], clash.dimensions[at]))
        };
        let ((one, unit), (other, other_unit)) = (side(0), side(1));
        let is_angle = clash.sides[0] == clash.sides[1];
        let message = match is_angle {
            true => format!("units do not go together: `{one}` is in {unit}, and `sin`, `cos` and `tan` take rad"),
            false => format!("units do not go together: `{one}` is in {unit}, `{other}` in {other_unit}"),
        };
        let mut warning = Diagnostic::warning(Code::W0322, message).label(span, format!("{} here", clash.what));
        for at in [0, 1] {
            if let Some(variable) = self.first_with_unit(clash.sides[at]) {
                let declared = &self.model.variables[variable];
                let unit = declared.unit.as_deref().unwrap_or_default();
                let is_told = warning.labels.iter().any(|label| label.span == name_span(declared));
                if !is_told {
                    warning = warning.label(name_span(declared), format!("`{}` is in {unit}", declared.name));
                }
            }
        }
        let [own, wanted] = clash.dimensions;
        match if is_angle { own.factor_to(wanted) } else { wanted.factor_to(own) } {
            Some(factor) => warning.help(format!("multiply `{other}` by {}", rounded(factor))),
            None => warning.help("change the equation, or a `unit` that is not what is meant"),
        }
    }

    fn unit_text(&self, id: ExpressionId, dimension: Unit) -> String {
        match self.model.expressions.node(id) {
            Node::Variable(variable, 0) => {
                self.model.variables[variable].unit.as_deref().map_or_else(|| dimension.text(), str::to_string)
            }
            _ => dimension.text(),
        }
    }

    fn first_with_unit(&self, root: ExpressionId) -> Option<VariableId> {
        let mut found = None;
        self.model.expressions.for_each(root, |_, node| {
            if let Node::Variable(variable, _) = node
                && found.is_none()
                && self.model.variables[variable].unit.is_some()
            {
                found = Some(variable);
            }
            found.is_none()
        });
        found
    }
}
