//! The model, to be loaded where none of its files is.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use modeshift_diagnostics::Diagnostics;
use modeshift_driver::loaded::{Bundle, ExchangeShape, ExchangeState, Loaded, Recording, Refusal, load_from};
use modeshift_driver::simulate::RunOptions;
use modeshift_driver::{Dialect, Question, Source};
use serde_json::{Value, json};

use crate::archive::Kind;

/// The name of the resource in an FMU.
pub const RESOURCE: &str = "model.bin";

/// What the bytes of a resource begin with.
const MAGIC: &[u8] = b"modeshift model 2\n";

/// A model with everything that was read for it.
#[derive(Clone, Debug)]
pub struct Resource {
    question: Question,
    bundle: Bundle,
    kind: Kind,
    /// What others integrate.
    exchange: Option<ExchangeShape>,
}

impl Resource {
    /// Loads a model and remembers what was read for it. One that others are to integrate must have states that all its modes have.
    pub fn of(question: &Question, kind: Kind) -> Result<(Resource, Loaded), NotMade> {
        let recording = Recording::default();
        let loaded = load_from(question, Arc::new(recording.clone())).map_err(NotMade::of)?;
        let exchange = if kind.has_model_exchange() { Some(shape(&loaded)?) } else { None };
        // Where the files are on this machine is nobody's business.
        let mut renamed = Vec::new();
        let mut question = question.clone();
        for (at, library) in question.libraries.iter_mut().enumerate() {
            let name = PathBuf::from(format!("library{at}"));
            renamed.push((std::mem::replace(library, name.clone()), name));
        }
        let bundle = recording.bundle();
        if let Some(path) = &mut question.source.path {
            let root = bundle.root_of(path.parent().unwrap_or(Path::new("")));
            let inside = path.strip_prefix(&root).unwrap_or(path);
            question.source.name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let renamed_path = Path::new("model").join(inside);
            *path = renamed_path;
            renamed.push((root, PathBuf::from("model")));
        }
        Ok((Resource { question, bundle: bundle.renamed(&renamed), kind, exchange }, loaded))
    }

    /// Who integrates.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// What others integrate, if they do.
    pub fn exchange(&self) -> Option<&ExchangeShape> {
        self.exchange.as_ref()
    }

    /// Loads the model.
    pub fn load(&self) -> Result<Loaded, Refusal> {
        load_from(&self.question, Arc::new(self.bundle.clone()))
    }

    /// As bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let Question { source, model, overrides, libraries, .. } = &self.question;
        let text = |path: &PathBuf| path.to_string_lossy().into_owned();
        let head = json!({
            "name": source.name,
            "text": source.text,
            "path": source.path.as_ref().map(text),
            "mel": source.dialect == Dialect::Mel,
            "class": model,
            "set": overrides,
            "libraries": libraries.iter().map(text).collect::<Vec<_>>(),
            "cosimulation": self.kind.has_co_simulation(),
            "exchange": self.exchange.as_ref().map(shape_as_json),
        });
        let head = head.to_string().into_bytes();
        [MAGIC, &(head.len() as u64).to_le_bytes(), &head, &self.bundle.to_bytes()].concat()
    }

    /// From bytes; nothing where they are none of a resource.
    pub fn from_bytes(bytes: &[u8]) -> Option<Resource> {
        let (length, rest) = bytes.strip_prefix(MAGIC)?.split_first_chunk()?;
        let length = usize::try_from(u64::from_le_bytes(*length)).ok()?;
        let (head, rest) = rest.split_at_checked(length)?;
        let head: Value = serde_json::from_slice(head).ok()?;
        let text = |key: &str| head[key].as_str().map(str::to_string);
        let pairs = head["set"].as_array()?.iter();
        let overrides = pairs.map(|pair| Some((pair[0].as_str()?.to_string(), pair[1].as_str()?.to_string())));
        let libraries = head["libraries"].as_array()?.iter().map(|path| path.as_str().map(PathBuf::from));
        let dialect = if head["mel"] == true { Dialect::Mel } else { Dialect::Modelica };
        let source =
            Source { name: text("name")?, path: text("path").map(PathBuf::from), text: text("text")?, dialect };
        let question = Question {
            source,
            model: text("class"),
            overrides: overrides.collect::<Option<_>>()?,
            libraries: libraries.collect::<Option<_>>()?,
            ..Question::default()
        };
        let exchange = match &head["exchange"] {
            Value::Null => None,
            shape => Some(shape_of_json(shape)?),
        };
        let kind = match (head["cosimulation"].as_bool()?, exchange.is_some()) {
            (true, false) => Kind::CoSimulation,
            (false, true) => Kind::ModelExchange,
            (true, true) => Kind::Both,
            (false, false) => return None,
        };
        Some(Resource { question, bundle: Bundle::from_bytes(rest)?, kind, exchange })
    }

    /// What tells it from others: the token of its FMU.
    pub fn token(&self) -> String {
        let hash = |seed: u64| {
            let mix = |state: u64, byte: &u8| (state ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
            self.to_bytes().iter().fold(seed, mix)
        };
        let (one, two) = (hash(0xcbf2_9ce4_8422_2325), hash(0x6c62_272e_07bb_0142));
        let text = format!("{one:016x}{two:016x}");
        let parts = [&text[..8], &text[8..12], &text[12..16], &text[16..20], &text[20..]];
        format!("{{{}}}", parts.join("-"))
    }
}

/// Why there is no FMU.
#[derive(Debug)]
pub struct NotMade {
    /// What was said.
    pub diagnostics: Diagnostics,
    /// The message as the command line shows it.
    pub text: String,
}

impl NotMade {
    fn of(refusal: Refusal) -> Self {
        NotMade { text: refusal.text(), diagnostics: refusal.diagnostics }
    }
}

/// What others integrate of a model, as it is found where a run begins.
fn shape(loaded: &Loaded) -> Result<ExchangeShape, NotMade> {
    let begun = loaded.with(&[]).map_err(NotMade::of)?.exchange(&RunOptions::default());
    let not_made = |diagnostics| NotMade { text: loaded.text(&diagnostics), diagnostics };
    begun.map(|(exchange, _)| exchange.shape().clone()).map_err(not_made)
}

fn shape_as_json(shape: &ExchangeShape) -> Value {
    let states = shape.states.iter().map(|it| json!([it.variable, it.order, it.nominal.to_bits()]));
    json!({ "indicators": shape.indicators, "states": states.collect::<Vec<_>>() })
}

fn shape_of_json(shape: &Value) -> Option<ExchangeShape> {
    let state = |it: &Value| {
        Some(ExchangeState {
            variable: it[0].as_str()?.to_string(),
            order: u32::try_from(it[1].as_u64()?).ok()?,
            nominal: f64::from_bits(it[2].as_u64()?),
        })
    };
    Some(ExchangeShape {
        states: shape["states"].as_array()?.iter().map(state).collect::<Option<_>>()?,
        indicators: usize::try_from(shape["indicators"].as_u64()?).ok()?,
    })
}
