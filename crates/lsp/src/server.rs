//! The loop of the server: one thread reads messages, one listens to the worker, this one answers. Nothing here waits for
//! an analysis.

use std::collections::{BTreeMap, VecDeque};
use std::io::{BufRead, Write};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;

use modeshift_driver::clock::Instant;
use modeshift_driver::{Dialect, Opened, Parsed};
use serde_json::{Value, json};

use crate::documents::{Document, path_of};
use crate::facts::Facts;
use crate::features::{self, diagnostics};
use crate::names::Names;

use crate::rpc::{Failure, failure, notification, read_message, response, write_message};
use crate::search::{Purpose, Search};
use crate::text::Encoding;
use crate::worker::process::{Processes, Program};
use crate::worker::{Analyst, Kind, Request, Said, Tell, Workers};

/// What the loop waits for.
enum Event {
    Message(Value),
    /// The client is gone.
    End,
    Worker(Said),
}

/// How the server is started.
pub struct Settings {
    /// How to start a worker.
    pub worker: Program,
    /// Where packages are looked for.
    pub libraries: Vec<PathBuf>,
}

/// A check that takes less is started with the keystroke; others wait for a pause in proportion.
const QUICK: Duration = Duration::from_millis(150);

/// The longest pause that is waited for.
const LONGEST_PAUSE: Duration = Duration::from_millis(400);

/// So long a search goes on before somebody else is heard: less than one notices.
const SLICE: Duration = Duration::from_millis(20);

/// What makes the places of a search those of texts that are no more.
const CHANGES: [&str; 3] = ["textDocument/didOpen", "textDocument/didChange", "textDocument/didClose"];

/// An analysis that takes longer than this is ended, and said to have been.
const LONGEST_ANALYSIS: Duration = Duration::from_secs(60);

/// Serves a client until it says `exit` or is gone. The result is whether it said goodbye.
pub fn serve(input: impl BufRead + Send + 'static, output: impl Write, settings: Settings) -> std::io::Result<bool> {
    let (sender, events) = channel();
    let reader = sender.clone();
    let read = move || read_all(input, &reader);
    std::thread::Builder::new().name("reader".into()).spawn(read)?;
    let tell: Tell = Arc::new(move |said| drop(sender.send(Event::Worker(said))));
    let workers = Processes::new(settings.worker, tell.clone());
    Server::new(Analyst::new(Box::new(workers), tell), settings.libraries, output).run(&events)
}

fn read_all(mut input: impl BufRead, sender: &Sender<Event>) {
    while let Ok(Some(message)) = read_message(&mut input) {
        // What is no JSON is skipped: its frame says where the next message starts.
        if let Ok(message) = message
            && sender.send(Event::Message(message)).is_err()
        {
            return;
        }
    }
    let _ = sender.send(Event::End);
}

/// A server without a loop of its own, where nothing may wait: messages are brought to it, and fetched.
pub struct Embedded {
    server: Server<Vec<u8>>,
    said: Receiver<Said>,
}

impl Embedded {
    /// With workers of its host.
    pub fn new(workers: Box<dyn Workers>) -> Self {
        let (sender, said) = channel();
        let tell: Tell = Arc::new(move |it| drop(sender.send(it)));
        Embedded { server: Server::new(Analyst::new(workers, tell), Vec::new(), Vec::new()), said }
    }

    /// Takes a message of the client: what there is to say.
    pub fn message(&mut self, message: &Value) -> Vec<Value> {
        // Memory takes everything that is written.
        let _ = self.server.message(message);
        self.go_on()
    }

    /// Takes what a worker said: what there is to say.
    pub fn worker_said(&mut self, said: Said) -> Vec<Value> {
        let _ = self.server.worker_said(said);
        self.go_on()
    }

    /// Does what is due: what there is to say.
    pub fn go_on(&mut self) -> Vec<Value> {
        self.server.go_on();
        while let Ok(said) = self.said.try_recv() {
            let _ = self.server.worker_said(said);
        }
        let mut output = std::io::Cursor::new(std::mem::take(&mut self.server.output));
        std::iter::from_fn(|| read_message(&mut output).ok()?).filter_map(Result::ok).collect()
    }

    /// How long to wait before something is due.
    pub fn time_to_wait(&self) -> Duration {
        self.server.time_to_wait()
    }
}

/// Everything the server knows.
pub struct Server<Output> {
    output: Output,
    documents: BTreeMap<String, Document>,
    /// The names that a document sees, of the text of this number.
    names: BTreeMap<String, (u64, Names)>,
    /// When a document is to be checked.
    due: BTreeMap<String, Instant>,
    analyst: Analyst,
    libraries: Vec<PathBuf>,
    parsed: Parsed,
    encoding: Encoding,
    state: State,
    last_check: Duration,
    /// What the client can do that decides how it is answered.
    client: Client,
    /// The folders that the client works in.
    folders: Vec<PathBuf>,
    /// Searches under way.
    searches: VecDeque<Search>,
}

/// What the client can do.
#[derive(Clone, Copy, Debug, Default)]
struct Client {
    refreshes_hints: bool,
    refreshes_lenses: bool,
    refreshes_tokens: bool,
    renames_files: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Starting,
    Running,
    ShutDown,
}

impl<Output: Write> Server<Output> {
    fn new(analyst: Analyst, libraries: Vec<PathBuf>, output: Output) -> Self {
        Server {
            output,
            documents: BTreeMap::new(),
            names: BTreeMap::new(),
            due: BTreeMap::new(),
            analyst,
            libraries,
            parsed: Parsed::default(),
            encoding: Encoding::default(),
            state: State::Starting,
            last_check: Duration::ZERO,
            client: Client::default(),
            folders: Vec::new(),
            searches: VecDeque::new(),
        }
    }

    fn run(mut self, events: &Receiver<Event>) -> std::io::Result<bool> {
        loop {
            match events.recv_timeout(self.time_to_wait()) {
                Ok(Event::Message(message)) => {
                    if message["method"] == json!("exit") {
                        return Ok(self.state == State::ShutDown);
                    }
                    self.message(&message)?;
                }
                Ok(Event::Worker(said)) => self.worker_said(said)?,
                Ok(Event::End) | Err(RecvTimeoutError::Disconnected) => return Ok(self.state == State::ShutDown),
                Err(RecvTimeoutError::Timeout) => {}
            }
            self.go_on();
        }
    }

    /// Does what is due.
    fn go_on(&mut self) {
        self.start_checks();
        self.end_what_takes_long();
        // What cannot be written is noticed with the next message.
        let _ = self.search_on();
    }

    /// Until something is due.
    fn time_to_wait(&self) -> Duration {
        if !self.searches.is_empty() {
            return Duration::ZERO;
        }
        let now = Instant::now();
        let next = self.due.values().map(|due| due.saturating_duration_since(now)).min();
        let longest = if self.analyst.is_idle() { Duration::from_secs(3600) } else { Duration::from_millis(100) };
        next.unwrap_or(longest).min(longest)
    }

    fn start_checks(&mut self) {
        let now = Instant::now();
        let ready: Vec<String> = self.due.iter().filter(|(_, due)| **due <= now).map(|(uri, _)| uri.clone()).collect();
        for uri in ready {
            self.due.remove(&uri);
            self.ask(&uri, Kind::Check, json!({}));
        }
    }

    fn end_what_takes_long(&mut self) {
        let documents = &self.documents;
        self.analyst.give_up_on(|request| {
            documents.get(&request.uri).is_none_or(|document| document.changes != request.changes)
        });
        if self.analyst.running().is_some_and(|(_, since)| since.elapsed() > LONGEST_ANALYSIS) {
            self.analyst.end();
            let ended = self.analyst.ended();
            if let Some(request) = ended {
                // What cannot be written is noticed with the next message.
                let _ = self.worker_ended(&request, "the analysis took longer than a minute and was ended");
            }
        }
    }

    /// Asks the worker about a document.
    fn ask(&mut self, uri: &str, kind: Kind, more: Value) {
        let Some(document) = self.documents.get(uri) else { return };
        let mut body = json!({
            "name": document.path.as_ref().map_or(uri.to_string(), |path| path.display().to_string()),
            "path": document.path.as_ref().and_then(|path| path.to_str()),
            "text": document.text.as_str(),
            "mel": document.dialect == Dialect::Mel,
            "model": document.model,
            "utf8": self.encoding == Encoding::Utf8,
            "libraries": self.libraries.iter().filter_map(|path| path.to_str()).collect::<Vec<_>>(),
        });
        body["opened"] = json!(self.others(uri).collect::<BTreeMap<_, _>>());
        for (name, value) in more.as_object().into_iter().flatten() {
            body[name] = value.clone();
        }
        self.analyst.ask(Request { kind, uri: uri.to_string(), changes: document.changes, body });
    }

    /// The same, as files.
    fn opened(&self, uri: &str) -> Opened {
        self.others(uri).map(|(path, text)| (PathBuf::from(path), text.to_string())).collect()
    }

    /// The paths and texts of the other documents, which stand for their files.
    fn others<'s>(&'s self, uri: &'s str) -> impl Iterator<Item = (&'s str, &'s str)> {
        let others = self.documents.iter().filter(move |(other, _)| *other != uri).map(|(_, document)| document);
        others.filter_map(|document| Some((document.path.as_ref()?.to_str()?, document.text.as_str())))
    }

    /// Looks at the other documents again, which may use this one, in the next pause.
    fn renew_users_of(&mut self, uri: &str) {
        if path_of(uri).is_some() {
            self.names.retain(|other, _| other == uri);
            for user in self.documents.keys().filter(|other| *other != uri).cloned().collect::<Vec<_>>() {
                self.check_soon(&user, LONGEST_PAUSE);
            }
        }
    }

    fn worker_said(&mut self, said: Said) -> std::io::Result<()> {
        let Some((request, time, answer)) = self.analyst.answered(said) else { return Ok(()) };
        let Some(answer) = answer else {
            return self.worker_ended(&request, "the analysis of this text ended in a fault of the program");
        };
        match &request.kind {
            Kind::Check => {
                self.last_check = time;
                let Some(document) = self.documents.get_mut(&request.uri) else { return Ok(()) };
                if document.changes != request.changes {
                    return Ok(());
                }
                document.published = diagnostics::published(document, &answer);
                self.publish(&request.uri)?;
                self.ask(&request.uri, Kind::Facts, json!({}));
                Ok(())
            }
            Kind::Facts => {
                let Some(document) = self.documents.get_mut(&request.uri) else { return Ok(()) };
                // Facts of an earlier text are better than none: they are shown where it did not change.
                if !answer["facts"].is_null() {
                    document.facts = Some(Facts::new(request.changes, answer["facts"].clone()));
                    self.refresh()?;
                }
                Ok(())
            }
            Kind::Summary(id) => {
                let lens = features::lens::resolved(&request.body, answer["summary"].as_str());
                self.write(&response(id, lens))
            }
            Kind::Repairs(id) => {
                let result = match self.documents.get(&request.uri) {
                    Some(document) if document.changes == request.changes => {
                        features::actions::actions(document, &answer)
                    }
                    _ => json!([]),
                };
                self.write(&response(id, result))
            }
        }
    }

    /// Says that there is no answer, and why.
    fn worker_ended(&mut self, request: &Request, message: &str) -> std::io::Result<()> {
        match &request.kind {
            Kind::Check => {
                if let Some(document) = self.documents.get_mut(&request.uri) {
                    document.published = vec![diagnostics::without_analysis(document, message)];
                    self.publish(&request.uri)?;
                }
                Ok(())
            }
            Kind::Facts => Ok(()),
            Kind::Summary(id) | Kind::Repairs(id) => self.write(&failure(id, Failure::refused(message))),
        }
    }

    fn publish(&mut self, uri: &str) -> std::io::Result<()> {
        let Some(document) = self.documents.get(uri) else { return Ok(()) };
        let parameters = json!({"uri": uri, "version": document.version, "diagnostics": document.published});
        self.write(&notification("textDocument/publishDiagnostics", parameters))
    }

    /// Asks the client to ask again for what is shown beside the text.
    fn refresh(&mut self) -> std::io::Result<()> {
        let Client { refreshes_hints, refreshes_lenses, refreshes_tokens, .. } = self.client;
        let methods = [
            (refreshes_hints, "workspace/inlayHint/refresh"),
            (refreshes_lenses, "workspace/codeLens/refresh"),
            (refreshes_tokens, "workspace/semanticTokens/refresh"),
        ];
        for (_, method) in methods.into_iter().filter(|(wanted, _)| *wanted) {
            self.write(&json!({"jsonrpc": "2.0", "id": method, "method": method}))?;
        }
        Ok(())
    }

    fn write(&mut self, message: &Value) -> std::io::Result<()> {
        write_message(&mut self.output, message)
    }

    fn message(&mut self, message: &Value) -> std::io::Result<()> {
        let Some(method) = message["method"].as_str() else { return Ok(()) };
        let parameters = &message["params"];
        let Some(id) = message.get("id") else {
            return self.notified(method, parameters);
        };
        let result = match (self.state, method) {
            (State::Starting, "initialize") => Ok(Some(self.initialize(parameters))),
            (State::Starting, _) => Err(Failure::not_initialized()),
            (State::ShutDown, _) => Err(Failure::invalid_request("the server was told to shut down")),
            (_, "initialize") => Err(Failure::invalid_request("`initialize` comes once")),
            (_, "shutdown") => {
                self.state = State::ShutDown;
                Ok(Some(Value::Null))
            }
            _ => self.request(method, id, parameters),
        };
        match result {
            Ok(Some(result)) => self.write(&response(id, result)),
            Ok(None) => Ok(()),
            Err(error) => self.write(&failure(id, error)),
        }
    }

    fn initialize(&mut self, parameters: &Value) -> Value {
        self.state = State::Running;
        let capabilities = &parameters["capabilities"];
        let encodings = capabilities["general"]["positionEncodings"].as_array();
        if encodings.is_some_and(|known| known.iter().any(|it| it == "utf-8")) {
            self.encoding = Encoding::Utf8;
        }
        let refreshes = |what: &str| capabilities["workspace"][what]["refreshSupport"] == json!(true);
        self.client = Client {
            refreshes_hints: refreshes("inlayHint"),
            refreshes_lenses: refreshes("codeLens"),
            refreshes_tokens: refreshes("semanticTokens"),
            renames_files: renames_files(&capabilities["workspace"]["workspaceEdit"]),
        };
        let folders = parameters["workspaceFolders"].as_array().map_or(&[][..], Vec::as_slice);
        let folders = folders.iter().map(|folder| &folder["uri"]).chain([&parameters["rootUri"]]);
        self.folders = folders.filter_map(|uri| path_of(uri.as_str()?)).collect();
        let wanted = parameters["initializationOptions"]["libraries"].as_array().into_iter().flatten();
        let wanted: Vec<PathBuf> = wanted.filter_map(|it| it.as_str().map(PathBuf::from)).collect();
        self.libraries.splice(0..0, wanted.into_iter().filter(|path| path.is_dir()));
        features::capabilities(self.encoding)
    }

    fn notified(&mut self, method: &str, parameters: &Value) -> std::io::Result<()> {
        let uri = parameters["textDocument"]["uri"].as_str().unwrap_or_default();
        if CHANGES.contains(&method) {
            self.end_searches()?;
        }
        match method {
            "textDocument/didOpen" => {
                let item = &parameters["textDocument"];
                let text = item["text"].as_str().unwrap_or_default().to_string();
                let version = item["version"].as_i64().unwrap_or(0);
                let document = Document::new(uri, version, text, self.encoding);
                self.documents.insert(uri.to_string(), document);
                self.names.remove(uri);
                self.check_soon(uri, Duration::ZERO);
                self.renew_users_of(uri);
            }
            "textDocument/didChange" => {
                let changes = parameters["contentChanges"].as_array().map_or(&[][..], Vec::as_slice);
                let version = parameters["textDocument"]["version"].as_i64().unwrap_or(0);
                if let Some(document) = self.documents.get_mut(uri) {
                    document.change(version, changes);
                    let pause = if self.last_check < QUICK { Duration::ZERO } else { self.last_check };
                    self.check_soon(uri, pause.min(LONGEST_PAUSE));
                    self.renew_users_of(uri);
                }
            }
            "textDocument/didClose" => {
                self.documents.remove(uri);
                self.names.remove(uri);
                self.due.remove(uri);
                self.renew_users_of(uri);
                let nothing = json!({"uri": uri, "diagnostics": []});
                self.write(&notification("textDocument/publishDiagnostics", nothing))?;
            }
            // Not of the protocol: which of its models a client shows.
            "modeshift/model" => {
                let model = parameters["model"].as_str().filter(|name| !name.is_empty()).map(str::to_string);
                if let Some(document) = self.documents.get_mut(uri) {
                    document.look_at(model);
                    self.check_soon(uri, Duration::ZERO);
                }
            }
            // Other documents may use what was saved.
            "textDocument/didSave" | "workspace/didChangeWatchedFiles" => {
                self.names.clear();
                for uri in self.documents.keys().cloned().collect::<Vec<_>>() {
                    self.check_soon(&uri, Duration::ZERO);
                }
            }
            "$/cancelRequest" if self.searches.iter().any(|it| it.id == parameters["id"]) => {
                self.searches.retain(|it| it.id != parameters["id"]);
                self.write(&failure(&parameters["id"], Failure::cancelled()))?;
            }
            "$/cancelRequest" if self.analyst.forget(&parameters["id"]) => {
                self.write(&failure(&parameters["id"], Failure::cancelled()))?;
            }
            _ => {}
        }
        Ok(())
    }

    fn check_soon(&mut self, uri: &str, pause: Duration) {
        self.due.insert(uri.to_string(), Instant::now() + pause);
    }

    /// The answer to a request; nothing where it comes later.
    fn request(&mut self, method: &str, id: &Value, parameters: &Value) -> Result<Option<Value>, Failure> {
        use crate::features::{
            completion, folding, hints, hover, layout, lens, models, places, signature, symbols, tokens,
        };
        let needs = METHODS.iter().find(|(known, _)| *known == method).map(|(_, needs)| *needs);
        check_parameters(needs.ok_or_else(|| Failure::unknown_method(method))?, parameters)?;
        if method == "codeLens/resolve" {
            return self.resolve_lens(id, parameters);
        }
        let uri = parameters["textDocument"]["uri"].as_str().unwrap_or_default();
        if matches!(method, "textDocument/references" | "textDocument/rename") {
            return self.places_everywhere(method, uri, id, parameters);
        }
        if !self.documents.contains_key(uri) {
            return Ok(Some(Value::Null));
        }
        if method == "textDocument/codeAction" {
            return Ok(self.ask_for_actions(uri, id, parameters));
        }
        let (document, names) = self.document(uri).ok_or_else(Failure::cancelled)?;
        let offset = document.text.offset(&parameters["position"]);
        Ok(Some(match method {
            "textDocument/hover" => hover::hover(document, names, offset),
            "textDocument/definition" | "textDocument/declaration" => places::definition(document, names, offset),
            "textDocument/typeDefinition" => places::type_definition(document, names, offset),
            "textDocument/documentHighlight" => places::highlights(document, names, offset),
            "textDocument/prepareRename" => places::prepare_rename(document, names, offset)?,
            "textDocument/documentSymbol" => symbols::symbols(document),
            "textDocument/foldingRange" => folding::ranges(document),
            "textDocument/semanticTokens/full" => tokens::tokens(document, None),
            "textDocument/semanticTokens/range" => tokens::tokens(document, Some(&parameters["range"])),
            "textDocument/completion" => completion::completion(document, names, offset),
            "textDocument/signatureHelp" => signature::help(document, names, offset),
            "textDocument/formatting" => layout::formatting(document, None),
            "textDocument/rangeFormatting" => layout::formatting(document, Some(&parameters["range"])),
            "textDocument/codeLens" => lens::lenses(document),
            // Not of the protocol: what a client can choose from.
            "modeshift/models" => models::listed(document),
            "textDocument/inlayHint" => hints::hints(document, &parameters["range"]),
            _ => return Err(Failure::unknown_method(method)),
        }))
    }

    /// A document and the names it sees.
    fn document(&mut self, uri: &str) -> Option<(&Document, &mut Names)> {
        let document = self.documents.get(uri)?;
        if self.names.get(uri).is_none_or(|(changes, _)| *changes != document.changes) {
            let names = Names::new(document, &self.libraries, &self.parsed, &self.opened(uri));
            self.names.insert(uri.to_string(), (document.changes, names));
        }
        self.names.get_mut(uri).map(|(_, names)| (document, names))
    }

    /// References and renaming look at all open documents, and at the files of the package and of the folders: these one after the
    /// other, while other requests are answered. Nothing where the answer comes later.
    fn places_everywhere(
        &mut self,
        method: &str,
        uri: &str,
        id: &Value,
        parameters: &Value,
    ) -> Result<Option<Value>, Failure> {
        use crate::features::{places, replacements};
        let renames_files = self.client.renames_files;
        let Some((document, names)) = self.document(uri) else { return Ok(Some(Value::Null)) };
        let offset = document.text.offset(&parameters["position"]);
        let is_rename = method == "textDocument/rename";
        let new_name = parameters["newName"].as_str().unwrap_or_default();
        let mut file = None;
        if is_rename {
            places::can_be_renamed(document, names, offset, new_name)?;
            file = places::file_to_rename(document, names, offset, new_name)?;
            if file.is_some() && !renames_files {
                return Err(Failure::refused(
                    "the file of this class is called so too, and this editor does not rename files",
                ));
            }
        }
        let Some(target) = places::target(document, names, offset) else { return Ok(Some(Value::Null)) };
        if let Some(alias) = places::alias(document, names, offset).filter(|_| is_rename) {
            return places::renaming_of_alias(document, names, &target, &alias, new_name).map(Some);
        }
        let open: Vec<String> = self.documents.keys().cloned().collect();
        let mut found = Vec::new();
        for uri in &open {
            if let Some((document, names)) = self.document(uri) {
                let places = places::occurrences(document, names, &target);
                if is_rename {
                    places::no_capture(document, names, &target, new_name, !places.is_empty())?;
                    replacements::no_partner(document, names, &target)?;
                }
                found.push((uri.clone(), places));
            }
        }
        let is_open = |path: &std::path::Path| open.iter().any(|uri| path_of(uri).is_some_and(|it| it == path));
        let (files, is_all) = places::files_around(&target, &self.folders);
        if is_rename && !is_all {
            return Err(Failure::refused("there are too many files around to look into all of them"));
        }
        let files: VecDeque<PathBuf> = files.into_iter().filter(|path| !is_open(path)).collect();
        let purpose = match is_rename {
            true => Purpose::Rename { new_name: new_name.to_string(), file },
            false => {
                Purpose::References { with_declaration: parameters["context"]["includeDeclaration"] != json!(false) }
            }
        };
        let search = Search { id: id.clone(), target, purpose, found, files, opened: self.opened("") };
        if search.files.is_empty() {
            return Ok(Some(search.answer()));
        }
        self.searches.push_back(search);
        Ok(None)
    }

    /// Looks into files for a little while.
    fn search_on(&mut self) -> std::io::Result<()> {
        let begin = Instant::now();
        while let Some(search) = self.searches.front_mut().filter(|_| begin.elapsed() < SLICE) {
            let Some(path) = search.files.pop_front() else {
                let search = self.searches.pop_front().expect("the first one");
                self.write(&response(&search.id.clone(), search.answer()))?;
                continue;
            };
            if let Err(refusal) = search.look_into(&path, self.encoding, &self.libraries, &self.parsed) {
                let search = self.searches.pop_front().expect("the first one");
                self.write(&failure(&search.id, refusal))?;
            }
        }
        Ok(())
    }

    /// What was found so far are places of texts as they were.
    fn end_searches(&mut self) -> std::io::Result<()> {
        while let Some(search) = self.searches.pop_front() {
            self.write(&failure(&search.id, Failure::modified()))?;
        }
        Ok(())
    }

    /// Code actions need tried-out edits, which the worker has; without diagnostics in the range there are none.
    fn ask_for_actions(&mut self, uri: &str, id: &Value, parameters: &Value) -> Option<Value> {
        let document = self.documents.get(uri)?;
        let range = &parameters["range"];
        let (from, to) = (document.text.offset(&range["start"]), document.text.offset(&range["end"]));
        if !diagnostics::any_in(document, from, to) {
            return Some(json!([]));
        }
        self.ask(uri, Kind::Repairs(id.clone()), json!({"from": from, "to": to}));
        None
    }

    fn resolve_lens(&mut self, id: &Value, lens: &Value) -> Result<Option<Value>, Failure> {
        let (uri, model) = (&lens["data"]["uri"], &lens["data"]["model"]);
        let uri = uri.as_str().unwrap_or_default().to_string();
        let Some(document) = self.documents.get(&uri) else {
            return Ok(Some(features::lens::resolved(&json!({"lens": lens}), None)));
        };
        if let Some(facts) = document.facts.as_ref().filter(|facts| facts.model() == model.as_str().unwrap_or_default())
        {
            return Ok(Some(features::lens::resolved(&json!({"lens": lens}), Some(facts.summary()))));
        }
        self.ask(&uri, Kind::Summary(id.clone()), json!({"model": model, "lens": lens}));
        Ok(None)
    }
}

/// What the parameters of a method have to have beside the document.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Needs {
    /// Nothing.
    Document,
    /// A place in it.
    Position,
    /// A place, and what to call what is there.
    NewName,
    /// A piece of it.
    Range,
    /// They are a lens that was given before.
    Lens,
}

/// The methods that are answered, and what each needs.
const METHODS: [(&str, Needs); 21] = [
    ("codeLens/resolve", Needs::Lens),
    ("modeshift/models", Needs::Document),
    ("textDocument/codeAction", Needs::Range),
    ("textDocument/codeLens", Needs::Document),
    ("textDocument/completion", Needs::Position),
    ("textDocument/declaration", Needs::Position),
    ("textDocument/definition", Needs::Position),
    ("textDocument/documentHighlight", Needs::Position),
    ("textDocument/documentSymbol", Needs::Document),
    ("textDocument/foldingRange", Needs::Document),
    ("textDocument/formatting", Needs::Document),
    ("textDocument/hover", Needs::Position),
    ("textDocument/inlayHint", Needs::Range),
    ("textDocument/prepareRename", Needs::Position),
    ("textDocument/rangeFormatting", Needs::Range),
    ("textDocument/references", Needs::Position),
    ("textDocument/rename", Needs::NewName),
    ("textDocument/semanticTokens/full", Needs::Document),
    ("textDocument/semanticTokens/range", Needs::Range),
    ("textDocument/signatureHelp", Needs::Position),
    ("textDocument/typeDefinition", Needs::Position),
];

/// Refuses parameters that lack what is needed.
fn check_parameters(needs: Needs, parameters: &Value) -> Result<(), Failure> {
    let is_position = |place: &Value| ["line", "character"].iter().all(|name| place[*name].is_u64());
    let has_position = || is_position(&parameters["position"]);
    let missing = match needs {
        Needs::Lens if !parameters.is_object() => Some("names"),
        Needs::Lens => None,
        _ if !parameters["textDocument"]["uri"].is_string() => Some("`textDocument.uri`"),
        Needs::Position | Needs::NewName if !has_position() => Some("`position`"),
        Needs::NewName if !parameters["newName"].is_string() => Some("`newName`"),
        Needs::Range if !["start", "end"].iter().all(|end| is_position(&parameters["range"][*end])) => Some("`range`"),
        Needs::Document | Needs::Position | Needs::NewName | Needs::Range => None,
    };
    missing.map_or(Ok(()), |expected| Err(Failure::invalid_parameters(expected)))
}

/// Whether an edit may rename files too.
fn renames_files(edits: &Value) -> bool {
    let operations = edits["resourceOperations"].as_array().into_iter().flatten();
    edits["documentChanges"] == json!(true) && operations.into_iter().any(|it| it == "rename")
}
