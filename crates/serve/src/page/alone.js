// Who answers the page where there is no server: the engine inside the browser, in workers, so that a question can be ended.
// Requests are those that the server knows.

export const isAlone = true;

const MOST_IDLE = 3;
const MOST_KEPT = 12;

const engine = fetch('modeshift.wasm').then(async (response) => {
  if (!response.ok) throw new Error('there is no modeshift.wasm beside the page');
  return WebAssembly.compile(await response.arrayBuffer());
});
const listed = fetch('models.json').then((response) => response.json());
async function file(name, directory = 'models') {
  const response = await fetch(`${directory}/${name.split('/').map(encodeURIComponent).join('/')}`);
  if (!response.ok) throw new Error(`there is no ${name}`);
  return response.text();
}
// What other files may need.
const files = listed.then(({ files: names }) => Promise.all(names.map(async (name) => ({ path: `/${name}`, text: await file(name) }))));

/** Why an engine has ended that nobody waits for any more. */
const UNWANTED = 'ended';

/** An engine in a worker of its own. */
class Engine {
  constructor() {
    this.worker = new Worker('worker.js');
    this.waiting = [];
    this.worker.onmessage = ({ data }) => {
      if (data.bytes) this.written?.(data);
      else if (data.fault) this.end(data.fault);
      else this.waiting.shift().resolve(data.answer);
    };
    this.worker.onerror = () => this.end('the engine could not be started');
    this.ready = Promise.all([engine, files]).then(([module, texts]) => this.worker.postMessage({ module, files: texts }), (error) => this.end(error.message));
  }

  call(name, body) {
    if (this.ended) return Promise.reject(new Error(this.ended));
    return new Promise((resolve, reject) => {
      this.waiting.push({ resolve, reject });
      this.ready.then(() => this.worker.postMessage({ name, body }));
    });
  }

  end(why = UNWANTED) {
    this.ended ??= why;
    this.worker.terminate();
    for (const { reject } of this.waiting.splice(0)) reject(new Error(why));
  }
}

const idle = [];
const take = () => idle.pop() ?? new Engine();
function giveBack(used) {
  used.written = null;
  if (used.ended) return;
  if (idle.length >= MOST_IDLE) used.end();
  else idle.push(used);
}

/** Questions by name: a newer one ends an older one. */
const asked = new Map();

async function ask(body) {
  asked.get(body.id)?.end();
  const used = take();
  asked.set(body.id, used);
  try {
    return await used.call('ask', body);
  } catch (error) {
    // Of a question that was ended there is no status, as of a process.
    return JSON.stringify({ status: null, messages: used.ended === UNWANTED ? '' : `error: ${error.message}\n`, result: '' });
  } finally {
    if (asked.get(body.id) === used) asked.delete(body.id);
    giveBack(used);
  }
}

function stop({ id }) {
  const used = asked.get(id);
  used?.end();
  return Boolean(used);
}

/** Bytes that are written at any place. */
class Growing {
  bytes = new Uint8Array(1 << 16);
  length = 0;

  write(position, more) {
    const end = position + more.length;
    if (end > this.bytes.length) {
      const larger = new Uint8Array(Math.max(end, 2 * this.bytes.length));
      larger.set(this.bytes.subarray(0, this.length));
      this.bytes = larger;
    }
    this.bytes.set(more, position);
    this.length = Math.max(this.length, end);
  }

  text(from = 0) { return new TextDecoder().decode(this.bytes.subarray(from, this.length)); }
}

const runs = new Map();
let lastRun = 0;

/** A run: what it has written so far, and how it ended. */
class Run {
  constructor(body) {
    Object.assign(this, { rows: new Growing(), events: new Growing(), state: 'running', summary: null, messages: '', engine: take() });
    this.engine.written = ({ result, position, bytes }) => [this.rows, this.events][result].write(position, bytes);
    this.engine.call('ask', { ...body, command: 'simulate' }).then((answer) => {
      const { messages, result } = JSON.parse(answer);
      Object.assign(this, { state: 'done', summary: result || null, messages });
    }, (error) => {
      if (this.state === 'running') Object.assign(this, { state: 'done', messages: `error: ${error.message}\n` });
    }).finally(() => giveBack(this.engine));
  }

  stop() {
    if (this.state !== 'running') return;
    this.state = 'stopped';
    this.engine.end();
  }

  /** The time of the last whole row. */
  get time() {
    const lines = this.rows.text(Math.max(0, this.rows.length - (1 << 16))).split('\n');
    const time = Number.parseFloat(lines.at(-2));
    return lines.length > 2 && Number.isFinite(time) ? time : null;
  }

  get table() {
    if (this.kept) return this.kept;
    const lines = this.rows.text().split('\n');
    const names = fields(lines[0].replace(/\r$/, ''));
    const rows = Math.max(0, lines.length - 2);
    const columns = names.map(() => new Float64Array(rows).fill(NaN));
    for (let row = 0; row < rows; row += 1) {
      const values = lines[row + 1].split(',');
      // A variable that is not there in a mode has an empty field.
      for (let at = 0; at < names.length; at += 1) if (values[at]) columns[at][row] = Number(values[at]);
    }
    const table = { names, columns, rows };
    if (this.state !== 'running') this.kept = table;
    return table;
  }
}

/** The fields of a line, of which some are quoted. */
function fields(line) {
  return [...line.matchAll(/(?:"((?:[^"]|"")*)"|([^",]*))(?:,|$)/g)].slice(0, -1).map(([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain);
}

const json = (value) => new Response(typeof value === 'string' ? value : JSON.stringify(value), { headers: { 'Content-Type': 'application/json' } });
const refuse = (status, text) => new Response(text, { status });

function ofRun(method, number, what, query, body) {
  const run = runs.get(Number(number));
  if (!run) return refuse(404, number > 0 && number <= lastRun ? `the result of run ${number} is no longer kept: run it again` : 'there is no such run');
  if (method === 'POST' && what === 'stop') run.stop();
  switch (what) {
    case 'columns': return run.rows.length ? json({ names: run.table.names, rows: run.table.rows }) : refuse(404, 'the run has written no result: what it said is why');
    case 'data': {
      const { names, columns } = run.table;
      const { columns: asked = query.getAll('column'), from = 0, to } = method === 'POST' ? JSON.parse(body) : {};
      const wanted = ['time', ...asked].map((name) => columns[names.indexOf(name)]);
      return wanted.includes(undefined) ? refuse(404, 'the result has no such column') : new Response(new Blob(wanted.map((it) => it.subarray(from, to))));
    }
    case 'events': return json(run.events.text() || '[]');
    case 'csv': return new Response(run.rows.text(), { headers: { 'Content-Type': 'text/csv; charset=utf-8' } });
    default: return json({ state: run.state, time: run.time, summary: run.summary, messages: run.messages });
  }
}

export async function request(path, { method = 'GET', body } = {}) {
  const url = new URL(path, 'http://alone/');
  const [, name, number, what] = url.pathname.slice(1).split('/');
  const query = url.searchParams;
  switch (name) {
    case 'files': return json({ directory: '', ...await listed });
    case 'file': return method === 'GET' ? new Response(await file(query.get('path'))) : refuse(403, 'without a server nothing can be written');
    case 'example': return new Response(await file(query.get('name'), 'examples'));
    case 'ask': return json(await ask(JSON.parse(body)));
    case 'stop': return json(stop(JSON.parse(body)));
    case 'run': {
      if (number) return ofRun(method, number, what, query, body);
      lastRun += 1;
      runs.set(lastRun, new Run(JSON.parse(body)));
      // What is running is never dropped.
      const ended = [...runs.keys()].filter((it) => runs.get(it).state !== 'running');
      for (const old of ended.slice(0, Math.max(0, runs.size - MOST_KEPT))) runs.delete(old);
      return json({ run: lastRun });
    }
    default: return refuse(404, 'there is no such page');
  }
}

/** The language server: one engine knows the texts, another one judges them, and is ended where that takes long. */
export async function connect({ message, closed }) {
  const server = new Engine();
  let judge = null;
  let timer;
  const go = (given) => server.call('language', given).then((answer) => {
    const { messages, worker, wait } = JSON.parse(answer);
    worker.forEach(oblige);
    messages.forEach(message);
    clearTimeout(timer);
    timer = setTimeout(() => go({}), Math.min(wait, 1e9));
  }).catch(closed);
  const oblige = ({ start, send, end }) => {
    if (end) {
      judge?.engine.end();
      judge = null;
    } else if (start) {
      judge = { engine: new Engine(), number: start };
    } else if (judge) {
      const { engine: asking, number } = judge;
      asking.call('work', JSON.parse(send)).then((answer) => go({ number, answer: JSON.parse(answer) }), () => {
        if (asking.ended !== UNWANTED) go({ number, ended: true });
      });
    }
  };
  await server.ready;
  return (it) => go({ message: it });
}
