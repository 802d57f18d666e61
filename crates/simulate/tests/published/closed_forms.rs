//! Models whose runs are known in closed form.

use super::cases::{Case, reference};
use crate::support::runs::file;

/// `E x' = A x` from the first second on; until then the differentiated variables rest where the reference says.
pub fn switched(name: &str) -> Case {
    let known = reference(name);
    let variables = known.texts("variables");
    let (e, a, before) = (known.rows("E"), known.rows("A"), known.numbers("x_minus"));
    let is_differentiated = |column: usize| e.iter().any(|row| row.number(column) != 0.0);
    let (mut declarations, mut resting, mut switched) = (String::new(), String::new(), String::new());
    for (row, variable) in variables.iter().enumerate() {
        if is_differentiated(row) {
            declarations += &format!("Real {variable}(start = {}, fixed = true);\n", before[row]);
            resting += &format!("der({variable}) = 0;\n");
        } else {
            declarations += &format!("Real {variable};\n");
            resting += &format!("{variable} = {};\n", before[row]);
        }
        let terms = |matrix: &[super::cases::Reference], of: &dyn Fn(&str) -> String| -> String {
            let coefficients = variables.iter().enumerate().map(|(column, it)| (matrix[row].number(column), of(it)));
            let terms = coefficients.filter(|(coefficient, _)| *coefficient != 0.0);
            let terms: Vec<String> = terms.map(|(coefficient, it)| format!("({coefficient})*{it}")).collect();
            if terms.is_empty() { "0".to_string() } else { terms.join(" + ") }
        };
        let derivative = |it: &str| format!("der({it})");
        switched += &format!("{} = {};\n", terms(&e, &derivative), terms(&a, &str::to_string));
    }
    let text = format!(
        "model Switched\n{declarations}equation\nif time < 1 then\n{resting}else\n{switched}end if;\nend Switched;"
    );
    let mut case = Case::new(name, text, 1.5);
    case.event(0, 1.0);
    for (index, variable) in variables.iter().enumerate() {
        case.before(0, variable, before[index]);
        case.after(0, variable, known.numbers("x_plus")[index]);
        let weight = known.part("impulses").rows("delta^(0)")[index].number_itself();
        if weight != 0.0 {
            case.impulse(0, variable, "1", weight);
        }
    }
    case
}

/// Four inertias, the clutches between them closed one after the other, then all open.
pub fn three_clutches() -> Case {
    let known = reference("three_clutch_sequence");
    let (inertias, speeds) = (known.numbers("J"), known.numbers("w_minus"));
    let mut text = String::from("model Clutches\n");
    for (index, speed) in speeds.iter().enumerate() {
        text += &format!("Real w{}(start = {speed}, fixed = true);\n", index + 1);
    }
    text += "Real t1, t2, t3; Boolean c1, c2, c3;\nequation\n";
    text += "c1 = time >= 1 and time < 4; c2 = time >= 3 and time < 4; c3 = time >= 2 and time < 4;\n";
    for (index, inertia) in inertias.iter().enumerate() {
        let torque = ["-t1", "t1 - t2", "t2 - t3", "t3"][index];
        text += &format!("{inertia}*der(w{}) = {torque};\n", index + 1);
    }
    for clutch in 1..=3 {
        text += &format!("0 = if c{clutch} then w{clutch} - w{} else t{clutch};\n", clutch + 1);
    }
    let mut case = Case::new("three_clutch_sequence", text + "end Clutches;", 5.0);
    for (event, step) in known.rows("steps").iter().enumerate() {
        case.event(event, 1.0 + event as f64);
        for (index, speed) in step.part(1).list().iter().enumerate() {
            case.after(event, &format!("w{}", index + 1), speed.number_itself());
        }
    }
    let last = known.rows("steps")[2].part(1).list()[0].number_itself();
    ["w1", "w2", "w3", "w4"].iter().for_each(|speed| case.at_end(speed, last));
    case
}

/// A ball above the ground, which gives back a share of its speed.
fn ball(name: &str, radius: f64, stop: f64) -> Case {
    let text = format!(
        "model Ball Real h(start = 1, fixed = true), v(start = 0, fixed = true);
         equation der(h) = v; der(v) = -9.81;
         when h <= {radius} then reinit(v, -0.9*pre(v)); end when;
         end Ball;"
    );
    Case::new(name, text, stop)
}

pub fn bouncing_ball() -> Case {
    let mut case = ball("bouncing_ball", 0.0, 6.0);
    for (event, impact) in reference("bouncing_ball").rows("impacts").iter().enumerate() {
        if impact.number(0) < case.stop {
            case.event(event, impact.number(0));
            case.before(event, "v", impact.number(1));
            case.after(event, "v", impact.number(2));
        }
    }
    case
}

pub fn bouncing_ball_with_radius() -> Case {
    let known = reference("bouncing_ball_omc");
    let mut case = ball("bouncing_ball_omc", 0.1, 1.0);
    case.interval = Some(0.2);
    let first = known.part("first_impact");
    case.event(0, first.number(0));
    case.before(0, "v", first.number(1));
    case.after(0, "v", first.number(2));
    for (member, variable) in [("height_exact", "h"), ("velocity_exact", "v")] {
        for (time, value) in known.members(member) {
            case.at(time.parse().expect("a time"), variable, value);
        }
    }
    case
}

/// A mass on a wire of length 1, at this place at rest; the wire is cut at a time.
fn on_wire(x: f64, y: f64, cut: f64) -> String {
    format!(
        "model Pendulum Real x(start = {x}, fixed = true), y(start = {y}), vx(start = 0, fixed = true), vy, lam;
         equation der(x) = vx; der(y) = vy; der(vx) = -lam*x; der(vy) = -lam*y - 9.81;
         0 = if time < {cut} then x^2 + y^2 - 1 else lam;
         end Pendulum;"
    )
}

pub fn pendulum() -> Case {
    let samples = reference("pendulum_reference").rows("samples_t_x_y_vx_vy_lam");
    let stop = samples.last().expect("samples").number(0);
    // It starts at rest beside its suspension, where x cannot be a state but y can.
    let text = on_wire(1.0, 0.0, 1e3)
        .replace("x(start = 1, fixed = true), y(start = 0)", "x(start = 1), y(start = 0, fixed = true)")
        .replace("vx(start = 0, fixed = true), vy", "vx, vy(start = 0, fixed = true)")
        .replace("if time < 1000 then x^2 + y^2 - 1 else lam", "x^2 + y^2 - 1");
    let mut case = Case::new("pendulum_reference", text, stop);
    case.interval = Some(0.25);
    for sample in &samples {
        for (column, variable) in ["x", "y", "vx", "vy", "lam"].into_iter().enumerate() {
            case.at(sample.number(0), variable, sample.number(column + 1));
        }
    }
    case
}

pub fn pendulum_with_its_wire_cut() -> Case {
    let known = reference("pendulum_wire_cut");
    let text = on_wire(1f64.sin(), -1f64.cos(), known.number("t_cut"));
    let mut case = Case::new("pendulum_wire_cut", text, 1.0);
    case.event(0, known.number("t_cut"));
    for variable in ["x", "y", "vx", "vy"] {
        case.before(0, variable, known.number(variable));
        case.after(0, variable, known.number(variable));
        case.at_end(variable, known.part("at_t_1.0").number(variable));
    }
    case.before(0, "lam", known.number("lambda_before (x''=-lam x)"));
    case.after(0, "lam", 0.0);
    case
}

pub fn cup_and_ball() -> Case {
    let known = reference("cup_and_ball_inelastic");
    let impact = known.number("t_impact");
    let mut case = Case::new("cup_and_ball_inelastic", file("tests/data/multimode/CupAndBall.mo"), impact + 0.5);
    case.event(0, impact);
    for (index, (place, speed)) in [("x", "vx"), ("y", "vy")].into_iter().enumerate() {
        case.after(0, place, known.number(place));
        case.before(0, speed, known.numbers("v_minus")[index]);
        case.after(0, speed, known.numbers("v_plus")[index]);
        case.at_end(place, known.part("at_t_impact_plus_0.5").number(place));
        case.at_end(speed, known.part("at_t_impact_plus_0.5").number(speed));
    }
    case.impulse(0, "lam", "1", known.number("lambda_dirac_weight"));
    case.after(0, "lam", known.number("lambda_after_plus"));
    case
}

pub fn half_wave_rectifier() -> Case {
    let known = reference("halfwave_RL_1_1");
    let mut case = Case::new("halfwave_RL_1_1", file("tests/data/multimode/HalfWaveRL.mo"), 6.5);
    case.interval = Some(0.5);
    case.event(0, known.number("beta_rad"));
    case.event(1, std::f64::consts::TAU);
    for (time, current) in known.members("i(theta)") {
        case.at(time.parse().expect("a time"), "i", current);
    }
    case.before(0, "vL", known.number("inductor_voltage_just_before_off"));
    case.after(0, "vL", 0.0);
    case
}

pub fn boost_converter() -> Case {
    let known = reference("boost_converter_ccm");
    let rows = known.rows("rows");
    let period = rows[0].number(1);
    let stop = rows.last().expect("rows").number(1);
    let mut case = Case::new("boost_converter_ccm", file("tests/data/multimode/BoostConverter.mo"), stop);
    case.interval = Some(0.5 * period);
    for row in &rows {
        case.at(row.number(1) - 0.5 * period, "iL", row.number(2));
        case.at(row.number(1), "iL", row.number(3));
        case.at(row.number(1), "vC", row.number(4));
    }
    known.rows("diode_current_zero_times").iter().for_each(|row| case.some_event(row.number(1)));
    case
}
