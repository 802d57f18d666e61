// A plot on a canvas that stays quick at a million points: per pixel, only the least and the greatest value are drawn.
// Left and right limits are two points of one time; impulses are arrows; mode variables are bars below.

const LEFT = 62;
const RIGHT = 12;
const TOP = 10;
const AXIS = 22;
const BAR = 14;

export class Plot {
  constructor(canvas, { moved }) {
    Object.assign(this, { canvas, moved, curves: [], bars: [], impulses: [], events: [], span: [0, 1], zoomed: null, cursor: null });
    this.listen();
    addEventListener('repaint', () => this.draw());
    addEventListener('resize', () => this.draw());
  }

  /** Curves are {name, colour, dashed, time, values}, bars are {name, time, values}. */
  show({ curves, bars, impulses, events, span }) {
    Object.assign(this, { curves, bars, impulses, events, span });
    this.draw();
  }

  get range() { return this.zoomed ?? this.span; }

  zoom(from, to) {
    const [first, last] = this.span;
    const least = (last - first) * 1e-12;
    this.zoomed = to - from >= last - first || to - from < least ? null : [from, to];
    this.moved(this.range);
    this.drawSoon();
  }

  /** Puts a time in the middle. */
  look(time) {
    const [first, last] = this.span;
    this.cursor = time;
    const width = Math.min((last - first) / 8, this.range[1] - this.range[0]);
    this.zoom(time - width / 2, time + width / 2);
  }

  drawSoon() {
    if (this.soon) return;
    this.soon = requestAnimationFrame(() => { this.soon = null; this.draw(); });
  }

  get box() {
    const width = this.canvas.clientWidth;
    const height = this.canvas.clientHeight;
    return { left: LEFT, right: width - RIGHT, top: TOP, bottom: height - AXIS - this.bars.length * BAR, width, height };
  }

  draw() {
    const { canvas } = this;
    if (!canvas.clientWidth) return;
    const begin = performance.now();
    const ratio = devicePixelRatio || 1;
    canvas.width = Math.round(canvas.clientWidth * ratio);
    canvas.height = Math.round(canvas.clientHeight * ratio);
    const context = canvas.getContext('2d');
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    const style = getComputedStyle(document.documentElement);
    const colour = (name) => style.getPropertyValue(`--${name}`).trim();
    const box = this.box;
    const [from, to] = this.range;
    const x = (time) => box.left + (time - from) / (to - from || 1) * (box.right - box.left);
    const parts = this.curves.map((curve) => ({ curve, first: Math.max(0, bound(curve.time, from) - 1), last: Math.min(curve.time.length, bound(curve.time, to) + 2) }));
    let [low, high] = [Infinity, -Infinity];
    for (const { curve, first, last } of parts) {
      const { lows, highs } = blocks(curve.values);
      for (let at = first; at < last;) {
        const whole = at % BLOCK === 0 && at + BLOCK <= last;
        const [least, most] = whole ? [lows[at / BLOCK], highs[at / BLOCK]] : [curve.values[at], curve.values[at]];
        if (least < low) low = least;
        if (most > high) high = most;
        at += whole ? BLOCK : 1;
      }
    }
    if (!(low <= high)) [low, high] = [0, 1];
    const pad = (high - low) * 0.06 || Math.abs(high) * 0.1 || 1;
    [low, high] = [low - pad, high + pad];
    const y = (value) => box.bottom - (value - low) / (high - low) * (box.bottom - box.top);
    context.font = '11px system-ui, "DejaVu Sans", sans-serif';
    context.lineWidth = 1;
    context.textBaseline = 'middle';
    for (const [tick, text] of ticks(low, high, Math.max(2, (box.bottom - box.top) / 45))) {
      context.strokeStyle = colour('line');
      line(context, box.left, y(tick), box.right, y(tick));
      context.fillStyle = colour('dim');
      context.textAlign = 'right';
      context.fillText(text, box.left - 6, y(tick));
    }
    for (const [tick, text] of ticks(from, to, Math.max(2, (box.right - box.left) / 90))) {
      context.strokeStyle = colour('line');
      line(context, x(tick), box.top, x(tick), box.height - AXIS);
      context.fillStyle = colour('dim');
      context.textAlign = 'center';
      context.fillText(text, x(tick), box.height - AXIS / 2);
    }
    context.save();
    context.beginPath();
    context.rect(box.left, 0, box.right - box.left, box.height - AXIS);
    context.clip();
    context.strokeStyle = colour('off');
    context.setLineDash([2, 3]);
    const visible = this.events.filter((event) => event.time >= from && event.time <= to);
    if (visible.length < 400) for (const event of visible) line(context, x(event.time), box.top, x(event.time), box.height - AXIS);
    context.setLineDash([]);
    for (const { curve, first, last } of parts) this.drawCurve(context, { curve, first, last, x, y, colour });
    for (const impulse of this.impulses) if (impulse.time >= from && impulse.time <= to) drawImpulse(context, x(impulse.time), impulse, box, colour);
    this.bars.forEach((bar, at) => {
      const top = box.bottom + 4 + at * BAR;
      context.fillStyle = colour(`curve${at % 6}`);
      let start = null;
      const [first, last] = [Math.max(0, bound(bar.time, from) - 1), Math.min(bar.time.length, bound(bar.time, to) + 2)];
      for (let row = first; row <= last; row += 1) {
        const on = row < last && bar.values[row] > 0.5;
        if (on && start === null) start = bar.time[row];
        if (!on && start !== null) {
          const end = bar.time[Math.min(row, last - 1)];
          context.fillRect(x(start), top, Math.max(1, x(end) - x(start)), BAR - 5);
          start = null;
        }
      }
    });
    if (this.cursor !== null && this.cursor >= from && this.cursor <= to) {
      context.strokeStyle = colour('accent');
      context.lineWidth = 1.5;
      line(context, x(this.cursor), box.top, x(this.cursor), box.height - AXIS);
    }
    if (this.drag) {
      context.fillStyle = colour('accent');
      context.globalAlpha = 0.15;
      context.fillRect(Math.min(this.drag.from, this.drag.to), box.top, Math.abs(this.drag.to - this.drag.from), box.bottom - box.top);
    }
    context.restore();
    context.fillStyle = colour('dim');
    context.textAlign = 'right';
    this.bars.forEach((bar, at) => context.fillText(bar.name.length > 9 ? `${bar.name.slice(0, 8)}…` : bar.name, box.left - 6, box.bottom + 4 + at * BAR + (BAR - 5) / 2));
    this.lastDraw = performance.now() - begin;
    canvas.dataset.drawn = this.lastDraw.toFixed(2);
  }

  drawCurve(context, { curve, first, last, x, y, colour }) {
    const { time, values } = curve;
    context.strokeStyle = colour(curve.colour);
    context.fillStyle = colour(curve.colour);
    context.lineWidth = curve.dashed ? 1.2 : 1.7;
    context.setLineDash(curve.dashed ? [6, 4] : []);
    context.beginPath();
    const width = this.box.right - this.box.left;
    if (last - first > 4 * BLOCK * width) {
      // Many blocks per pixel: each is drawn as its least and its greatest value.
      const { lows, highs } = blocks(values);
      let column = NaN;
      let [low, high] = [Infinity, -Infinity];
      const flush = () => { if (low <= high) { context.moveTo(column, y(low)); context.lineTo(column, y(high) - 0.5); } };
      for (let block = Math.floor(first / BLOCK); block * BLOCK < last; block += 1) {
        const here = Math.floor(x(time[Math.max(first, block * BLOCK)]));
        if (here !== column) { flush(); column = here; [low, high] = [Infinity, -Infinity]; }
        low = Math.min(low, lows[block]);
        high = Math.max(high, highs[block]);
      }
      flush();
      context.stroke();
    } else if (last - first > 4 * width) {
      let column = NaN;
      let [low, high] = [0, 0];
      let joined = false;
      for (let at = first; at < last; at += 1) {
        const value = values[at];
        if (Number.isNaN(value)) { joined = false; continue; }
        const here = Math.floor(x(time[at]));
        if (here !== column) {
          if (!Number.isNaN(column)) context.lineTo(column, y(high));
          column = here;
          [low, high] = [value, value];
          if (joined) context.lineTo(here, y(value)); else context.moveTo(here, y(value));
          joined = true;
        } else if (value < low) { low = value; context.lineTo(here, y(low)); } else if (value > high) { high = value; context.lineTo(here, y(high)); }
      }
      context.stroke();
    } else {
      const jumps = [];
      let joined = false;
      for (let at = first; at < last; at += 1) {
        const value = values[at];
        if (Number.isNaN(value)) { joined = false; continue; }
        const jumped = at > first && time[at] === time[at - 1] && Math.abs(y(value) - y(values[at - 1])) > 3;
        if (jumped) jumps.push(at);
        if (joined && !jumped) context.lineTo(x(time[at]), y(value)); else context.moveTo(x(time[at]), y(value));
        joined = true;
      }
      context.stroke();
      context.setLineDash([]);
      // The left limit is open, the right limit is filled.
      if (jumps.length < 200) {
        for (const at of jumps) {
          const px = x(time[at]);
          circle(context, px, y(values[at - 1]), colour('paper'));
          circle(context, px, y(values[at]), colour(curve.colour));
        }
      }
    }
    context.setLineDash([]);
  }

  listen() {
    const { canvas } = this;
    const time = (px) => { const { left, right } = this.box; const [from, to] = this.range; return from + (px - left) / (right - left) * (to - from); };
    canvas.addEventListener('pointerdown', (event) => { this.drag = { from: event.offsetX, to: event.offsetX }; canvas.setPointerCapture(event.pointerId); });
    canvas.addEventListener('pointermove', (event) => { if (this.drag) { this.drag.to = event.offsetX; this.drawSoon(); } });
    canvas.addEventListener('pointerup', () => {
      const { from, to } = this.drag ?? { from: 0, to: 0 };
      this.drag = null;
      if (Math.abs(to - from) > 6) this.zoom(time(Math.min(from, to)), time(Math.max(from, to)));
      else { this.cursor = time(to); this.moved(this.range, this.cursor); this.drawSoon(); }
    });
    canvas.addEventListener('dblclick', () => { this.zoomed = null; this.moved(this.range); this.drawSoon(); });
    canvas.addEventListener('wheel', (event) => {
      event.preventDefault();
      const middle = time(event.offsetX);
      const factor = Math.exp(event.deltaY / 300);
      const [from, to] = this.range;
      this.zoom(Math.max(this.span[0], middle - (middle - from) * factor), Math.min(this.span[1], middle + (to - middle) * factor));
    }, { passive: false });
    canvas.addEventListener('keydown', (event) => {
      const [from, to] = this.range;
      const width = to - from;
      const moves = { ArrowLeft: [-0.2, -0.2], ArrowRight: [0.2, 0.2], '+': [0.2, -0.2], '-': [-0.3, 0.3] };
      if (event.key === '0') { this.zoomed = null; this.moved(this.range); this.drawSoon(); }
      if (!(event.key in moves)) return;
      event.preventDefault();
      const [one, other] = moves[event.key];
      this.zoom(Math.max(this.span[0], from + one * width), Math.min(this.span[1], to + other * width));
    });
  }
}

/** How many values are kept together as their least and their greatest. */
const BLOCK = 64;

const kept = new WeakMap();

/** The least and the greatest value of each block; what is no number counts for nothing. */
function blocks(values) {
  if (!kept.has(values)) {
    const count = Math.ceil(values.length / BLOCK);
    const [lows, highs] = [new Float64Array(count).fill(Infinity), new Float64Array(count).fill(-Infinity)];
    for (let at = 0; at < values.length; at += 1) {
      const block = Math.floor(at / BLOCK);
      if (values[at] < lows[block]) lows[block] = values[at];
      if (values[at] > highs[block]) highs[block] = values[at];
    }
    kept.set(values, { lows, highs });
  }
  return kept.get(values);
}

/** The first place whose time is not before. */
export function bound(times, time) {
  let [low, high] = [0, times.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (times[middle] < time) low = middle + 1; else high = middle;
  }
  return low;
}

function line(context, x1, y1, x2, y2) {
  context.beginPath();
  context.moveTo(x1, y1);
  context.lineTo(x2, y2);
  context.stroke();
}

function circle(context, x, y, fill) {
  context.beginPath();
  context.arc(x, y, 3.2, 0, 7);
  context.fillStyle = fill;
  context.fill();
  context.stroke();
}

function drawImpulse(context, x, impulse, box, colour) {
  const down = impulse.value < 0;
  const [tail, head] = down ? [box.top + 4, box.bottom - 6] : [box.bottom - 4, box.top + 6];
  context.strokeStyle = colour(impulse.colour ?? 'error');
  context.fillStyle = context.strokeStyle;
  context.lineWidth = 1.6;
  line(context, x, tail, x, head);
  context.beginPath();
  context.moveTo(x, head);
  context.lineTo(x - 4, head + (down ? -9 : 9));
  context.lineTo(x + 4, head + (down ? -9 : 9));
  context.fill();
}

/** Round numbers in a range, with their texts. */
function ticks(from, to, count) {
  const raw = (to - from) / count;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((it) => it * power).find((it) => it >= raw);
  const found = [];
  const digits = Math.max(0, Math.min(12, -Math.floor(Math.log10(step) + 1e-9)));
  const large = Math.max(Math.abs(from), Math.abs(to)) >= 1e6 || step < 1e-6;
  for (let tick = Math.ceil(from / step) * step; tick <= to && found.length < 60; tick += step) {
    const value = Math.abs(tick) < step / 1e6 ? 0 : tick;
    found.push([value, large ? value.toExponential(Math.max(0, Math.min(6, Math.floor(Math.log10(Math.abs(value) || 1)) + digits))) : value.toFixed(digits)]);
  }
  return found;
}
