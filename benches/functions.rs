//! Functions at run time beside the same in C, compiled with `cc -O2`.
//!
//! `cargo bench --bench functions`. A function of two hundred lines, with loops whose bounds are known only when it is called, branches and
//! local arrays; and a thousand look-ups in a table. Times are of one evaluation, the least of several runs in turn; the C
//! function is made of the same lines, and does not know with what it is called. Both compute the same sum over all evaluations, which is compared.

#[path = "clock.rs"]
mod clock;

use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::Command;

use clock::measured;
use modeshift_dae::{ExpressionId, MultimodeDae, VariableId};
use modeshift_numerics::{Compiler, Evaluator, Input, NativeFunctions};
use modeshift_testkit::multimode_dae;

/// How often each is measured, in turn.
const ROUNDS: usize = 5;
/// How far from each other sums may be, relative to the C one: of roundings that a compiler takes otherwise.
const CLOSE: f64 = 1e-9;

pub(crate) fn main() {
    println!("{:>28} {:>10} {:>12} {:>12} {:>7}", "", "evaluations", "here µs", "C µs", "ratio");
    compare("200 lines", &Case { model: long_model(), program: long_program(), evaluations: 20_000 });
    compare("derivative of 200 lines", &Case { model: slope_model(), program: slope_program(), evaluations: 20_000 });
    compare("1,000 look-ups", &Case { model: table_model(), program: table_program(), evaluations: 5_000 });
}

struct Case {
    /// A model whose `y` depends on `time`.
    model: String,
    /// A program that prints nanoseconds of one evaluation and the sum of all.
    program: String,
    evaluations: usize,
}

fn compare(name: &str, case: &Case) {
    let dae = multimode_dae::<&str, &str>(&case.model, &[]).expect("a model that is right");
    let mut evaluator = evaluator(&dae);
    let program = compiled(name, &case.program.replace("EVALUATIONS", &case.evaluations.to_string()));
    let (mut here, mut there, mut sums) = (f64::INFINITY, f64::INFINITY, [0.0; 2]);
    for _ in 0..ROUNDS {
        let (sum, seconds) = measured(|| sum_of(&mut evaluator, case.evaluations));
        here = here.min(1e6 * seconds / case.evaluations as f64);
        sums[0] = sum;
        if let Some(program) = &program {
            let printed = Command::new(program).output().expect("a program that runs").stdout;
            let printed = String::from_utf8_lossy(&printed).into_owned();
            let mut numbers = printed.split_whitespace().map(|it| it.parse::<f64>().expect("a number"));
            there = there.min(1e-3 * numbers.next().expect("a time"));
            sums[1] = numbers.next().expect("a sum");
        }
    }
    match &program {
        Some(program) => {
            assert!((sums[0] - sums[1]).abs() <= CLOSE * sums[1].abs(), "{name}: {} here, {} there", sums[0], sums[1]);
            println!("{name:>28} {:>10} {here:>12.3} {there:>12.3} {:>7.2}", case.evaluations, here / there);
            let _ = std::fs::remove_file(program);
        }
        None => println!("{name:>28} {:>10} {here:>12.3} {:>12} {:>7}", case.evaluations, "no cc", ""),
    }
}

/// The right-hand side that `y` equals, as a run evaluates it.
fn evaluator(dae: &MultimodeDae) -> Evaluator {
    let model = &dae.model;
    let y: VariableId = model.variables.ids().find(|&id| &*model.variables[id].name == "y").expect("a variable `y`");
    let is_y = |id: ExpressionId| model.expressions.node(id) == modeshift_dae::Node::Variable(y, 0);
    let equation = model.equations.iter().find(|equation| is_y(equation.left)).expect("an equation `y = …`");
    let natives = NativeFunctions::of(model);
    let tape = Compiler::new(model, &natives).with_inputs(&[Input::Time]).tape(&[equation.right]).expect("numeric");
    Evaluator::new(tape)
}

fn sum_of(evaluator: &mut Evaluator, evaluations: usize) -> f64 {
    let mut sum = 0.0;
    for evaluation in 0..evaluations {
        // Beside time there is at most the number of the table.
        let inputs = [1e-4 * evaluation as f64, 1.0];
        let mut outputs = [0.0];
        let count = evaluator.inputs().len();
        evaluator.evaluate(&inputs[..count], &mut outputs);
        sum += outputs[0];
    }
    sum
}

/// Twelve stretches of seventeen lines.
fn lines() -> Vec<String> {
    let mut lines = vec!["z := 0;".to_string(), "p := 0.1*x;".to_string()];
    for stretch in 0..12 {
        let (a, b) = (0.3 + 0.07 * f64::from(stretch), 1.1 - 0.05 * f64::from(stretch));
        let text = format!(
            "s := {a:.2}*x + p;
             for i in 1:n loop
             a[i] := s + {b:.2}*i*y;
             b[i] := a[i]*a[i] - {a:.2}*y;
             end for;
             while s > {a:.2} loop
             s := 0.5*s - 0.25;
             end while;
             for i in 2:n loop
             if b[i] > b[i - 1] then
             p := p + 0.01*a[i];
             elseif b[i] < 0 then
             p := p - 0.05*b[i]/(1 + a[i]*a[i]);
             else
             p := p + 0.02*sin(s + b[i]);
             end if;
             end for;
             z := z + p/(1 + p*p);"
        );
        lines.extend(text.lines().map(|line| line.trim().to_string()));
    }
    lines
}

const DECLARATIONS: &str = "input Real x; input Real y; input Integer n; output Real z;
    protected Real a[12]; Real b[12]; Real s; Real p;";

fn long_model() -> String {
    let body = lines().join("\n");
    format!(
        "model M function f {DECLARATIONS} algorithm {body} end f; Real y; equation y = f(time, 0.4, integer(10.5)); end M;"
    )
}

fn long_program() -> String {
    let body = in_c(&lines());
    with_main(&format!(
        "__attribute__((noipa)) static double f(double x, double y, int n) {{ double a[13], b[13], s, p, z;\n{body}return z; }}\n\
         static double value(double time) {{ return f(time, 0.4, (int)floor(10.5)); }}"
    ))
}

/// What a Jacobian needs: the derivative by an argument, forward. In C as one would write it by hand.
fn slope_model() -> String {
    let body = lines().join("\n");
    format!(
        "model M function f {DECLARATIONS} algorithm {body} annotation(derivative(noDerivative = n) = df); end f;
         function df {DECLARATIONS_OF_SLOPE} algorithm {slopes} end df;
         Real y; equation y = df(time, 0.4, integer(10.5), 1, 0.5); end M;",
        slopes = slope_lines().join("\n"),
    )
}

const DECLARATIONS_OF_SLOPE: &str =
    "input Real x; input Real y; input Integer n; input Real dx; input Real dy; output Real dz;
    protected Real a[12]; Real b[12]; Real s; Real p; Real da[12]; Real db[12]; Real ds; Real dp;";

fn slope_lines() -> Vec<String> {
    let mut lines = vec!["dz := 0;".to_string(), "p := 0.1*x;".to_string(), "dp := 0.1*dx;".to_string()];
    for stretch in 0..12 {
        let (a, b) = (0.3 + 0.07 * f64::from(stretch), 1.1 - 0.05 * f64::from(stretch));
        let text = format!(
            "s := {a:.2}*x + p;
             ds := {a:.2}*dx + dp;
             for i in 1:n loop
             a[i] := s + {b:.2}*i*y;
             da[i] := ds + {b:.2}*i*dy;
             b[i] := a[i]*a[i] - {a:.2}*y;
             db[i] := 2*a[i]*da[i] - {a:.2}*dy;
             end for;
             while s > {a:.2} loop
             s := 0.5*s - 0.25;
             ds := 0.5*ds;
             end while;
             for i in 2:n loop
             if b[i] > b[i - 1] then
             p := p + 0.01*a[i];
             dp := dp + 0.01*da[i];
             elseif b[i] < 0 then
             p := p - 0.05*b[i]/(1 + a[i]*a[i]);
             dp := dp - 0.05*(db[i] - b[i]*2*a[i]*da[i]/(1 + a[i]*a[i]))/(1 + a[i]*a[i]);
             else
             p := p + 0.02*sin(s + b[i]);
             dp := dp + 0.02*cos(s + b[i])*(ds + db[i]);
             end if;
             end for;
             dz := dz + dp*(1 - p*p)/((1 + p*p)*(1 + p*p));"
        );
        lines.extend(text.lines().map(|line| line.trim().to_string()));
    }
    lines
}

fn slope_program() -> String {
    let body = in_c(&slope_lines());
    with_main(&format!(
        "__attribute__((noipa)) static double f(double x, double y, int n, double dx, double dy) {{ double a[13], b[13], da[13], db[13], s, p, ds, dp, dz;\n\
         {body}return dz; }}\n\
         static double value(double time) {{ return f(time, 0.4, (int)floor(10.5), 1, 0.5); }}"
    ))
}

/// The same lines in C: assignments, loops and branches are all there is.
fn in_c(lines: &[String]) -> String {
    let mut text = String::new();
    for line in lines {
        let words: Vec<&str> = line.split_whitespace().collect();
        let condition = |from: usize| words[from..words.len() - 1].join(" ");
        let line = match words[0] {
            "for" => {
                let (from, to) = words[3].split_once(':').expect("a range");
                format!("for (int i = {from}; i <= {to}; i++) {{")
            }
            "while" => format!("while ({}) {{", condition(1)),
            "if" => format!("if ({}) {{", condition(1)),
            "elseif" => format!("}} else if ({}) {{", condition(1)),
            "else" => "} else {".to_string(),
            "end" => "}".to_string(),
            _ => line.replace(":=", "="),
        };
        let _ = writeln!(text, "{line}");
    }
    text
}

const POINTS: usize = 40;

fn ordinate(point: usize) -> f64 {
    (0.37 * point as f64).sin()
}

/// A thousand calls of the library's table, each at another place.
fn table_model() -> String {
    let rows: Vec<String> = (0..POINTS).map(|point| format!("{point}, {}", ordinate(point))).collect();
    format!(
        "model M
           class Table extends ExternalObject;
             function constructor input String fileName; input String tableName; input Real table[:, :]; input Integer columns[:];
               input Integer smoothness; input Integer extrapolation; output Table id;
               external \"C\" id = ModelicaStandardTables_CombiTable1D_init2(fileName, tableName, table, size(table, 1),
                 size(table, 2), columns, size(columns, 1), smoothness, extrapolation); end constructor;
             function destructor input Table id; external \"C\" ModelicaStandardTables_CombiTable1D_close(id); end destructor;
           end Table;
           function value input Table id; input Integer column; input Real u; output Real y;
             external \"C\" y = ModelicaStandardTables_CombiTable1D_getValue(id, column, u); end value;
           parameter Table t = Table(\"NoName\", \"NoName\", [{}], {{2}}, 1, 2);
           Real y;
         equation
           y = sum(value(t, 1, mod(7*time + 0.0391*i, 38.5)) for i in 1:1000);
         end M;",
        rows.join("; ")
    )
}

fn table_program() -> String {
    let ordinates: Vec<String> = (0..POINTS).map(|point| format!("{}", ordinate(point))).collect();
    let abscissas: Vec<String> = (0..POINTS).map(|point| format!("{point}.0")).collect();
    with_main(&format!(
        "static const double xs[] = {{{}}}, ys[] = {{{}}};
         static double value_at(double u) {{
           int low = 0, high = {last};
           while (high - low > 1) {{ int middle = (low + high)/2; if (u >= xs[middle]) low = middle; else high = middle; }}
           return ys[low] + (ys[low + 1] - ys[low])/(xs[low + 1] - xs[low])*(u - xs[low]);
         }}
         static double modulo(double a, double b) {{ return a - floor(a/b)*b; }}
         static double value(double time) {{
           double sum = 0;
           for (int i = 1; i <= 1000; i++) sum += value_at(modulo(7*time + 0.0391*i, 38.5));
           return sum;
         }}",
        abscissas.join(", "),
        ordinates.join(", "),
        last = POINTS - 1,
    ))
}

fn with_main(functions: &str) -> String {
    format!(
        "#include <math.h>\n#include <stdio.h>\n#include <time.h>\n{functions}\n\
         int main(void) {{\n  struct timespec a, b;\n  double sum = 0;\n  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &a);\n  \
         for (int k = 0; k < EVALUATIONS; k++) sum += value(1e-4*k);\n  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &b);\n  \
         printf(\"%.3f %.17g\\n\", ((b.tv_sec - a.tv_sec)*1e9 + (b.tv_nsec - a.tv_nsec))/EVALUATIONS, sum);\n  return 0;\n}}\n"
    )
}

fn compiled(name: &str, program: &str) -> Option<PathBuf> {
    let place = std::env::temp_dir().join(format!("modeshift-functions-{}-{}", std::process::id(), name.len()));
    let source = place.with_extension("c");
    std::fs::write(&source, program).ok()?;
    let compiled = Command::new("cc").arg("-O2").arg("-o").arg(&place).arg(&source).arg("-lm").output();
    let _ = std::fs::remove_file(&source);
    let compiled = compiled.ok()?;
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    Some(place)
}
