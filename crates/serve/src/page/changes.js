// Mode changes: a matrix from mode to mode where modes are few, a list of kinds of changes in any case. What is chosen is
// told beside it: what is erased, what jumps, what is impulsive, the restart equations.

import { ask, element, sized } from './client.js';
import { compiled, modeText, valuations } from './formula.js';

const MOST_MODES = 16;

export class Changes {
  constructor(root, app) {
    Object.assign(this, { root, app, stale: true });
  }

  async refresh() {
    this.stale = false;
    const { version } = this.app;
    this.root.replaceChildren(element('p', { class: 'dim', role: 'status' }, 'Analyzing…'));
    let changes;
    let structure;
    try {
      [changes, structure] = await Promise.all([ask(this.app.source, 'changes'), ask(this.app.source, 'analyze', { purpose: '-changes' })]);
    } catch (error) { if (version === this.app.version) this.root.replaceChildren(element('p', { class: 'bad' }, error.message)); return; }
    if (version !== this.app.version) return;
    if (!changes.result?.changes) {
      this.root.replaceChildren(element('p', { class: 'dim' }, 'There are no mode changes to show: the diagnostics beside the text, or one mode only, are why.'), element('pre', { class: 'code mono', tabindex: '0' }, changes.messages ?? ''));
      return;
    }
    if (changes.result.truncated) {
      this.root.replaceChildren(...tooMany(changes.result));
      return;
    }
    this.changes = changes.result.changes;
    this.names = structure.result?.mode_variables?.map((it) => it.name) ?? [];
    this.kinds = this.changes.map((change) => ({ ...change, holds: compiled(change.when, this.names) }));
    const modes = valuations(this.names, structure.result?.invariant ?? 'true', MOST_MODES);
    this.detail = element('div', { class: 'card', role: 'region', 'aria-label': 'The chosen change', 'aria-live': 'polite' }, element('p', { class: 'dim' }, 'Choose a change.'));
    this.root.replaceChildren(
      element('p', { class: 'dim' }, modes && modes.length > 1
        ? `From each of ${modes.length} modes (rows) to each other (columns). “jumps” counts discontinuous variables, ↯ marks impulses.`
        : `${this.changes.length} kinds of changes; pre(g) is the value before, g the value after.`),
      ...(modes && modes.length > 1 ? [element('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': 'Matrix of mode changes' }, this.matrix(modes))] : []),
      this.detail,
      element('details', { open: !(modes && modes.length > 1) }, element('summary', {}, 'All kinds of changes'), this.list()));
  }

  matrix(modes) {
    const short = (mode) => { const on = [...mode].filter(([, value]) => value).map(([name]) => name); return on.length ? on.join(' ') : 'none'; };
    const values = (from, to) => { const all = new Map(to); for (const [name, value] of from) all.set(`pre(${name})`, value); return all; };
    return element('table', { class: 'matrix' },
      element('thead', {}, element('tr', {}, element('th', { scope: 'col' }, 'from \\ to'), modes.map((mode) => element('th', { scope: 'col', class: 'mono' }, short(mode))))),
      element('tbody', {}, modes.map((from) => element('tr', {}, element('th', { scope: 'row', class: 'mono' }, short(from)), modes.map((to) => {
        if (from === to) return element('td', { class: 'dim' }, '·');
        const at = values(from, to);
        const kind = this.kinds.find((it) => it.holds(at));
        if (!kind) return element('td', { class: 'dim' }, '–');
        const { label, style } = summary(kind);
        return element('td', {}, element('button', {
          class: style, 'aria-pressed': 'false', 'aria-label': `from ${short(from)} to ${short(to)}: ${label}`,
          onclick: (event) => this.choose(event.currentTarget, kind, `from ${modeText(from)} to ${modeText(to)}`),
        }, label));
      })))));
  }

  list() {
    return element('table', {}, element('thead', {}, element('tr', {}, ['when', 'verdict', 'jumps', 'impulses'].map((it) => element('th', { scope: 'col' }, it)))),
      element('tbody', {}, this.kinds.slice(0, 400).map((kind) => element('tr', {},
        element('td', { class: 'mono' }, element('button', { class: 'linklike', onclick: () => this.choose(null, kind, '') }, kind.when)),
        element('td', { class: kind.verdict === 'determined' ? '' : 'bad' }, kind.verdict),
        element('td', { class: 'mono' }, names(kind.discontinuous)), element('td', { class: 'mono' }, kind.impulse_orders.map((it) => it.variable).join(' '))))));
  }

  choose(button, kind, where) {
    for (const other of this.root.querySelectorAll('[aria-pressed="true"]')) other.setAttribute('aria-pressed', 'false');
    button?.setAttribute('aria-pressed', 'true');
    const line = (name, value) => (value ? element('tr', {}, element('th', { scope: 'row' }, name), element('td', { class: 'mono' }, value)) : null);
    this.detail.replaceChildren(
      element('h3', {}, where || kind.when),
      where && element('p', { class: 'mono dim' }, kind.when),
      element('table', {}, element('tbody', {}, ...[
        line('verdict', kind.verdict + (kind.reason ? `: ${kind.reason}` : '')),
        line('erased', kind.erased.join(', ') || 'nothing'),
        line('continuous', names(kind.continuous)),
        line('jumps', names(kind.discontinuous) || 'nothing'),
        line('impulses', kind.impulse_orders.map((it) => `${it.variable} of order ${it.order}`).join(', ') || 'none'),
        line('not determined', names(kind.undetermined)),
        line('cascade', kind.cascade?.join(' → ')),
        line('warnings', kind.warnings?.map((it) => it.message ?? it).join('; ')),
      ].filter(Boolean))),
      ...(kind.restart?.length ? [element('h3', {}, 'Restart equations'), ...kind.restart.map((level) => element('p', { class: 'mono' },
        `${level.equations.join(', ')} → ${level.solves.join(', ')}`, ...Object.entries(level.formula ?? {}).flatMap(([name, formula]) => [element('br'), `${solvedFor(kind, name)} = ${formula}`])))] : []));
  }
}

/** What stands for the list where there are too many kinds of changes. */
function tooMany({ mode_count: count, summary }) {
  const part = (title, list, text) => (list?.length ? [element('h3', {}, title), element('ul', {}, list.map((it) => element('li', { class: 'mono' }, text(it))))] : []);
  const where = (it) => (it.when && it.when !== 'true' ? `${it.name} when ${it.when}` : it.name);
  return [
    element('p', {}, `There are too many kinds of changes between ${sized(count)} modes to list them. What some of them do, the first of each:`),
    ...part('Erased by some change', summary?.erased, where),
    ...part('Left open by some change', summary?.undetermined, where),
    ...part('Impulsive or discontinuous in some change', summary?.orders?.filter((it) => Number(it.order) >= 0), (it) => `${it.variable}: ${Number(it.order) > 0 ? `impulsive, of order ${it.order}` : 'jumps'}${it.when && it.when !== 'true' ? ` when ${it.when}` : ''}`),
    element('p', { class: 'dim' }, 'The command `modeshift changes --from … --to …` tells of one change.'),
  ];
}

/** What a restart equation gives: of a variable with an impulse its weight, not the value after it. */
const solvedFor = (kind, name) => (kind.impulse_orders.some((it) => it.variable === name) ? `weight of ${name}` : name);

const names = (list) => (list ?? []).map((it) => it.name ?? it.variable ?? it).join(' ');

function summary(kind) {
  if (kind.verdict === 'rejected') return { label: 'rejected', style: 'open' };
  if (kind.verdict === 'underdetermined') return { label: 'open', style: 'open' };
  if (kind.impulse_orders.length) return { label: `↯ ${kind.impulse_orders.length}`, style: 'impulse' };
  if (kind.discontinuous.length) return { label: `jumps ${kind.discontinuous.length}`, style: 'jump' };
  return { label: 'smooth', style: '' };
}
