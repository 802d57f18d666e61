// The page without a server, in a real browser: `node alone.mjs PROGRAM ENGINE [DIRECTORY FOR SCREENSHOTS]`. The same events and values
// as those of the program, with a server for files behind the page that knows nothing else.

import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { extname, join, normalize } from 'node:path';
import { assert, browse, claim, finish } from './support.mjs';

const [program, engine, pictures] = process.argv.slice(2);
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const work = mkdtempSync(join(tmpdir(), 'modeshift-alone-'));
const models = join(work, 'mine');
mkdirSync(join(models, 'Parts'), { recursive: true });
const write = (name, text) => writeFileSync(join(models, name), text);
write('Parts/package.mo', 'within;\npackage Parts\nend Parts;\n');
write('Parts/Decay.mo', 'within Parts;\nmodel Decay\n  parameter Real k = 2;\n  Real x(start = 1, fixed = true);\n  Boolean low(start = false, fixed = true);\nequation\n  low = x < 0.5;\n  der(x) = if low then -k*x/10 else -k*x;\nend Decay;\n');
write('Uses.mo', 'model Uses\n  Parts.Decay one, two(k = 3);\n  annotation (experiment(StopTime = 3));\nend Uses;\n');
const HUNG = 'model Hung\n  Real x(start = 1, fixed = true);\nequation\n  der(x) = x*sin(1e7*time);\n  annotation (experiment(StopTime = 1e6));\nend Hung;\n';
const BOOST = 'model Boost\n  extends Modeshift.Examples.BoostConverter;\n  annotation (experiment(StopTime = 0.02));\nend Boost;\n';
const model = (name) => readFileSync(new URL(`../../../models/${name}`, import.meta.url), 'utf8');
const FIVE = [['WaterTank.mo', model('WaterTank.mo')], ['ClutchBasic.mo', model('ClutchBasic.mo')], ['RLDC2.mo', model('RLDC2.mo')], ['Boost.mo', BOOST], ['CupAndBall.mo', model('CupAndBall.mo')]];

const directory = join(work, 'page');
execFileSync(program, ['serve', models, '--export', directory, '--wasm', engine], { stdio: ['ignore', 'ignore', 'ignore'] });

const KINDS = { '.html': 'text/html', '.css': 'text/css', '.js': 'text/javascript', '.json': 'application/json', '.wasm': 'application/wasm' };
const asked = [];
const server = createServer((request, response) => {
  asked.push(`${request.method} ${request.url}`);
  const path = normalize(decodeURIComponent(new URL(request.url, 'http://x/').pathname)).replace(/\/$/, '/index.html');
  try {
    const bytes = readFileSync(join(directory, path));
    response.writeHead(200, { 'Content-Type': KINDS[extname(path)] ?? 'text/plain' }).end(bytes);
  } catch {
    response.writeHead(404).end();
  }
}).listen(0, '127.0.0.1');
await new Promise((resolve) => { server.once('listening', resolve); });
const address = `http://127.0.0.1:${server.address().port}/`;

const { page, context, end } = await browse();
const problems = [];
page.on('pageerror', (error) => problems.push(error.message));
page.on('console', (message) => { if (message.type() === 'error') problems.push(message.text()); });
const picture = async (name) => { if (pictures) await page.screenshot({ path: join(pictures, `alone-${name}.png`) }); };
const waitFor = (check, argument) => page.waitForFunction(check, argument, { timeout: 60000 });
const text = (selector) => page.locator(selector).first().innerText();
/** Another address, and the page anew. */
const visit = async (fragment) => { await page.goto('about:blank'); await page.goto(`${address}#${fragment}`); };
const linked = (file, source, view) => page.evaluate(async ([name, given, shown]) => {
  const { packed } = await import('/link.js');
  return String(new URLSearchParams({ file: name, text: await packed(given), view: shown }));
}, [file, source, view]);
const ofRun = (number, what) => page.evaluate(async ([run, part]) => (await (await import('/backend.js')).request(`api/run/${run}/${part}`)).text(), [number, what]);

/** A table of numbers; nothing where a variable is not there. */
function table(csv) {
  const [head, ...lines] = csv.trim().split('\n');
  return { head, rows: lines.map((line) => line.split(',').map((it) => (it === '' ? null : Number(it)))) };
}

/** How far the numbers of two tables are apart, of the range of each column. */
function distance(one, other) {
  assert(one.head === other.head, `columns ${one.head} and ${other.head}`);
  assert(one.rows.length === other.rows.length, `${one.rows.length} and ${other.rows.length} rows`);
  let worst = 0;
  for (let column = 0; column < one.rows[0].length; column += 1) {
    const known = one.rows.map((row) => row[column]).filter((it) => it !== null);
    const [low, high] = [Math.min(...known), Math.max(...known)];
    const range = high > low ? high - low : Math.abs(high) || 1;
    one.rows.forEach((row, at) => {
      const twin = other.rows[at][column];
      assert((row[column] === null) === (twin === null), `row ${at}: a value on one side only`);
      if (twin !== null) worst = Math.max(worst, Math.abs(row[column] - twin) / range);
    });
  }
  return worst;
}

/** What makes an event, without its numbers. */
const kind = ({ cause, from, to, jumps, impulses }) => JSON.stringify([cause, from, to, jumps.map((it) => it.variable), impulses.map((it) => [it.variable, it.order])]);

await claim('the page opens from files alone, with the models that were exported', async () => {
  await visit('');
  await waitFor(() => document.querySelector('#file')?.value === 'file:Parts/Decay.mo' || document.querySelector('#source')?.value.length > 0);
  const names = await page.locator('#file option').allInnerTexts();
  for (const name of ['Uses.mo', 'Parts/package.mo', 'WaterTank.mo']) assert(names.includes(name), `${name} in ${names}`);
});

for (const [file, source] of FIVE) {
  await claim(`${file} runs as in the program`, async () => {
    writeFileSync(join(work, file), source);
    execFileSync(program, ['simulate', file, '-o', 'there.csv', '--events', 'there.json'], { cwd: work, stdio: ['ignore', 'ignore', 'ignore'] });
    await visit(await linked(file, source, 'simulation'));
    await page.waitForSelector('#run');
    const begin = performance.now();
    await page.click('#run');
    await waitFor(() => /(done|ended).* rows/.test(document.querySelector('#simulation [role=status]')?.textContent ?? ''));
    const took = Math.round(performance.now() - begin);
    const [here, there] = [JSON.parse(await ofRun(1, 'events')), JSON.parse(readFileSync(join(work, 'there.json'), 'utf8'))];
    const csv = readFileSync(join(work, 'there.csv'), 'utf8');
    const away = distance(table(csv), table(await ofRun(1, 'csv')));
    const rows = table(csv).rows;
    const span = rows.at(-1)[0] - rows[0][0];
    assert(here.length === there.length, `${here.length} and ${there.length} events`);
    here.forEach((event, at) => {
      assert(kind(event) === kind(there[at]), `event ${at}: ${kind(event)} and ${kind(there[at])}`);
      assert(Math.abs(event.time - there[at].time) <= 1e-9 * span, `event ${at}: ${event.time} and ${there[at].time}`);
    });
    console.log(`      ${rows.length} rows, ${here.length} events; values differ by at most ${away.toExponential(1)} of their range; ${took} ms`);
    assert(away <= 1e-9, `values differ by ${away} of their range`);
    await picture(file);
  });
}

await claim('structure, changes and what other tools do are those of the program', async () => {
  const commands = { analyze: {}, changes: {}, init: {}, flatten: {}, semantics: {}, check: { 'as-other-tools': true } };
  for (const [file, source] of FIVE) {
    for (const [command, more] of Object.entries(commands)) {
      const options = Object.keys(more).map((name) => `--${name}`);
      let there;
      try {
        there = execFileSync(program, [command, file, '--format=json', ...options], { cwd: work, stdio: ['ignore', 'pipe', 'ignore'], maxBuffer: 1 << 28 }).toString();
      } catch (error) {
        there = error.stdout.toString();
      }
      const here = await page.evaluate(async ([name, given, asking, rest]) => {
        const body = JSON.stringify({ file: name, example: true, text: given, command: asking, id: asking, ...rest });
        return (await (await import('/backend.js')).request('api/ask', { method: 'POST', body })).json();
      }, [file, source, command, more]);
      assert(JSON.stringify(here.result) === JSON.stringify(JSON.parse(there)), `${command} ${file}: ${JSON.stringify(here).slice(0, 300)}`);
    }
  }
});

await claim('the toggles of a mode light up what is solved in it', async () => {
  await visit('example=WaterTank.mo');
  await page.click('[data-mode="bl"]');
  await waitFor(() => /e2\s+yl/.test(document.querySelector('#structure table')?.innerText ?? ''));
  await waitFor(() => document.querySelector('.shown').textContent.includes('when bl → yl'));
});

await claim('an error is underlined while one types, and mended by a click', async () => {
  await page.locator('#source').evaluate((area) => { const at = area.value.indexOf('yl - yh - y0') + 'yl - yh'.length; area.focus(); area.setSelectionRange(at, at); });
  await page.keyboard.type('h');
  await waitFor(() => document.querySelector('.shown .e')?.textContent === 'yhh');
  await picture('error');
  await page.click('#problems .fix');
  await waitFor(() => !document.querySelector('.shown .e') && document.querySelector('#source').value.includes('yl - yh - y0'));
});

await claim('a model is kept in the address', async () => {
  await page.locator('#source').evaluate((area) => { area.focus(); area.setSelectionRange(0, 0); });
  await page.keyboard.type('// mine → ü\n');
  await page.click('#link');
  await waitFor(() => location.hash.includes('text='));
  const kept = page.url();
  await page.goto('about:blank');
  await page.goto(kept);
  await waitFor(() => document.querySelector('#source').value.startsWith('// mine → ü\n'));
  await page.goto('about:blank');
  await page.goto(kept.replace(/text=[^&]{9}/, 'text='));
  await waitFor(() => document.querySelector('#verdict').textContent.includes('damaged'));
});

await claim('a file uses a package that lies beside it', async () => {
  await visit('file=Uses.mo&view=simulation');
  await page.waitForSelector('[data-parameter="two.k"]');
  await page.click('#run');
  await page.waitForSelector('#events tbody tr');
  assert((await page.locator('#events tbody tr').count()) === 2, 'both come below one half');
});

await claim('a run that gets nowhere can be stopped, and what it found is there', async () => {
  await visit(await linked('Hung.mo', HUNG, 'simulation'));
  await page.waitForSelector('#run');
  await page.click('#run');
  await page.waitForTimeout(2500);
  await page.click('#stop');
  await waitFor(() => document.querySelector('#run').disabled === false);
  assert((await text('#simulation')).includes('stopped'), await text('#simulation'));
  // The page goes on.
  await visit('example=WaterTank.mo&view=simulation');
  await page.waitForSelector('#run');
  await page.click('#run');
  await page.waitForSelector('#events tbody tr');
});

await claim('a model that nests too deep is refused in words', async () => {
  const deep = `model Deep\n  Real x = ${'('.repeat(20000)}time${')'.repeat(20000)};\nend Deep;\n`;
  const answer = await page.evaluate(async (given) => (await (await import('/backend.js')).request('api/ask', { method: 'POST', body: JSON.stringify({ file: 'Deep.mo', example: true, text: given, command: 'check', id: 'deep' }) })).json(), deep);
  const said = JSON.stringify(answer);
  assert(/nest/.test(said) && !/bug in modeshift/.test(said), said.slice(0, 500));
});

for (const [name, colours, width] of [['light', 'light', 1400], ['dark', 'dark', 1400], ['narrow', 'light', 400]]) {
  await claim(`axe has nothing to say: ${name}`, async () => {
    await page.setViewportSize({ width, height: 900 });
    await page.evaluate((to) => { document.documentElement.dataset.theme = to; dispatchEvent(new Event('repaint')); }, colours);
    await page.waitForTimeout(250);
    await picture(name);
    await page.evaluate(axe);
    const { violations } = await page.evaluate(() => window.axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'best-practice'] }));
    assert(violations.length === 0, violations.map((it) => `${it.id} ${it.nodes.map((node) => node.target).join(' ')}`).join('; '));
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    assert(wide <= 0, `the page is ${wide} pixels too wide`);
  });
}

await claim('only files were asked for, and nothing was written to the console', async () => {
  const odd = asked.filter((it) => !/^GET \/(|[\w.]+\.(html|js|css|json|wasm)|(models|examples)\/.*\.(mo|mel))$/.test(it));
  assert(odd.length === 0, odd.join('\n'));
  assert(problems.length === 0, problems.join('\n'));
});

console.log(`      the engine has ${(statSync(engine).size / 1e6).toFixed(2)} MB`);
await end();
server.close();
rmSync(work, { recursive: true, force: true });
void context;
finish();
