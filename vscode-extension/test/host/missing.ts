/** On a machine without a Python: the extension says so and stays usable. */
import * as assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { api, open, runTests, test, until } from './harness';

test('the state says what is missing', async () => {
  await open('matmul.py');
  const { server } = await api();
  await until(() => server.state.phase === 'missing', 'the search to end');
  const { found } = server.state;
  assert.ok(found?.source === 'none');
  assert.match(found.rejected.join(' '), /Python/);
});

test('debug information can be copied without a server', async () => {
  const text = await vscode.commands.executeCommand<string>('tilelang.debugInformation');
  assert.match(text, /server: missing/);
  assert.match(text, /none found/);
});

test('the server starts once the interpreter is set', async () => {
  const { server } = await api();
  const python = (await vscode.workspace.fs.readDirectory(vscode.Uri.file('/usr/bin'))).map(([name]) => name).filter((name) => /^python3\.1[0-3]$/.test(name))[0];
  if (!python) return console.log('# skipped: no /usr/bin/python3.10 to 3.13');
  await vscode.workspace.getConfiguration('tilelang').update('interpreter', [`/usr/bin/${python}`], vscode.ConfigurationTarget.Global);
  await until(() => server.state.phase === 'running', 'the server');
});

export const run = runTests;
