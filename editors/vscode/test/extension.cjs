// The extension as it is packaged, in a stand-in for the editor: `node test/extension.cjs PROGRAM`, after `npm run build`.

const assert = require('node:assert');
const { mkdtempSync, rmSync, writeFileSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { join, resolve } = require('node:path');
const { host } = require('./host.cjs');

const program = process.argv[2] ? resolve(process.argv[2]) : 'modeshift';
const work = mkdtempSync(join(tmpdir(), 'modeshift-extension-'));
const configuration = { program };
const editor = host(configuration);
const extension = require(resolve(__dirname, '../dist/extension.js'));
const manifest = require('../package.json');

let failures = 0;
async function claim(name, check) {
  try {
    await check();
    console.log(`ok    ${name}`);
  } catch (error) {
    failures += 1;
    console.log(`FAIL  ${name}\n      ${error.stack.split('\n').slice(0, 6).join('\n      ')}`);
  }
}

async function until(what, check) {
  for (let tries = 0; tries < 600; tries += 1) {
    const found = check();
    if (found) return found;
    await new Promise((done) => { setTimeout(done, 50); });
  }
  throw new Error(`waited in vain for ${what}`);
}

const TANK = 'model Tank\n  Real x(start = 1, fixed = true);\nequation\n  der(x) = -y;\nend Tank;\n';
const file = join(work, 'Tank.mo');
writeFileSync(file, TANK);
editor.folder = work;
const context = { subscriptions: [] };
const pages = () => editor.executed.filter(([name]) => name === 'simpleBrowser.api.open');

(async () => {
  await claim('every command of the manifest is there once the extension is active', async () => {
    await extension.activate(context);
    for (const { command } of manifest.contributes.commands) assert(editor.commands.has(command), command);
    assert.deepStrictEqual(editor.messages, []);
  });

  let document;
  await claim('a text with an error gets a diagnostic of the program at its place', async () => {
    document = editor.open(file, TANK);
    const found = await until('diagnostics', () => editor.diagnostics.get(document.uri.toString())?.length && editor.diagnostics.get(document.uri.toString()));
    assert(found.some((it) => it.range.start.line === 3 && /`y`/.test(it.message)), JSON.stringify(found));
  });

  await claim('what the program can do is registered with the editor', async () => {
    const registered = editor.noted.map(([name]) => name).filter((name) => name.startsWith('languages.register'));
    for (const kind of ['Hover', 'Definition', 'Rename', 'CodeActions', 'DocumentFormatting', 'CodeLens', 'InlayHints', 'CompletionItem', 'DocumentSemanticTokens']) {
      assert(registered.some((name) => name.startsWith(`languages.register${kind}`)), `${kind}: ${registered}`);
    }
  });

  await claim('structure and simulate save the text and open the view of the page, from one server', async () => {
    document.isDirty = true;
    await editor.commands.get('modeshift.structure')();
    await editor.commands.get('modeshift.simulate')(document.uri.toString(), 'Tank');
    const [structure, simulation] = pages().map(([, uri]) => new URL(uri.toString()));
    assert.strictEqual(editor.saved, file);
    assert.strictEqual(structure.hash, '#file=Tank.mo&view=structure');
    assert.strictEqual(simulation.hash, '#file=Tank.mo&view=simulation&model=Tank');
    assert.strictEqual(structure.pathname, simulation.pathname);
    assert.strictEqual((await fetch(structure)).status, 200);
    const listed = await (await fetch(new URL('api/files', structure))).json();
    assert.deepStrictEqual(listed.files, ['Tank.mo']);
  });

  await claim('check shows what is wrong', async () => {
    await editor.commands.get('modeshift.check')();
    assert(editor.executed.some(([name]) => name === 'workbench.actions.view.problems'));
  });

  await claim('the language server can be started again', async () => {
    editor.diagnostics.clear();
    await editor.commands.get('modeshift.restart')();
    await until('diagnostics', () => editor.diagnostics.get(document.uri.toString())?.length);
    assert.deepStrictEqual(editor.messages, []);
  });

  await claim('a program that is not there is told, with the setting that says where it is', async () => {
    configuration.program = join(work, 'nothing');
    await editor.commands.get('modeshift.restart')();
    assert(editor.messages.some((it) => it.includes('modeshift.program')), editor.messages.join('\n'));
    configuration.program = program;
    await editor.commands.get('modeshift.restart')();
  });

  await claim('nothing is left running when the extension goes', async () => {
    const [address] = pages().map(([, uri]) => uri.toString());
    await extension.deactivate();
    let gone = false;
    for (let tries = 0; tries < 100 && !gone; tries += 1) {
      gone = await fetch(address).then(() => false, () => true);
      await new Promise((done) => { setTimeout(done, 50); });
    }
    assert(gone, 'the server of the page');
  });

  rmSync(work, { recursive: true, force: true });
  console.log(failures ? `${failures} failed` : 'all well');
  process.exit(failures ? 1 : 0);
})();
