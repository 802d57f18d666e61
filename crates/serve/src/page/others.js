// Why other tools fail: what a tool that does not look at modes would do with the model, when that goes wrong, and the
// equivalent model that it can run.

import { ask, element } from './client.js';

export class Others {
  constructor(root, app) {
    Object.assign(this, { root, app, stale: true });
  }

  async refresh() {
    this.stale = false;
    const { version } = this.app;
    this.root.replaceChildren(element('p', { class: 'dim', role: 'status' }, 'Analyzing…'));
    let check;
    let rimis;
    try {
      [check, rimis] = await Promise.all([ask(this.app.source, 'check', { 'as-other-tools': true, purpose: '-others' }), ask(this.app.source, 'rimis', { purpose: '-others' })]);
    } catch (error) { if (version === this.app.version) this.root.replaceChildren(element('p', { class: 'bad' }, error.message)); return; }
    if (version !== this.app.version) return;
    const found = check.result?.diagnostics ?? [];
    const others = found.filter((it) => /other tools|ordinary tool/.test(`${it.message} ${it.notes.join(' ')} ${it.help ?? ''}`));
    const text = typeof rimis.result === 'string' ? rimis.result : '';
    this.root.replaceChildren(...[
      element('p', {}, 'An ordinary tool decides once, for all modes together, which equation is solved for which variable. This one decides in each mode.'),
      ...(others.length ? others.map((it) => element('div', { class: 'card' }, element('h3', { class: it.severity === 'note' ? '' : 'bad' }, it.message),
        it.when && it.when !== 'true' ? element('p', {}, 'when ', element('span', { class: 'mono' }, it.when)) : null,
        it.notes.map((note) => element('p', { class: 'mono' }, note)),
        it.labels.filter((label) => label.span).slice(0, 1).map((label) => element('button', { class: 'linklike', onclick: () => this.app.showSource(label.span) }, `line ${label.span.line}${label.text ? `: ${label.text}` : ''}`)),
        it.help ? element('p', { class: 'dim' }, it.help) : null))
        : [element('p', { class: 'dim' }, check.result?.ok ? 'Nothing was found that such a tool would stumble over.' : 'The model has errors; the diagnostics beside the text come first.')]),
      text && element('h3', {}, 'The same model for other tools'),
      text && element('div', { class: 'row' }, element('button', { onclick: () => download(text, this.app.file) }, 'Save this model')),
      text && element('pre', { class: 'code mono', tabindex: '0' }, text),
    ].filter(Boolean));
  }
}

function download(text, file) {
  const link = element('a', { href: URL.createObjectURL(new Blob([text])), download: file.replace(/\.\w+$/, '_rimis.mo') });
  link.click();
  URL.revokeObjectURL(link.href);
}
