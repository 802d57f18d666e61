// Simulation: parameters as sliders, runs with progress that can be stopped, plots, the table of events, runs compared.

import { ask, counted, element, fetched, get, own, post } from './client.js';
import { Plot, bound } from './plot.js';

const MOST_SLIDERS = 40;
const MOST_EVENTS = 500;
/** How many modes are drawn as bars. */
const MOST_BARS = 8;
/** How many values of mode variables are fetched with a run; where there are more, those of a time are asked for. */
const MOST_VALUES = 4e6;
/** How long a slider stands still before its run begins, in milliseconds. */
const PAUSE = 120;

export class Simulation {
  constructor(root, app) {
    Object.assign(this, { root, app, stale: true, runs: [], chosen: null, set: {}, built: false, wish: 0 });
  }

  /** Another model: its runs are no longer comparable, and one that is under way is not for it. */
  reset() {
    this.stop();
    clearTimeout(this.soon);
    Object.assign(this, { runs: [], chosen: null, set: {}, built: false, running: null, wish: this.wish + 1 });
    this.app.runChanged(null);
  }

  async refresh() {
    this.stale = false;
    if (!this.built) this.build();
    const { version, text } = this.app;
    const answer = await ask(this.app.source, 'flatten', { purpose: '-simulation' }).catch(() => null);
    if (version !== this.app.version || !answer?.result?.parameters) return;
    this.text = text;
    this.modeVariables = answer.result.mode_variables ?? [];
    this.showParameters(answer.result.parameters);
  }

  build() {
    this.built = true;
    const number = (id, label, placeholder) => [element('label', { for: id }, label), element('input', { type: 'text', inputmode: 'decimal', id, size: 8, placeholder })];
    this.parameters = element('div', { class: 'parameters' });
    this.start = element('button', { class: 'main', id: 'run', onclick: () => this.run() }, 'Run');
    this.stopButton = element('button', { id: 'stop', disabled: true, onclick: () => this.stop() }, 'Stop');
    this.bar = element('progress', { max: 1, value: 0, 'aria-label': 'Progress of the run' });
    this.state = element('span', { role: 'status', class: 'dim' }, 'Ctrl+Enter runs the model');
    this.canvas = element('canvas', { id: 'plot', tabindex: '0', role: 'img', style: 'height: 320px', 'aria-label': 'Plot of the run; plus and minus zoom, arrow keys move, 0 shows all; the table of events says what happens' });
    this.curves = element('div', { class: 'chips', role: 'group', 'aria-label': 'Variables shown' });
    this.list = element('div', { class: 'chips', role: 'group', 'aria-label': 'Runs compared' });
    this.values = element('p', { class: 'mono dim', role: 'status' });
    this.events = element('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': 'Events' });
    this.messages = element('pre', { class: 'code mono', tabindex: '0', hidden: true });
    this.filter = element('input', { type: 'search', placeholder: 'search a variable', 'aria-label': 'Search variables', oninput: () => this.showCurves() });
    const save = (label, action) => element('button', { onclick: action }, label);
    this.root.replaceChildren(
      element('div', { class: 'row' }, number('stop-time', 'Stop time', 'model'), number('tolerance', 'Tolerance', 'model'), this.start, this.stopButton, this.bar, this.state),
      element('details', { open: true }, element('summary', {}, 'Parameters'), this.parameters),
      this.messages,
      element('div', { class: 'row' }, element('strong', {}, 'Runs'), this.list),
      element('div', { class: 'graph', style: 'flex: none' }, this.canvas),
      this.values,
      element('div', { class: 'row' }, this.filter, element('span', { class: 'grow' }), save('CSV', () => this.saveCsv()), save('Events', () => this.saveEvents()), save('Picture', () => this.savePicture())),
      this.curves,
      element('h3', {}, 'Events'), this.events);
    this.plot = new Plot(this.canvas, { moved: (range, cursor) => this.moved(cursor) });
    this.events.replaceChildren(element('p', { class: 'dim' }, 'No run yet.'));
  }

  showParameters(parameters) {
    const isNumber = (it) => !it.final && ['Real', 'Integer'].includes(it.type) && it.value !== null && Number.isFinite(Number(it.value));
    const isChoice = (it) => it.type === 'Boolean' && ['true', 'false'].includes(String(it.value));
    const open = parameters.filter((it) => isNumber(it) || isChoice(it));
    // What the text calls otherwise now, or no longer has, cannot be set.
    const names = new Set(open.map((it) => it.name));
    for (const name of Object.keys(this.set)) if (!names.has(name)) delete this.set[name];
    this.parameters.replaceChildren(...(open.length ? open.slice(0, MOST_SLIDERS).map((it, at) => {
      if (isChoice(it)) return this.choice(it, at);
      const value = Number(it.value);
      const now = this.set[it.name] ?? value;
      const size = Math.abs(value) || 1;
      const [low, high] = [value < 0 ? 3 * value : 0, value > 0 ? 3 * value : size];
      const whole = it.type === 'Integer';
      const box = element('input', { type: 'number', step: whole ? 1 : 'any', value: now, id: `parameter${at}`, 'data-parameter': it.name });
      const slider = element('input', { type: 'range', min: low, max: high, step: whole ? 1 : (high - low) / 300, value: now, 'aria-label': `${it.name}, slider` });
      const use = (text) => {
        const number = whole ? Math.round(Number(text)) : Number(text);
        if (text === '' || !Number.isFinite(number)) return;
        box.value = number;
        this.change(it.name, number, value);
      };
      slider.addEventListener('input', () => use(String(Number(Number(slider.value).toPrecision(6)))));
      slider.addEventListener('change', () => this.runSoon());
      box.addEventListener('change', () => { use(box.value); slider.value = box.value; });
      return element('div', { class: 'parameter' }, element('label', { for: `parameter${at}`, title: it.name, class: 'mono' }, it.name), slider, box);
    }) : [element('p', { class: 'dim' }, 'The model has no parameter that a run could change.')]));
  }

  /** A parameter that is true or false. */
  choice(it, at) {
    const value = String(it.value) === 'true';
    const box = element('input', { type: 'checkbox', id: `parameter${at}`, 'data-parameter': it.name });
    box.checked = this.set[it.name] ?? value;
    box.addEventListener('change', () => { this.change(it.name, box.checked, value); this.runSoon(); });
    return element('div', { class: 'parameter' }, element('label', { for: `parameter${at}`, title: it.name, class: 'mono' }, it.name), box);
  }

  /** A parameter has another value than the text says, or the same again. */
  change(name, now, written) {
    if (now === written) delete this.set[name];
    else this.set[name] = now;
  }

  runSoon() {
    clearTimeout(this.soon);
    this.soon = setTimeout(() => this.run(), PAUSE);
  }

  /** What is wished beside the model; nothing where that is no wish, which is said. */
  wishes() {
    const wish = {};
    const fields = [['stop-time', 'stop', 'stop time', Number.isFinite], ['tolerance', 'tolerance', 'tolerance', (it) => Number.isFinite(it) && it > 0]];
    for (const [id, name, words, fits] of fields) {
      const text = document.getElementById(id).value.trim();
      if (text && !fits(Number(text))) {
        this.say(`the ${words} “${text}” is no ${name === 'stop' ? 'number' : 'number above zero'}: write one like ${name === 'stop' ? '2.5' : '1e-6'}, or nothing for that of the model`, true);
        document.getElementById(id).focus();
        return null;
      }
      if (text) wish[name] = text;
    }
    return wish;
  }

  /** Runs the model; the newest wish counts, and ends what older ones began. */
  async run() {
    if (!this.built) this.build();
    clearTimeout(this.soon);
    const wish = this.wishes();
    if (!wish) return;
    this.stop();
    this.wish += 1;
    const mine = this.wish;
    const counts = () => this.wish === mine;
    this.start.disabled = true;
    this.stopButton.disabled = false;
    this.messages.hidden = true;
    this.say('running…');
    this.bar.removeAttribute('value');
    const stop = Number(wish.stop ?? /\bStopTime\s*=\s*([\d.eE+-]+)/.exec(this.app.text)?.[1] ?? 1);
    try {
      // The names of parameters are those of the text.
      if (this.text !== this.app.text) await this.refresh();
      if (!counts()) return;
      const set = { ...this.set };
      const { run } = await post('api/run', { ...this.app.source, ...wish, set, page: own });
      if (!counts()) { end(run); return; }
      this.running = run;
      let answer;
      do {
        await new Promise((resolve) => { setTimeout(resolve, answer ? 150 : 40); });
        answer = await (await get(`api/run/${run}`)).json();
        if (!counts()) return;
        if (answer.state === 'running' && answer.time !== null) {
          this.bar.value = Math.min(1, answer.time / stop);
          this.say(`time ${answer.time.toPrecision(5)} of ${stop} s`);
        }
      } while (answer.state === 'running');
      await this.finished(run, answer, set, counts);
    } catch (error) {
      if (counts()) this.say(error.message, true);
    } finally {
      if (counts()) {
        this.running = null;
        this.start.disabled = false;
        this.stopButton.disabled = true;
        this.bar.value = 1;
      }
    }
  }

  stop() {
    if (!this.running) return;
    this.say('stopping…');
    end(this.running);
  }

  say(text, bad = false) {
    this.state.textContent = text;
    this.state.className = bad ? 'bad' : 'dim';
  }

  async finished(number, { state, time, summary, messages }, set, counts) {
    const diagnostics = (summary?.diagnostics ?? []).filter((it) => it.severity !== 'note');
    const said = diagnostics.map((it) => `${it.severity}[${it.code}]: ${it.message}${it.help ? `\n  help: ${it.help}` : ''}`).join('\n') || (summary ? '' : messages);
    this.messages.textContent = said;
    this.messages.hidden = !said;
    const columns = await get(`api/run/${number}/columns`).then((it) => it.json()).catch(() => null);
    if (!counts()) return;
    if (!columns || columns.rows === 0) {
      const [first] = (diagnostics.find((it) => it.severity === 'error')?.message ?? messages.replace(/^error(\[\w+\])?: /, '')).split('\n');
      this.say(state === 'stopped' ? 'stopped before the first row' : `the run could not begin${first ? `: ${first}` : ''}`, true);
      return;
    }
    const events = await get(`api/run/${number}/events`).then((it) => it.json()).catch(() => []);
    const run = { number, names: columns.names, rows: columns.rows, events, set, data: new Map(), shown: true };
    if (!this.shown || ![...this.shown].some((name) => run.names.includes(name))) this.shown = new Set(this.firstCurves(run));
    const modes = this.modeNames(run);
    await this.load(run, [...this.shown, ...(modes.length * run.rows > MOST_VALUES ? modes.slice(0, MOST_BARS) : modes)]);
    if (!counts()) return;
    this.runs = [...this.runs.slice(-5), run];
    this.chosen = run;
    const end = state === 'stopped' ? `stopped at ${time ?? '?'} s` : summary?.end === 'stop' ? 'done' : `ended: ${summary?.message ?? summary?.end ?? ''}`;
    this.say(`${end} · ${counted(columns.rows, 'row')} · ${counted(events.length, 'event')}`, state === 'done' && summary?.ok === false);
    this.app.runChanged({ start: run.time[0], stop: run.time.at(-1), modeAt: (at) => this.modeAt(run, at) });
    this.showRuns();
    this.showCurves();
    this.showEvents();
    this.draw();
  }

  modeNames(run) {
    const names = new Set(run.names);
    run.modes ??= (this.modeVariables ?? []).map((it) => it.name).filter((name) => names.has(name));
    return run.modes;
  }

  firstCurves(run) {
    const modes = new Set(this.modeNames(run));
    return run.names.filter((name) => name !== 'time' && !modes.has(name)).slice(0, 3);
  }

  /** Fetches columns that are not there yet. */
  async load(run, names) {
    const known = new Set(run.names);
    const wanted = names.filter((name) => !run.data.has(name) && known.has(name));
    if (run.time && !wanted.length) return;
    const all = new Float64Array(await fetched(`api/run/${run.number}/data`, { columns: wanted }));
    const rows = all.length / (wanted.length + 1);
    run.time ??= all.subarray(0, rows);
    wanted.forEach((name, at) => run.data.set(name, all.subarray((at + 1) * rows, (at + 2) * rows)));
  }

  /** Fetches columns of all runs that are compared; one whose result is gone is compared no longer. */
  async loadAll(names) {
    for (const run of [...this.runs]) {
      try {
        await this.load(run, names);
      } catch (error) {
        this.say(error.message, true);
        this.runs = this.runs.filter((it) => it !== run || it === this.chosen);
        this.showRuns();
      }
    }
  }

  /** The mode of a run at a time, or the promise of one. */
  modeAt(run, time) {
    const row = Math.max(0, bound(run.time, time + 1e-300) - 1);
    const names = this.modeNames(run);
    if (names.every((name) => run.data.has(name))) return new Map(names.map((name) => [name, run.data.get(name)[row] > 0.5]));
    return fetched(`api/run/${run.number}/data`, { columns: names, from: row, to: row + 1 }).then((bytes) => {
      const values = new Float64Array(bytes);
      return new Map(names.map((name, at) => [name, values[at + 1] > 0.5]));
    });
  }

  showRuns() {
    this.list.replaceChildren(...this.runs.map((run) => {
      const box = element('input', { type: 'checkbox', onchange: async (event) => { run.shown = event.target.checked; await this.loadAll([...this.shown]); this.draw(); } });
      box.checked = run.shown;
      const text = Object.entries(run.set).map(([name, value]) => `${name}=${short(value)}`).join(', ') || 'as written';
      return element('label', { title: text }, box, element('span', {}, `run ${run.number}: ${text}`));
    }));
  }

  showCurves() {
    const run = this.chosen;
    if (!run) return;
    const wanted = this.filter.value.trim().toLowerCase();
    const modes = new Set(this.modeNames(run));
    const names = run.names.filter((name) => name !== 'time' && !modes.has(name) && name.toLowerCase().includes(wanted));
    const picked = [...this.shown];
    this.curves.replaceChildren(...names.slice(0, 300).map((name) => {
      const box = element('input', { type: 'checkbox', onchange: async (event) => {
        if (event.target.checked) this.shown.add(name); else this.shown.delete(name);
        await this.loadAll([name]);
        this.showCurves();
        this.draw();
      } });
      box.checked = this.shown.has(name);
      const at = picked.indexOf(name);
      return element('label', { class: 'mono', title: name }, box, at >= 0 && element('span', { class: 'swatch', style: `background: var(--curve${at % 6})` }), element('span', {}, name));
    }));
  }

  showEvents() {
    const { events } = this.chosen;
    const on = (mode) => Object.entries(mode ?? {}).filter(([, value]) => value).map(([name]) => name).join(' ') || 'none';
    const rows = events.slice(0, MOST_EVENTS).map((event) => {
      const jumps = event.jumps.map((it) => `${it.variable}: ${short(it.left)} → ${short(it.right)}`).slice(0, 3).join(', ');
      const impulses = event.impulses.map((it) => it.variable).join(' ');
      const look = () => {
        for (const other of this.events.querySelectorAll('[aria-selected="true"]')) other.setAttribute('aria-selected', 'false');
        row.setAttribute('aria-selected', 'true');
        this.plot.look(event.time);
        this.moved(event.time);
        this.app.showMode(new Map(Object.entries(event.to ?? {})));
      };
      const row = element('tr', { class: 'link', 'aria-selected': 'false' },
        element('td', { class: 'num' }, element('button', { class: 'linklike', onclick: look }, event.time.toPrecision(7))),
        element('td', { class: 'mono' }, element('button', { class: 'linklike', onclick: () => this.showCause(event) }, event.cause.join(', ') || '–')),
        element('td', { class: 'mono' }, `${on(event.from)} → ${on(event.to)}`), element('td', { class: 'mono' }, jumps), element('td', { class: 'mono bad' }, impulses && `↯ ${impulses}`));
      return row;
    });
    this.events.replaceChildren(...[
      events.length ? element('table', { id: 'events' }, element('thead', {}, element('tr', {}, ['time', 'cause', 'mode', 'jumps', 'impulses'].map((it) => element('th', { scope: 'col' }, it)))), element('tbody', {}, rows))
        : element('p', { class: 'dim' }, 'No events in this run.'),
      events.length > MOST_EVENTS && element('p', { class: 'dim' }, `and ${events.length - MOST_EVENTS} more; “Events” saves all of them`),
    ].filter(Boolean));
  }

  /** The declaration of the mode variable that an event is about. */
  showCause(event) {
    const bare = event.cause.map((it) => it.replace(/^not /, ''));
    const changed = Object.keys(event.to ?? {}).filter((name) => event.to[name] !== event.from?.[name]);
    const found = this.modeVariables?.find((it) => bare.includes(it.name) || bare.includes(it.definition) || changed.includes(it.name));
    this.app.showSource(found?.span);
  }

  draw() {
    const names = [...this.shown];
    const newest = this.chosen;
    const shown = this.runs.filter((run) => run.shown && names.every((name) => !run.names.includes(name) || run.data.has(name)));
    const curves = shown.flatMap((run) => names.map((name, at) => ({ name, colour: `curve${at % 6}`, dashed: run !== newest, time: run.time, values: run.data.get(name) })).filter((it) => it.values));
    const bars = this.modeNames(newest).slice(0, MOST_BARS).map((name) => ({ name, time: newest.time, values: newest.data.get(name) })).filter((it) => it.values);
    const value = (it) => Number(it.weight ?? 1);
    const impulses = newest.events.flatMap((event) => event.impulses.filter((it) => this.shown.has(it.variable)).map((it) => ({ time: event.time, value: value(it), colour: `curve${names.indexOf(it.variable) % 6}` })));
    const span = [Math.min(...shown.map((run) => run.time[0]), newest.time[0]), Math.max(...shown.map((run) => run.time.at(-1)), newest.time.at(-1))];
    this.plot.show({ curves, bars, impulses, events: newest.events, span });
  }

  moved(cursor) {
    if (cursor === undefined || !this.chosen) return;
    const { time, data } = this.chosen;
    const row = Math.max(0, bound(time, cursor) - (bound(time, cursor) >= time.length ? 1 : 0));
    this.values.textContent = `time ${time[row].toPrecision(6)}  ${[...this.shown].filter((name) => data.has(name)).map((name) => `${name} = ${short(data.get(name)[row])}`).join('  ')}`;
  }

  async saveCsv() {
    if (this.chosen) save(await (await get(`api/run/${this.chosen.number}/csv`)).blob(), `run${this.chosen.number}.csv`);
  }

  saveEvents() {
    if (this.chosen) save(new Blob([JSON.stringify(this.chosen.events, null, 1)]), 'events.json');
  }

  savePicture() {
    if (this.chosen) this.canvas.toBlob((blob) => save(blob, 'plot.png'));
  }
}

/** Ends a run; one that has ended is as well. */
const end = (run) => post(`api/run/${run}/stop`, {}).catch(() => {});

const short = (value) => (typeof value === 'number' ? String(Number(value.toPrecision(5))) : String(value));

function save(blob, name) {
  const link = element('a', { href: URL.createObjectURL(blob), download: name });
  link.click();
  URL.revokeObjectURL(link.href);
}
