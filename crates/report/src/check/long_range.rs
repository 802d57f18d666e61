//! Verdicts that depend on modes far away, in few words: the fewest deviations from usual values that make a mode singular,
//! how many such choices there are, and what is not determined then. Their formulas would have thousands of terms.

use modeshift_dae::{EquationId, ModeVariableId, MultimodeDae, VariableId};
use modeshift_diagnostics::{Code, Diagnostic, Diagnostics};
use modeshift_mode_changes::transient_modes;
use modeshift_modes::{ModeSet, ModeVariable};
use modeshift_structure::long_range::{Diagram, InAllModes, LongRange, StagedCase, Swept};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::Analyzed;
use crate::wording::{Names, counted, listed};

/// Labels of one diagnostic.
const MOST_LABELS: usize = 6;
/// Families of mode variables in a sentence.
const MOST_FAMILIES: usize = 4;
/// Parts that are cut off of which one diagnostic speaks.
const MOST_ISLANDS: usize = 3;

/// Says in which modes parts are cut off, and in which others something has no partner.
pub fn check_long_range(dae: &MultimodeDae, found: &LongRange, diagnostics: &mut Diagnostics) {
    let words = Words { dae, found, names: Names { dae } };
    let islands = found.islands.as_ref().and_then(|islands| words.choice(islands, None));
    let without_partners = match &found.islands {
        None => words.choice(&found.singular, None),
        Some(_) => found.singular_without_islands.and_then(|rest| words.choice(&found.singular, Some(rest))),
    };
    if let Some(choice) = islands {
        diagnostics.push(words.cut_off(&choice));
    }
    if let Some(choice) = without_partners {
        diagnostics.push(words.without_partners(&choice));
    }
}

/// Says what was not looked at in all modes, where sets of modes would be too large.
pub fn note_swept(found: &LongRange) -> Diagnostic {
    let message = "verdicts depend on modes far away: mode changes are not checked, and the start in one mode";
    with_size(Diagnostic::note(Code::N0603, message), found)
        .help("`analyze --at` and `simulate` look at the modes that they are told of or meet")
}

/// Says of which mode a structure is that was asked of more modes than sets of modes can describe, and what is known of all of them.
pub fn note_one_mode(analyzed: &Analyzed, found: &LongRange, all: Option<&InAllModes>) -> Diagnostic {
    let Analyzed { dae, analysis, within, .. } = analyzed;
    let asked: FxHashSet<ModeVariableId> = within.iter().map(|it| it.0).collect();
    let assumed = analysis.within.iter().filter(|it| !asked.contains(&it.0));
    let families = families(dae, assumed.map(|&(id, value)| (ModeVariable(id.0), value)));
    let message = "verdicts depend on modes far away: of one mode, this is the structure";
    let mut note = Diagnostic::note(Code::N0603, message).with_note(format!("assumed is {families}"));
    if let Some(all) = all {
        note = note.with_note(in_all_modes(dae, all));
    }
    with_size(note, found)
        .help("`--at` chooses another mode; with `--node-limit`, all modes are analyzed as far as that many nodes go")
}

/// `in all regular modes: structural index 1, or 2 (for example when `closed[3]` = false); 2 to 5 degrees of freedom`
fn in_all_modes(dae: &MultimodeDae, all: &InAllModes) -> String {
    let example = |case: &StagedCase| match case.example.as_slice() {
        [] => String::new(),
        deviating => format!(" (for example with {})", families(dae, deviating.iter().copied())),
    };
    let index: Vec<String> = all.index.iter().map(|case| format!("{}{}", case.value, example(case))).collect();
    let freedom = match all.degrees_of_freedom {
        (least, most) if least == most => least.to_string(),
        (least, most) => format!("{least} to {most}"),
    };
    format!("in all regular modes: structural index {}; degrees of freedom {freedom}", index.join(" or "))
}

/// Says between which modes changes were looked at.
pub fn note_one_change(analyzed: &Analyzed, found: &LongRange) -> Diagnostic {
    let Analyzed { dae, analysis, .. } = analyzed;
    let values = analysis.within.iter().map(|&(id, value)| (ModeVariable(id.0), value));
    let message = "verdicts depend on modes far away: only what `--from` and `--to` name changes";
    with_size(Diagnostic::note(Code::N0603, message).with_note(format!("assumed is {}", families(dae, values))), found)
        .help("name others there to let them change; with `--node-limit`, all changes are analyzed as far as that many nodes go")
}

/// Says that all changes are too many, and how to ask for one.
pub fn refuse_all_changes(dae: &MultimodeDae, found: &LongRange) -> Diagnostic {
    let message = "verdicts depend on modes far away: all mode changes are too many to be told at once";
    let usual = found.usual_values();
    let example = dae.mode_variables.iter().enumerate().next().map(|(at, mode)| {
        let value = !usual.get(&ModeVariable(at as u32)).copied().unwrap_or(true);
        format!(", such as `--to '{}={value}'`", mode.name)
    });
    with_size(Diagnostic::error(Code::E0603, message), found).help(format!(
        "name a change{}; with `--node-limit`, all are analyzed as far as that many nodes go",
        example.unwrap_or_default()
    ))
}

/// Says why ordinary tools cannot run a model whose modes are too many to be written one by one.
pub fn refuse_to_write(found: &LongRange) -> Diagnostic {
    if found.is_regular() {
        let message = "verdicts depend on modes far away: blocks of all modes are too many to be written";
        return with_size(Diagnostic::error(Code::E0603, message), found)
            .help("with `--node-limit`, all modes are analyzed as far as that many nodes go");
    }
    let message = "some modes are singular: their equations cannot be written so that an ordinary solver runs them";
    with_size(Diagnostic::error(Code::E0916, message), found).help(
        "give each part that can be cut off a reference, or put small conductances across ideal switches: \
         `check` says which modes, and which part",
    )
}

/// Says that a run looks at modes as it meets them.
pub fn note_run(found: &LongRange) -> Diagnostic {
    let message = "verdicts depend on modes far away: each mode is looked at when the run meets it";
    with_size(Diagnostic::note(Code::N0603, message), found).help("`modeshift check` tells the verdicts on all modes")
}

/// Says of which modes a start was looked at.
pub fn note_first_modes(analyzed: &Analyzed) -> Diagnostic {
    let Analyzed { dae, analysis, .. } = analyzed;
    let values = analysis.within.iter().map(|&(id, value)| (ModeVariable(id.0), value));
    let message = "the start depends on modes far away: it is looked at where time, parameters and start values say";
    Diagnostic::note(Code::N0712, message)
        .with_note(format!("that is where {}", families(dae, values)))
        .help("`init --at` looks at the modes that it is told of")
}

/// Says that a start was not looked at: nothing gives the modes in which it could be.
pub fn note_start_not_checked() -> Diagnostic {
    let message = "the start depends on modes far away, and time, parameters and start values do not give them: it is not checked";
    Diagnostic::note(Code::N0712, message).help("`init --at` looks at the modes that it is told of")
}

fn with_size(diagnostic: Diagnostic, found: &LongRange) -> Diagnostic {
    let size = found.singular.size;
    diagnostic.with_note(format!(
        "the model was swept over: {} unknowns and {} summaries at a cut at most",
        size.boundary, size.states
    ))
}

/// One mode with the fewest deviations from usual values.
struct Choice {
    /// The mode variables that deviate, with their values.
    all: Vec<(ModeVariable, bool)>,
    /// Those that imply the others.
    deviating: Vec<(ModeVariable, bool)>,
    /// Whether these alone make it so, whatever the others are.
    alone: bool,
    /// Whether no mode is possible that is without the verdict.
    always: bool,
    usual: FxHashMap<ModeVariable, bool>,
    counts: Vec<(usize, Option<u128>)>,
}

impl Choice {
    fn value(&self, variable: ModeVariable) -> bool {
        let deviating = self.all.iter().find(|(it, _)| *it == variable).map(|(_, value)| *value);
        deviating.unwrap_or_else(|| self.usual.get(&variable).copied().unwrap_or(true))
    }
}

struct Words<'a> {
    dae: &'a MultimodeDae,
    found: &'a LongRange,
    names: Names<'a>,
}

impl Words<'_> {
    /// The fewest deviations from what is usual in regular modes that lead into a verdict, or into a part of it; nothing where it
    /// is of no mode that lasts.
    fn choice(&self, swept: &Swept, part: Option<ModeSet>) -> Option<Choice> {
        match &swept.diagram {
            Some(diagram) => {
                let transient = transient_modes(self.dae, &diagram.space);
                let is_whole = transient.is_empty() && part.is_none_or(|part| part == diagram.modes);
                if is_whole && swept.staged.is_some() {
                    return self.choice_of_verdict(swept);
                }
                let part = diagram.space.difference(part.unwrap_or(diagram.modes), transient);
                self.choice_of_set(diagram, part)
            }
            None => self.choice_of_verdict(swept),
        }
    }

    fn choice_of_verdict(&self, swept: &Swept) -> Option<Choice> {
        let usual: FxHashMap<ModeVariable, bool> = swept.usual_values_without().into_iter().collect();
        let usual_value = |variable: ModeVariable| usual.get(&variable).copied().unwrap_or(true);
        let found = swept.fewest_deviations(usual_value)?;
        let deviating: Vec<_> = found.example.iter().map(|&variable| (variable, !usual_value(variable))).collect();
        let (alone, always) = (swept.is_implied_by(&deviating), swept.is_implied_by(&[]));
        let counts = found.counts;
        Some(Choice { deviating: self.without_implied(&deviating), all: deviating, alone, always, usual, counts })
    }

    fn choice_of_set(&self, diagram: &Diagram, modes: ModeSet) -> Option<Choice> {
        let Diagram { space, modes: singular, valid } = diagram;
        let usual: FxHashMap<ModeVariable, bool> =
            space.usual_values(space.difference(*valid, *singular)).into_iter().collect();
        let usual_value = |variable: ModeVariable| usual.get(&variable).copied().unwrap_or(true);
        let found = space.fewest_deviations(modes, usual_value)?;
        let deviating: Vec<_> = found.example.iter().map(|&variable| (variable, !usual_value(variable))).collect();
        let alone = space.implies(space.and(space.valuation(&deviating), *valid), modes);
        let (always, counts) = (space.implies(*valid, *singular), found.counts);
        Some(Choice { deviating: self.without_implied(&deviating), all: deviating, alone, always, usual, counts })
    }

    /// Deviations without those that others imply: a machine that is in one state is not in another.
    fn without_implied(&self, deviating: &[(ModeVariable, bool)]) -> Vec<(ModeVariable, bool)> {
        let LongRange { given, invariant, .. } = self.found;
        let variables: FxHashSet<ModeVariable> = deviating.iter().map(|it| it.0).collect();
        let related: Vec<(Vec<ModeVariable>, ModeSet)> = invariant
            .components()
            .map(|component| (given.support_of_all(&[component]), component))
            .filter(|(support, _)| support.iter().any(|variable| variables.contains(variable)))
            .collect();
        let mut kept = deviating.to_vec();
        for &(variable, value) in deviating.iter().filter(|it| !it.1) {
            let rest: Vec<(ModeVariable, bool)> = kept.iter().copied().filter(|it| it.0 != variable).collect();
            let is_implied =
                related.iter().filter(|(support, _)| support.contains(&variable)).any(|(support, modes)| {
                    let of_component: Vec<(ModeVariable, bool)> =
                        rest.iter().copied().filter(|it| support.contains(&it.0)).collect();
                    given.implies(given.and(*modes, given.valuation(&of_component)), given.assignment(variable, value))
                });
            if is_implied {
                kept = rest;
            }
        }
        kept
    }

    /// A part of a network that hangs together with nothing else.
    fn cut_off(&self, choice: &Choice) -> Diagnostic {
        let islands = self.found.network.islands_in(&self.found.given, |variable| choice.value(variable));
        let balances: Vec<EquationId> = islands.iter().flatten().copied().collect();
        let potentials = self.potentials(&balances, choice);
        let open = match potentials.is_empty() {
            true => short_list(balances.iter().map(|id| self.names.equation(*id))),
            false => short_list(potentials.iter().map(|id| self.names.variable(*id))),
        };
        let one = potentials.len() == 1 || potentials.is_empty() && balances.len() == 1;
        let is_or_are = if one { "is" } else { "are" };
        let message = match choice.always {
            true => format!("{open} {is_or_are} cut off"),
            false => format!("{open} {is_or_are} cut off, e.g. when {}", self.deviating(choice)),
        };
        let mut diagnostic = Diagnostic::warning(Code::W0605, message);
        for id in potentials.iter().take(MOST_LABELS) {
            let variable = &self.dae.model.variables[*id];
            diagnostic = diagnostic.label(variable.span, format!("`{}` is not determined", variable.name));
        }
        for id in balances.iter().take(MOST_LABELS.saturating_sub(potentials.len())) {
            let equation = &self.dae.model.equations[*id];
            diagnostic = diagnostic.label(equation.span, format!("`{}`", equation.name));
        }
        for island in islands.iter().take(MOST_ISLANDS) {
            diagnostic = diagnostic.with_note(self.sum_of(island));
        }
        if let Some(others) = islands.len().checked_sub(MOST_ISLANDS).filter(|others| *others > 0) {
            diagnostic = diagnostic.with_note(format!("so it is with {}", counted(others, "more part")));
        }
        diagnostic = self.with_choice(diagnostic, choice);
        if self.found.singular_without_islands.is_none() {
            diagnostic =
                diagnostic.with_note("whether modes without such a part are singular too was too much to compare");
        }
        match potentials.first() {
            Some(id) => {
                let (potential, balance) = (self.names.variable(*id), self.names.equation(balances[0]));
                let reference = match choice.alone && (1..=MOST_LABELS).contains(&choice.deviating.len()) {
                    true => format!("`{potential} = 0` if `{}`, else `{balance}`", self.condition(choice)),
                    false => format!("`{potential} = 0` in place of `{balance}`"),
                };
                diagnostic.help(format!(
                    "give each part that can be cut off a reference that holds only then, in place of one of its \
                     balances: here {reference}"
                ))
            }
            None => diagnostic,
        }
    }

    /// What the balances of a part that is cut off come to.
    fn sum_of(&self, island: &[EquationId]) -> String {
        let names = listed(island.iter().map(|id| self.names.equation(*id)));
        match island.len() {
            1 => format!("all flows of {names} are given then: it is redundant, or cannot hold"),
            _ => format!(
                "{names} add up to an equation without unknowns: one is redundant, or they contradict each other"
            ),
        }
    }

    /// Equations or variables without a partner.
    fn without_partners(&self, choice: &Choice) -> Diagnostic {
        let message = match choice.always {
            true => "singular".to_string(),
            false => format!("singular, for example, when {}", self.deviating(choice)),
        };
        let mut diagnostic = Diagnostic::warning(Code::W0605, message);
        let parts = self.found.parts_in(|variable| choice.value(variable));
        for id in parts.overdetermined_equations.iter().take(MOST_LABELS / 2) {
            let equation = &self.dae.model.equations[*id];
            diagnostic = diagnostic.label(equation.span, format!("`{}`", equation.name));
        }
        for id in parts.underdetermined_variables.iter().take(MOST_LABELS / 2) {
            let variable = &self.dae.model.variables[*id];
            diagnostic = diagnostic.label(variable.span, format!("`{}` is not determined", variable.name));
        }
        let equations = listed(parts.overdetermined_equations.iter().map(|id| self.names.equation(*id)));
        let variables = listed(parts.underdetermined_variables.iter().map(|id| self.names.variable(*id)));
        if !equations.is_empty() {
            diagnostic = diagnostic.with_note(format!("too many equations for their unknowns: {equations}"));
        }
        if !variables.is_empty() {
            diagnostic = diagnostic.with_note(format!("too few equations for {variables}"));
        }
        self.with_choice(diagnostic, choice)
    }

    /// What is usual, and how many choices there are.
    fn with_choice(&self, diagnostic: Diagnostic, choice: &Choice) -> Diagnostic {
        if choice.always {
            return diagnostic.with_note("no mode that is possible here is regular");
        }
        let values = choice.deviating.iter().map(|&(variable, value)| format!("{} = {value}", self.mode(variable)));
        let rest = if choice.alone { "whatever the others are" } else { "the others as usual" };
        let mut example: Vec<String> = values.collect();
        example.push(rest.to_string());
        let count = |&(size, count): &(usize, Option<u128>)| match count {
            Some(count) => format!("{count} with {size}"),
            None => format!("more than 10^38 with {size}"),
        };
        let counts: Vec<String> = choice.counts.iter().map(count).collect();
        let mut diagnostic = diagnostic.example(example.join(", "));
        if !counts.is_empty() {
            diagnostic = diagnostic.with_note(format!(
                "usual is {}; of the modes with few deviations, so many are like this: {}",
                self.usual(choice),
                counts.join(", ")
            ));
        }
        diagnostic
    }

    fn mode(&self, variable: ModeVariable) -> &str {
        &self.dae.mode_variables[ModeVariableId(variable.0)].name
    }

    /// `not a and not b`
    fn condition(&self, choice: &Choice) -> String {
        let literal = |&(variable, value): &(ModeVariable, bool)| {
            let name = self.mode(variable);
            let operand = if name.contains(' ') { format!("({name})") } else { name.to_string() };
            if value { operand } else { format!("not {operand}") }
        };
        choice.deviating.iter().map(literal).collect::<Vec<String>>().join(" and ")
    }

    /// `` `a` and `b` are false ``
    fn deviating(&self, choice: &Choice) -> String {
        let names = short_list(choice.deviating.iter().map(|&(variable, _)| self.mode(variable)));
        match choice.deviating.as_slice() {
            [] => "all is as usual".to_string(),
            [(_, value)] => format!("{names} is {value}"),
            [(_, first), rest @ ..] if rest.iter().all(|(_, value)| value == first) => format!("{names} are {first}"),
            _ => format!("{names} deviate"),
        }
    }

    /// The usual values by families of names: `` `open[..]` = true ``
    fn usual(&self, choice: &Choice) -> String {
        let mut variables: Vec<_> = choice.usual.iter().map(|(&variable, &value)| (variable, value)).collect();
        variables.sort_unstable();
        families(self.dae, variables.into_iter())
    }

    /// What stands in the laws of all flows of a balance, and is no flow: its potential.
    fn potentials(&self, balances: &[EquationId], choice: &Choice) -> Vec<VariableId> {
        let at_node = self.flows_by_balance();
        let inside: FxHashSet<EquationId> = balances.iter().copied().collect();
        let mut neighbours: FxHashSet<EquationId> = FxHashSet::default();
        for flow in &self.found.network.flows {
            if flow.balances.iter().any(|balance| inside.contains(balance)) {
                neighbours.extend(flow.balances.iter().filter(|balance| !inside.contains(balance)));
            }
        }
        let outside: FxHashSet<VariableId> = neighbours
            .iter()
            .map(|balance| self.candidates(&at_node[balance]))
            .filter(|candidates| candidates.len() == 1)
            .flatten()
            .collect();
        let mut potentials: Vec<VariableId> =
            balances.iter().flat_map(|balance| self.candidates(&at_node[balance])).collect();
        potentials.sort_unstable();
        potentials.dedup();
        let inside: Vec<VariableId> = potentials.iter().copied().filter(|it| !outside.contains(it)).collect();
        if !inside.is_empty() {
            return inside;
        }
        // What balances a branch with its own potential counts as a node outside: then what nothing determines tells which are inside.
        let open = self.found.parts_in(|variable| choice.value(variable)).underdetermined_variables;
        potentials.retain(|variable| open.binary_search(variable).is_ok());
        potentials
    }

    fn flows_by_balance(&self) -> FxHashMap<EquationId, Vec<VariableId>> {
        let mut at_node: FxHashMap<EquationId, Vec<VariableId>> = FxHashMap::default();
        for flow in &self.found.network.flows {
            for balance in &flow.balances {
                at_node.entry(*balance).or_default().push(flow.variable);
            }
        }
        at_node
    }

    fn candidates(&self, flows: &[VariableId]) -> Vec<VariableId> {
        let mut common: Option<Vec<VariableId>> = None;
        for laws in flows.iter().map(|&flow| self.in_laws(flow)).filter(|laws| !laws.is_empty()) {
            match &mut common {
                Some(common) => common.retain(|variable| laws.contains(variable)),
                None => common = Some(laws),
            }
        }
        common.unwrap_or_default()
    }

    /// The other unknowns of equations of a flow that are no balances.
    fn in_laws(&self, flow: VariableId) -> Vec<VariableId> {
        let (incidence, network) = (&self.found.incidence, &self.found.network);
        let equations = incidence.edges_of_variable(flow).iter().map(|&edge| incidence.equation(edge));
        let laws = equations.filter(|equation| network.balances.binary_search(equation).is_err());
        let unknowns = laws.flat_map(|law| incidence.edges_of_equation(law).map(|edge| incidence.variable(edge)));
        unknowns.filter(|&variable| variable != flow).collect()
    }
}

/// `` `a` and `b` ``, `` `a` and 3 more ``, for a title, which has to fit into a line.
fn short_list<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let names: Vec<String> = names.map(|name| format!("`{name}`")).collect();
    match names.as_slice() {
        [] => String::new(),
        [one] => one.clone(),
        [one, other] => format!("{one} and {other}"),
        [one, rest @ ..] => format!("{one} and {} more", rest.len()),
    }
}

/// Values by families of names, in order of first occurrence: `` `open[..]` = true but for 2 ``
fn families(dae: &MultimodeDae, values: impl Iterator<Item = (ModeVariable, bool)>) -> String {
    let mut counts: Vec<(String, [usize; 2])> = Vec::new();
    let mut places: FxHashMap<String, usize> = FxHashMap::default();
    for (variable, value) in values {
        let family = family(&dae.mode_variables[ModeVariableId(variable.0)].name);
        let place = *places.entry(family).or_insert_with_key(|family| {
            counts.push((family.clone(), [0; 2]));
            counts.len() - 1
        });
        counts[place].1[usize::from(value)] += 1;
    }
    let text = |(family, [off, on]): &(String, [usize; 2])| match off.min(on) {
        0 => format!("`{family}` = {}", on > off),
        others => format!("`{family}` = {} but for {others}", on >= off),
    };
    let more = if counts.len() > MOST_FAMILIES { " and others" } else { "" };
    let shown: Vec<String> = counts.iter().take(MOST_FAMILIES).map(text).collect();
    format!("{}{more}", shown.join(", "))
}

/// A name without its indices: `open[..]` of `open[3]`, `activeState(s[..].open)` of `activeState(s[2].open)`, `s..` of `s12`.
fn family(name: &str) -> String {
    let mut parts = name.split('[');
    let mut family = parts.next().unwrap_or_default().to_string();
    for part in parts {
        let after = part.split_once(']').map_or("", |it| it.1);
        family = format!("{family}[..]{after}");
    }
    let stem = family.trim_end_matches(|letter: char| letter.is_ascii_digit());
    if stem.len() == family.len() { family } else { format!("{stem}..") }
}
