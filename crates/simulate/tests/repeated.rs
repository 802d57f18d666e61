//! Events that happened before are passed without a search, and lead where a search would have led.

#[path = "../../../benches/clock.rs"]
mod clock;

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use modeshift_simulate::integrate::Method;
use modeshift_simulate::results::{Columns, Observer};
use modeshift_simulate::run::{Simulation, Stepped};

use crate::exact::compare;
use crate::support::runs::{Analyzed, How, Ran, run_text};

/// A converter with an ideal switch and an ideal diode.
pub(crate) fn converter(current: f64, voltage: f64, load: f64, equations: &str) -> String {
    format!(
        "model Converter
           parameter Real Vin = 5, L = 1e-3, C = 1e-4, R = {load}, D = 0.5, T = 1e-4;
           Real i(start = {current}, fixed = true), u(start = {voltage}, fixed = true), vs, is, id, ud;
           Boolean sw, on(start = false);
         equation
           sw = time - T*floor(time/T) < D*T;
           i = is + id;
           {equations}
           on = if pre(on) then id >= 0 else ud > 0;
           0 = if on then ud else id;
         end Converter;"
    )
}

pub(crate) const BOOST: &str = "L*der(i) = Vin - vs; C*der(u) = id - u/R; ud = vs - u; 0 = if sw then vs else is;";
pub(crate) const BUCK: &str = "L*der(i) = vs - u; C*der(u) = i - u/R; ud = -vs; 0 = if sw then vs - Vin else is;";

/// All but so many events were like one before.
fn is_repeated(ran: &Ran, others: usize) {
    let summary = ran.summary.as_ref().expect("a run");
    assert!(summary.repeated + others >= summary.events, "{} of {}", summary.repeated, summary.events);
}

#[test]
fn a_converter_searches_each_kind_of_event_a_few_times_only() {
    for (current, voltage, load, equations) in
        [(0.275, 10.0, 50.0, BOOST), (0.0, 20.0, 2000.0, BOOST), (0.4, 2.5, 5.0, BUCK), (0.0, 2.5, 200.0, BUCK)]
    {
        let text = converter(current, voltage, load, equations);
        is_repeated(&compare(equations, &text, 0.02), 40);
    }
}

#[test]
fn where_a_current_has_turned_the_search_is_asked() {
    // A half bridge with dead times; the source in its load turns slowly, and with it the current that picks the diode.
    let text = "model Leg
        parameter Real V = 10, L = 1e-2, R = 1, T = 1e-2, W = 0.45;
        Real e(start = 8, fixed = true), f(start = 0, fixed = true), i(start = 0, fixed = true);
        Real v, vh, vl, ih, il; Boolean gh, gl, dh(start = false), dl(start = false);
      equation
        der(e) = 9*f; der(f) = -9*e;
        gh = time/T - floor(time/T) < W; gl = time/T + 0.5 - floor(time/T + 0.5) < W;
        vh = V - v; vl = v + V; ih = il + i; L*der(i) = v - e - R*i;
        dh = not gh and (if pre(dh) then ih <= 0 else vh < 0);
        dl = not gl and (if pre(dl) then il <= 0 else vl < 0);
        0 = if gh or dh then vh else ih;
        0 = if gl or dl then vl else il;
      end Leg;";
    let ran = compare("leg", text, 1.0);
    let modes = ran.summary.as_ref().expect("a run").modes;
    assert!(modes > 4, "the current turns: {modes}");
    is_repeated(&ran, ran.events().len() / 2);
}

#[test]
fn a_hysteresis_and_a_sampled_controller_are_repeated() {
    let relay = "model Relay Real x(start = 0, fixed = true), y(start = 0, fixed = true); Boolean on(start = true);
      equation on = if pre(on) then y < 1 else y < -1; der(x) = (if on then 3 else -3) - x; der(y) = 2*(x - y); end Relay;";
    is_repeated(&compare("relay", relay, 50.0), 10);
    let sampled = "model Sampled Real x(start = 1, fixed = true); discrete Real u(start = 0, fixed = true);
      equation der(x) = -x + u; when sample(0.1, 0.1) then u = -2*x + 0.5*pre(u) + 1; end when; end Sampled;";
    is_repeated(&compare("sampled", sampled, 20.0), 10);
}

#[test]
fn a_bridge_whose_diodes_take_over_by_way_of_other_modes_is_repeated() {
    let text = "model Bridge
        parameter Real V = 100, L = 1e-2, R = 5, T = 1e-2, W = 0.48;
        Real v[2], i[2], vh[2], vl[2], ih[2], il[2], j(start = -5, fixed = true);
        Boolean gh[2], gl[2], dh[2](each start = false), dl[2](each start = false);
      equation
        for k in 1:2 loop
          gh[k] = time/T + k/2 - floor(time/T + k/2) < W;
          gl[k] = time/T + (k + 1)/2 - floor(time/T + (k + 1)/2) < W;
          vh[k] = V - v[k]; vl[k] = v[k]; ih[k] = il[k] + i[k];
          dh[k] = not gh[k] and (if pre(dh[k]) then ih[k] <= 0 else vh[k] < 0);
          dl[k] = not gl[k] and (if pre(dl[k]) then il[k] <= 0 else vl[k] < 0);
          0 = if gh[k] or dh[k] then vh[k] else ih[k];
          0 = if gl[k] or dl[k] then vl[k] else il[k];
        end for;
        i[1] = j; i[2] = -j; L*der(j) = v[1] - v[2] - R*j;
      end Bridge;";
    let ran = compare("bridge", text, 1.0);
    assert!(ran.events().iter().any(|it| !it.cascade.is_empty()), "diodes take over in several micro-steps");
    let searched = ran.costs.iter().filter(|it| it.restarted).count();
    assert!(searched <= 60, "{searched} of {} events were searched", ran.events().len());
}

#[test]
fn rows_between_repeated_events_are_on_the_solution() {
    let text = "model Relay Real x(start = 0, fixed = true), y; Boolean on(start = true);
      equation on = if pre(on) then x < 1 else x < 0; der(x) = if on then 2 - x else -1 - x; y = 2*x; end Relay;";
    let how = How { method: Some(Method::Exact), interval: Some(0.01), ..How::until(20.0) };
    let ran = run_text(text, &how).finished();
    is_repeated(&ran, 10);
    // Up and down: `2 - x` shrinks to a half, `1 + x` too.
    let half = 2.0f64.ln();
    for time in [3.33, 10.1, 17.77] {
        let left = 2.0 * (-(time % half)).exp();
        let expected = if (time / half).floor() % 2.0 == 0.0 { 2.0 - left } else { left - 1.0 };
        let found = ran.at(time, "x");
        assert!((found - expected).abs() < 1e-12, "{found}, not {expected}");
    }
}

#[test]
fn samples_of_two_rates_lead_where_their_recursion_does() {
    let text = "model Sampled Real x(start = 1, fixed = true);
        discrete Real u(start = 0, fixed = true), w(start = 0, fixed = true);
      equation
        der(x) = u + w - x;
        when sample(0.1, 0.1) then u = 1 - 0.5*x + 0.1*pre(u); end when;
        when sample(0.15, 0.15) then w = 0.5*pre(w) - 0.25*x; end when;
      end Sampled;";
    let how = How { method: Some(Method::Exact), interval: Some(1.0), ..How::until(299.97) };
    let ran = run_text(text, &how).finished();
    is_repeated(&ran, 40);
    let (mut x, mut u, mut w, mut last) = (1.0, 0.0, 0.0, 0);
    let after = |twentieths: f64, (x, u, w): (f64, f64, f64)| u + w + (x - u - w) * (-0.05 * twentieths).exp();
    for now in (1..6000).filter(|now| now % 2 == 0 || now % 3 == 0) {
        x = after(f64::from(now - last), (x, u, w));
        u = if now % 2 == 0 { 1.0 - 0.5 * x + 0.1 * u } else { u };
        w = if now % 3 == 0 { 0.5 * w - 0.25 * x } else { w };
        last = now;
    }
    let (found, expected) = (ran.at(299.97, "x"), after(299.97 / 0.05 - f64::from(last), (x, u, w)));
    assert!((found - expected).abs() < 1e-13, "{found}, not {expected}");
}

const SAMPLED: &str = "model Sampled
    Real i(start = 1, fixed = true), u(start = 0, fixed = true); discrete Real v(start = 0, fixed = true);
  equation der(i) = -1e3*(i - v); der(u) = 1e3*(i - u); when sample(1e-4, 1e-4) then v = -2*i + 0.5*pre(v) + 1; end when; end Sampled;";

#[test]
fn steps_and_pauses_do_not_change_a_bit() {
    let texts = [(0.275, 10.0, 50.0, BOOST), (0.0, 20.0, 2000.0, BOOST), (0.4, 2.5, 5.0, BUCK)];
    let texts = texts.map(|(current, voltage, load, equations)| converter(current, voltage, load, equations));
    for text in texts.iter().map(String::as_str).chain([SAMPLED]) {
        let model = Analyzed::of_text(text);
        let how = How { interval: Some(3e-4), method: Some(Method::Auto), ..How::until(0.02) };
        let mut last = Last::default();
        let summary = model.run_for(&how, &mut last).expect("a run");
        assert!(2 * summary.repeated > summary.events, "{} of {}", summary.repeated, summary.events);
        let stepped = |step: &dyn Fn(&mut Simulation)| {
            let mut simulation = model.simulation(&[], &model.settings(&how), Box::new(())).expect("a start");
            while simulation.summary().is_none() {
                step(&mut simulation);
            }
            let found = ["i", "u"].map(|name| simulation.value(name).expect("a variable").to_bits());
            assert_eq!(found, last.values.map(f64::to_bits), "{text}");
            let other = simulation.summary().expect("it has ended");
            assert_eq!((other.events, other.rows, other.repeated), (summary.events, summary.rows, summary.repeated));
        };
        for pause in [3.7e-5, 1e-4, 2.9e-3] {
            stepped(&|simulation| {
                let time = simulation.time();
                assert!(simulation.step_until(time + pause).is_ok());
            });
        }
        let seen = Cell::new(0);
        stepped(&|simulation| {
            if simulation.step_to_event(1.0) == Ok(Stepped::Event) {
                seen.set(seen.get() + 1);
                assert_eq!(simulation.event().map(|it| it.time), Some(simulation.time()));
            }
        });
        assert_eq!(seen.get(), summary.events, "every event is seen");
    }
}

thread_local! {
    static ALLOCATIONS: Cell<usize> = const { Cell::new(0) };
}

/// Counts the allocations of each thread.
struct Counting;

#[allow(unsafe_code)] // hands everything on
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.with(|count| count.set(count.get() + 1));
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        unsafe { System.dealloc(place, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

#[test]
fn an_event_that_happened_before_allocates_nothing() {
    let texts = [(0.275, 10.0, 50.0, BOOST), (0.0, 20.0, 2000.0, BOOST), (0.4, 2.5, 5.0, BUCK)];
    let texts = texts.map(|(current, voltage, load, equations)| converter(current, voltage, load, equations));
    // Formulas that are short become machine code only after some thousand evaluations, which allocates once.
    let texts = texts.iter().map(|text| (text.as_str(), 400.0)).chain([(SAMPLED, 4000.0)]);
    for (text, periods) in texts {
        let model = Analyzed::of_text(text);
        let allocations = |periods: f64| {
            let how = How { interval: Some(1.0), method: Some(Method::Auto), ..How::until(periods * 1e-4) };
            let before = ALLOCATIONS.with(Cell::get);
            model.run_for(&how, &mut ()).expect("a run");
            ALLOCATIONS.with(Cell::get) - before
        };
        let (fewer, more) = (allocations(periods), allocations(3.0 * periods));
        assert!(more <= fewer + 40, "{fewer} in {periods} periods, {more} in three times as many: {text}");
    }
}

/// Keeps the last current and voltage.
#[derive(Default)]
struct Last {
    places: [usize; 2],
    values: [f64; 2],
}

impl Observer for Last {
    fn columns(&mut self, columns: &Columns) {
        self.places = ["i", "u"].map(|name| columns.position(name).expect("a column"));
    }

    fn row(&mut self, _time: f64, values: &[f64]) {
        self.values = self.places.map(|place| values[place]);
    }
}

/// What rounding of the times of edges makes of the current, a quarter of a period after an edge: the standard deviation, where each time is the
/// rounded sum of a rounded product. An edge that comes too late by `d` leaves the states wrong by `d` times the difference of both slopes,
/// which the periods after it pass on; they forget in some hundred.
fn rounded_edges(time: f64) -> f64 {
    let (l, c, r, half) = (1e-3, 1e-4, 50.0, 0.5e-4);
    let (on, off) = ([[0.0, 0.0], [0.0, -1.0 / (r * c)]], [[0.0, -1.0 / l], [1.0 / c, -1.0 / (r * c)]]);
    let through = |row: [f64; 2], matrix: [[f64; 2]; 2], time: f64| {
        let (mut term, mut sum) = (row, row);
        for order in 1..30 {
            let next = |at: usize| (term[0] * matrix[0][at] + term[1] * matrix[1][at]) * time / f64::from(order);
            term = [next(0), next(1)];
            sum = [sum[0] + term[0], sum[1] + term[1]];
        }
        sum
    };
    let (low, high, voltage) = (0.275, 0.525, 10.0);
    let mut row = through([1.0, 0.0], on, 0.5 * half);
    let mut squares = 0.0;
    for _ in 0..5000 {
        squares += (row[1] * low / c - row[0] * voltage / l).powi(2);
        row = through(row, off, half);
        squares += (row[0] * voltage / l - row[1] * high / c).powi(2);
        row = through(row, on, half);
    }
    let spacing = time.next_up() - time;
    // Two roundings, each evenly spread over half a spacing to both sides.
    (squares * 2.0 / 12.0).sqrt() * spacing
}

/// `cargo test --release -p modeshift-simulate --test suite -- --ignored repeated::`
#[test]
#[ignore = "seconds, where it is optimised"]
fn a_million_periods_cost_what_a_million_periods_cost_and_keep_the_periodic_solution() {
    let model = Analyzed::of_text(&converter(0.275, 10.0, 50.0, BOOST));
    let (_, state, _) = model.periodic(&How::until(1.0), 1e-4).expect("a periodic solution");
    let start = [state.states[0].1, state.states[1].1];
    let model = Analyzed::of_text(&converter(start[0], start[1], 50.0, BOOST));
    let run = |periods: f64| {
        let how = How { interval: Some(1e3), method: Some(Method::Auto), ..How::until((periods + 0.25) * 1e-4) };
        let (mut last, before) = (Last::default(), ALLOCATIONS.with(Cell::get));
        let (ran, seconds) = clock::measured(|| model.run_for(&how, &mut last));
        ran.expect("a run");
        (last.values, ALLOCATIONS.with(Cell::get) - before, seconds)
    };
    let ((few, fewer, short), (many, more, long)) = (run(1e5), run(1e6));
    // A quarter of a period after the beginning of one, with a ripple of a quarter of an ampere.
    let (expected, ripple) = (start[0] + 5.0 / 1e-3 * 0.25e-4, 0.25);
    let allowed = |stop: f64| f64::max(1e-9 * ripple, rounded_edges(stop));
    assert!((few[0] - expected).abs() < allowed(10.0), "{few:?}, not {expected}");
    assert!((many[0] - expected).abs() < allowed(100.0), "{many:?}, not {expected}");
    assert!(more <= fewer + 40, "memory does not grow: {fewer}, {more}");
    assert!((long / short).log10() <= 1.05, "{short} s, {long} s");
}
