//! Time per equation of the tape, of its Jacobian and of Taylor series, as machine code too, and how they grow with the
//! model.
//!
//! `cargo bench -p modeshift-numerics`

#[path = "../../dae/tests/common/mod.rs"]
mod common;

use std::hint::black_box;
use std::time::Instant;

use common::model_with;
use modeshift_dae::{Builtin, ExpressionId, FlatModel, VariableId};
use modeshift_numerics::{
    Block, Compiler, Input, MachineCode, NativeFunctions, NewtonSettings, TaylorWorkspace, solve_newton,
};

/// Row `i` is a polynomial of `x[i-1]`, `x[i]`, `x[i+1]`; with `functions`, also a sine and an exponential.
fn chain(size: usize, functions: bool) -> (FlatModel, Vec<ExpressionId>) {
    let mut model = model_with(size);
    let e = &mut model.expressions;
    let x: Vec<ExpressionId> = (0..size as u32).map(|index| e.variable(VariableId(index), 0)).collect();
    let (two, three) = (e.integer(2), e.real(3.0));
    let mut rows = Vec::new();
    for index in 0..size {
        let (left, right) = (x[index.saturating_sub(1)], x[(index + 1).min(size - 1)]);
        let square = e.power(x[index], two);
        let cross = e.product(left, right);
        let linear = e.product(three, x[index]);
        let sum = e.sum(square, cross);
        let mut row = e.sum(sum, linear);
        if functions {
            let sine = e.call(Builtin::Sin, &[left]);
            let exponential = e.call(Builtin::Exp, &[right]);
            let product = e.product(sine, exponential);
            row = e.difference(row, product);
        }
        rows.push(row);
    }
    (model, rows)
}

/// Nanoseconds per repetition, the best of several rounds.
fn nanoseconds(repetitions: usize, mut work: impl FnMut()) -> f64 {
    let round = |work: &mut dyn FnMut()| {
        let start = Instant::now();
        (0..repetitions).for_each(|_| work());
        start.elapsed().as_nanos() as f64 / repetitions as f64
    };
    (0..5).map(|_| round(&mut work)).fold(f64::INFINITY, f64::min)
}

fn measure(size: usize, functions: bool) {
    let (model, rows) = chain(size, functions);
    let natives = NativeFunctions::new();
    let unknowns: Vec<Input> = (0..size as u32).map(|index| Input::Variable(VariableId(index), 0)).collect();
    let compile = || Compiler::new(&model, &natives).differentiated(&rows, &unknowns).expect("numeric");
    let compilation = nanoseconds(1, || drop(black_box(compile()))) / size as f64;
    let system = compile();

    let inputs: Vec<f64> = (0..size).map(|index| (index as f64).sin()).collect();
    let repetitions = (2_000_000 / size).max(1);
    let (mut residuals, mut entries) = (vec![0.0; size], vec![0.0; system.pattern().entry_count()]);
    let mut workspace = system.residuals.workspace();
    let values = nanoseconds(repetitions, || {
        system.residuals.evaluate(black_box(&inputs), &mut workspace, &mut residuals);
    });
    let mut workspace = system.workspace();
    let jacobian = nanoseconds(repetitions, || {
        system.evaluate(black_box(&inputs), &mut workspace, &mut residuals, &mut entries);
    });
    let mut workspace = TaylorWorkspace::new(&system.residuals, 4);
    let series: Vec<f64> = inputs.iter().flat_map(|&value| [value, 1.0, 0.5, 0.25, 0.125]).collect();
    let mut coefficients = vec![0.0; 5 * size];
    let taylor = nanoseconds(repetitions.div_ceil(10), || {
        system.residuals.evaluate_taylor(black_box(&series), &mut workspace, &mut coefficients);
    });
    let kind = if functions { "functions " } else { "polynomial" };
    println!(
        "{kind} {size:>8} equations: ns per equation: values {:6.1}, with Jacobian {:6.1}, Taylor order 4 {:7.1}, \
         compilation {compilation:8.1}",
        values / size as f64,
        jacobian / size as f64,
        taylor / size as f64,
    );
}

/// The same chains as machine code, and what it costs to make it.
fn measure_code(size: usize, functions: bool) {
    let (model, rows) = chain(size, functions);
    let natives = NativeFunctions::new();
    let unknowns: Vec<Input> = (0..size as u32).map(|index| Input::Variable(VariableId(index), 0)).collect();
    let system = Compiler::new(&model, &natives).differentiated(&rows, &unknowns).expect("numeric");
    let inputs: Vec<f64> = (0..size).map(|index| (index as f64).sin()).collect();
    let repetitions = (2_000_000 / size).max(1);
    let of = |tape| {
        let compilation = nanoseconds(1, || drop(black_box(MachineCode::of(tape))));
        let code = MachineCode::of(tape)?;
        let mut buffer = Vec::new();
        let mut outputs = vec![0.0; tape.output_count()];
        let evaluation = nanoseconds(repetitions, || code.evaluate(black_box(&inputs), &mut buffer, &mut outputs));
        Some((evaluation / size as f64, compilation / tape.instruction_count() as f64))
    };
    let (Some((values, _)), Some((jacobian, compilation))) = (of(&system.residuals), of(system.tape())) else {
        return println!("no machine code for this processor");
    };
    let kind = if functions { "functions " } else { "polynomial" };
    println!(
        "{kind} {size:>8} equations as machine code: ns per equation: values {values:6.1}, with Jacobian {jacobian:6.1}; \
         ns per instruction: compilation {compilation:8.1}"
    );
}

/// Newton on the polynomial chain, with the sparse factorization from 25 unknowns on.
fn measure_newton(size: usize) {
    let (mut model, rows) = chain(size, false);
    let e = &mut model.expressions;
    let one = e.integer(1);
    let rows: Vec<ExpressionId> = rows.into_iter().map(|row| e.sum(row, one)).collect();
    let natives = NativeFunctions::new();
    let unknowns: Vec<Input> = (0..size as u32).map(|index| Input::Variable(VariableId(index), 0)).collect();
    let system = Compiler::new(&model, &natives).differentiated(&rows, &unknowns).expect("numeric");
    let mut block = Block::new(&system, &[]);
    let mut iterations = 0;
    let time = nanoseconds(1, || {
        let mut x = vec![-0.1; size];
        iterations = solve_newton(&mut block, &mut x, &NewtonSettings::default()).expect("converges").iterations;
    });
    println!("Newton     {size:>8} equations: {:.2} ms in {iterations} iterations", time / 1e6);
}

fn main() {
    for functions in [false, true] {
        for size in [100, 1000, 10_000, 100_000, 1_000_000] {
            measure(size, functions);
        }
    }
    for functions in [false, true] {
        for size in [1, 10, 100, 1000, 10_000, 100_000] {
            measure_code(size, functions);
        }
    }
    for size in [10, 100, 1000, 10_000] {
        measure_newton(size);
    }
}
