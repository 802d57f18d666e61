// Starts the program and a browser, and ends both.

import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';

const BROWSER = process.env.CHROMIUM ?? '/usr/bin/chromium';

/** Serves a file, or the examples; the address, and how to end it. */
export async function serve(program, file) {
  const child = spawn(program, ['serve', ...(file ? [file] : [])], { stdio: ['ignore', 'pipe', 'inherit'] });
  const address = await new Promise((resolve, reject) => {
    child.stdout.once('data', (data) => resolve(data.toString().trim()));
    child.once('exit', () => reject(new Error('the server ended')));
  });
  return { address, process: child.pid, end: () => child.kill() };
}

export async function browse(options = {}) {
  if (!existsSync(BROWSER)) throw new Error(`there is no browser at ${BROWSER}`);
  const profile = mkdtempSync(join(tmpdir(), 'modeshift-browser-'));
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: BROWSER,
    headless: true,
    args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
    viewport: { width: 1400, height: 900 },
    ...options,
  });
  return { context, page: context.pages()[0] ?? await context.newPage(), end: async () => { await context.close(); rmSync(profile, { recursive: true, force: true }); } };
}

let failures = 0;

/** One claim; the next ones are tried even if it fails. */
export async function claim(name, check) {
  const begin = performance.now();
  try {
    await check();
    console.log(`ok    ${name} (${Math.round(performance.now() - begin)} ms)`);
  } catch (error) {
    failures += 1;
    console.log(`FAIL  ${name}\n      ${error.message.split('\n').slice(0, 12).join('\n      ')}`);
  }
}

export function finish() {
  console.log(failures ? `${failures} failed` : 'all well');
  process.exitCode = failures ? 1 : 0;
}

export function assert(holds, message) {
  if (!holds) throw new Error(message);
}
