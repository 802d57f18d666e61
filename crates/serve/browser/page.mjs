// What a user does with the page, in a real browser: `node page.mjs PROGRAM [DIRECTORY FOR SCREENSHOTS]`.

import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { assert, browse, claim, finish, serve } from './support.mjs';

const [program, pictures] = process.argv.slice(2);
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

const work = mkdtempSync(join(tmpdir(), 'modeshift-page-'));
const LOOP = 'model Hung "never gets anywhere"\n  parameter Real k = 1;\n  Real x(start = 1, fixed = true);\nequation\n  der(x) = k*x*sin(1e7*time);\n  annotation (experiment(StopTime = 1e6));\nend Hung;\n';
const DECAY = 'model Decay\n  parameter Real k = 2 "rate";\n  Real x(start = 1, fixed = true);\n  Boolean low(start = false, fixed = true);\nequation\n  low = x < 0.5;\n  der(x) = if low then -k*x/10 else -k*x;\n  annotation (experiment(StopTime = 3));\nend Decay;\n';
writeFileSync(join(work, 'Decay.mo'), DECAY);
writeFileSync(join(work, 'Hung.mo'), LOOP);
writeFileSync(join(work, 'secret.txt'), 'secret');
writeFileSync(join(work, 'Two.mo'), 'model Wrong Real x; equation x = y; end Wrong;\nmodel Right Real x = 1; end Right;\n');
writeFileSync(join(work, 'Short.mo'), "model Base\n  parameter Real k = 1;\nend Base;\nmodel 'my model'\n  Real q = 7;\nend 'my model';\nmodel Fast = Base(k = 30);\n");
writeFileSync(join(work, 'Clutch.mo'), readFileSync(new URL('../../../models/ClutchBasic.mo', import.meta.url)));
const WINDOWS = `\uFEFF${DECAY.replaceAll('Decay', 'Windows').replaceAll('\n', '\r\n')}`;
writeFileSync(join(work, 'Windows.mo'), WINDOWS);
// Twelve switches side by side: more kinds of changes than anyone lists.
const switched = [...Array(12).keys()].map((it) => it + 1);
const part = (n) => `  der(x[${n}]) = if sin(${n}*time) > 0 then -1 else y[${n}];\n  if sin(${n}*time) > 0 then x[${n}] = 2*y[${n}]; else y[${n}] = x[${n}]; end if;\n`;
writeFileSync(join(work, 'Many.mo'), `model Many\n  Real x[12](each start = 1, each fixed = true);\n  Real y[12];\nequation\n${switched.map(part).join('')}end Many;\n`);
symlinkSync('/etc/hostname', join(work, 'link.mo'));

const examples = await serve(program);
const files = await serve(program, join(work, 'Decay.mo'));
const { page, context, end } = await browse();
const foreign = [];
page.on('request', (request) => { if (!request.url().startsWith('http://127.0.0.1') && !request.url().startsWith('data:') && !request.url().startsWith('blob:')) foreign.push(request.url()); });
const problems = [];
page.on('pageerror', (error) => problems.push(error.message));
page.on('console', (message) => { if (message.type() === 'error') problems.push(message.text()); });
const picture = async (name) => { if (pictures) await page.screenshot({ path: join(pictures, `${name}.png`) }); };
const text = (selector) => page.locator(selector).first().innerText();
const waitFor = (check, argument) => page.waitForFunction(check, argument, { timeout: 20000 });

async function accessible(where) {
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => window.axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'best-practice'] }));
  assert(violations.length === 0, `${where}: ${violations.map((it) => `${it.id} (${it.nodes.map((node) => `${node.target} ${node.any?.[0]?.message ?? ''}`).join(' | ')})`).join('; ')}`);
}

await claim('the examples open without a file', async () => {
  await page.goto(examples.address);
  await waitFor(() => document.querySelector('#source').value.includes('model WaterTank') && document.querySelector('#structure canvas'));
  await waitFor(() => document.querySelector('#verdict').textContent.includes('3 modes'));
});

await claim('a mode picked by its toggles lights up what is solved in it: yl where bl', async () => {
  await page.click('[data-mode="bl"]');
  await waitFor(() => document.querySelector('[data-mode="bl"]').getAttribute('aria-pressed') === 'true');
  const table = await text('#structure table');
  assert(/e2\s+yl\s/.test(table), `e2 is solved for yl: ${table}`);
  await picture('structure-light');
  await page.click('[data-mode="bh"]');
  assert((await text('#structure')).includes('no such mode'), 'bh and bl together are no mode');
  await page.click('[data-mode="bh"]');
});

await claim('behind the equations stands what they are solved for', async () => {
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

await claim('a proposal completes what is being typed', async () => {
  await page.locator('#source').evaluate((area) => { const at = area.value.indexOf('Modelica.Math.cos') + 'Modelica.Math.'.length; area.focus(); area.setSelectionRange(at, at + 3); });
  await page.keyboard.press('Delete');
  await page.keyboard.type('si');
  await page.waitForSelector('.completion li');
  assert((await text('.completion')).includes('sin'), 'sin is proposed');
  await picture('completion');
  await page.keyboard.press('Escape');
  await page.keyboard.press('Backspace');
  await page.keyboard.press('Backspace');
  await page.keyboard.type('cos');
  await page.keyboard.press('Escape');
  await waitFor(() => !document.querySelector('.shown .e'));
});

await claim('the pointer over a name shows what is known of it', async () => {
  const box = await page.evaluate(() => { const { left, top } = document.querySelector('#source').getBoundingClientRect(); const line = document.querySelector('#source').value.split('\n').findIndex((it) => it.includes('der(x)')); return { x: left + 8 + 25.5 * 7.83, y: top + 8 + line * 20 + 10 }; });
  await page.mouse.move(box.x, box.y);
  await page.waitForSelector('.hover:not([hidden])');
  assert((await text('.hover')).includes('from e2'), await text('.hover'));
  await page.mouse.move(5, 5);
});

await claim('the matrix of mode changes tells what jumps', async () => {
  await page.click('#tab-changes');
  await page.waitForSelector('.matrix button');
  assert((await page.locator('.matrix button').count()) === 6, 'three modes, six changes');
  await page.locator('.matrix button').first().click();
  assert(/jumps/.test(await text('#changes .card')), 'what jumps is told');
  await picture('changes');
});

await claim('a run is shown with its events, and an event leads to the plot, the mode and the source', async () => {
  await page.click('#tab-simulation');
  await page.click('#run');
  await page.waitForSelector('#events tbody tr');
  assert((await page.locator('#events tbody tr').count()) === 8, 'eight events');
  await page.click('#events tbody tr:nth-child(3) td:nth-child(1) button');
  await page.click('#events tbody tr:nth-child(3) td:nth-child(2) button');
  await waitFor(() => document.querySelector('.shown .here')?.textContent === 'bl');
  assert((await page.evaluate(() => document.querySelector('.text').scrollLeft)) === 0, 'the lines are seen from their beginnings');
  await picture('simulation-light');
});

await claim('the slider of the run moves the mode of the structure', async () => {
  await page.click('#tab-structure');
  const lit = async (value) => {
    await page.locator('#run-time').evaluate((slider, to) => { slider.value = to; slider.dispatchEvent(new Event('input')); }, value);
    return page.locator('[data-mode="bl"]').getAttribute('aria-pressed');
  };
  assert((await lit(300)) === 'true' && (await lit(450)) === 'false', 'bl from 0.469 to 0.790 of 2 seconds');
  assert((await lit(300)) === 'true' && /e2\s+yl\s/.test(await text('#structure table')), 'e2 gives yl there');
});

await claim('it is told why other tools fail', async () => {
  await page.click('#tab-others');
  await waitFor(() => document.querySelector('#others').textContent.includes('divide by zero'));
  await picture('others');
});

for (const [name, colours, width] of [['light', 'light', 1400], ['dark', 'dark', 1400], ['narrow', 'light', 400]]) {
  await claim(`axe has nothing to say: ${name}`, async () => {
    await page.setViewportSize({ width, height: 900 });
    await page.evaluate((to) => { document.documentElement.dataset.theme = to; dispatchEvent(new Event('repaint')); }, colours);
    for (const tab of ['structure', 'changes', 'simulation', 'others']) {
      await page.click(`#tab-${tab}`);
      await page.waitForTimeout(250);
      await picture(`${tab}-${name}`);
      await accessible(tab);
    }
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    assert(wide <= 0, `the page is ${wide} pixels too wide`);
  });
}
await page.setViewportSize({ width: 1400, height: 900 });

await claim('a parameter is changed, and two runs are compared', async () => {
  await page.goto(`${files.address}#view=simulation`);
  await page.waitForSelector('[data-parameter="k"]');
  await page.click('#run');
  await page.waitForSelector('#events tbody tr');
  const first = await text('#events tbody tr td');
  await page.fill('[data-parameter="k"]', '4');
  await page.keyboard.press('Tab');
  await page.click('#run');
  await waitFor((before) => document.querySelector('#events tbody tr td')?.innerText !== before, first);
  const second = await text('#events tbody tr td');
  assert(Math.abs(Number(first) - Math.LN2 / 2) < 1e-4 && Math.abs(Number(second) - Math.LN2 / 4) < 1e-4, `${first} ${second}`);
  assert((await page.locator('#simulation [aria-label="Runs compared"] input').count()) === 2, 'two runs');
  await picture('compare');
});

await claim('a run that gets nowhere can be stopped', async () => {
  await page.selectOption('#file', 'file:Hung.mo');
  await waitFor(() => document.querySelector('#source').value.includes('model Hung'));
  await page.click('#tab-simulation');
  await page.waitForSelector('[data-parameter="k"]');
  await page.click('#run');
  await page.waitForTimeout(1200);
  await page.click('#stop');
  await waitFor(() => document.querySelector('#run').disabled === false);
  assert((await text('#simulation')).includes('stopped'), 'it says so');
});

await claim('what was edited is saved to the file', async () => {
  await page.selectOption('#file', 'file:Decay.mo');
  await waitFor(() => document.querySelector('#source').value.includes('model Decay'));
  await page.locator('#source').evaluate((area) => { area.focus(); area.setSelectionRange(0, 0); });
  await page.keyboard.type('// saved\n');
  await page.keyboard.press('Control+s');
  await waitFor(() => document.querySelector('#save').textContent === 'Saved');
  assert(readFileSync(join(work, 'Decay.mo'), 'utf8') === `// saved\n${DECAY}`, 'the file has it');
});

const typeAtTheTop = async (what) => {
  await page.locator('#source').evaluate((area) => { area.focus(); area.setSelectionRange(0, 0); });
  await page.keyboard.type(what);
};

await claim('a file keeps its byte order mark and its ends of lines', async () => {
  await page.selectOption('#file', 'file:Windows.mo');
  await waitFor(() => document.querySelector('#source').value.includes('model Windows'));
  await typeAtTheTop('// saved\n');
  await page.keyboard.press('Control+s');
  await waitFor(() => document.querySelector('#save').textContent === 'Saved');
  assert(readFileSync(join(work, 'Windows.mo'), 'utf8') === WINDOWS.replace('model', '// saved\r\nmodel'), 'the file has them');
});

await claim('what was changed outside is not overwritten unless that is wanted', async () => {
  const path = join(work, 'Decay.mo');
  const foreign = `// by another program\n${DECAY}`;
  await page.selectOption('#file', 'file:Decay.mo');
  await waitFor(() => document.querySelector('#source').value.includes('model Decay'));
  writeFileSync(path, foreign);
  await typeAtTheTop('// mine\n');
  await page.keyboard.press('Control+s');
  await page.waitForSelector('#conflict:not([hidden])');
  await picture('conflict');
  assert(readFileSync(path, 'utf8') === foreign, 'it is not overwritten');
  assert((await text('#conflict')).includes('changed outside') && (await page.inputValue('#source')).startsWith('// mine\n'), 'it says so, and keeps the text');
  await page.click('#reload');
  await waitFor(() => document.querySelector('#source').value.startsWith('// by another program') && document.querySelector('#conflict').hidden);
  await typeAtTheTop('// again\n');
  writeFileSync(path, DECAY);
  await page.click('#save');
  await page.waitForSelector('#conflict:not([hidden])');
  await page.click('#overwrite');
  await waitFor(() => document.querySelector('#save').textContent === 'Saved' && document.querySelector('#conflict').hidden);
  assert(readFileSync(path, 'utf8') === `// again\n${foreign}`, 'what was wanted is written');
  // A file that nobody changed here is read again by whoever comes back.
  writeFileSync(path, DECAY);
  await page.evaluate(() => dispatchEvent(new Event('focus')));
  await waitFor((now) => document.querySelector('#source').value === now, DECAY);
  problems.length = 0;
});

await claim('too many kinds of changes are said to be so', async () => {
  await page.selectOption('#file', 'file:Many.mo');
  await waitFor(() => document.querySelector('#source').value.includes('model Many'));
  await page.click('#tab-changes');
  await waitFor(() => document.querySelector('#changes').textContent.includes('too many kinds of changes'));
  await picture('many');
});

await claim('the model that is chosen is the one that is judged', async () => {
  await page.selectOption('#file', 'file:Two.mo');
  await waitFor(() => document.querySelector('#source').value.includes('model Wrong') && document.querySelector('#count').textContent.includes('none'));
  await page.selectOption('#model', 'Wrong');
  await waitFor(() => document.querySelector('#problems').textContent.includes('E0201') && document.querySelector('#verdict').classList.contains('bad'));
  await picture('chosen');
  await page.selectOption('#model', '');
  await waitFor(() => document.querySelector('#count').textContent.includes('none') && !document.querySelector('#verdict').classList.contains('bad'));
});

await claim('the models to choose from are those of the program', async () => {
  await page.selectOption('#file', 'file:Short.mo');
  await waitFor(() => document.querySelector('#model option')?.textContent === 'Fast (default)');
  const options = await page.locator('#model option').evaluateAll((all) => all.map((it) => it.value));
  assert(JSON.stringify(options) === JSON.stringify(['', 'Base', "'my model'", 'Fast']), options.join());
  await page.selectOption('#model', "'my model'");
  await waitFor(() => document.querySelector('#count').textContent.includes('none'));
});

await claim('the verdict is that of the text, whichever view is open', async () => {
  await page.click('#tab-structure');
  await page.selectOption('#file', 'file:Decay.mo');
  await waitFor(() => document.querySelector('#verdict').textContent.startsWith('Decay: 2 modes'));
  await page.click('#tab-changes');
  await page.locator('#source').evaluate((area) => { area.focus(); area.select(); document.execCommand('insertText', false, 'model Plain Real y = 1; end Plain;'); });
  await waitFor(() => document.querySelector('#verdict').textContent === 'all well');
});

await claim('what a restart gives of an impulsive variable is its weight', async () => {
  await page.selectOption('#file', 'file:Clutch.mo');
  await waitFor(() => document.querySelector('.matrix button.impulse'));
  await page.locator('.matrix button.impulse').first().click();
  const told = await text('#changes .card');
  assert(told.includes('weight of f1 = ') && told.includes('w1 = ') && !told.includes('weight of w1') && !/^f1 = /m.test(told), told);
});

await claim('everything can be reached with the keyboard', async () => {
  await page.focus('#tab-structure');
  await page.keyboard.press('ArrowRight');
  assert((await page.getAttribute('#tab-changes', 'aria-selected')) === 'true', 'the next tab');
});

await claim('requests without the token, of other origins, hosts and paths are refused', async () => {
  const base = new URL(files.address);
  const token = base.pathname;
  const status = async (path, headers = {}, method = 'GET', body = undefined) => (await fetch(new URL(path, base), { method, headers, body })).status;
  assert(await status('/') === 403 && await status('/api/files') === 403 && await status('/0000/api/files') === 403, 'without the token');
  assert(await status(`${token}api/files`) === 200, 'with it');
  assert(await status(`${token}api/files`, { Origin: 'http://evil.example' }) === 403, 'a foreign origin');
  for (const name of ['../../etc/passwd', '/etc/passwd', '..%2f..%2fetc%2fpasswd', 'secret.txt', 'link.mo']) {
    assert(await status(`${token}api/file?path=${name}`) === 403, name);
    assert(await status(`${token}api/file?path=${name}`, {}, 'PUT', 'x') === 403, `writing ${name}`);
  }
  const socket = await page.evaluate((url) => new Promise((resolve) => { const it = new WebSocket(url); it.onopen = () => resolve('open'); it.onerror = () => resolve('refused'); }), `ws://${base.host}/lsp`);
  assert(socket === 'refused', 'a web socket without the token');
  problems.length = 0;
});

await claim('no request left the machine, and nothing was written to the console', async () => {
  assert(foreign.length === 0, foreign.join(' '));
  assert(problems.length === 0, problems.join('\n'));
});

await claim('nothing is called well once the server is gone', async () => {
  files.end();
  await waitFor(() => document.querySelector('#verdict').classList.contains('bad') && document.querySelector('#verdict').textContent.includes('server is gone'));
  await typeAtTheTop('// lost\n');
  await page.waitForTimeout(900);
  assert((await text('#verdict')).includes('server is gone'), await text('#verdict'));
  await picture('gone');
});

await end();
examples.end();
rmSync(work, { recursive: true, force: true });
void context;
finish();
