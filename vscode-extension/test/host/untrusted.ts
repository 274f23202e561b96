/** In a folder that is not trusted: everything is shown, and nothing of the folder is run. */
import * as assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { findings, open, running, runTests, test, uriOf } from './harness';

test('the folder is not trusted', async () => {
  assert.equal(vscode.workspace.isTrusted, false);
});

test('the bundled server runs, not the one that the folder names', async () => {
  const { server } = await running();
  assert.ok(server.state.found && server.state.found.source === 'bundled');
  const { args, python } = server.state.found;
  assert.ok(args.includes('-I') && args.includes('-S'), args.join(' '));
  assert.ok(python?.[0] && !python[0].includes('/bin/sh'), String(python));
});

test('findings are shown', async () => {
  await open('matmul.py');
  const found = await findings(uriOf('matmul.py'), 'shared-memory-overflow');
  assert.match(found[0]!.message, /98 304 B exceeds the 49 152 B/);
});

test('nothing of the folder was run', async () => {
  const entries = await vscode.workspace.fs.readDirectory(uriOf('.'));
  const names = entries.map(([name]) => name);
  assert.ok(names.includes('server'), names.join(' '));
  assert.ok(!names.includes('the-folder-ran-its-own-server'), names.join(' '));
});

export const run = runTests;
