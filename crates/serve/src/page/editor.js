// The editor: a text area over highlighted text. What is wrong is underlined, and mended by a click where the language
// server knows an edit that was tried out.

import { LanguageServer, element, index, position } from './client.js';

const WORDS = new Set(('algorithm and annotation block break class connect connector constant constrainedby der discrete each else elseif elsewhen encapsulated end enumeration equation expandable extends external false final flow for function if import impure in initial inner input invariant loop model not operator or outer output package parameter partial protected public pure record redeclare replaceable return stream then true type when while within do done foreach scenario is').split(' '));
const TYPES = new Set(['Real', 'Integer', 'Boolean', 'String', 'real', 'boolean', 'integer']);
const TOKEN = /(\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$))|("(?:[^"\\]|\\[\s\S])*"?)|('(?:[^'\\\n]|\\.)*'?)|(\d+\.?\d*(?:[eE][+-]?\d+)?)|([A-Za-z_]\w*)/g;

/** The words of a text with their kinds: [start, end, class]. */
function words(text) {
  const found = [];
  for (const match of text.matchAll(TOKEN)) {
    const [whole, comment, string, , number, word] = match;
    let kind = '';
    if (comment) kind = 'c';
    else if (string) kind = 's';
    else if (number) kind = 'n';
    else if (word && WORDS.has(word)) kind = 'k';
    else if (word && TYPES.has(word)) kind = 't';
    else if (word && text[match.index + whole.length] === '(') kind = 'f';
    if (kind) found.push([match.index, match.index + whole.length, kind]);
  }
  return found;
}

const escaped = (text) => text.replace(/[&<>]/g, (it) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;' })[it]);
const KINDS = { 1: 'error', 2: 'warning', 3: 'note', 4: 'note' };
const MARKS = { 1: 'e', 2: 'w', 3: 'i', 4: 'i' };

export class Editor {
  constructor(root, { changed, judged, gone }) {
    this.area = root.querySelector('#source');
    this.shown = root.querySelector('.shown');
    this.gutter = root.querySelector('.gutter');
    this.scroller = root.querySelector('.text');
    this.list = root.querySelector('#problems');
    this.count = root.querySelector('#count');
    this.popup = root.querySelector('.completion');
    this.tip = root.querySelector('.hover');
    this.changed = changed;
    this.judged = judged;
    this.text = '';
    this.diagnostics = [];
    this.hints = [];
    this.mark = null;
    this.server = new LanguageServer({
      'textDocument/publishDiagnostics': (params) => this.published(params),
      'workspace/inlayHint/refresh': () => this.askForHints(),
      closed: () => this.lost(gone),
    });
    this.area.addEventListener('input', () => this.typed());
    this.area.addEventListener('keydown', (event) => this.key(event));
    this.area.addEventListener('mousemove', (event) => this.hover(event));
    this.area.addEventListener('mouseleave', () => this.hideTip());
    // Who comes back at once, from a click on an edit, keeps the proposals.
    this.area.addEventListener('blur', () => setTimeout(() => { if (document.activeElement !== this.area) this.hidePopup(); }, 150));
    this.area.addEventListener('scroll', () => { this.area.scrollTop = 0; this.area.scrollLeft = 0; });
  }

  /** The language server ended: another one is asked, and where there is none, this is said. */
  async lost(gone) {
    // What was said of an earlier text is true no longer.
    this.diagnostics = [];
    this.hints = [];
    this.list.replaceChildren();
    this.count.textContent = '· not judged';
    this.paint();
    if (this.isLost) return;
    this.isLost = true;
    const outcome = await this.server.again(() => this.text);
    this.isLost = false;
    if (outcome === 'back') {
      // It may have ended again before this was known.
      if (!this.server.send) this.lost(gone);
      return;
    }
    if (outcome === 'gone') this.count.textContent = '· the server is gone';
    gone(outcome);
  }

  async open(uri, text) {
    await this.server.ready;
    this.text = text;
    this.area.value = text;
    this.diagnostics = [];
    this.hints = [];
    this.mark = null;
    this.scroller.scrollTop = 0;
    this.server.model = '';
    this.server.open(uri, text);
    this.paint();
  }

  /** The models of the text, as the program finds them. */
  async models() {
    await this.server.ready;
    return await this.server.request('modeshift/models', { textDocument: { uri: this.server.uri } }) ?? [];
  }

  /** Judges this model of the text. */
  lookAt(model) {
    this.diagnostics = [];
    this.hints = [];
    this.list.replaceChildren();
    this.count.textContent = '· …';
    this.server.lookAt(model);
    this.paint();
  }

  typed() {
    const before = this.text;
    // The browser tells of each line of what is put in; it is one change.
    if (this.replacing) return;
    this.text = this.area.value;
    this.server.change(before, this.text);
    this.mark = null;
    this.hideTip();
    // Edits were tried out on the text before.
    if (this.diagnostics.some((it) => it.fixes.length)) {
      for (const diagnostic of this.diagnostics) diagnostic.fixes = [];
      this.showProblems();
    }
    // Underlines move with the text until new ones come.
    const shift = this.text.length - before.length;
    const at = this.area.selectionStart;
    for (const diagnostic of this.diagnostics) {
      for (const end of ['start', 'end']) if (diagnostic[end] >= at - Math.max(shift, 0)) diagnostic[end] += shift;
    }
    this.hints = [];
    this.paint();
    this.changed(this.text);
    this.propose(false);
  }

  /** Replaces the text as a user would, so that it can be undone in one step. */
  replace(start, end, text) {
    const wanted = this.text.slice(0, start) + text + this.text.slice(end);
    this.area.focus();
    this.area.setSelectionRange(start, end);
    this.replacing = true;
    // Chromium puts in text line by line, which takes a minute for 3,000 of them, and HTML at once.
    const many = text.includes('\n');
    if (!many || !document.execCommand('insertHTML', false, escaped(text))) document.execCommand('insertText', false, text);
    this.replacing = false;
    // Whatever the browser makes of it, the text is what was wanted.
    if (this.area.value !== wanted) {
      this.area.value = wanted;
      this.area.setSelectionRange(start + text.length, start + text.length);
    }
    if (this.area.value !== this.text) this.typed();
  }

  /** Edits of the language server, all of one text: from the first to the last, in one step. */
  applyAll(edits) {
    const { text } = this;
    const places = edits.map((it) => ({ start: index(text, it.range.start), end: index(text, it.range.end), text: it.newText }));
    places.sort((one, other) => one.start - other.start || one.end - other.end);
    if (!places.length) return;
    const [{ start }] = places;
    let [at, piece] = [start, ''];
    for (const place of places) {
      piece += text.slice(at, place.start) + place.text;
      at = place.end;
    }
    this.replace(start, at, piece);
  }

  /** Asks the language server; nothing where the text, or the file, is another one when the answer comes. */
  async askNow(method, params) {
    const { uri, version } = this.server;
    const answer = await this.server.request(`textDocument/${method}`, { textDocument: { uri }, ...params }).catch(() => null);
    return uri === this.server.uri && version === this.server.version ? answer : null;
  }

  published({ uri, version, diagnostics }) {
    // What is said of an earlier text has places of that text; what is said of this one comes.
    if (uri !== this.server.uri || (version !== undefined && version !== this.server.version)) return;
    this.diagnostics = diagnostics.map((it) => ({
      ...it, start: index(this.text, it.range.start), end: index(this.text, it.range.end), fixes: [],
    }));
    this.paint();
    this.showProblems();
    this.judged(this.diagnostics);
    this.diagnostics.forEach((diagnostic) => this.askForFixes(diagnostic));
    this.askForHints();
  }

  async askForFixes(diagnostic) {
    if (diagnostic.severity > 2) return;
    const actions = await this.askNow('codeAction', { range: diagnostic.range, context: { diagnostics: [] } });
    if (!this.diagnostics.includes(diagnostic)) return;
    const own = (action) => action.diagnostics?.some((it) => it.message === diagnostic.message && it.code === diagnostic.code);
    diagnostic.fixes = (actions ?? []).filter(own);
    if (diagnostic.fixes.length) this.showProblems();
  }

  async askForHints() {
    if (!this.server.uri) return;
    const range = { start: { line: 0, character: 0 }, end: position(this.text, this.text.length) };
    const hints = await this.askNow('inlayHint', { range });
    if (!hints) return;
    this.hints = hints.map((hint) => ({ line: hint.position.line, label: hint.label }));
    this.paint();
  }

  apply(action) {
    this.applyAll(Object.values(action.edit.changes)[0]);
  }

  showProblems() {
    this.count.textContent = this.diagnostics.length ? `(${this.diagnostics.length})` : '· none';
    this.list.replaceChildren(...this.diagnostics.map((diagnostic) => {
      const kind = KINDS[diagnostic.severity];
      const line = diagnostic.range.start.line + 1;
      return element('li', { class: kind },
        element('span', { class: 'code mono', title: kind }, diagnostic.code ?? kind),
        element('button', { class: 'what', onclick: () => this.show(diagnostic.start, diagnostic.end) }, `${diagnostic.message} `, element('span', { class: 'dim' }, `line ${line}`)),
        diagnostic.fixes.map((action) => element('button', { class: 'fix', onclick: () => this.apply(action) }, action.title)));
    }));
  }

  /** Shows a place, and selects it. */
  show(start, end) {
    this.mark = { start, end };
    this.area.focus({ preventScroll: true });
    this.area.setSelectionRange(start, end);
    this.paint();
    const { left, top } = this.place(start);
    this.scroller.scrollTop = Math.max(0, top - this.scroller.clientHeight / 2);
    // The beginnings of the lines too, wherever the place fits beside them.
    const room = this.scroller.clientWidth - this.gutter.offsetWidth;
    this.scroller.scrollLeft = left < 0.8 * room ? 0 : left - room / 2;
  }

  showLine(line, column) {
    const start = index(this.text, { line: line - 1, character: Math.max(0, column - 1) });
    const word = /^[A-Za-z_]\w*/.exec(this.text.slice(start));
    this.show(start, start + (word ? word[0].length : 1));
  }

  paint() {
    const marks = [];
    for (const [start, end, kind] of words(this.text)) marks.push({ start, end, kind, level: 0 });
    for (const it of this.diagnostics) marks.push({ start: it.start, end: Math.max(it.end, it.start + 1), kind: MARKS[it.severity], level: 1 });
    if (this.mark) marks.push({ ...this.mark, kind: 'here', level: 2 });
    // Marks overlap: the text is cut at every end of one.
    const cuts = new Map();
    const cut = (at) => { if (!cuts.has(at)) cuts.set(at, { open: [], close: [] }); return cuts.get(at); };
    for (const mark of marks) {
      if (mark.start >= this.text.length) { mark.start = Math.max(0, this.text.length - 1); }
      cut(mark.start).open.push(mark);
      cut(Math.min(mark.end, this.text.length)).close.push(mark);
    }
    const places = [...cuts.keys()].sort((one, other) => one - other);
    let html = '';
    let last = 0;
    let active = [];
    for (const place of [...places, this.text.length]) {
      const piece = escaped(this.text.slice(last, place));
      html += active.length && piece ? `<span class="${active.map((it) => it.kind).join(' ')}">${piece}</span>` : piece;
      const here = cuts.get(place);
      if (here) {
        active = active.filter((it) => !here.close.includes(it));
        active.push(...here.open);
      }
      last = place;
    }
    const lines = html.split('\n');
    for (const hint of this.hints) if (lines[hint.line] !== undefined) lines[hint.line] += `<span class="hint">${escaped(hint.label)}</span>`;
    this.shown.innerHTML = `${lines.join('\n')}\n`;
    const worst = new Map();
    for (const it of this.diagnostics) {
      const { line } = it.range.start;
      worst.set(line, Math.min(worst.get(line) ?? 9, it.severity));
    }
    this.gutter.innerHTML = lines.map((_, at) => (worst.get(at) <= 2 ? `<span class="${KINDS[worst.get(at)]}">${at + 1}</span>` : at + 1)).join('\n');
  }

  /** Where a character is on the page, from the paper's corner. */
  place(at) {
    const { line, character } = position(this.text, at);
    if (!this.letter) {
      const probe = element('span', {}, 'x'.repeat(50));
      this.shown.append(probe);
      this.letter = probe.getBoundingClientRect().width / 50;
      probe.remove();
    }
    return { left: 8 + character * this.letter, top: 8 + line * 20 };
  }

  async propose(wanted) {
    const at = this.area.selectionStart;
    const word = /[A-Za-z_]\w*$/.exec(this.text.slice(0, at))?.[0] ?? '';
    const behindDot = this.text[at - 1 - word.length] === '.';
    if (!wanted && !behindDot && word.length < 2) { this.hidePopup(); return; }
    const answer = await this.askNow('completion', { position: position(this.text, at) });
    if (!answer || at !== this.area.selectionStart) return;
    const fits = (it) => it.label.toLowerCase().startsWith(word.toLowerCase()) && it.label !== word;
    const items = (answer?.items ?? []).filter(fits).sort((one, other) => (one.sortText < other.sortText ? -1 : 1)).slice(0, 60);
    if (!items.length) { this.hidePopup(); return; }
    this.proposals = { items, start: at - word.length, end: at, version: this.server.version };
    this.popup.replaceChildren(...items.map((item, number) => element('li', { role: 'option', id: `proposal${number}`, 'aria-selected': 'false', onmousedown: (event) => { event.preventDefault(); this.take(number); } },
      item.label, element('small', {}, item.detail ?? ''))));
    const { left, top } = this.place(at - word.length);
    Object.assign(this.popup.style, { left: `${left}px`, top: `${top + 22}px` });
    this.popup.hidden = false;
    this.pick(0);
  }

  pick(number) {
    this.picked = number;
    [...this.popup.children].forEach((item, at) => item.setAttribute('aria-selected', String(at === number)));
    this.popup.children[number]?.scrollIntoView({ block: 'nearest' });
    this.area.setAttribute('aria-activedescendant', `proposal${number}`);
  }

  take(number) {
    const { items, start, end } = this.proposals;
    this.hidePopup();
    this.replace(start, end, items[number].insertText ?? items[number].label);
    this.hidePopup();
  }

  hidePopup() {
    this.popup.hidden = true;
    this.area.removeAttribute('aria-activedescendant');
  }

  key(event) {
    // Proposals are for the place where they were asked for.
    const { end, version } = this.proposals ?? {};
    if (!this.popup.hidden && version === this.server.version && end === this.area.selectionStart) {
      const count = this.popup.children.length;
      const moves = { ArrowDown: 1, ArrowUp: -1 };
      if (event.key in moves) { event.preventDefault(); this.pick((this.picked + moves[event.key] + count) % count); return; }
      if (event.key === 'Enter' || event.key === 'Tab') { event.preventDefault(); this.take(this.picked); return; }
      if (event.key === 'Escape') { event.preventDefault(); this.hidePopup(); return; }
    }
    if (event.key === ' ' && event.ctrlKey) { event.preventDefault(); this.propose(true); return; }
    if (event.key === 'F8') { event.preventDefault(); this.next(); return; }
    if (event.key === 'F12') { event.preventDefault(); this.goToDefinition(); return; }
    if (event.key === 'F' && event.ctrlKey && event.shiftKey) { event.preventDefault(); this.format(); return; }
    // Tab leaves the editor, as everywhere; lines are indented like the one before.
    if (event.key === 'Enter') {
      const line = this.text.slice(0, this.area.selectionStart).split('\n').pop();
      const indent = /^ */.exec(line)[0];
      if (indent) { event.preventDefault(); this.replace(this.area.selectionStart, this.area.selectionEnd, `\n${indent}`); }
    }
  }

  /** The next diagnostic behind the caret. */
  next() {
    const at = this.area.selectionStart;
    const found = this.diagnostics.find((it) => it.start > at) ?? this.diagnostics[0];
    if (found) this.show(found.start, found.end);
  }

  async goToDefinition() {
    const found = await this.askNow('definition', { position: position(this.text, this.area.selectionStart) });
    if (found && found.uri === this.server.uri) this.show(index(this.text, found.range.start), index(this.text, found.range.end));
  }

  async format() {
    this.applyAll(await this.askNow('formatting', { options: { tabSize: 2, insertSpaces: true } }) ?? []);
  }

  hover(event) {
    clearTimeout(this.hoverTimer);
    const box = this.area.getBoundingClientRect();
    const { left } = this.place(0);
    const line = Math.floor((event.clientY - box.top - 8) / 20);
    const character = Math.floor((event.clientX - box.left - left) / this.letter);
    this.hoverTimer = setTimeout(async () => {
      const lines = this.text.split('\n');
      if (line < 0 || line >= lines.length || character < 0 || character > lines[line].length) { this.hideTip(); return; }
      const at = index(this.text, { line, character });
      const answer = await this.askNow('hover', { position: position(this.text, at) });
      const here = this.diagnostics.filter((it) => it.start <= at && at <= it.end).map((it) => it.message);
      const text = [...here, answer?.contents?.value].filter(Boolean).join('\n\n');
      if (!text) { this.hideTip(); return; }
      this.tip.innerHTML = marked(text);
      Object.assign(this.tip.style, { left: `${Math.max(0, left + character * this.letter)}px`, top: `${8 + (line + 1) * 20 + 4}px` });
      this.tip.hidden = false;
    }, 350);
  }

  hideTip() {
    clearTimeout(this.hoverTimer);
    this.tip.hidden = true;
  }
}

/** The little Markdown that the language server uses. */
function marked(text) {
  return escaped(text)
    .replace(/```modelica\n([\s\S]*?)\n```\n?/g, '<code>$1</code>\n')
    .replace(/\*\*([^*]+)\*\*/g, '<b>$1</b>')
    .replace(/`([^`]+)`/g, '<code>$1</code>')
    .replace(/^- /gm, '· ');
}
