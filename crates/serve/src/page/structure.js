// The structure: blocks and what needs what, drawn on a canvas so that ten thousand blocks stay quick. A mode, picked by
// toggles or by the time of a run, lights up what is there in it.

import { ask, counted, element, sized } from './client.js';
import { compile, compiled, valuations } from './formula.js';

const WIDTH = 150;
const HEIGHT = 40;
const GAP_X = 60;
const GAP_Y = 14;
const MOST_ROWS = 400;

export class Structure {
  constructor(root, app) {
    Object.assign(this, { root, app, stale: true, mode: new Map(), fold: false, query: '' });
    addEventListener('repaint', () => this.draw());
    addEventListener('resize', () => this.draw());
  }

  async refresh() {
    this.stale = false;
    const { version } = this.app;
    this.expect();
    let answer;
    try {
      answer = await ask(this.app.source, 'analyze');
    } catch (error) {
      if (version === this.app.version) this.forget(element('p', { class: 'bad' }, error.message));
      return;
    }
    if (version !== this.app.version) return;
    this.root.removeAttribute('aria-busy');
    const report = answer.result;
    if (!report?.blocks) {
      this.report = null;
      this.root.replaceChildren(element('p', { class: 'dim' }, 'There is no structure to show: the diagnostics beside the text say why.'));
      return;
    }
    this.report = report;
    this.names = report.mode_variables.map((it) => it.name);
    for (const name of [...this.mode.keys()]) if (!this.names.includes(name)) this.mode.delete(name);
    this.modes = valuations(this.names, report.invariant, 512);
    if (this.mode.size === 0 && this.names.length) this.useFirstMode();
    // An invariant that is too long to be printed in full says nothing here; the structure is that of modes that satisfy it.
    try { this.invariant = compile(report.invariant, this.names); } catch { this.invariant = () => true; }
    this.build();
    this.layOut();
    this.showMode();
  }

  /** Until the answer is there: what is shown of another model goes, what is shown of this one is dimmed. */
  expect() {
    const { file, example, model } = this.app.source;
    const subject = JSON.stringify([file, example, model]);
    if (subject !== this.subject) {
      this.subject = subject;
      this.mode = new Map();
      this.forget(element('p', { class: 'dim', role: 'status' }, 'Analyzing…'));
    } else this.root.setAttribute('aria-busy', 'true');
  }

  forget(instead) {
    this.report = null;
    this.slider = null;
    this.root.removeAttribute('aria-busy');
    this.root.replaceChildren(instead);
  }

  useFirstMode() {
    const all = this.modes?.[0];
    if (all) this.mode = new Map(all);
    else this.names.forEach((name) => this.mode.set(name, false));
  }

  build() {
    const { report } = this;
    const toggles = this.names.slice(0, 60).map((name) => element('button', {
      class: 'toggle mono', 'data-mode': name, 'aria-pressed': 'false', title: name,
      onclick: () => { this.mode.set(name, !this.mode.get(name)); this.showSpan(); this.showMode(); },
    }, name));
    this.canvas = element('canvas', { tabindex: '0', role: 'img', 'aria-label': 'Graph of blocks; arrow keys move it, plus and minus zoom, the lists below say the same in words' });
    this.info = element('p', { class: 'dim', role: 'status' });
    this.search = element('input', { type: 'search', placeholder: 'search a name', 'aria-label': 'Search blocks', value: this.query, oninput: (event) => { this.query = event.target.value.trim(); this.find(); } });
    this.slider = element('input', { type: 'range', id: 'run-time', min: 0, max: 1000, value: 0, disabled: true, oninput: () => this.slide() });
    this.sliderText = element('span', { class: 'dim', id: 'run-time-text' }, 'no run yet');
    this.solved = element('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': 'Blocks in solving order' });
    this.offsets = element('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': 'Offsets' });
    const count = counted(sized(report.mode_count), 'mode');
    const verdict = report.verdict === 'regular' ? 'all regular' : 'some singular';
    document.querySelector('#verdict').textContent = `${report.model}: ${count}, ${verdict}`;
    const foldBox = element('input', { type: 'checkbox', onchange: (event) => { this.fold = event.target.checked; this.layOut(); this.showMode(); } });
    foldBox.checked = this.fold;
    this.root.replaceChildren(...[
      element('div', { class: 'row' }, element('strong', {}, 'Mode'), element('div', { class: 'toggles' }, toggles.length ? toggles : element('span', { class: 'dim' }, 'the model has one mode')),
        this.names.length > 60 && element('span', { class: 'dim' }, `and ${this.names.length - 60} more mode variables`)),
      this.info,
      this.names.length > 0 && element('div', { class: 'row' }, element('label', { for: 'run-time' }, 'Time of the run'), element('span', { class: 'grow' }, this.slider), this.sliderText),
      element('div', { class: 'row' }, this.search, element('label', {}, foldBox, ' fold repeated elements'), element('span', { class: 'grow' }),
        element('button', { onclick: () => this.fit() }, 'Fit')),
      element('div', { class: 'graph' }, this.canvas),
      element('div', { class: 'columns' }, element('div', { class: 'card' }, element('h3', {}, 'Blocks of this mode, in order'), this.solved), element('div', { class: 'card' }, element('h3', {}, 'Offsets and states'), this.offsets)),
    ].filter(Boolean));
    this.listen();
    this.useRun(this.run);
  }

  /** Blocks as nodes in layers: what is read is further left. */
  layOut() {
    const { report } = this;
    const generic = (text) => text.replace(/\[[\d, ]+\]/g, '[·]');
    const key = (block) => generic([block.when, ...block.equations, '->', ...block.writes].join(' '));
    const nodes = new Map();
    const nodeOf = report.blocks.map((block, at) => {
      const name = this.fold ? key(block) : at;
      if (!nodes.has(name)) nodes.set(name, { blocks: [], into: new Set(), out: new Set(), layer: 0 });
      const node = nodes.get(name);
      node.blocks.push({ ...block, at, holds: compiled(block.when, this.names) });
      return node;
    });
    const byId = new Map(report.blocks.map((block, at) => [block.id, nodeOf[at]]));
    for (const { from, to } of report.dependencies) {
      const [one, other] = [byId.get(from), byId.get(to)];
      if (one && other && one !== other) { one.out.add(other); other.into.add(one); }
    }
    this.nodes = [...nodes.values()];
    // Blocks come in an order in which each mode can be solved; edges that go back belong to other modes.
    this.nodes.forEach((node, at) => { node.order = at; });
    for (const node of this.nodes) for (const next of node.out) if (next.order > node.order) next.layer = Math.max(next.layer, node.layer + 1);
    const rows = [];
    const tallest = Math.max(12, Math.ceil(Math.sqrt(this.nodes.length) * 1.6));
    const columns = [];
    for (const node of this.nodes) {
      const layer = (rows[node.layer] ??= []);
      layer.push(node);
    }
    let column = 0;
    rows.forEach((layer) => {
      // A neighbourhood of what is read keeps edges short.
      layer.forEach((node) => { node.weight = node.into.size ? [...node.into].reduce((sum, it) => sum + (it.row ?? 0), 0) / node.into.size : node.order; });
      layer.sort((one, other) => one.weight - other.weight || one.order - other.order);
      layer.forEach((node, at) => {
        node.row = at % tallest;
        node.x = (column + Math.floor(at / tallest)) * (WIDTH + GAP_X);
        node.y = node.row * (HEIGHT + GAP_Y) + (tallest - Math.min(layer.length, tallest)) * (HEIGHT + GAP_Y) / 2;
      });
      column += Math.ceil(layer.length / tallest);
      columns.push(column);
    });
    const bare = (name) => (this.fold ? generic(name) : name);
    for (const node of this.nodes) {
      const [first] = node.blocks;
      const many = node.blocks.length > 1 ? `${node.blocks.length}× ` : '';
      node.title = `${many}${first.equations.map(bare).join(' ')}`;
      node.below = `→ ${first.writes.map(bare).join(' ')}`;
      node.text = node.blocks.flatMap((block) => [...block.equations, ...block.writes]).join(' ').toLowerCase();
    }
    this.view = null;
  }

  useMode(values) {
    for (const [name, value] of values) if (this.names?.includes(name)) this.mode.set(name, value);
    if (this.report) this.showMode();
  }

  /** A run whose time the slider moves along. */
  useRun(run) {
    this.run = run;
    if (!this.slider) return;
    this.slider.disabled = !run;
    this.slider.value = 0;
    this.showSpan();
  }

  /** Beside the slider: the span of the run, where the mode that is shown is not that of a time. */
  showSpan() {
    this.asked = null;
    if (this.slider) this.sliderText.textContent = this.run ? `from ${this.run.start} to ${this.run.stop} s` : 'no run yet: simulate first';
  }

  slide() {
    const { start, stop, modeAt } = this.run;
    const time = start + (stop - start) * this.slider.value / 1000;
    const mode = modeAt(time);
    this.sliderText.textContent = `${time.toPrecision(5)} s`;
    if (mode instanceof Map) { this.useMode(mode); return; }
    // The newest place of the slider counts.
    this.asked = mode;
    mode.then((values) => { if (this.asked === mode) this.useMode(values); }, (error) => { if (this.asked === mode) this.sliderText.textContent = error.message; });
  }

  showMode() {
    const { report, mode } = this;
    for (const button of this.root.querySelectorAll('[data-mode]')) button.setAttribute('aria-pressed', String(mode.get(button.dataset.mode) === true));
    const possible = this.invariant(mode);
    const value = (cases) => cases.find((it) => compiled(it.when, this.names)(mode))?.value;
    this.info.className = possible ? 'dim' : 'bad';
    this.info.textContent = possible
      ? `index ${value(report.structural_index) ?? '?'} · ${counted(value(report.degrees_of_freedom) ?? '?', 'degree of freedom', 'degrees of freedom')} · ${counted(report.blocks.length, 'block')} in all modes`
      : `no such mode: all modes satisfy ${report.invariant.length > 200 ? `${report.invariant.slice(0, 200)}…` : report.invariant}`;
    let lit = 0;
    const here = [];
    for (const node of this.nodes) {
      node.lit = false;
      for (const block of node.blocks) if (possible && block.holds(mode)) { node.lit = true; lit += 1; here.push(block); }
    }
    here.sort((one, other) => one.at - other.at);
    const list = element('table', {}, element('thead', {}, element('tr', {}, ['equations', 'solved for', 'from'].map((it) => element('th', { scope: 'col' }, it)))),
      element('tbody', {}, here.slice(0, MOST_ROWS).map((block) => element('tr', {},
        element('td', { class: 'mono' }, block.equations.join(' ')), element('td', { class: 'mono' }, element('b', {}, block.writes.join(' '))),
        element('td', { class: 'mono dim' }, block.reads.map((it) => it.name ?? it).join(' '))))));
    this.solved.replaceChildren(list, ...(here.length > MOST_ROWS ? [element('p', { class: 'dim' }, `and ${here.length - MOST_ROWS} more`)] : []));
    const states = new Map();
    for (const block of here) {
      const order = (name) => name.length - name.replace(/'+$/, '').length;
      const orders = block.writes.reduce((sum, it) => sum + order(it), 0);
      const free = orders - block.equations.reduce((sum, it) => sum + order(it), 0);
      for (const name of block.writes) if (order(name) > 0) states.set(name.replace(/'+$/, ''), free === 0 ? 'no state' : free === orders ? 'state' : 'perhaps a state');
    }
    const items = (list, kind) => list.map((item) => [item, value(item.offsets), kind]).filter(([item, offset]) => offset !== undefined && (compiled(item.when, this.names)(mode)));
    const rows = possible ? [...items(report.equations, 'equation').filter(([, offset]) => offset > 0), ...items(report.variables, 'variable')] : [];
    this.offsets.replaceChildren(element('table', {}, element('thead', {}, element('tr', {}, ['name', 'offset', 'what it is'].map((it) => element('th', { scope: 'col' }, it)))),
      element('tbody', {}, rows.slice(0, MOST_ROWS).map(([item, offset, kind]) => element('tr', {},
        element('td', { class: 'mono' }, element('button', { class: 'linklike', onclick: () => this.app.showSource(item.span) }, item.name)), element('td', { class: 'num' }, String(offset)),
        element('td', { class: 'dim' }, kind === 'equation' ? 'equation, differentiated' : states.get(item.name) ?? ''))))));
    this.draw();
  }

  find() {
    const wanted = this.query.toLowerCase();
    this.found = wanted ? this.nodes.filter((node) => node.text.includes(wanted)) : [];
    if (this.found.length && this.view) {
      const [node] = this.found;
      this.view.scale = Math.max(this.view.scale, 0.8);
      this.view.x = node.x + WIDTH / 2 - this.canvas.clientWidth / 2 / this.view.scale;
      this.view.y = node.y + HEIGHT / 2 - this.canvas.clientHeight / 2 / this.view.scale;
    }
    this.draw();
  }

  fit() {
    this.view = null;
    this.draw();
  }

  draw() {
    if (!this.canvas || !this.report || this.root.hidden || !this.nodes) return;
    const { canvas } = this;
    const ratio = devicePixelRatio || 1;
    const width = canvas.parentElement.clientWidth;
    const height = Math.max(260, canvas.parentElement.clientHeight);
    if (!width) return;
    if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
      canvas.width = Math.round(width * ratio);
      canvas.height = Math.round(height * ratio);
      canvas.style.height = `${height}px`;
    }
    if (!this.view) {
      const right = Math.max(...this.nodes.map((it) => it.x), 0) + WIDTH;
      const bottom = Math.max(...this.nodes.map((it) => it.y), 0) + HEIGHT;
      const top = Math.min(...this.nodes.map((it) => it.y), bottom);
      const scale = Math.min(1.2, (width - 24) / right, (height - 24) / (bottom - top));
      this.view = { scale, x: -(width / scale - right) / 2, y: top - (height / scale - (bottom - top)) / 2 };
    }
    const { view } = this;
    const style = getComputedStyle(document.documentElement);
    const colour = (name) => style.getPropertyValue(`--${name}`).trim();
    const context = canvas.getContext('2d');
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, width, height);
    context.setTransform(ratio * view.scale, 0, 0, ratio * view.scale, -view.x * view.scale * ratio, -view.y * view.scale * ratio);
    const seen = (node) => node.x + WIDTH > view.x && node.x < view.x + width / view.scale && node.y + HEIGHT > view.y && node.y < view.y + height / view.scale;
    const detailed = view.scale > 0.35;
    context.lineWidth = 1 / view.scale;
    for (const lit of [false, true]) {
      context.strokeStyle = colour(lit ? 'lit-line' : 'line');
      context.lineWidth = (lit ? 1.6 : 1) / Math.max(view.scale, 0.5);
      context.beginPath();
      for (const node of this.nodes) {
        for (const next of node.out) {
          if ((node.lit && next.lit) !== lit || (!seen(node) && !seen(next))) continue;
          if (!detailed && !lit && this.nodes.length > 3000) continue;
          const [x1, y1, x2, y2] = [node.x + WIDTH, node.y + HEIGHT / 2, next.x, next.y + HEIGHT / 2];
          context.moveTo(x1, y1);
          if (detailed) context.bezierCurveTo(x1 + 30, y1, x2 - 30, y2, x2, y2);
          else context.lineTo(x2, y2);
        }
      }
      context.stroke();
    }
    const found = new Set(this.found ?? []);
    context.font = '12px ui-monospace, "DejaVu Sans Mono", monospace';
    context.textBaseline = 'middle';
    for (const node of this.nodes) {
      if (!seen(node)) continue;
      context.fillStyle = colour(node.lit ? 'lit' : 'paper');
      context.strokeStyle = colour(found.has(node) ? 'error' : node.lit ? 'lit-line' : 'line');
      context.lineWidth = (found.has(node) ? 3 : node.lit ? 1.8 : 1) / Math.max(view.scale, 0.6);
      context.fillRect(node.x, node.y, WIDTH, HEIGHT);
      context.strokeRect(node.x, node.y, WIDTH, HEIGHT);
      if (!detailed) continue;
      context.fillStyle = colour(node.lit ? 'ink' : 'off');
      context.fillText(cut(node.title), node.x + 8, node.y + 12);
      context.fillText(cut(node.below), node.x + 8, node.y + 28);
    }
  }

  listen() {
    const { canvas } = this;
    let drag = null;
    canvas.addEventListener('pointerdown', (event) => { drag = { x: event.clientX, y: event.clientY }; canvas.setPointerCapture(event.pointerId); });
    canvas.addEventListener('pointermove', (event) => {
      if (!drag) return;
      this.view.x -= (event.clientX - drag.x) / this.view.scale;
      this.view.y -= (event.clientY - drag.y) / this.view.scale;
      drag = { x: event.clientX, y: event.clientY };
      this.drawSoon();
    });
    canvas.addEventListener('pointerup', () => { drag = null; });
    canvas.addEventListener('wheel', (event) => { event.preventDefault(); this.zoom(Math.exp(-event.deltaY / 400), event.offsetX, event.offsetY); }, { passive: false });
    canvas.addEventListener('keydown', (event) => {
      const step = 60 / this.view.scale;
      const moves = { ArrowLeft: [-step, 0], ArrowRight: [step, 0], ArrowUp: [0, -step], ArrowDown: [0, step] };
      if (event.key in moves) { event.preventDefault(); this.view.x += moves[event.key][0]; this.view.y += moves[event.key][1]; this.drawSoon(); }
      if (event.key === '+' || event.key === '-') this.zoom(event.key === '+' ? 1.3 : 1 / 1.3, canvas.clientWidth / 2, canvas.clientHeight / 2);
    });
  }

  zoom(factor, x, y) {
    const { view } = this;
    const scale = Math.min(3, Math.max(0.005, view.scale * factor));
    view.x += x / view.scale - x / scale;
    view.y += y / view.scale - y / scale;
    view.scale = scale;
    this.drawSoon();
  }

  drawSoon() {
    if (this.soon) return;
    this.soon = requestAnimationFrame(() => { this.soon = null; this.draw(); });
  }
}

const cut = (text) => (text.length > 19 ? `${text.slice(0, 18)}…` : text);
