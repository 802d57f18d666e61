//! Kinds of singular modes against the definition: every mode of small models is looked at by itself, with dense
//! matrices of its pencil `E z' = A z + f`, and compared with what was said of all modes at once.
//!
//! Models are random networks of resistors, inductors, capacitors, sources, ideal diodes and switches, and the circuits
//! of power electronics that `cli` runs.

use std::fmt::Write as _;
use std::path::Path;

use modeshift_dae::{EquationKind, ExpressionId, MultimodeDae, VariableId, assume_modes};
use modeshift_modes::ModeSet;
use modeshift_numerics::{Compiler, Input, NativeFunctions};
use modeshift_structure::{
    Analysis, Options, Reason, Regularized, SingularKind, Singularities, regularize, singularities,
};
use modeshift_testkit::{NO_OVERRIDES, multimode_dae};

use crate::common::Random;

/// What a mode is by the definition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    Regular,
    Harmless,
    /// Equations that contradict each other, whoever decides that a run gets there.
    Contradictory,
    Wrong,
    /// Nothing was said, because too much hangs together.
    Undecided,
}

type Matrix = Vec<Vec<f64>>;

/// The equations of one mode at some times: `E`, `A` and right sides.
struct Pencil {
    e: Matrix,
    a: Matrix,
    f: Vec<Vec<f64>>,
}

/// When sources are looked at.
const TIMES: [f64; 4] = [0.137, 0.741, 1.913, 3.3];

/// The value of a parameter, from literals and products of them.
fn parameter(dae: &MultimodeDae, variable: VariableId) -> Option<f64> {
    let mut expressions = dae.model.expressions.clone();
    let binding = dae.model.variables[variable].binding?;
    let known = |id: VariableId| {
        let binding = dae.model.variables[id].binding?;
        dae.model.expressions.literal(binding).map(|_| binding)
    };
    let value = modeshift_dae::PartialEvaluation::new(|_| None, known).of(&mut expressions, binding);
    expressions.literal(value)
}

/// Linearizes a mode by evaluating its residuals at unit vectors; nothing where it is not affine.
fn pencil(dae: &MultimodeDae, mode: &dyn Fn(u32) -> bool) -> Option<Pencil> {
    let mut dae = dae.clone();
    let mut residuals: Vec<ExpressionId> = Vec::new();
    for id in dae.model.equations.ids() {
        let equation = dae.model.equations[id].clone();
        if equation.kind != EquationKind::Continuous {
            continue;
        }
        let guard = assume_modes(&mut dae.model.expressions, equation.guard, |it| Some(mode(it.0)));
        if dae.model.expressions.literal_boolean(guard) != Some(true) {
            continue;
        }
        let residual = dae.model.expressions.difference(equation.left, equation.right);
        residuals.push(assume_modes(&mut dae.model.expressions, residual, |it| Some(mode(it.0))));
    }
    let unknowns: Vec<VariableId> =
        dae.model.variables.ids().filter(|&id| dae.model.variables[id].is_continuous_unknown()).collect();
    let natives = NativeFunctions::new();
    let tape = Compiler::new(&dae.model, &natives).tape(&residuals).ok()?;
    let mut workspace = tape.workspace();
    let mut at = |values: &dyn Fn(VariableId, u32) -> f64, time: f64| {
        let input = |input: &Input| match *input {
            Input::Time => time,
            Input::Variable(id, order) if dae.model.variables[id].is_continuous_unknown() => values(id, order),
            Input::Variable(id, _) => parameter(&dae, id).unwrap_or(0.7),
            _ => 0.0,
        };
        let inputs: Vec<f64> = tape.inputs().iter().map(input).collect();
        let mut results = vec![0.0; residuals.len()];
        tape.evaluate(&inputs, &mut workspace, &mut results);
        results
    };
    let f: Vec<Vec<f64>> = TIMES.iter().map(|&time| at(&|_, _| 0.0, time)).collect();
    let mut matrices = [vec![Vec::new(); residuals.len()], vec![Vec::new(); residuals.len()]];
    for &unknown in &unknowns {
        for (order, matrix) in matrices.iter_mut().enumerate() {
            let unit =
                |size: f64| move |id: VariableId, k: u32| if (id, k as usize) == (unknown, order) { size } else { 0.0 };
            let (one, two) = (at(&unit(1.0), TIMES[0]), at(&unit(-2.0), TIMES[1]));
            for row in 0..residuals.len() {
                let (slope, other) = (one[row] - f[0][row], (f[1][row] - two[row]) / 2.0);
                if (slope - other).abs() > 1e-9 * (1.0 + slope.abs()) {
                    return None; // not affine, or a coefficient that changes
                }
                matrix[row].push(if slope.abs() < 1e-11 { 0.0 } else { slope });
            }
        }
    }
    let [a, e] = matrices;
    Some(Pencil { e, a, f })
}

/// The rank by elimination with complete pivoting, rows scaled; and the row operations applied to right sides.
fn rank_of(mut rows: Matrix, right: &mut [Vec<f64>]) -> usize {
    for (at, row) in rows.iter_mut().enumerate() {
        let size = row.iter().fold(0.0_f64, |size, value| size.max(value.abs()));
        if size > 0.0 {
            row.iter_mut().for_each(|value| *value /= size);
            right.iter_mut().for_each(|column| column[at] /= size);
        }
    }
    let columns = rows.first().map_or(0, Vec::len);
    let mut rank = 0;
    while rank < rows.len() {
        let places = (rank..rows.len()).flat_map(|row| (0..columns).map(move |column| (row, column)));
        let Some((row, column)) = places.max_by(|a, b| rows[a.0][a.1].abs().total_cmp(&rows[b.0][b.1].abs())) else {
            return rank;
        };
        if rows[row][column].abs() < 1e-8 {
            return rank;
        }
        rows.swap(rank, row);
        right.iter_mut().for_each(|column| column.swap(rank, row));
        for other in rank + 1..rows.len() {
            let factor = rows[other][column] / rows[rank][column];
            if factor != 0.0 {
                let pivot = rows[rank].clone();
                rows[other].iter_mut().zip(&pivot).for_each(|(value, pivot)| *value -= factor * pivot);
                rows[other][column] = 0.0;
                right.iter_mut().for_each(|it| it[other] -= factor * it[rank]);
            }
        }
        rank += 1;
    }
    rank
}

/// The verdict by the definition.
fn by_definition(pencil: &Pencil) -> Verdict {
    let n = pencil.e.len();
    let stacked: Matrix = pencil.e.iter().chain(&pencil.a).cloned().collect();
    let unknowns = pencil.e.first().map_or(0, Vec::len);
    assert_eq!(n, unknowns, "as many equations as unknowns");
    let free = unknowns - rank_of(stacked, &mut []);
    let beside: Matrix = pencil.e.iter().zip(&pencil.a).map(|(e, a)| [e.as_slice(), a.as_slice()].concat()).collect();
    let mut right = pencil.f.clone();
    let rank = rank_of(beside, &mut right);
    let redundant = n - rank;
    let size = pencil.f.iter().flatten().fold(1e-3_f64, |size, value| size.max(value.abs()));
    let contradicts = right.iter().any(|column| column[rank..].iter().any(|value| value.abs() > 1e-8 * size));
    let at = |factor: f64| -> Matrix {
        let row = |(e, a): (&Vec<f64>, &Vec<f64>)| e.iter().zip(a).map(|(e, a)| factor * e - a).collect();
        pencil.e.iter().zip(&pencil.a).map(row).collect()
    };
    let deficit = n - [0.731, -1.377].iter().map(|&factor| rank_of(at(factor), &mut [])).max().unwrap_or(0);
    match (contradicts || free > redundant, free < redundant || deficit > free, free) {
        (true, _, _) => Verdict::Contradictory,
        (false, true, _) => Verdict::Wrong,
        (false, false, 0) => Verdict::Regular,
        (false, false, _) => Verdict::Harmless,
    }
}

/// What was said of a mode.
fn by_sets(analysis: &Analysis, found: &Singularities, mode: &dyn Fn(u32) -> bool) -> Verdict {
    let is_in = |set: ModeSet| analysis.space.evaluate(set, |variable| mode(variable.0));
    let mut verdict = Verdict::Regular;
    for place in found.places.iter().filter(|place| is_in(place.modes)) {
        let other = match (&place.reason, place.kind) {
            (Reason::Contradiction | Reason::Overdetermined, _) => return Verdict::Contradictory,
            (Reason::Redundant | Reason::AllModes, _) => Verdict::Harmless,
            (_, SingularKind::Undecided) => Verdict::Undecided,
            _ => Verdict::Wrong,
        };
        if verdict != Verdict::Wrong {
            verdict = other;
        }
    }
    verdict
}

/// What was compared.
#[derive(Debug, Default)]
struct Tally {
    models: usize,
    modes: usize,
    harmless: usize,
    contradictory: usize,
    wrong: usize,
    undecided: usize,
    not_affine: usize,
    mismatches: Vec<String>,
}

impl Tally {
    /// Compares all modes of a model.
    fn add(&mut self, name: &str, text: &str) {
        let dae = multimode_dae(text, &NO_OVERRIDES).unwrap_or_else(|errors| panic!("{name}: {errors:#?}\n{text}"));
        let original = dae.clone();
        let value = |variable: VariableId| parameter(&original, variable);
        let result = regularize(dae, &Options::default(), &value).expect("no limit");
        let Regularized { mut dae, analysis, combinations, .. } = result;
        let found = singularities(&mut dae, &analysis, &combinations, ModeSet::EMPTY, &value).expect("no limit");
        self.models += 1;
        let count = original.mode_variables.len();
        if count > 10 {
            return;
        }
        // Where every mode contradicts itself, the model is wrong as a whole, and that is what is to be said.
        let mut hopeless = true;
        let mut mismatches = Vec::new();
        for number in 0..1_u32 << count {
            let mode = |variable: u32| number >> variable & 1 == 1;
            let valid = analysis.invariant.concerning(&analysis.space, ModeSet::ALL);
            let allowed = analysis.invariant.components().all(|set| analysis.space.evaluate(set, |it| mode(it.0)));
            if !allowed || !analysis.space.evaluate(valid, |it| mode(it.0)) {
                continue;
            }
            let Some(pencil) = pencil(&original, &mode) else {
                self.not_affine += 1;
                continue;
            };
            let (expected, said) = (by_definition(&pencil), by_sets(&analysis, &found, &mode));
            self.modes += 1;
            match said {
                Verdict::Harmless => self.harmless += 1,
                Verdict::Contradictory => self.contradictory += 1,
                Verdict::Wrong => self.wrong += 1,
                Verdict::Undecided => self.undecided += 1,
                Verdict::Regular => {}
            }
            let by_structure = analysis.space.evaluate(analysis.singular_modes(), |it| mode(it.0));
            assert!(!by_structure || said != Verdict::Regular, "{name}, mode {number:b}: singular, but nothing said");
            hopeless &= expected == Verdict::Contradictory;
            if said != expected && said != Verdict::Undecided {
                let line = format!("{name}, mode {number:b}: {said:?}, but {expected:?} by definition");
                mismatches.push((said, line));
            }
        }
        let left = mismatches.into_iter().filter(|(said, _)| !hopeless || *said != Verdict::Wrong);
        self.mismatches.extend(left.map(|(_, line)| line));
    }
}

/// A random network as Modelica; every node hangs together with the ground.
fn network(random: &mut Random, diodes: usize) -> String {
    let nodes = 3 + random.below(5);
    let (mut declarations, mut equations) = (String::new(), String::new());
    let mut currents = vec![String::new(); nodes];
    let mut ends: Vec<(usize, usize)> = (1..nodes).map(|node| (node, random.below(node))).collect();
    for _ in 0..diodes + 1 + random.below(4) {
        let one = random.below(nodes);
        let other = (one + 1 + random.below(nodes - 1)) % nodes;
        ends.push((one, other));
    }
    let mut kinds: Vec<usize> = (0..ends.len()).map(|at| if at < diodes { 4 } else { random.below(4) }).collect();
    (0..kinds.len()).for_each(|at| {
        let other = random.below(kinds.len());
        kinds.swap(at, other);
    });
    let voltage = |node: usize| if node == 0 { "0".to_string() } else { format!("v{node}") };
    (1..nodes).for_each(|node| declarations += &format!("Real v{node}; "));
    for (at, (&(from, to), kind)) in ends.iter().zip(kinds).enumerate() {
        let value = 0.5 + random.below(1000) as f64 / 700.0;
        let u = format!("({} - {})", voltage(from), voltage(to));
        let _ = write!(declarations, "Real i{at}; ");
        let _ = match kind {
            0 => writeln!(equations, "{u} = {value}*i{at};"),
            1 => writeln!(equations, "{value}*der({}) - {value}*der({}) = i{at};", derived(from), derived(to)),
            2 => writeln!(equations, "{value}*der(i{at}) = {u};"),
            3 if random.below(3) == 0 => writeln!(equations, "i{at} = {value}*cos({value}*time);"),
            3 => writeln!(equations, "{u} = {value}*sin({value}*time + {value});"),
            _ => {
                let _ = write!(declarations, "Real u{at}; ");
                if random.below(4) == 0 {
                    let _ = write!(declarations, "Boolean on{at} = time > {value}; ");
                } else {
                    let _ = write!(declarations, "Real s{at}; Boolean on{at} = s{at} > 0; ");
                    let _ = writeln!(equations, "s{at} = if on{at} then i{at} else u{at};");
                }
                let _ = writeln!(equations, "u{at} = {u};");
                writeln!(equations, "0 = if on{at} then u{at} else i{at};")
            }
        };
        let _ = write!(currents[from], " + i{at}");
        let _ = write!(currents[to], " - i{at}");
    }
    let _ = writeln!(declarations, "Real g;");
    let _ = writeln!(equations, "g = 0;");
    currents.iter().skip(1).for_each(|sum| equations += &format!("0 = 0{sum};\n"));
    format!("model Network {declarations}\nequation\n{equations}end Network;")
}

/// The potential of a node where it is differentiated: that of the ground is a variable too.
fn derived(node: usize) -> String {
    if node == 0 { "g".to_string() } else { format!("v{node}") }
}

#[test]
fn random_networks_are_judged_as_the_definition_says_mode_by_mode() {
    let mut tally = Tally::default();
    let mut random = Random::new(20);
    for number in 0..300 {
        let diodes = 2 + number % 5;
        let text = network(&mut random, diodes);
        tally.add(&format!("network {number}"), &text);
    }
    println!("{} models, {} modes: {tally:?}", tally.models, tally.modes);
    assert!(
        tally.mismatches.is_empty(),
        "{} mismatches, such as {:#?}",
        tally.mismatches.len(),
        tally.mismatches.first()
    );
    assert_eq!((tally.undecided, tally.not_affine), (0, 0));
    assert!(tally.harmless > 300 && tally.contradictory > 300, "{tally:?}");
}

#[test]
fn circuits_of_power_electronics_are_judged_as_the_definition_says() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../cli/tests/instant/models/power");
    let mut files: Vec<_> = std::fs::read_dir(folder).expect("a folder").map(|it| it.expect("a file").path()).collect();
    files.sort();
    let mut tally = Tally::default();
    for file in files {
        let text = std::fs::read_to_string(&file).expect("text");
        tally.add(&file.file_stem().unwrap_or_default().to_string_lossy(), &text);
    }
    println!("{} models, {} modes: {tally:?}", tally.models, tally.modes);
    assert!(
        tally.mismatches.is_empty(),
        "{} mismatches, such as {:#?}",
        tally.mismatches.len(),
        tally.mismatches.first()
    );
    assert_eq!((tally.undecided, tally.not_affine), (0, 0));
    assert!(tally.models > 60 && tally.harmless > 40 && tally.contradictory > 100, "{tally:?}");
}

/// Modes with their kinds, as text.
fn kinds(text: &str) -> Vec<String> {
    let dae = multimode_dae(text, &NO_OVERRIDES).unwrap_or_else(|errors| panic!("{errors:#?}"));
    let original = dae.clone();
    let value = |variable: VariableId| parameter(&original, variable);
    let result = regularize(dae, &Options::default(), &value).expect("no limit");
    let Regularized { mut dae, analysis, combinations, .. } = result;
    let found = singularities(&mut dae, &analysis, &combinations, ModeSet::EMPTY, &value).expect("no limit");
    let names: Vec<String> = dae.mode_variables.iter().map(|mode| mode.name.to_string()).collect();
    let text = |set: ModeSet| analysis.formulas(&names).print(set).text;
    let shown = found.kinds().into_iter().filter(|(_, modes)| !modes.is_empty());
    shown.map(|(kind, modes)| format!("{}: {}", kind.word(), text(modes))).collect()
}

#[test]
fn a_floating_potential_that_drives_a_state_is_wrong() {
    let circuit = |law: &str| {
        format!(
            "model M Real v; Real i; Real u; Real s; Real x(start = 0, fixed = true); Boolean on = s > 0;
             equation u = v - 1; s = if on then i else u; 0 = if on then u else i; i = 0; der(x) = {law}; end M;"
        )
    };
    assert_eq!(kinds(&circuit("1 - x")), ["harmless: not on"]);
    assert_eq!(kinds(&circuit("v - x")), ["wrong: not on"]);
}

#[test]
fn a_switch_across_a_source_is_wrong_and_a_diode_impossible() {
    let schedule = "model M Real i; Boolean on = time > 0.5; equation 0 = if on then 5*cos(time) else i; end M;";
    assert_eq!(kinds(schedule), ["wrong: on"]);
    let never = "model M Real i; Boolean on = sin(time) > 2; equation 0 = if on then 5*cos(time) else i; end M;";
    assert_eq!(kinds(never), ["impossible: on"]);
    let diode = "model M Real i; Real u; Real s; Boolean on = s > 0; equation u = -5 - cos(time);
                 s = if on then i else u; 0 = if on then u else i; end M;";
    assert_eq!(kinds(diode), ["impossible: on"]);
}

#[test]
fn a_state_fixed_with_its_derivative_is_impossible() {
    let model = "model M Real x; Real y; Real w; Real s; Boolean on = s > 0; equation s = if on then y else x - 1;
                 0 = if on then x - 1 else y; der(x) = w; w = 2; end M;";
    assert_eq!(kinds(model), ["impossible: on"]);
}

#[test]
fn what_no_mode_determines_is_wrong() {
    let model = "model M Real a; Real b; Real i; Real u; Real s; Boolean on = s > 0; equation u = a - b;
                 s = if on then i else u; 0 = if on then u else i; u = 1 - i; i = i + 0*a; end M;";
    assert_eq!(kinds(model), ["wrong: true"]);
}

#[test]
fn a_bridge_is_one_circuit_of_voltages_and_one_of_currents() {
    let text = std::fs::read_to_string(
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../cli/tests/instant/models/expectations/BridgeCs.mo"),
    );
    let all = ["harmless: on1 and on2 and on3 and on4 or not (on1 or on2 or on3 or on4)"];
    assert_eq!(kinds(&text.expect("text")), all);
}
