// What comes late, quickly or in great number: `node late.mjs PROGRAM`.

import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { assert, browse, claim, finish, serve } from './support.mjs';

const [program, pictures] = process.argv.slice(2);
const work = mkdtempSync(join(tmpdir(), 'modeshift-late-'));
const file = (name, text) => { writeFileSync(join(work, name), text); return text; };

const lines = (count) => `model  Wide\n${[...Array(count).keys()].map((it) => `     Real   v${it} =   ${it};\n`).join('')}end Wide;\n`;
file('Wide.mo', lines(600));
const PLAIN = file('Plain.mo', 'model Plain\n  Real x(start = 1, fixed = true);\nequation\n  der(x) = -x;\nend Plain;\n');
const hung = (name, start) => `model ${name}\n  parameter Real k = 1;\n  Real x(start = ${start}, fixed = true);\nequation\n  der(x) = k*x*sin(1e7*time);\n  annotation (experiment(StopTime = 1e6));\nend ${name};\n`;
file('Hung.mo', hung('Hung', 1));
file('Knobs.mo', 'model Knobs\n  parameter Integer n = 3;\n  parameter Boolean quick = false;\n  parameter Real rate = 2;\n  Real x(start = 1, fixed = true);\nequation\n  der(x) = if quick then -10*x else -n*rate*x;\nend Knobs;\n');
// So many mode variables that their names are more than any header may have.
const COUNT = 1200;
const MODE = 'a_mode_variable_with_a_long_name_of_its_own_number';
file('Crowd.mo', `model Crowd\n  Boolean ${MODE}[${COUNT}];\n  Real y[${COUNT}];\nequation\n  for i in 1:${COUNT} loop\n    ${MODE}[i] = time > i/10;\n    0 = if ${MODE}[i] then y[i] - 1 else y[i] - time;\n  end for;\nend Crowd;\n`);
const LONG = 'a_name_that_goes_on_and_on_'.repeat(6);
file('Long.mo', `model Long\n  Real ${LONG}(start = 1, fixed = true);\n  Boolean ${LONG}b = ${LONG} < 0.5;\nequation\n  der(${LONG}) = if ${LONG}b then -1 else -2;\nend Long;\n`);

const server = await serve(program, join(work, 'Plain.mo'));
const { page, context, end } = await browse();
const problems = [];
page.on('pageerror', (error) => problems.push(error.message));
const waitFor = (check, argument, timeout = 30000) => page.waitForFunction(check, argument, { timeout });
const status = () => page.locator('#simulation [role="status"]').first().innerText();
const picture = async (name) => { if (pictures) await page.screenshot({ path: join(pictures, `${name}.png`) }); };
const open = async (name, tab = 'simulation') => {
  await page.selectOption('#file', `file:${name}.mo`);
  await waitFor((model) => document.querySelector('#source').value.includes(`model ${model}`) || document.querySelector('#source').value.includes(`model  ${model}`), name);
  await page.click(`#tab-${tab}`);
};
const ended = () => waitFor(() => document.querySelector('#run')?.disabled === false);
await page.goto(server.address);
await waitFor(() => document.querySelector('#structure canvas'));

await claim('what is typed while a text is formatted stays, and the formatting is dropped', async () => {
  await open('Wide', 'structure');
  await page.locator('#source').evaluate((area) => { area.focus(); area.setSelectionRange(0, 0); });
  await page.locator('#source').evaluate((area) => {
    area.dispatchEvent(new KeyboardEvent('keydown', { key: 'F', ctrlKey: true, shiftKey: true, bubbles: true }));
    document.execCommand('insertText', false, '// first\n// second\n');
  });
  await page.waitForTimeout(1500);
  assert((await page.inputValue('#source')) === `// first\n// second\n${lines(600)}`, 'the text is what was typed, and nothing else');
});

await claim('a formatting does not reach the file that is opened meanwhile', async () => {
  await page.evaluate(() => {
    document.querySelector('#source').dispatchEvent(new KeyboardEvent('keydown', { key: 'F', ctrlKey: true, shiftKey: true, bubbles: true }));
    const files = document.querySelector('#file');
    files.value = 'file:Plain.mo';
    files.dispatchEvent(new Event('change'));
  });
  await waitFor(() => document.querySelector('#source').value.includes('model Plain'));
  await page.waitForTimeout(1500);
  assert((await page.inputValue('#source')) === PLAIN, 'it is as the file');
});

await claim('600 lines are formatted at once, and in one step back', async () => {
  await open('Wide', 'structure');
  const before = await page.inputValue('#source');
  await page.focus('#source');
  const begin = performance.now();
  await page.keyboard.press('Control+Shift+F');
  await waitFor(() => document.querySelector('#source').value.includes('\n  Real   v599 ') || document.querySelector('#source').value.includes('\n  Real v599 '));
  const took = performance.now() - begin;
  assert(took < 8000, `it took ${Math.round(took)} ms`);
  await page.keyboard.press('Control+z');
  assert((await page.inputValue('#source')) === before, 'one step back');
});

await claim('the run of a file is not shown as that of another', async () => {
  await open('Hung');
  await page.waitForSelector('[data-parameter="k"]');
  await page.click('#run');
  await page.waitForTimeout(800);
  await open('Plain');
  await page.waitForTimeout(1500);
  assert(!(await status()).includes('time') && (await page.locator('#simulation [aria-label="Runs compared"] input').count()) === 0, `nothing of it is there: ${await status()}`);
  await page.click('#run');
  await waitFor(() => document.querySelector('#simulation').textContent.includes('done'));
  assert((await page.locator('#simulation [aria-label="Runs compared"] input').count()) === 1, 'one run, its own');
});

await claim('the structure of another model is gone before the new one is there', async () => {
  await open('Knobs', 'structure');
  await page.waitForSelector('#structure canvas');
  await page.route('**/api/ask', async (route) => { await new Promise((resolve) => { setTimeout(resolve, 1500); }); await route.continue(); });
  await page.selectOption('#file', 'file:Plain.mo');
  await waitFor(() => document.querySelector('#source').value.includes('model Plain'));
  assert((await page.locator('#structure canvas').count()) === 0 && (await page.locator('#structure').innerText()).includes('Analyzing'), await page.locator('#structure').innerText());
  await page.waitForSelector('#structure canvas');
  await page.locator('#source').evaluate((area) => { area.focus(); area.setSelectionRange(0, 0); });
  await page.keyboard.type('// x\n');
  await waitFor(() => document.querySelector('#structure').getAttribute('aria-busy') === 'true');
  await waitFor(() => document.querySelector('#structure').getAttribute('aria-busy') === null);
  await page.unroute('**/api/ask');
});

await claim('whole numbers, choices and numbers are set as what they are; quick steps end in a result', async () => {
  await open('Knobs');
  await page.waitForSelector('[data-parameter="n"]');
  const slider = page.locator('input[aria-label="n, slider"]');
  await slider.focus();
  for (const key of ['ArrowRight', 'ArrowRight', 'ArrowLeft', 'ArrowRight', 'ArrowRight']) await page.keyboard.press(key);
  assert((await page.inputValue('[data-parameter="n"]')) === '6', await page.inputValue('[data-parameter="n"]'));
  await waitFor(() => document.querySelector('#simulation').textContent.includes('done'));
  await ended();
  assert((await page.locator('#simulation').innerText()).includes('n=6'), 'the last step counts');
  const slide = async (value) => { await slider.evaluate((it, to) => { it.value = to; it.dispatchEvent(new Event('input')); it.dispatchEvent(new Event('change')); }, value); await page.waitForTimeout(150); };
  for (const value of [1, 2, 5, 7, 8]) await slide(value);
  await waitFor(() => document.querySelector('#simulation').textContent.includes('n=8') && document.querySelector('#run').disabled === false);
  await page.check('[data-parameter="quick"]');
  await waitFor(() => document.querySelector('#simulation').textContent.includes('quick=true') && document.querySelector('#run').disabled === false);
  assert(await page.locator('#simulation pre').isHidden(), 'nothing was refused');
  await picture('knobs');
});

await claim('a parameter that was set and is called otherwise now does not stop runs', async () => {
  await page.fill('[data-parameter="rate"]', '3');
  await page.keyboard.press('Tab');
  await page.locator('#source').evaluate((area) => { area.focus(); area.value = area.value.replaceAll('rate', 'speed'); area.dispatchEvent(new Event('input')); });
  await page.keyboard.press('Control+Enter');
  await waitFor(() => [...document.querySelectorAll('#simulation [aria-label="Runs compared"] label')].at(-1)?.textContent.includes('quick=true') && !document.querySelector('#run').disabled);
  await page.waitForTimeout(500);
  assert(/done/.test(await status()), await status());
});

await claim('a wish that is no number is refused in words, and a run that fails says why', async () => {
  await page.fill('#stop-time', 'abc');
  await page.click('#run');
  assert((await status()).includes('“abc” is no number'), await status());
  await page.fill('#stop-time', '');
  await page.locator('#source').evaluate((area) => { area.focus(); area.value = area.value.replace('der(x) =', 'der(y) ='); area.dispatchEvent(new Event('input')); });
  await page.click('#run');
  await waitFor(() => document.querySelector('#simulation [role="status"]').textContent.includes('could not begin'));
  assert(/could not begin: .*`y`/.test(await status()), await status());
});

await claim('a model with very many mode variables is simulated, and its modes follow the slider', async () => {
  await open('Crowd');
  await page.waitForTimeout(1000);
  await page.click('#run');
  await waitFor(() => document.querySelector('#simulation').textContent.includes('done'), undefined, 90000);
  await page.click('#tab-structure');
  await waitFor(() => document.querySelector('#run-time')?.disabled === false, undefined, 60000);
  await page.locator('#run-time').evaluate((it) => { it.value = 500; it.dispatchEvent(new Event('input')); });
  const pressed = (number) => page.getAttribute(`[data-mode="${MODE}[${number}]"]`, 'aria-pressed');
  await waitFor((name) => document.querySelector(`[data-mode="${name}[4]"]`).getAttribute('aria-pressed') === 'true', MODE);
  assert((await pressed(1)) === 'true' && (await pressed(6)) === 'false' && (await pressed(60)) === 'false', 'those of half a second');
  assert((await page.locator('#run-time-text').innerText()).includes('0.5'), 'the time beside it');
  await page.click('[data-mode] >> nth=0');
  assert((await page.locator('#run-time-text').innerText()).startsWith('from'), 'the time goes with its mode');
  await page.click('#tab-changes');
  await waitFor(() => /too many kinds|no mode changes/.test(document.querySelector('#changes').textContent), undefined, 90000);
  assert(!/\d{12}/.test(await page.locator('#changes').innerText()), 'no number of many digits');
});

await claim('long names end in an ellipsis, and one of something is one', async () => {
  await open('Long', 'structure');
  await waitFor((name) => document.querySelector('[data-mode]')?.dataset.mode === `${name}b`, LONG);
  const toggle = page.locator('[data-mode]').first();
  const { inside, right, limit, title } = await toggle.evaluate((it) => ({ inside: getComputedStyle(it).textOverflow, right: it.getBoundingClientRect().right, limit: it.parentElement.getBoundingClientRect().right, title: it.title }));
  assert(inside === 'ellipsis' && right <= limit && title === `${LONG}b`, `${inside} ${right} ${limit} ${title}`);
  const words = await page.locator('#structure').innerText();
  assert(!/\b1 (degrees|blocks|rows|modes|events)\b/.test(words) && /1 degree of freedom/.test(words), words);
  await picture('long');
});

await claim('nothing went wrong behind the page', async () => {
  assert(problems.length === 0, problems.join('; '));
});

/** The language servers behind the page. */
const languageServers = () => readdirSync('/proc').filter((name) => /^\d+$/.test(name)).filter((name) => {
  try {
    const parent = readFileSync(`/proc/${name}/stat`, 'utf8').replace(/^.*\) /, '').split(' ')[1];
    return Number(parent) === server.process && readFileSync(`/proc/${name}/cmdline`, 'utf8').split('\0')[1] === 'lsp';
  } catch { return false; }
});

await claim('another language server follows one that ends, and knows the text as it is', async () => {
  await open('Plain', 'structure');
  const type = (before, after) => page.locator('#source').evaluate((area, [from, to]) => {
    const at = area.value.indexOf(from);
    area.focus();
    area.setSelectionRange(at, at + from.length);
    document.execCommand('insertText', false, to);
  }, [before, after]);
  const [first, ...more] = languageServers();
  assert(first && !more.length, 'there is one');
  process.kill(Number(first), 'SIGKILL');
  await type('-x;', '-y;');
  await waitFor(() => document.querySelector('#problems')?.textContent.includes('y'));
  assert(!(await page.locator('#verdict').innerText()).includes('gone'), 'nothing is gone');
  await type('-y;', '-x;');
  await waitFor(() => !document.querySelector('#problems').textContent && !document.querySelector('#verdict').classList.contains('bad'));
  for (let time = 0; time < 3; time += 1) {
    for (const process_ of languageServers()) process.kill(Number(process_), 'SIGKILL');
    await page.waitForTimeout(1500);
  }
  const said = await page.locator('#verdict').innerText();
  assert(said.includes('loaded again') && !said.includes('saved'), said);
});

await end();
await context.close().catch(() => {});
server.end();
rmSync(work, { recursive: true, force: true });
finish();
