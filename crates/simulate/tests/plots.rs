//! Plots of made-up runs: what is in the picture. `PLOTS=directory` keeps the pictures, to be looked at.

use modeshift_dae::{Mode, ModeVariableId, VariableId};
use modeshift_simulate::results::plot::{Picture, PlotRecorder, matching};
use modeshift_simulate::results::{ABSENT, Column, ColumnKind, ColumnSource, Columns, EventRecord, Impulse, Observer};

fn curve(name: &str, unit: &str) -> Column {
    Column {
        name: name.into(),
        kind: ColumnKind::Continuous,
        source: ColumnSource::Variable(VariableId(0)),
        unit: (!unit.is_empty()).then(|| unit.into()),
        display_unit: None,
        description: None,
        prominent: true,
    }
}

fn mode(name: &str) -> Column {
    let source = ColumnSource::Mode(ModeVariableId(0));
    Column { kind: ColumnKind::Mode, source, prominent: false, ..curve(name, "") }
}

fn columns(model: &str, columns: Vec<Column>) -> Columns {
    let modes = columns.iter().filter(|column| column.kind == ColumnKind::Mode);
    let mode_variables = modes.map(|column| column.name.clone()).collect();
    Columns { model: model.into(), columns, mode_variables, ..Columns::default() }
}

fn event(time: f64, impulses: Vec<Impulse>) -> EventRecord {
    EventRecord {
        time,
        from: Mode::default(),
        to: Mode::default(),
        cause: Vec::new(),
        cascade: Vec::new(),
        sliding: Vec::new(),
        jumps: Vec::new(),
        impulses,
        undetermined: Vec::new(),
    }
}

fn impulse(variable: &str, order: &str, weight: f64) -> Impulse {
    Impulse { variable: variable.into(), order: order.into(), weight }
}

/// Keeps the picture where asked for, and returns its SVG.
fn drawn(name: &str, picture: &Picture) -> String {
    let svg = picture.to_svg();
    if let Some(directory) = std::env::var_os("PLOTS").map(std::path::PathBuf::from) {
        std::fs::write(directory.join(format!("{name}.svg")), &svg).expect("can be written");
        let png = picture.to_png().expect("can be drawn");
        std::fs::write(directory.join(format!("{name}.png")), png).expect("can be written");
    }
    svg
}

/// Two shafts that a clutch joins at 5 and parts at 10; while it is open, its torque does not exist.
fn clutch(wanted: &[&str]) -> PlotRecorder {
    let mut plot = PlotRecorder::new(wanted.iter().map(|name| name.to_string()).collect());
    let torque = Column { prominent: false, ..curve("f1", "N.m") };
    let all =
        vec![curve("w1", "rad/s"), curve("w2", "rad/s"), torque, curve("slip", "rad/s"), mode("g"), mode("time >= t2")];
    plot.columns(&columns("ClutchBasic", all));
    let at = |time: f64, engaged: bool| {
        let (w1, w2) = (1.0 - 0.01 * time, 1.5 - 0.02 * time);
        let common = 1.286 - 0.008 * (time - 5.0);
        let (w1, w2) = if engaged { (common, common) } else { (w1, w2) };
        let torque = if engaged { 0.1 + 0.02 * time } else { ABSENT };
        [w1, w2, torque, w1 - w2, f64::from(u8::from(engaged)), f64::from(u8::from(time >= 10.0))]
    };
    for step in 0..=150 {
        let time = f64::from(step) * 0.1;
        match step {
            50 => {
                plot.row(time, &at(time, false));
                plot.event(&event(
                    time,
                    vec![impulse("f1", "1", 0.335), impulse("w2", "2", -0.1), impulse("tau", "1", 1.0)],
                ));
                plot.row(time, &at(time, true));
            }
            100 => {
                plot.row(time, &{
                    let mut row = at(time, true);
                    row[5] = 0.0;
                    row
                });
                plot.event(&event(time, vec![]));
                plot.row(time, &at(time, false));
            }
            _ => plot.row(time, &at(time, (50..100).contains(&step))),
        }
    }
    plot
}

#[test]
fn a_plot_has_curves_events_modes_and_impulses_with_their_weight() {
    let picture = clutch(&[]).picture();
    let svg = drawn("clutch", &picture);
    for text in
        ["ClutchBasic", "2 events", ">w1<", ">w2<", ">f1<", "[rad/s]", "[N.m]", "time [s]", ">g<", "time &gt;= t2"]
    {
        assert!(svg.contains(text), "{text}");
    }
    assert!(svg.contains("0.335 δ<") && svg.contains("−0.1 δ′<"), "impulses have their weights");
    assert!(svg.contains("impulsive, not shown: tau"));
    assert_eq!(
        picture.notes,
        [
            "the plot shows the states and outputs that vary and what is impulsive: w1, w2, slip, f1 (--plot-vars chooses others)",
            "impulsive, not shown: tau"
        ]
    );
}

#[test]
fn what_is_wanted_is_drawn_and_nothing_else() {
    let svg = drawn("wanted", &clutch(&["f*"]).picture());
    assert!(svg.contains(">f1<") && !svg.contains(">w1<"));
    let all = columns("M", vec![curve("a[1, 2].x", ""), curve("a[2].x", ""), curve("b", "")]);
    let matches = |pattern| matching(pattern, &all).collect::<Vec<_>>();
    assert_eq!((matches("a[*].x"), matches("a[1,2].x"), matches("c")), (vec![0, 1], vec![0], vec![]));
}

#[test]
fn a_piece_where_a_variable_does_not_exist_is_left_out() {
    let svg = drawn("absent", &clutch(&["f1"]).picture());
    let torque_colour = "stroke=\"#0072b2\" stroke-width=\"1.7\"";
    let pieces: Vec<&str> = svg.lines().filter(|line| line.contains(torque_colour)).collect();
    assert_eq!(pieces.len(), 1);
    let xs = |path: &str| -> Vec<f64> {
        let path = path.split('"').nth(1).expect("a path").replace(['M', 'L'], " ");
        path.split_whitespace().step_by(2).map(|x| x.parse().expect("a number")).collect()
    };
    let xs = xs(pieces[0]);
    let width = 960.0 - 24.0;
    assert!(xs[0] > width * 0.33 && xs[xs.len() - 1] < width * 0.72, "from 5 to 10 of 15: {xs:?}");
}

#[test]
fn scales_that_differ_widely_have_panels_of_their_own() {
    let mut plot = PlotRecorder::new(vec![]);
    plot.columns(&columns(
        "Scales",
        vec![curve("small", "V"), curve("large", "V"), curve("like", "V"), curve("p", "Pa"), curve("tiny", "m")],
    ));
    for step in 0..=500 {
        let time = f64::from(step) * 0.002;
        let wave = (time * 20.0).sin();
        plot.row(time, &[0.01 * wave, 100.0 * wave, 50.0 * time, 1.2e6 + 1e5 * wave * time, 3e-7 * time]);
    }
    let svg = drawn("scales", &plot.picture());
    assert_eq!(svg.matches("[V]").count(), 2);
    assert!(svg.contains("×10⁶ [Pa]") && svg.contains("×10⁻⁹ [m]"), "large and small numbers have factors");
    assert!(svg.contains("no events"));
}

#[test]
fn hundreds_of_modes_are_a_tapestry_with_a_note() {
    let mut plot = PlotRecorder::new(vec![]);
    let modes = (0..200).map(|at| mode(&format!("element[{}].fault", at + 1)));
    let all = [curve("element[1].v", "V"), curve("element[200].v", "V")].into_iter().chain(modes).collect();
    plot.columns(&columns("FaultyCoaxial", all));
    let values = |time: f64, reached: usize| -> Vec<f64> {
        let voltages = [(time * 7.0).sin(), (time * 7.0 - 2.0).sin() * (1.0 - time)];
        voltages.into_iter().chain((0..200).map(|at| f64::from(u8::from(at < reached)))).collect()
    };
    for step in 0..=180_usize {
        let time = step as f64 / 180.0;
        plot.row(time, &values(time, step.saturating_sub(1)));
        plot.event(&event(time, vec![]));
        plot.row(time, &values(time, step));
    }
    let picture = plot.picture();
    drawn("modes", &picture);
    let expected = [
        "the strip shows the first 120 of 180 mode variables that change",
        "20 mode variables do not change and are not shown",
    ];
    assert_eq!(picture.notes[1..], expected);
}

#[test]
fn a_million_points_and_events_make_a_small_picture() {
    let mut plot = PlotRecorder::new(vec![]);
    plot.columns(&columns("Chatter", vec![curve("x", ""), curve("noise", ""), mode("on")]));
    for at in 0..1_000_000_u32 {
        let time = f64::from(at) * 1e-6;
        let noise = f64::from(at.wrapping_mul(2_654_435_761) >> 16) / 65536.0 - 0.5;
        plot.row(time, &[(time * 40.0).sin() * 4.0, noise * time, f64::from(at / 500 % 2)]);
        if at % 500 == 0 {
            plot.event(&event(time, vec![]));
        }
    }
    let svg = drawn("million", &plot.picture());
    assert!(svg.len() < 400_000, "{} bytes", svg.len());
}

#[test]
fn odd_runs_are_drawn_without_complaint() {
    for values in
        [vec![], vec![(0.0, f64::NAN)], vec![(1.0, 5.0)], vec![(0.0, f64::INFINITY), (1.0, 1e300), (1.0, -1e300)]]
    {
        let mut plot = PlotRecorder::new(vec![]);
        plot.columns(&columns("Odd", vec![curve("x<y> & $z$", ""), mode("m")]));
        values.iter().for_each(|&(time, value)| plot.row(time, &[value, ABSENT]));
        let picture = plot.picture();
        assert!(drawn("odd", &picture).contains("x&lt;y&gt; &amp; $z$"));
        assert!(!picture.to_png().expect("can be drawn").is_empty());
    }
    assert!(PlotRecorder::new(vec![]).picture().to_svg().ends_with("</svg>\n"));
}
