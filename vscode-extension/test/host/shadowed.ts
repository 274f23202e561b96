/** Beside an environment that has another `tilelang`: ours runs, and nothing of that environment is imported. */
import * as assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { findings, open, running, runTests, test, uriOf } from './harness';

test('the server runs on the Python of that environment', async () => {
  await open('matmul.py');
  const { server } = await running();
  assert.ok(server.state.found && server.state.found.source === 'bundled', server.state.found?.source);
  assert.match(server.state.found.command, /\/environment\/bin\/python3$/);
});

test('findings come from the bundled server', async () => {
  const found = await findings(uriOf('matmul.py'), 'shared-memory-overflow');
  assert.match(found[0]!.message, /98 304 B exceeds the 49 152 B/);
});

test('no module of the environment, of PYTHONPATH or of the folder was imported', async () => {
  const names = (await vscode.workspace.fs.readDirectory(uriOf('.'))).map(([name]) => name);
  assert.ok(names.includes('tilelang'), 'the folder has a package of that name');
  assert.deepEqual(names.filter((name) => name.startsWith('imported')), []);
});

test('the trap works: a Python that is not isolated falls into it', async () => {
  const { server } = await running();
  assert.ok(server.state.found && server.state.found.source === 'bundled');
  const task = new vscode.Task({ type: 'process' }, vscode.TaskScope.Workspace, 'trap', 'test', new vscode.ProcessExecution(server.state.found.command, ['-c', 'import tilelang'], { cwd: uriOf('.').fsPath }));
  const ended = new Promise<void>((resolve) => {
    const listener = vscode.tasks.onDidEndTaskProcess(() => {
      listener.dispose();
      resolve();
    });
  });
  await vscode.tasks.executeTask(task);
  await ended;
  const names = (await vscode.workspace.fs.readDirectory(uriOf('.'))).map(([name]) => name);
  assert.ok(names.some((name) => name.startsWith('imported')), names.join(' '));
});

export const run = runTests;
