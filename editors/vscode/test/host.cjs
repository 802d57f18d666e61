// A stand-in for the editor: what the extension and the language client ask of `vscode`, noted and answered.

const { pathToFileURL, fileURLToPath } = require('node:url');
const Module = require('node:module');

class Disposable {
  constructor(end = () => {}) { this.end = end; }
  dispose() { this.end(); }
}

class EventEmitter {
  listeners = new Set();
  event = (listener) => { this.listeners.add(listener); return new Disposable(() => this.listeners.delete(listener)); };
  fire(value) { for (const listener of this.listeners) listener(value); }
  dispose() { this.listeners.clear(); }
}

class Uri {
  constructor(url) { this.url = url; }
  static parse(text) { return new Uri(new URL(text)); }
  static file(path) { return new Uri(pathToFileURL(path)); }
  get scheme() { return this.url.protocol.slice(0, -1); }
  get fsPath() { return fileURLToPath(this.url); }
  get path() { return this.url.pathname; }
  toString() { return this.url.href; }
}

class Position { constructor(line, character) { Object.assign(this, { line, character }); } }
class Range {
  constructor(...ends) {
    const [startLine, startCharacter, endLine, endCharacter] = ends;
    const [start, end] = ends.length === 2 ? ends : [new Position(startLine, startCharacter), new Position(endLine, endCharacter)];
    Object.assign(this, { start, end });
  }
}
class Diagnostic { constructor(range, message, severity) { Object.assign(this, { range, message, severity }); } }

/** Classes that are only ever derived from or made, and enumerations that are only ever looked up. */
const other = () => new Proxy(class {}, {
  get: (target, name) => (name in target || typeof name === 'symbol' ? target[name] : String(name)),
});

/** Whatever is asked for and not given: events that nobody fires, registrations that are noted. */
const open = (given, noted, prefix) => new Proxy(given, {
  get(target, name) {
    if (name in target || typeof name === 'symbol') return target[name];
    if (/^on[A-Z]/.test(name)) return (target[name] = new EventEmitter().event);
    return (target[name] = (...values) => { noted.push([`${prefix}.${name}`, ...values]); return new Disposable(); });
  },
});

/** The stand-in, and what the extension did to it. */
exports.host = (configuration) => {
  const state = { commands: new Map(), executed: [], messages: [], diagnostics: new Map(), documents: [], noted: [], folder: null };
  const events = { opened: new EventEmitter(), changed: new EventEmitter(), closed: new EventEmitter() };
  const output = () => open({ appendLine: (line) => state.noted.push(['output', line]), append() {}, dispose() {} }, state.noted, 'output');
  const said = (kind) => async (text) => { state.messages.push(`${kind}: ${text}`); };
  const given = {
    version: '1.82.0',
    Disposable, EventEmitter, Uri, Position, Range, Diagnostic,
    CancellationTokenSource: class { token = { isCancellationRequested: false, onCancellationRequested: new EventEmitter().event }; cancel() {} dispose() {} },
    CancellationError: class extends Error {},
    DiagnosticSeverity: { Error: 0, Warning: 1, Information: 2, Hint: 3 },
    ViewColumn: { Beside: -2 },
    env: { asExternalUri: async (uri) => uri, language: 'en', appName: 'host' },
    commands: {
      registerCommand: (name, action) => { state.commands.set(name, action); return new Disposable(() => state.commands.delete(name)); },
      executeCommand: async (name, ...values) => { state.executed.push([name, ...values]); return state.commands.get(name)?.(...values); },
    },
    window: open({
      showErrorMessage: said('error'), showWarningMessage: said('warning'), showInformationMessage: said('info'),
      createOutputChannel: output, visibleTextEditors: [], activeTextEditor: undefined,
      tabGroups: open({ all: [] }, state.noted, 'tabs'),
    }, state.noted, 'window'),
    workspace: open({
      get textDocuments() { return state.documents; },
      get workspaceFolders() { return state.folder ? [{ uri: Uri.file(state.folder), name: 'folder', index: 0 }] : undefined; },
      getWorkspaceFolder: () => (state.folder ? { uri: Uri.file(state.folder), name: 'folder', index: 0 } : undefined),
      getConfiguration: () => ({ get: (name, otherwise) => configuration[name] ?? otherwise, inspect: () => undefined }),
      createFileSystemWatcher: () => open({ dispose() {} }, state.noted, 'watcher'),
      onDidOpenTextDocument: events.opened.event, onDidChangeTextDocument: events.changed.event, onDidCloseTextDocument: events.closed.event,
      notebookDocuments: [], isTrusted: true,
    }, state.noted, 'workspace'),
    languages: open({
      match: (selector, document) => [selector].flat().some((it) => (it.language ?? it) === document.languageId) ? 10 : 0,
      createDiagnosticCollection: () => ({
        set: (uri, found) => state.diagnostics.set(uri.toString(), found), delete: (uri) => state.diagnostics.delete(uri.toString()),
        clear: () => state.diagnostics.clear(), has: (uri) => state.diagnostics.has(uri.toString()), dispose() {},
      }),
    }, state.noted, 'languages'),
  };
  const vscode = new Proxy(given, { get: (target, name) => (name in target || typeof name === 'symbol' ? target[name] : (target[name] = other())) });

  /** Opens a text as an editor does. */
  state.open = (path, text) => {
    const uri = Uri.file(path);
    const document = { uri, fileName: path, languageId: 'modelica', version: 1, isDirty: false, getText: () => text, save: async () => { document.isDirty = false; state.saved = path; return true; } };
    state.documents.push(document);
    given.window.activeTextEditor = { document };
    events.opened.fire(document);
    return document;
  };

  const resolve = Module._resolveFilename;
  Module._resolveFilename = (name, ...rest) => (name === 'vscode' ? 'vscode' : resolve(name, ...rest));
  require.cache.vscode = { id: 'vscode', filename: 'vscode', loaded: true, exports: vscode };
  return state;
};
