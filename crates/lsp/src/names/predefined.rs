//! Types, attributes and functions of the language itself, each with what an editor says about it.

/// The predefined types.
pub const TYPES: [&str; 4] = ["Real", "Integer", "Boolean", "String"];

/// The attributes of predefined types.
pub const ATTRIBUTES: [(&str, &str); 11] = [
    ("start", "value at the start, or a guess of it"),
    ("fixed", "whether `start` is to hold"),
    ("unit", "unit of the value, such as `\"m/s\"`"),
    ("displayUnit", "unit in which the value is shown"),
    ("quantity", "kind of quantity, such as `\"Length\"`"),
    ("min", "least value"),
    ("max", "greatest value"),
    ("nominal", "usual size"),
    ("stateSelect", "how much it is wanted as a state"),
    ("each", "the same for every element of an array"),
    ("final", "not to be changed from outside"),
];

/// Functions and operators that are called: how, and what they are.
pub const FUNCTIONS: &[(&str, &str, &str)] = &[
    ("der", "der(x)", "derivative by time"),
    ("pre", "pre(v)", "left limit at an event"),
    ("last", "last(v)", "value before entering a state; the left limit in a guard"),
    ("initial", "initial()", "true at the start"),
    ("terminal", "terminal()", "true at the end of a run that succeeds"),
    ("edge", "edge(b)", "true when `b` becomes true"),
    ("change", "change(v)", "true when `v` changes"),
    ("reinit", "reinit(x, value)", "restarts the state `x` from a value, in a `when`"),
    ("sample", "sample(start, interval)", "true at start, start + interval, …"),
    ("noEvent", "noEvent(expression)", "relations in it make no event and no mode"),
    ("smooth", "smooth(order, expression)", "has so many continuous derivatives"),
    ("delay", "delay(expression, time)", "value a while ago"),
    ("homotopy", "homotopy(actual, simplified)", "a simpler expression to start from"),
    ("assert", "assert(condition, message, level)", "stops the run, or warns, where the condition is false"),
    ("terminate", "terminate(message)", "ends the run"),
    ("connect", "connect(a, b)", "potentials are equal, flows sum up to zero"),
    ("inStream", "inStream(s)", "value of a stream variable flowing in"),
    ("actualStream", "actualStream(s)", "value of a stream variable by the direction of the flow"),
    ("spatialDistribution", "spatialDistribution(in0, in1, x, positiveVelocity)", "transport along a line"),
    ("semiLinear", "semiLinear(x, k1, k2)", "`k1*x` where `x >= 0`, else `k2*x`"),
    ("cardinality", "cardinality(c)", "number of connections of a connector"),
    (
        "transition",
        "transition(from, to, condition, immediate, reset, synchronize, priority)",
        "from one state of a machine to another",
    ),
    ("initialState", "initialState(state)", "the state in which a machine begins"),
    ("activeState", "activeState(state)", "whether a state is active"),
    ("ticksInState", "ticksInState()", "how often a state has ticked"),
    ("timeInState", "timeInState()", "for how long a state has been active"),
    ("abs", "abs(x)", "absolute value"),
    ("sign", "sign(x)", "-1, 0 or 1"),
    ("sqrt", "sqrt(x)", "square root"),
    ("sin", "sin(x)", "sine"),
    ("cos", "cos(x)", "cosine"),
    ("tan", "tan(x)", "tangent"),
    ("asin", "asin(x)", "inverse sine"),
    ("acos", "acos(x)", "inverse cosine"),
    ("atan", "atan(x)", "inverse tangent"),
    ("atan2", "atan2(y, x)", "angle of a point"),
    ("sinh", "sinh(x)", "hyperbolic sine"),
    ("cosh", "cosh(x)", "hyperbolic cosine"),
    ("tanh", "tanh(x)", "hyperbolic tangent"),
    ("exp", "exp(x)", "exponential"),
    ("log", "log(x)", "natural logarithm"),
    ("log10", "log10(x)", "logarithm to base 10"),
    ("floor", "floor(x)", "greatest whole number below, as a Real"),
    ("ceil", "ceil(x)", "least whole number above, as a Real"),
    ("integer", "integer(x)", "greatest whole number below, as an Integer"),
    ("div", "div(x, y)", "quotient without its fraction"),
    ("mod", "mod(x, y)", "modulus"),
    ("rem", "rem(x, y)", "remainder"),
    ("min", "min(x, y)", "the lesser, or the least of an array"),
    ("max", "max(x, y)", "the greater, or the greatest of an array"),
    ("sum", "sum(array)", "sum of all elements"),
    ("product", "product(array)", "product of all elements"),
    ("size", "size(array, dimension)", "how long an array is"),
    ("ndims", "ndims(array)", "how many dimensions an array has"),
    ("fill", "fill(value, n1, n2)", "array of one value"),
    ("zeros", "zeros(n1, n2)", "array of zeros"),
    ("ones", "ones(n1, n2)", "array of ones"),
    ("identity", "identity(n)", "identity matrix"),
    ("diagonal", "diagonal(vector)", "diagonal matrix"),
    ("linspace", "linspace(first, last, n)", "evenly spaced vector"),
    ("transpose", "transpose(matrix)", "transposed matrix"),
    ("cross", "cross(x, y)", "cross product"),
    ("skew", "skew(x)", "matrix of a cross product"),
    ("cat", "cat(dimension, A, B)", "arrays one behind the other"),
    ("array", "array(a, b)", "array of its arguments"),
    ("vector", "vector(array)", "as a vector"),
    ("matrix", "matrix(array)", "as a matrix"),
    ("scalar", "scalar(array)", "the only element"),
    ("String", "String(value, significantDigits, minimumLength, leftJustified)", "as text"),
    ("Integer", "Integer(value)", "number of an enumeration literal"),
];

/// The word of the language that is meant.
pub fn name(name: &str) -> Option<&'static str> {
    let types = TYPES.iter().copied();
    types
        .chain(FUNCTIONS.iter().map(|(known, ..)| *known))
        .chain(["time", "StateSelect", "AssertionLevel"])
        .find(|known| *known == name)
}

/// How a function is called, and what it is.
pub fn function(name: &str) -> Option<(&'static str, &'static str)> {
    FUNCTIONS.iter().find(|(known, ..)| *known == name).map(|(_, call, purpose)| (*call, *purpose))
}

/// What an attribute is.
pub fn attribute(name: &str) -> Option<&'static str> {
    ATTRIBUTES.iter().find(|(known, _)| *known == name).map(|(_, purpose)| *purpose)
}
