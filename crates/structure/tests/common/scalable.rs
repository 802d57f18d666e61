//! Models of any size: those of the papers, and a few that ask other questions of the analysis.
//!
//! Each is a plain list of equations with linear terms, since structural analysis sees no more than that, and becomes a
//! multimode DAE in the order in which it is written or shuffled.

#![allow(dead_code)]

use modeshift_dae::{
    Discrete, Equation, EquationKind, ExpressionId, Expressions, FlatModel, Invariant, InvariantOrigin, ModeVariable,
    ModeVariableId, MultimodeDae, Type, Variability, Variable, VariableId,
};
use modeshift_diagnostics::Span;

/// A mode variable and the value that it is to have.
pub type Literal = (u32, bool);

/// A variable, how often it is differentiated, and the literal under which it occurs.
pub type Term = (u32, u32, Option<Literal>);

/// An equation as a list of terms.
pub struct PlainEquation {
    pub name: String,
    pub guard: Option<Literal>,
    pub terms: Vec<Term>,
}

/// A model as lists.
pub struct Plan {
    pub name: &'static str,
    pub variables: Vec<(String, Option<Literal>)>,
    pub modes: Vec<String>,
    pub equations: Vec<PlainEquation>,
    /// Literals of which at least one holds.
    pub invariants: Vec<Vec<Literal>>,
}

impl Plan {
    fn new(name: &'static str) -> Plan {
        Plan { name, variables: Vec::new(), modes: Vec::new(), equations: Vec::new(), invariants: Vec::new() }
    }

    fn variable(&mut self, name: impl Into<String>) -> u32 {
        self.guarded_variable(name, None)
    }

    fn guarded_variable(&mut self, name: impl Into<String>, guard: Option<Literal>) -> u32 {
        self.variables.push((name.into(), guard));
        self.variables.len() as u32 - 1
    }

    fn mode(&mut self, name: impl Into<String>) -> u32 {
        self.modes.push(name.into());
        self.modes.len() as u32 - 1
    }

    fn equation(&mut self, name: impl Into<String>, terms: &[(u32, u32)]) {
        self.guarded_equation(name, None, terms);
    }

    fn guarded_equation(&mut self, name: impl Into<String>, guard: Option<Literal>, terms: &[(u32, u32)]) {
        let terms = terms.iter().map(|&(variable, order)| (variable, order, None)).collect();
        self.equations.push(PlainEquation { name: name.into(), guard, terms });
    }

    /// An equation some terms of which occur only where a mode variable is true, others only where it is false.
    fn switched_equation(
        &mut self,
        name: impl Into<String>,
        always: &[(u32, u32)],
        mode: u32,
        on: &[(u32, u32)],
        off: &[(u32, u32)],
    ) {
        let with = |literal, terms: &[(u32, u32)]| -> Vec<Term> {
            terms.iter().map(|&(variable, order)| (variable, order, literal)).collect()
        };
        let terms = [with(None, always), with(Some((mode, true)), on), with(Some((mode, false)), off)].concat();
        self.equations.push(PlainEquation { name: name.into(), guard: None, terms });
    }

    /// The model, written in the order of the plan.
    pub fn natural(&self) -> MultimodeDae {
        self.dae(&identity(self.equations.len()), &identity(self.variables.len()), &identity(self.modes.len()))
    }

    /// The model with equations, variables and mode variables shuffled.
    pub fn scrambled(&self) -> MultimodeDae {
        let mut state = 12345;
        let mut shuffle = |count: usize| shuffled(count, &mut state);
        let (equations, variables) = (shuffle(self.equations.len()), shuffle(self.variables.len()));
        self.dae(&equations, &variables, &shuffle(self.modes.len()))
    }

    /// The model with its equations, variables and mode variables in these orders.
    fn dae(&self, equations: &[u32], variables: &[u32], modes: &[u32]) -> MultimodeDae {
        let mut model = FlatModel::new(self.name);
        let mut writer = Writer {
            variables: inverse(variables),
            modes: inverse(modes),
            expressions: std::mem::take(&mut model.expressions),
        };
        for &at in variables {
            let (name, guard) = &self.variables[at as usize];
            let guard = writer.guard(*guard);
            model.variables.push(plain_variable(name, guard));
        }
        for &at in equations {
            let PlainEquation { name, guard, terms } = &self.equations[at as usize];
            let guard = writer.guard(*guard);
            let left = writer.sum_of_terms(terms);
            let right = writer.expressions.integer(0);
            let kind = EquationKind::Continuous;
            model.equations.push(Equation {
                name: name.as_str().into(),
                kind,
                guard,
                left,
                right,
                span: Span::default(),
            });
        }
        for literals in &self.invariants {
            let literals: Vec<_> = literals.iter().map(|&literal| writer.guard(Some(literal))).collect();
            let condition = literals.into_iter().reduce(|a, b| writer.expressions.or(a, b)).expect("not empty");
            let guard = writer.expressions.boolean(true);
            let origin = InvariantOrigin::Declared;
            model.invariants.push(Invariant { condition, origin, guard, span: Span::default() });
        }
        model.expressions = writer.expressions;
        let mode_variables = modes.iter().map(|&at| plain_mode(&self.modes[at as usize])).collect();
        MultimodeDae { model, mode_variables, named_formulas: Vec::new(), discrete: Discrete::default() }
    }
}

fn identity(count: usize) -> Vec<u32> {
    (0..count as u32).collect()
}

fn inverse(order: &[u32]) -> Vec<u32> {
    let mut inverse = vec![0; order.len()];
    for (place, &at) in order.iter().enumerate() {
        inverse[at as usize] = place as u32;
    }
    inverse
}

fn shuffled(count: usize, state: &mut u64) -> Vec<u32> {
    let mut order = identity(count);
    for at in (1..count).rev() {
        *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        order.swap(at, ((*state >> 33) % (at as u64 + 1)) as usize);
    }
    order
}

/// Turns plain terms into expressions.
struct Writer {
    variables: Vec<u32>,
    modes: Vec<u32>,
    expressions: Expressions,
}

impl Writer {
    fn guard(&mut self, literal: Option<Literal>) -> ExpressionId {
        let Some((mode, value)) = literal else { return self.expressions.boolean(true) };
        let mode = self.expressions.mode(ModeVariableId(self.modes[mode as usize]));
        if value { mode } else { self.expressions.not(mode) }
    }

    fn sum_of_terms(&mut self, terms: &[Term]) -> ExpressionId {
        let always = self.sum(terms, None);
        let Some((mode, _)) = terms.iter().find_map(|term| term.2) else { return always };
        let on = self.sum(terms, Some((mode, true)));
        let off = self.sum(terms, Some((mode, false)));
        let condition = self.guard(Some((mode, true)));
        let switched = self.expressions.if_then_else(condition, on, off);
        self.expressions.sum(always, switched)
    }

    fn sum(&mut self, terms: &[Term], literal: Option<Literal>) -> ExpressionId {
        let mut sum = self.expressions.integer(0);
        for &(variable, order, _) in terms.iter().filter(|term| term.2 == literal) {
            let term = self.expressions.variable(VariableId(self.variables[variable as usize]), order);
            sum = self.expressions.sum(sum, term);
        }
        sum
    }
}

fn plain_variable(name: &str, guard: ExpressionId) -> Variable {
    Variable::new(name, Type::Real, Variability::Continuous, guard)
}

fn plain_mode(name: &str) -> ModeVariable {
    ModeVariable {
        name: name.into(),
        variable: None,
        definition: None,
        implicit: false,
        initial: None,
        span: Span::default(),
    }
}

/// The faulty transmission line of E22 §3: with variables that exist in some modes only, or with plug equations.
pub fn transmission_line(size: usize, plugs: bool) -> Plan {
    let mut plan = Plan::new("FaultyCoaxial");
    let ends: Vec<_> = (0..size).map(|k| line_element(&mut plan, k, plugs)).collect();
    for k in 1..size {
        let (before, after) = (&ends[k - 1], &ends[k]);
        plan.equation(format!("cpl[{k}].u"), &[(before.u2, 0), (after.u1, 0)]);
        plan.equation(format!("cpl[{k}].i"), &[(before.i2, 0), (after.i1, 0)]);
    }
    plan.equation("src.u", &[(ends[0].u1, 0)]);
    plan.equation("src.i", &[(ends[size - 1].i2, 0)]);
    plan
}

/// The elements of the line as a binary tree: each child's u1 is its parent's u2, currents are summed.
pub fn transmission_tree(size: usize) -> Plan {
    let mut plan = Plan::new("FaultyTree");
    let ends: Vec<_> = (0..size).map(|k| line_element(&mut plan, k, false)).collect();
    plan.equation("src.u", &[(ends[0].u1, 0)]);
    for k in 0..size {
        let children: Vec<usize> = [2 * k + 1, 2 * k + 2].into_iter().filter(|&child| child < size).collect();
        for &child in &children {
            plan.equation(format!("cpl[{child}].u"), &[(ends[k].u2, 0), (ends[child].u1, 0)]);
        }
        let mut currents = vec![(ends[k].i2, 0)];
        currents.extend(children.iter().map(|&child| (ends[child].i1, 0)));
        plan.equation(format!("cpl[{k}].i"), &currents);
    }
    plan
}

struct Ends {
    u1: u32,
    i1: u32,
    u2: u32,
    i2: u32,
}

fn line_element(plan: &mut Plan, number: usize, plugs: bool) -> Ends {
    let name = |what: &str| format!("element[{}].{what}", number + 1);
    let (open, short) = (plan.mode(name("open")), plan.mode(name("short")));
    plan.invariants.push(vec![(open, false), (short, false)]);
    let [u1, i1, u2, i2] = ["u1", "i1", "u2", "i2"].map(|what| plan.variable(name(what)));
    let exists = |mode: u32| (!plugs).then_some((mode, false));
    let v = plan.guarded_variable(name("v"), exists(open));
    let j = plan.guarded_variable(name("j"), exists(short));
    plan.guarded_equation(name("opCir"), Some((open, true)), &[(i1, 0)]);
    plan.guarded_equation(name("notOpCirKir"), Some((open, false)), &[(u1, 0), (v, 0), (u2, 0)]);
    plan.guarded_equation(name("notOpCirIndOhm"), Some((open, false)), &[(v, 0), (i1, 1), (i1, 0)]);
    plan.guarded_equation(name("shCir"), Some((short, true)), &[(u2, 0)]);
    plan.guarded_equation(name("notShCirKir"), Some((short, false)), &[(i1, 0), (i2, 0), (j, 0)]);
    plan.guarded_equation(name("notShCirCap"), Some((short, false)), &[(j, 0), (u2, 1), (u2, 0)]);
    if plugs {
        plan.guarded_equation(name("opPlug"), Some((open, true)), &[(v, 0)]);
        plan.guarded_equation(name("shPlug"), Some((short, true)), &[(j, 0)]);
    }
    Ends { u1, i1, u2, i2 }
}

/// The building of RR9322 §5.1: rooms along a corridor.
pub fn building(size: usize, compressible: bool) -> Plan {
    let mut plan = Plan::new("Building");
    let time = plan.variable("t");
    plan.equation("time", &[(time, 1)]);
    let corridor = |plan: &mut Plan, what: &str, from: usize| -> Vec<u32> {
        (from..from + size + 1).map(|k| plan.variable(format!("{what}[{k}]"))).collect()
    };
    // Temperatures and pressures from element 0 on, flows from element 1 to one past the last.
    let (tc, pc) = (corridor(&mut plan, "Tc", 0), corridor(&mut plan, "Pc", 0));
    let (mu_c, eta_c) = (corridor(&mut plan, "mu_c", 1), corridor(&mut plan, "eta_c", 1));
    plan.equation("plug_Tc", &[(tc[0], 0), (tc[1], 0)]);
    plan.equation("plug_Pc", &[(pc[0], 0), (pc[1], 0)]);
    plan.equation("plug_mu_c2", &[(mu_c[size], 0)]);
    plan.equation("plug_eta_c", &[(eta_c[size], 0)]);
    for k in 1..=size {
        let name = |what: &str| format!("{what}[{k}]");
        let mut real = |what: &str| plan.variable(name(what));
        let [mr, mu_in, mu_out, mu_door, pr] = ["Mr", "mu_in", "mu_out", "mu_door", "Pr"].map(&mut real);
        let [er, eta_in, eta_out, eta_door, tr] = ["Er", "eta_in", "eta_out", "eta_door", "Tr"].map(&mut real);
        let [mc, ec] = ["Mc", "Ec"].map(&mut real);
        let [open, outgoing, direction] = ["open", "outgoing", "direction"].map(|what| plan.mode(name(what)));
        plan.invariants.push(vec![(open, true), (outgoing, false)]);
        if k == 1 {
            plan.invariants.push(vec![(direction, false)]);
        }
        plan.equation(name("rmb"), &[(mr, 1), (mu_in, 0), (mu_out, 0), (mu_door, 0)]);
        plan.equation(name("rimf"), &[(mu_in, 0), (pr, 0)]);
        plan.equation(name("romf"), &[(mu_out, 0), (pr, 0)]);
        plan.guarded_equation(name("dop"), Some((open, true)), &[(pr, 0), (pc[k], 0)]);
        plan.guarded_equation(name("dcf"), Some((open, false)), &[(mu_door, 0)]);
        plan.equation(name("reb"), &[(er, 1), (eta_in, 0), (eta_out, 0), (eta_door, 0), (time, 0)]);
        plan.equation(name("rief"), &[(eta_in, 0), (mu_in, 0)]);
        plan.equation(name("roef"), &[(eta_out, 0), (mu_out, 0), (tr, 0)]);
        plan.switched_equation(name("rdef"), &[(eta_door, 0), (mu_door, 0)], outgoing, &[(tr, 0)], &[(tc[k], 0)]);
        let mut density = |what: &str, mass: u32, temperature: u32, pressure: u32| {
            let terms = [(mass, 0), (temperature, 0), (pressure, 0)];
            plan.equation(name(what), if compressible { &terms } else { &terms[..2] });
        };
        density("rtm", mr, tr, pr);
        density("ctm", mc, tc[k], pc[k]);
        plan.equation(name("rte"), &[(er, 0), (mr, 0), (tr, 0)]);
        plan.equation(name("cmb"), &[(mc, 1), (mu_c[k - 1], 0), (mu_c[k], 0), (mu_door, 0)]);
        plan.equation(name("ceb"), &[(ec, 1), (eta_c[k - 1], 0), (eta_c[k], 0), (eta_door, 0)]);
        plan.equation(name("cte"), &[(ec, 0), (mc, 0), (tc[k], 0)]);
        plan.equation(name("cmf"), &[(mu_c[k - 1], 0), (pc[k - 1], 0), (pc[k], 0)]);
        let flow = [(eta_c[k - 1], 0), (mu_c[k - 1], 0)];
        plan.switched_equation(name("cef"), &flow, direction, &[(tc[k - 1], 0)], &[(tc[k], 0)]);
    }
    plan
}

/// The Westinghouse rail brake of RR9322 §5.2.
pub fn westinghouse(size: usize) -> Plan {
    let mut plan = Plan::new("Westinghouse");
    let time = plan.variable("t");
    let along = |plan: &mut Plan, what: &str| -> Vec<u32> {
        (1..=size + 1).map(|k| plan.variable(format!("{what}[{k}]"))).collect()
    };
    let (pb, fb) = (along(&mut plan, "Pb"), along(&mut plan, "fb"));
    plan.equation("dt", &[(time, 1)]);
    plan.equation("plug1", &[(pb[0], 0), (time, 0)]);
    for k in 1..=size {
        let name = |what: &str| format!("{what}[{k}]");
        let mut real = |what: &str| plan.variable(name(what));
        let [pr, pt, fv, fcl, fl] = ["Pr", "Pt", "fv", "fcl", "fl"].map(&mut real);
        let [fch, ft, b, x] = ["fch", "ft", "b", "x"].map(&mut real);
        let open = plan.mode(name("open"));
        plan.equation(name("me1"), &[(fb[k - 1], 0), (fb[k], 0), (fv, 0), (fcl, 0), (fl, 0)]);
        plan.equation(name("me2"), &[(fv, 0), (fch, 0), (fl, 0), (ft, 0)]);
        plan.equation(name("feb1"), &[(fb[k - 1], 0), (pb[k - 1], 0), (pr, 0)]);
        plan.equation(name("feb2"), &[(fb[k], 0), (pb[k], 0), (pr, 0)]);
        plan.equation(name("fel"), &[(fl, 0), (pt, 0), (pr, 0)]);
        plan.equation(name("mer"), &[(ft, 0), (pt, 1)]);
        plan.equation(name("mepl"), &[(x, 1), (pr, 1), (fcl, 0)]);
        plan.equation(name("meph"), &[(x, 1), (pt, 1), (fch, 0)]);
        plan.equation(name("pb"), &[(pt, 0), (pr, 0), (b, 0)]);
        plan.equation(name("px"), &[(b, 0), (x, 0)]);
        plan.guarded_equation(name("ve1"), Some((open, true)), &[(pr, 0), (pt, 0)]);
        plan.guarded_equation(name("ve2"), Some((open, false)), &[(fv, 0)]);
    }
    plan.equation("plug2", &[(fb[size], 0)]);
    plan
}

/// Masses in a row with a clutch between neighbours: runs of engaged clutches are blocks of any length.
pub fn clutch_chain(size: usize) -> Plan {
    let mut plan = Plan::new("ClutchChain");
    let speeds: Vec<u32> = (1..=size).map(|k| plan.variable(format!("w[{k}]"))).collect();
    let torques: Vec<u32> = (1..size).map(|k| plan.variable(format!("f[{k}]"))).collect();
    for (k, &speed) in speeds.iter().enumerate() {
        let mut terms = vec![(speed, 1)];
        terms.extend(k.checked_sub(1).map(|before| (torques[before], 0)));
        terms.extend(torques.get(k).map(|&after| (after, 0)));
        plan.equation(format!("mass[{}]", k + 1), &terms);
    }
    for k in 0..size - 1 {
        let engaged = plan.mode(format!("g[{}]", k + 1));
        let together = [(speeds[k], 0), (speeds[k + 1], 0)];
        plan.switched_equation(format!("clutch[{}]", k + 1), &[], engaged, &together, &[(torques[k], 0)]);
    }
    plan
}

/// Valves along one pipe: two closed ones make the section between them singular.
pub fn valve_pipe(size: usize) -> Plan {
    let mut plan = Plan::new("ValvePipe");
    let pressures: Vec<u32> = (0..=size).map(|k| plan.variable(format!("p[{k}]"))).collect();
    let flows: Vec<u32> = (0..=size).map(|k| plan.variable(format!("q[{k}]"))).collect();
    plan.equation("inlet", &[(pressures[0], 0)]);
    for k in 0..size {
        let open = plan.mode(format!("open[{k}]"));
        plan.equation(format!("flow[{k}]"), &[(flows[k], 0), (flows[k + 1], 0)]);
        let drop = [(pressures[k], 0), (pressures[k + 1], 0)];
        plan.switched_equation(format!("valve[{k}]"), &[(flows[k], 0)], open, &drop, &[]);
    }
    plan.equation("outlet", &[(pressures[size], 0), (flows[size], 0)]);
    plan
}

/// Cells in a square, each with a leak, and a valve between neighbours.
pub fn valve_grid(side: usize) -> Plan {
    let mut plan = Plan::new("ValveGrid");
    let cell = |row: usize, column: usize| row * side + column;
    let pressures: Vec<u32> = (0..side * side).map(|k| plan.variable(format!("p[{k}]"))).collect();
    let leaks: Vec<u32> = (0..side * side).map(|k| plan.variable(format!("l[{k}]"))).collect();
    let mut balances: Vec<Vec<(u32, u32)>> = leaks.iter().map(|&leak| vec![(leak, 0)]).collect();
    for row in 0..side {
        for column in 0..side {
            let here = cell(row, column);
            let right = (column + 1 < side).then(|| cell(row, column + 1));
            let below = (row + 1 < side).then(|| cell(row + 1, column));
            for there in [right, below].into_iter().flatten() {
                let flow = plan.variable(format!("q[{here},{there}]"));
                let open = plan.mode(format!("open[{here},{there}]"));
                let drop = [(pressures[here], 0), (pressures[there], 0)];
                plan.switched_equation(format!("valve[{here},{there}]"), &[(flow, 0)], open, &drop, &[]);
                balances[here].push((flow, 0));
                balances[there].push((flow, 0));
            }
        }
    }
    for (k, terms) in balances.iter().enumerate() {
        plan.equation(format!("balance[{k}]"), terms);
        plan.equation(format!("leak[{k}]"), &[(leaks[k], 0), (pressures[k], 0)]);
    }
    plan
}

impl Plan {
    /// How many mode variables there are.
    pub fn mode_count(&self) -> usize {
        self.modes.len()
    }

    /// Changes a mode so that it satisfies the invariants, each of which has a literal of its own.
    pub fn make_valid(&self, mode: &mut [bool]) {
        for literals in &self.invariants {
            if !literals.iter().any(|&(variable, value)| mode[variable as usize] == value) {
                let (variable, value) = literals[literals.len() - 1];
                mode[variable as usize] = value;
            }
        }
    }

    /// The signature in one mode, with the equations and variables that are there, numbered as in the plan.
    pub fn signature(&self, mode: &[bool]) -> (modeshift_structure::one_mode::Signature, Vec<u32>, Vec<u32>) {
        let holds = |literal: Option<Literal>| literal.is_none_or(|(variable, value)| mode[variable as usize] == value);
        let variables: Vec<u32> =
            (0..self.variables.len() as u32).filter(|&at| holds(self.variables[at as usize].1)).collect();
        let mut equations = Vec::new();
        let mut signature = modeshift_structure::one_mode::Signature::new(variables.len());
        for (at, equation) in self.equations.iter().enumerate().filter(|(_, equation)| holds(equation.guard)) {
            let mut entries = std::collections::BTreeMap::new();
            for &(variable, order, _) in equation.terms.iter().filter(|term| holds(term.2)) {
                let column = variables.binary_search(&variable).expect("what occurs is there") as u32;
                let highest = entries.entry(column).or_insert(order);
                *highest = order.max(*highest);
            }
            signature.push(entries);
            equations.push(at as u32);
        }
        (signature, equations, variables)
    }
}
