/** The assembly view and what belongs to it, with the compiler packages. */
import * as assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { at, findings, open, running, runTests, test, until, uriOf } from './harness';

/** Lines of test/kernels/matmul.py, from 1. */
const GEMM = 22;

test('the view shows the machine code of the kernel under the cursor', async () => {
  const { assembly, server } = await running();
  const editor = await open('matmul.py');
  await findings(editor.document.uri, 'shared-memory-overflow');
  await vscode.workspace.getConfiguration('tilelang').update('targets', ['a100', 't4'], vscode.ConfigurationTarget.Workspace);
  const place = at(editor.document, 'T.gemm');
  editor.selection = new vscode.Selection(place, place);
  await vscode.commands.executeCommand('tilelang.showAssembly');
  const listing = await until(() => !assembly.shown?.busy && assembly.shown?.listing, 'a listing');
  assert.equal(listing.target, 'sm_80');
  assert.equal(listing.stage, 'sass');
  assert.ok(listing.stages.includes('ptx') && listing.stages.includes('cuda'), listing.stages.join());
  const product = listing.document!.mix.find(({ line }) => line === GEMM);
  assert.match(product?.text ?? '', /HMMA/);
  assert.equal(listing.uris[product!.file], server.uriOf(editor.document));
});

test('an edit makes it stale, and a pause brings the new code', async () => {
  const { assembly } = await running();
  const editor = await open('matmul.py');
  const before = assembly.shown!.listing!;
  const place = at(editor.document, 'block_K=64');
  await editor.edit((edit) => edit.replace(new vscode.Range(place, place.translate(0, 'block_K=64'.length)), 'block_K=32'));
  await until(() => assembly.shown?.stale, 'the view to be stale');
  assert.equal(assembly.shown!.listing, before, 'the old listing stays');
  await until(() => assembly.shown?.listing !== before && !assembly.shown?.stale, 'the new listing');
  assert.ok(editor.document.isDirty, 'without saving');
  assert.notEqual(assembly.shown!.listing!.document!.lines.length, before.document!.lines.length);
  await vscode.commands.executeCommand('workbench.action.files.revert');
  await until(() => !assembly.shown?.stale && !assembly.shown?.busy, 'the code of the file');
});

test('saving shows at the end of lines what they became', async () => {
  const editor = await open('matmul.py');
  await editor.edit((edit) => edit.insert(new vscode.Position(editor.document.lineCount - 1, 0), '\n'));
  await editor.document.save();
  const whole = new vscode.Range(0, 0, editor.document.lineCount, 0);
  const hint = await until(async () => {
    const hints = await vscode.commands.executeCommand<vscode.InlayHint[]>('vscode.executeInlayHintProvider', editor.document.uri, whole);
    return hints.find(({ position, label }) => position.line === GEMM - 1 && /HMMA/.test(textOf(label)));
  }, 'the instructions of the product');
  assert.match(textOf(hint.label), /\d+ HMMA/);
});

test('the hover of a line says the same', async () => {
  const { document } = await open('matmul.py');
  const text = await until(async () => {
    const hovers = await vscode.commands.executeCommand<vscode.Hover[]>('vscode.executeHoverProvider', document.uri, at(document, 'T.gemm', 2));
    const found = hovers.flatMap(({ contents }) => contents.map((each) => (typeof each === 'string' ? each : (each as vscode.MarkdownString).value))).join('\n');
    return /HMMA/.test(found) && found;
  }, 'a hover with instructions');
  assert.match(text, /HMMA/);
});

test('the instructions of a line can be peeked', async () => {
  const { server } = await running();
  const { document } = await open('matmul.py');
  const { line, character } = at(document, 'T.gemm');
  const places = await until(async () => {
    const found = await server.ask<{ uri: string; range: { start: { line: number } } }[]>('tilelang/peek', { textDocument: { uri: server.uriOf(document) }, position: { line, character } });
    return found && found.length > 0 && found;
  }, 'the instructions of the line');
  const listing = await vscode.workspace.openTextDocument(vscode.Uri.parse(places[0]!.uri));
  const texts = places.map(({ range }) => listing.lineAt(range.start.line).text);
  assert.ok(texts.some((text) => /HMMA|LDSM|BAR|LDS|IMAD|LOP3/.test(text)), texts.slice(0, 5).join('\n'));
});

test('inline assembly can be turned off', async () => {
  const { document } = await open('matmul.py');
  await vscode.commands.executeCommand('tilelang.toggleInlineAssembly');
  assert.equal(vscode.workspace.getConfiguration('tilelang').get('inlineAssembly'), false);
  const whole = new vscode.Range(0, 0, document.lineCount, 0);
  await until(async () => {
    const hints = await vscode.commands.executeCommand<vscode.InlayHint[]>('vscode.executeInlayHintProvider', document.uri, whole);
    return hints.length > 0 && hints.every(({ label }) => !/HMMA/.test(textOf(label)));
  }, 'the hints to go');
  await vscode.commands.executeCommand('tilelang.toggleInlineAssembly');
});

test('a server that is killed leaves the listing as stale, and it comes back', async () => {
  const { assembly, server } = await running();
  await open('matmul.py');
  const before = server.pid!;
  process.kill(before, 'SIGKILL');
  await until(() => assembly.shown?.stale, 'the view to be stale');
  assert.ok(assembly.shown!.listing, 'the listing stays');
  await until(() => server.pid !== before && !assembly.shown?.stale && !assembly.shown?.busy, 'the listing of the new server');
  assert.equal(vscode.languages.getDiagnostics(uriOf('plain.py')).length, 0);
});

function textOf(label: string | vscode.InlayHintLabelPart[]): string {
  return typeof label === 'string' ? label : label.map(({ value }) => value).join('');
}

export const run = runTests;
