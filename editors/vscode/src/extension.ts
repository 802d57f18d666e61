// Modeshift in Visual Studio Code: the language server, and commands that open the views of the page.

import { ChildProcess, spawn } from 'node:child_process';
import * as path from 'node:path';
import * as vscode from 'vscode';
import { LanguageClient } from 'vscode-languageclient/node';

let client: LanguageClient | undefined;

/** Servers of the page, one for each directory. */
const pages = new Map<string, { child: ChildProcess; address: Promise<string> }>();

const settings = () => vscode.workspace.getConfiguration('modeshift');
const program = () => settings().get<string>('program', 'modeshift');
const libraries = () => settings().get<string[]>('libraries', []);

async function startClient(): Promise<void> {
  const documentSelector = ['modelica', 'mel'].map((language) => ({ language }));
  client = new LanguageClient('modeshift', 'Modeshift', { command: program(), args: ['lsp'] }, {
    documentSelector,
    initializationOptions: { libraries: libraries() },
    synchronize: { fileEvents: vscode.workspace.createFileSystemWatcher('**/*.mo') },
  });
  try {
    await client.start();
  } catch {
    void vscode.window.showErrorMessage(`Modeshift: \`${program()}\` cannot be started. The setting modeshift.program says where it is.`);
  }
}

/** Ends the language server; one that could not be started need not be ended. */
async function stopClient(): Promise<void> {
  const before = client;
  client = undefined;
  if (before?.isRunning()) await before.stop();
}

/** The address of a page for a directory, which is served from the first time it is wanted. */
function page(directory: string): Promise<string> {
  const known = pages.get(directory);
  if (known) return known.address;
  const child = spawn(program(), ['serve', directory, ...libraries().flatMap((library) => ['-L', library])], { stdio: ['ignore', 'pipe', 'ignore'] });
  const address = new Promise<string>((resolve, reject) => {
    child.stdout?.once('data', (data: Buffer) => resolve(data.toString().trim()));
    child.once('error', reject);
    child.once('exit', () => { pages.delete(directory); reject(new Error('the server of the page ended')); });
  });
  pages.set(directory, { child, address });
  return address;
}

/** Opens a view of the page for a document, which is saved before. */
async function open(view: string, uri?: string, model?: string): Promise<void> {
  const resource = uri ? vscode.Uri.parse(uri) : vscode.window.activeTextEditor?.document.uri;
  if (!resource || resource.scheme !== 'file') {
    void vscode.window.showWarningMessage('Modeshift: save the model to a file first.');
    return;
  }
  const document = vscode.workspace.textDocuments.find((it) => it.uri.toString() === resource.toString());
  if (document?.isDirty) await document.save();
  const folder = vscode.workspace.getWorkspaceFolder(resource)?.uri.fsPath ?? path.dirname(resource.fsPath);
  const file = path.relative(folder, resource.fsPath).split(path.sep).join('/');
  try {
    const wanted = new URLSearchParams({ file, view, ...(model ? { model } : {}) });
    const address = await vscode.env.asExternalUri(vscode.Uri.parse(`${await page(folder)}#${wanted}`, true));
    await vscode.commands.executeCommand('simpleBrowser.api.open', address, { viewColumn: vscode.ViewColumn.Beside });
  } catch (error) {
    void vscode.window.showErrorMessage(`Modeshift: ${(error as Error).message}`);
  }
}

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const command = (name: string, action: (uri?: string, model?: string) => unknown) =>
    context.subscriptions.push(vscode.commands.registerCommand(`modeshift.${name}`, action));
  command('check', () => vscode.commands.executeCommand('workbench.actions.view.problems'));
  command('structure', (uri, model) => open('structure', typeof uri === 'string' ? uri : undefined, model));
  command('simulate', (uri, model) => open('simulation', typeof uri === 'string' ? uri : undefined, model));
  command('restart', async () => { await stopClient(); await startClient(); });
  await startClient();
}

export async function deactivate(): Promise<void> {
  for (const { child } of pages.values()) child.kill();
  await stopClient();
}
