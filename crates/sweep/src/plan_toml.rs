//! Plans as TOML.

use modeshift_driver::simulate::Method;

use crate::plan::{Design, Plan, Spread, Varied};
use crate::toml::{Item, Value, read as read_toml};

const KEYS: &str = "model, class, libraries, design, samples, seed, start, stop, interval, tolerance, solver, scenario, end, \
                    signals, events, time_limit, [set], [vary]";

pub(crate) fn read(text: &str) -> Result<Plan, String> {
    let mut plan = Plan { events: true, ..Plan::default() };
    let (mut design, mut samples, mut seed) = (None, None, 0);
    for (key, item) in read_toml(text)? {
        match key.as_str() {
            "model" => plan.file = Some(item.text(&key)?),
            "class" => plan.class = Some(item.text(&key)?),
            "libraries" => plan.libraries = item.texts(&key)?,
            "design" => design = Some((item.line, item.text(&key)?)),
            "samples" => samples = Some(item.whole(&key)?),
            "seed" => seed = item.whole(&key)? as u64,
            "start" => plan.start = Some(item.number(&key)?),
            "stop" => plan.stop = Some(item.number(&key)?),
            "interval" => plan.interval = Some(item.number(&key)?),
            "tolerance" => plan.tolerance = Some(item.number(&key)?),
            "time_limit" => plan.time_limit = Some(item.positive(&key)?),
            "solver" => plan.method = solver(&item, &key)?,
            "scenario" => plan.scenario = Some(item.text(&key)?),
            "end" => plan.ends = item.texts(&key)?,
            "signals" => plan.signals = item.texts(&key)?,
            "events" => plan.events = item.truth(&key)?,
            "set" => plan.fixed = item.table(&key)?.iter().map(fixed).collect::<Result<_, String>>()?,
            "vary" => plan.varied = item.table(&key)?.iter().map(varied).collect::<Result<_, String>>()?,
            _ => return Err(format!("line {}: `{key}` is not known; a plan has {KEYS}", item.line)),
        }
    }
    let wanted = design.as_ref().map_or("grid", |(_, name)| name.as_str());
    plan.design = match (wanted, samples) {
        ("grid", None) => Design::Grid,
        ("list", None) => Design::List,
        ("random", Some(samples)) => Design::Random { samples, seed },
        ("latin", Some(samples)) => Design::Latin { samples, seed },
        ("grid" | "list", Some(_)) => return Err(format!("`samples` is for random and latin, not for {wanted}")),
        ("random" | "latin", None) => return Err(format!("{wanted} needs `samples`, the number of runs")),
        _ => {
            let line = design.map_or(0, |(line, _)| line);
            return Err(format!("line {line}: design is grid, list, random or latin"));
        }
    };
    Ok(plan)
}

fn solver(item: &Item, key: &str) -> Result<Method, String> {
    let name = item.text(key)?;
    let known = Method::ALL.into_iter().find(|method| method.name() == name);
    known.ok_or_else(|| {
        let names: Vec<&str> = Method::ALL.iter().map(|method| method.name()).collect();
        format!("line {}: {key} is one of {}", item.line, names.join(", "))
    })
}

fn fixed((name, item): &(String, Item)) -> Result<(String, String), String> {
    Ok((name.clone(), item.written(name)?))
}

fn varied((name, item): &(String, Item)) -> Result<Varied, String> {
    let spread = match &item.value {
        Value::List(items) => Spread::List(items.iter().map(|it| it.written(name)).collect::<Result<_, String>>()?),
        Value::Table(fields) => spread(name, item, fields)?,
        _ => Spread::List(vec![item.written(name)?]),
    };
    Ok(Varied { name: name.clone(), spread })
}

fn spread(name: &str, item: &Item, fields: &[(String, Item)]) -> Result<Spread, String> {
    let (mut from, mut to, mut count, mut log, mut mean, mut deviation) = (None, None, None, false, None, None);
    for (key, field) in fields {
        match key.as_str() {
            "from" => from = Some(field.number(key)?),
            "to" => to = Some(field.number(key)?),
            "count" => count = Some(field.whole(key)?),
            "log" => log = field.truth(key)?,
            "mean" => mean = Some(field.number(key)?),
            "deviation" => deviation = Some(field.number(key)?),
            _ => {
                let line = item.line;
                return Err(format!(
                    "line {line}: `{key}` is not known; there are from, to, count, log, mean, deviation"
                ));
            }
        }
    }
    match (from, to, mean, deviation) {
        (Some(from), Some(to), None, None) => Ok(Spread::Range { from, to, count, log }),
        (None, None, Some(mean), Some(deviation)) if count.is_none() && !log => Ok(Spread::Normal { mean, deviation }),
        _ => Err(format!("line {}: `{name}` has `from` and `to`, or `mean` and `deviation`", item.line)),
    }
}

impl Item {
    fn wrong<T>(&self, key: &str, expected: &str) -> Result<T, String> {
        Err(format!("line {}: `{key}` is {expected}", self.line))
    }

    fn text(&self, key: &str) -> Result<String, String> {
        match &self.value {
            Value::Text(text) => Ok(text.clone()),
            _ => self.wrong(key, "a text in quotes"),
        }
    }

    fn texts(&self, key: &str) -> Result<Vec<String>, String> {
        match &self.value {
            Value::List(items) => items.iter().map(|item| item.text(key)).collect(),
            _ => self.wrong(key, "a list of texts"),
        }
    }

    fn number(&self, key: &str) -> Result<f64, String> {
        match &self.value {
            Value::Number(text) => text.parse().or_else(|_| self.wrong(key, "a number")),
            _ => self.wrong(key, "a number"),
        }
    }

    fn positive(&self, key: &str) -> Result<f64, String> {
        match self.number(key)? {
            number if number > 0.0 && number.is_finite() => Ok(number),
            _ => self.wrong(key, "a number above 0"),
        }
    }

    fn whole(&self, key: &str) -> Result<usize, String> {
        match &self.value {
            Value::Number(text) => text.parse().or_else(|_| self.wrong(key, "a whole number, not negative")),
            _ => self.wrong(key, "a whole number, not negative"),
        }
    }

    fn truth(&self, key: &str) -> Result<bool, String> {
        match &self.value {
            Value::Truth(truth) => Ok(*truth),
            _ => self.wrong(key, "true or false"),
        }
    }

    fn table(&self, key: &str) -> Result<&[(String, Item)], String> {
        match &self.value {
            Value::Table(fields) => Ok(fields),
            _ => self.wrong(key, "a table"),
        }
    }

    /// A value as `--set` takes it: of a text, the expression that it contains.
    fn written(&self, key: &str) -> Result<String, String> {
        match &self.value {
            Value::Text(text) | Value::Number(text) => Ok(text.clone()),
            Value::Truth(truth) => Ok(truth.to_string()),
            _ => self.wrong(key, "a number, a truth, or an expression in quotes"),
        }
    }
}
