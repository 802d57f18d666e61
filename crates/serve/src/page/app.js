// The page: which file, which model, which view; and what the views share: the source, the run, the mode.

import { ask, element, get } from './client.js';
import { isAlone, request } from './backend.js';
import { packed, unpacked } from './link.js';
import { Editor } from './editor.js';
import { Structure } from './structure.js';
import { Changes } from './changes.js';
import { Simulation } from './simulation.js';
import { Others } from './others.js';

const $ = (selector) => document.querySelector(selector);

const theme = matchMedia('(prefers-color-scheme: dark)');
function useTheme(name) {
  document.documentElement.dataset.theme = name;
  dispatchEvent(new Event('repaint'));
}
useTheme(localStorage.getItem('theme') ?? (theme.matches ? 'dark' : 'light'));
theme.addEventListener('change', () => { if (!localStorage.getItem('theme')) useTheme(theme.matches ? 'dark' : 'light'); });
$('#theme').addEventListener('click', () => {
  const next = document.documentElement.dataset.theme === 'dark' ? 'light' : 'dark';
  localStorage.setItem('theme', next);
  useTheme(next);
});

/** What all views see. */
const app = {
  file: '', example: true, text: '', model: '', version: 0, saved: null,
  get source() { return { file: this.file, example: this.example, text: this.text, model: this.model }; },
  showSource: (span) => { if (span && span.file.endsWith(app.file)) editor.showLine(span.line, span.column); },
  /** A mode that a run was in, to be shown in the structure. */
  showMode: (values) => { views.structure.showSpan(); views.structure.useMode(values); },
  runChanged: (run) => views.structure.useRun(run),
};

const views = {
  structure: new Structure($('#structure'), app),
  changes: new Changes($('#changes'), app),
  simulation: new Simulation($('#simulation'), app),
  others: new Others($('#others'), app),
};
let shown = 'structure';

function refresh() {
  if (isGone) return;
  app.version += 1;
  for (const view of Object.values(views)) view.stale = true;
  views[shown].refresh();
}

function show(name) {
  shown = name;
  for (const tab of document.querySelectorAll('[role="tab"]')) {
    const own = tab.getAttribute('aria-controls') === name;
    tab.setAttribute('aria-selected', String(own));
    tab.tabIndex = own ? 0 : -1;
    $(`#${tab.getAttribute('aria-controls')}`).hidden = !own;
  }
  if (views[name].stale) views[name].refresh();
  dispatchEvent(new Event('repaint'));
}

const tabs = [...document.querySelectorAll('[role="tab"]')];
tabs.forEach((tab, at) => {
  tab.addEventListener('click', () => show(tab.getAttribute('aria-controls')));
  tab.addEventListener('keydown', (event) => {
    const move = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!move) return;
    const next = tabs[(at + move + tabs.length) % tabs.length];
    next.focus();
    next.click();
  });
});

let pause;
let isGone = false;
let isJudged = true;
const editor = new Editor($('#editor'), {
  changed: (text) => {
    app.text = text;
    mayBeSaved(true);
    // What was said is of the text before.
    if (isJudged) $('#verdict').textContent = '';
    clearTimeout(pause);
    pause = setTimeout(() => { listModels().catch(() => {}); refresh(); }, 600);
  },
  judged: (diagnostics) => {
    const errors = diagnostics.filter((it) => it.severity === 1).length;
    const verdict = $('#verdict');
    if (isGone) return;
    verdict.classList.toggle('bad', errors > 0);
    if (errors > 0) verdict.textContent = errors === 1 ? '1 error' : `${errors} errors`;
    else if (verdict.textContent.includes('error') || !verdict.textContent) verdict.textContent = 'all well';
  },
  gone: (outcome) => {
    isJudged = false;
    if (outcome === 'ended') {
      tell(new Error('The language server ends over this text: nothing is judged until the page is loaded again.'));
      return;
    }
    isGone = true;
    tell(new Error('The server is gone: nothing is judged or saved any more. Keep your text, and start it again.'));
  },
});

/** The models of the text, for the choice of one: who reads the text as the program does says them. */
async function listModels() {
  const { file, text } = app;
  const models = await editor.models();
  // Another text is asked about by whoever brought it.
  if (app.file !== file || app.text !== text) return;
  const names = models.map((it) => it.name);
  const usual = models.find((it) => it.isDefault)?.name;
  $('#model').replaceChildren(
    element('option', { value: '' }, usual ? `${usual} (default)` : '(default)'),
    ...names.map((name) => element('option', { value: name }, name)));
  if (app.model && !names.includes(app.model)) { choose(''); refresh(); }
  $('#model').value = app.model;
}

/** The model that all views show, and the editor judges. */
function choose(model) {
  if (app.model === model) return;
  app.model = model;
  if (isJudged) $('#verdict').textContent = '';
  editor.lookAt(model);
}

/** Texts of files that were changed and not saved, while another file is shown, with the versions that were read. */
const unsaved = new Map();
const isUnsaved = () => Boolean(app.file) && !app.example && !isAlone && !$('#save').disabled;
addEventListener('beforeunload', (event) => { if (isUnsaved() || unsaved.size) event.preventDefault(); });

/** A file with its version, by which it is told whether somebody else wrote it meanwhile. */
async function read(file, example) {
  const response = await get(example ? `api/example?name=${encodeURIComponent(file)}` : `api/file?path=${encodeURIComponent(file)}`);
  return { text: await response.text(), saved: response.headers.get('ETag') };
}

async function open(file, example, given = null) {
  const kept = example ? undefined : unsaved.get(file);
  // What cannot be read leaves the file that is shown, with its text.
  const { text, saved } = given !== null ? { text: given, saved: null } : kept ?? await read(file, example);
  if (isUnsaved()) unsaved.set(app.file, { text: app.text, saved: app.saved });
  if (!example) unsaved.delete(file);
  $('#conflict').hidden = true;
  Object.assign(app, { file, example, model: '', text, saved });
  // What is asked about the file before is of no use any more.
  app.version += 1;
  views.simulation.reset();
  $('#save').hidden = example || isAlone;
  mayBeSaved(kept !== undefined);
  $('#verdict').textContent = '';
  $('#model').replaceChildren(element('option', { value: '' }, '(default)'));
  const directory = example ? 'example:' : `file://${encodeURI(app.directory)}`;
  await editor.open(`${directory}/${encodeURI(file)}`, app.text);
  refresh();
  await listModels().catch(() => {});
}

$('#model').addEventListener('change', (event) => { choose(event.target.value); views.simulation.reset(); refresh(); });
$('#file').addEventListener('change', (event) => {
  const [kind, ...rest] = event.target.value.split(':');
  open(rest.join(':'), kind === 'example').catch((error) => {
    event.target.value = `${app.example ? 'example' : 'file'}:${app.file}`;
    tell(error);
  });
});
function mayBeSaved(changed) {
  $('#save').disabled = !changed;
  $('#save').textContent = changed ? 'Save' : 'Saved';
}

async function save(known = app.saved) {
  const { file, text } = app;
  // A file that was not there when it was opened has no version.
  const headers = known ? { 'If-Match': known } : {};
  const response = await request(`api/file?path=${encodeURIComponent(file)}`, { method: 'PUT', body: text, headers });
  const isShown = app.file === file && !app.example;
  if (response.status === 412 && isShown) objectTo(await response.text());
  else if (!response.ok) tell(new Error(await response.text()));
  else if (isShown) {
    editor.server.notify('textDocument/didSave', { textDocument: { uri: editor.server.uri } });
    app.saved = response.headers.get('ETag');
    $('#conflict').hidden = true;
    // What was typed since is not saved.
    mayBeSaved(app.text !== text);
  } else if (unsaved.get(file)?.text === text) unsaved.delete(file);
}
$('#save').addEventListener('click', () => save().catch(tell));

/** Two texts of one file: which one counts is for the user to say. */
function objectTo(message) {
  $('#conflict span').textContent = `${message.trim()}. What you see here is not saved.`;
  $('#conflict').hidden = false;
}
$('#overwrite').addEventListener('click', () => save('*').catch(tell));
$('#reload').addEventListener('click', () => {
  mayBeSaved(false);
  open(app.file, false).catch((error) => { mayBeSaved(true); tell(error); });
});

/** Whoever comes back from another program may have written the file there. */
async function lookAgain() {
  if (!app.file || app.example || isAlone || isGone) return;
  const { file } = app;
  const now = await read(file, false);
  if (app.file !== file || app.example || now.saved === app.saved) return;
  if (isUnsaved()) objectTo(`\`${file}\` was changed outside since it was opened`);
  else await open(file, false, null);
}
addEventListener('focus', () => lookAgain().catch(() => {}));

/** Without a server the address is the place to keep a model: it is in the fragment, which no browser sends. */
async function link() {
  const fragment = new URLSearchParams({ file: app.file, text: await packed(app.text), model: app.model, view: shown });
  location.replace(`#${fragment}`);
  await navigator.clipboard?.writeText(location.href).catch(() => {});
  $('#link').textContent = 'Linked';
  setTimeout(() => { $('#link').textContent = 'Link'; }, 1500);
}
$('#link').hidden = !isAlone;
$('#link').addEventListener('click', () => link().catch(tell));
addEventListener('keydown', (event) => {
  if ((event.ctrlKey || event.metaKey) && event.key === 's') { event.preventDefault(); if (isAlone) link().catch(tell); else if (!app.example) save().catch(tell); }
  if ((event.ctrlKey || event.metaKey) && event.key === 'Enter') { event.preventDefault(); show('simulation'); views.simulation.run(); }
});

function tell(error) {
  $('#verdict').classList.add('bad');
  $('#verdict').textContent = error.message;
}

async function start() {
  const files = await (await get('api/files')).json();
  app.directory = files.directory ?? '';
  const group = (label, kind, names) => (names.length ? element('optgroup', { label }, names.map((name) => element('option', { value: `${kind}:${name}` }, name))) : null);
  $('#file').append(...[group('Files', 'file', files.files), group('Examples', 'example', files.examples)].filter(Boolean));
  // The editor and the command line may say which view is wanted.
  const wanted = new URLSearchParams(location.hash.slice(1));
  const first = files.open ?? files.files[0];
  const file = wanted.get('file') ?? first;
  const example = wanted.get('example') ?? (file ? null : files.examples[0]);
  if (wanted.get('text')) {
    $('#file').append(element('option', { value: 'linked', disabled: true }, `${file} (linked)`));
    $('#file').value = 'linked';
    await open(file, true, await unpacked(wanted.get('text')));
  } else {
    $('#file').value = example ? `example:${example}` : `file:${file}`;
    await open(example ?? file, Boolean(example));
  }
  if (wanted.get('model')) { choose(wanted.get('model')); $('#model').value = app.model; refresh(); }
  if (views[wanted.get('view')]) show(wanted.get('view'));
}
start().catch(tell);
