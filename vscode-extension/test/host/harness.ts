/** A small runner for tests inside the extension host, and what they share. */
import * as assert from 'node:assert/strict';
import * as vscode from 'vscode';
import type { Api } from '../../src/extension';

const tests: { name: string; body: () => Promise<void> }[] = [];

export function test(name: string, body: () => Promise<void>): void {
  tests.push({ name, body });
}

export async function runTests(): Promise<void> {
  let failed = 0;
  for (const { name, body } of tests) {
    try {
      await body();
      console.log(`ok - ${name}`);
    } catch (error) {
      failed++;
      console.log(`not ok - ${name}: ${error instanceof Error ? error.stack : error}`);
    }
  }
  console.log(`# ${tests.length - failed} passed, ${failed} failed`);
  if (failed > 0 || tests.length === 0) throw new Error(`${failed} of ${tests.length} tests failed`);
}

/** Await something that comes about; fails after long enough for a slow machine. */
export async function until<T>(ask: () => T | undefined | false | Promise<T | undefined | false>, what: string): Promise<T> {
  const end = Date.now() + Number(process.env['TILELANG_TEST_PATIENCE'] ?? 90_000);
  for (;;) {
    const found = await ask();
    if (found) return found;
    if (Date.now() > end) throw new Error(`waited in vain for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 60));
  }
}

export function uriOf(name: string): vscode.Uri {
  return vscode.Uri.joinPath(vscode.workspace.workspaceFolders![0]!.uri, name);
}

export async function open(name: string): Promise<vscode.TextEditor> {
  return vscode.window.showTextDocument(await vscode.workspace.openTextDocument(uriOf(name)));
}

export async function api(): Promise<Api> {
  const extension = vscode.extensions.getExtension<Api>('tilelang-suite.tilelang');
  assert.ok(extension, 'the extension is installed');
  return extension.activate();
}

export async function running(): Promise<Api> {
  const found = await api();
  await until(() => found.server.state.phase === 'running', 'the server');
  return found;
}

/** The findings of a document, when there are some. */
export function findings(uri: vscode.Uri, rule?: string): Promise<vscode.Diagnostic[]> {
  return until(() => {
    const all = vscode.languages.getDiagnostics(uri).filter((each) => rule === undefined || ruleOf(each) === rule);
    return all.length > 0 && all;
  }, `findings ${rule ?? ''} in ${uri.path}`);
}

export function ruleOf({ code }: vscode.Diagnostic): string {
  return String(typeof code === 'object' ? code.value : code);
}

/** The position of a text in a document. */
export function at(document: vscode.TextDocument, text: string, offset = 0): vscode.Position {
  const index = document.getText().indexOf(text);
  assert.ok(index >= 0, `${text} is in the document`);
  return document.positionAt(index + offset);
}
