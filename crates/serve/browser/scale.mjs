// How the page does with ten thousand blocks and a million points: `node scale.mjs PROGRAM`.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { assert, browse, claim, finish, serve } from './support.mjs';

const [program, models = '../../../models'] = process.argv.slice(2);
const work = mkdtempSync(join(tmpdir(), 'modeshift-scale-'));
writeFileSync(join(work, 'Large.mo'), readFileSync(join(models, 'FaultyCoaxial.mo'), 'utf8').replace(/(N\s*=\s*)\d+/, '$11500'));
writeFileSync(join(work, 'Many.mo'), 'model Many\n  Real x(start = 1, fixed = true);\n  Real y(start = 0, fixed = true);\n  Boolean up(start = true, fixed = true);\nequation\n  up = x > 0;\n  der(x) = 40*y;\n  der(y) = -40*x;\n  annotation (experiment(StopTime = 10, Interval = 1e-5));\nend Many;\n');

const server = await serve(program, join(work, 'Large.mo'));
const { page, end } = await browse();
const since = (begin) => `${Math.round(performance.now() - begin)} ms`;
const wait = (check) => page.waitForFunction(check, undefined, { timeout: 120000, polling: 20 });

await claim('ten thousand blocks: first paint, zoom, a mode, search', async () => {
  let begin = performance.now();
  await page.goto(server.address);
  await wait(() => document.querySelector('#structure p')?.textContent.includes('blocks'));
  const blocks = Number(/(\d+) blocks/.exec(await page.locator('#structure p').first().innerText())[1]);
  console.log(`      ${blocks} blocks; analysis and first paint ${since(begin)}`);
  assert(blocks > 9000, `${blocks} blocks`);
  const timed = (name, action) => page.evaluate(async ([what, text]) => {
    const canvas = document.querySelector('#structure canvas');
    const start = performance.now();
    if (what === 'zoom') canvas.dispatchEvent(new WheelEvent('wheel', { deltaY: -200, clientX: 900, clientY: 400, cancelable: true }));
    if (what === 'toggle') document.querySelector('[data-mode]').click();
    if (what === 'search') { const box = document.querySelector('#structure input[type=search]'); box.value = text; box.dispatchEvent(new Event('input')); }
    await new Promise((resolve) => { requestAnimationFrame(() => requestAnimationFrame(resolve)); });
    return performance.now() - start;
  }, [name, action]);
  for (const [name, text] of [['zoom', ''], ['toggle', ''], ['search', '[777]']]) {
    const time = await timed(name, text);
    console.log(`      ${name}: ${Math.round(time)} ms`);
    assert(time < 1500, `${name} takes ${time} ms`);
  }
  begin = performance.now();
  await page.getByLabel('fold repeated elements').check();
  console.log(`      fold: ${since(begin)}`);
});

await claim('a million points: drawn and zoomed', async () => {
  await page.selectOption('#file', 'file:Many.mo');
  await page.click('#tab-simulation');
  await wait(() => document.querySelector('#source').value.includes('model Many'));
  const begin = performance.now();
  await page.click('#run');
  await wait(() => /done · \d+ rows/.test(document.querySelector('#simulation [role=status]')?.textContent ?? ''));
  await wait(() => document.querySelectorAll('#events tbody tr').length > 0);
  console.log(`      ${await page.locator('#simulation [role=status]').first().innerText()}; run, sent and drawn in ${since(begin)}`);
  await page.waitForTimeout(500);
  for (let zoom = 0; zoom < 4; zoom += 1) {
    console.log(`      drawn in ${await page.getAttribute('#plot', 'data-drawn')} ms`);
    assert(Number(await page.getAttribute('#plot', 'data-drawn')) < 1000, 'quick');
    await page.locator('#plot').focus();
    await page.keyboard.press('+');
    await page.waitForTimeout(300);
  }
});

await end();
server.end();
rmSync(work, { recursive: true, force: true });
finish();
