/** What the extension does in a trusted folder, through the real API. */
import * as assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import * as vscode from 'vscode';
import { api, at, findings, open, ruleOf, running, runTests, test, until, uriOf } from './harness';

test('opening a Python file activates the extension', async () => {
  await open('matmul.py');
  await until(() => vscode.extensions.getExtension('tilelang-suite.tilelang')?.isActive, 'the extension');
  await running();
});

test('starting costs little', async () => {
  const { activationMs, server } = await running();
  await findings(uriOf('matmul.py'), 'shared-memory-overflow');
  const resident = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${server.pid}/status`, 'utf8'))?.[1];
  console.log(`# activation ${activationMs} ms, server ${Math.round(Number(resident) / 1024)} MiB resident after the first findings`);
  assert.ok(Number(resident) > 0);
});

test('a kernel that does not fit is underlined, with notes', async () => {
  const [finding] = await findings(uriOf('matmul.py'), 'shared-memory-overflow');
  assert.equal(finding!.severity, vscode.DiagnosticSeverity.Error);
  assert.match(finding!.message, /98 304 B exceeds the 49 152 B of a block on T4/);
  assert.ok(finding!.relatedInformation!.length >= 2, 'each buffer is named');
  assert.ok(typeof finding!.code === 'object' && /shared-memory-overflow/.test(finding!.code.target.toString()));
});

test('hover, hints, lenses, completion, symbols and tokens are there', async () => {
  const { document } = await open('matmul.py');
  const whole = new vscode.Range(0, 0, document.lineCount, 0);
  const hovers = await vscode.commands.executeCommand<vscode.Hover[]>('vscode.executeHoverProvider', document.uri, at(document, 'A_shared'));
  assert.match(hovers.map((each) => (each.contents[0] as vscode.MarkdownString).value).join(), /float16\[128, 64\]/);
  const hints = await vscode.commands.executeCommand<vscode.InlayHint[]>('vscode.executeInlayHintProvider', document.uri, whole);
  assert.ok(hints.length >= 4, `${hints.length} hints`);
  const lenses = await vscode.commands.executeCommand<vscode.CodeLens[]>('vscode.executeCodeLensProvider', document.uri, 10);
  assert.match(lenses.map((each) => each.command?.title).join(), /T4 ✗ 96 KiB of 48 KiB · A100 ✓/);
  const completions = await vscode.commands.executeCommand<vscode.CompletionList>('vscode.executeCompletionItemProvider', document.uri, at(document, 'T.gemm', 2));
  assert.ok(completions.items.some((each) => (typeof each.label === 'string' ? each.label : each.label.label) === 'gemm'));
  const symbols = await vscode.commands.executeCommand<vscode.DocumentSymbol[]>('vscode.executeDocumentSymbolProvider', document.uri);
  assert.ok(symbols.some((each) => each.name === 'matmul'));
  const legend = await vscode.commands.executeCommand<vscode.SemanticTokensLegend>('vscode.provideDocumentSemanticTokensLegend', document.uri);
  assert.ok(legend.tokenTypes.includes('tile'));
});

test('a quick fix makes the kernel fit', async () => {
  const { document } = await open('matmul.py');
  const [finding] = await findings(document.uri, 'shared-memory-overflow');
  const actions = await vscode.commands.executeCommand<vscode.CodeAction[]>('vscode.executeCodeActionProvider', document.uri, finding!.range, vscode.CodeActionKind.QuickFix.value, 20);
  const fix = actions.find((each) => /num_stages/.test(each.title));
  assert.ok(fix?.edit, actions.map((each) => each.title).join('; '));
  await vscode.workspace.applyEdit(fix.edit);
  assert.doesNotMatch(document.getText(), /block_K=64, num_stages=3\)/);
  await until(() => vscode.languages.getDiagnostics(document.uri).every((each) => ruleOf(each) !== 'shared-memory-overflow'), 'the finding to go');
  await vscode.commands.executeCommand('workbench.action.files.revert');
  await findings(document.uri, 'shared-memory-overflow');
});

test('choosing other targets changes the findings', async () => {
  const { document } = await open('matmul.py');
  const settings = vscode.workspace.getConfiguration('tilelang');
  await settings.update('targets', ['a100'], vscode.ConfigurationTarget.Workspace);
  await until(() => vscode.languages.getDiagnostics(document.uri).every((each) => ruleOf(each) !== 'shared-memory-overflow'), 'the finding of T4 to go');
  await settings.update('targets', undefined, vscode.ConfigurationTarget.Workspace);
  await findings(document.uri, 'shared-memory-overflow');
});

test('the server lists the targets to choose from', async () => {
  const { server } = await running();
  const known = await server.ask<{ arch: string; cards: string[]; sharedMemory: number }[]>('tilelang/targets', {});
  const t4 = known?.find((each) => each.cards.includes('t4'));
  assert.equal(t4?.arch, 'sm_75');
  assert.equal(t4.sharedMemory, 49_152);
});

test('a Python file without TileLang is left alone', async () => {
  const { document } = await open('plain.py');
  const hovers = await vscode.commands.executeCommand<vscode.Hover[]>('vscode.executeHoverProvider', document.uri, at(document, 'left'));
  assert.equal(hovers.length, 0);
  assert.equal(vscode.languages.getDiagnostics(document.uri).length, 0);
});

test('the cells of a notebook share their names, and each has its findings', async () => {
  const text = Buffer.from(await vscode.workspace.fs.readFile(uriOf('matmul.py'))).toString();
  const split = text.indexOf('@tilelang.jit');
  const cells = [text.slice(0, split), text.slice(split)].map((source) => new vscode.NotebookCellData(vscode.NotebookCellKind.Code, source, 'python'));
  const notebook = await vscode.workspace.openNotebookDocument('jupyter-notebook', new vscode.NotebookData(cells));
  await vscode.window.showNotebookDocument(notebook);
  const [finding] = await findings(notebook.cellAt(1).document.uri, 'shared-memory-overflow');
  assert.match(finding!.message, /T4/);
  assert.equal(vscode.languages.getDiagnostics(notebook.cellAt(0).document.uri).length, 0);
  await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
});

test('a server that is killed comes back with its findings', async () => {
  const { server } = await running();
  const { document } = await open('matmul.py');
  const before = server.pid;
  assert.ok(before);
  process.kill(before, 'SIGKILL');
  await until(() => server.pid !== before && server.state.phase === 'running', 'another server');
  await until(async () => {
    const hovers = await vscode.commands.executeCommand<vscode.Hover[]>('vscode.executeHoverProvider', document.uri, at(document, 'A_shared'));
    return hovers.length > 0;
  }, 'an answer of the new server');
  await findings(document.uri, 'shared-memory-overflow');
});

test('restarts are done one at a time', async () => {
  const { server } = await running();
  const before = server.pid;
  await Promise.all([1, 2, 3].map(() => vscode.commands.executeCommand('tilelang.restart')));
  await until(() => server.state.phase === 'running' && server.pid !== before, 'the restarted server');
  await open('matmul.py');
  await findings(uriOf('matmul.py'), 'shared-memory-overflow');
});

test('debug information names versions', async () => {
  await running();
  const text = await vscode.commands.executeCommand<string>('tilelang.debugInformation');
  for (const part of [/extension: tilelang-suite\.tilelang \d/, /server: running/, /from bundled/, /Python 3\.1/, /workspace: trusted/]) assert.match(text, part);
});

test('the task checks the folder and fills the problems view', async () => {
  await running();
  const tasks = await vscode.tasks.fetchTasks({ type: 'tilelang' });
  assert.equal(tasks.length, 1);
  const ended = new Promise<number | undefined>((resolve) => {
    const listener = vscode.tasks.onDidEndTaskProcess((event) => {
      listener.dispose();
      resolve(event.exitCode);
    });
  });
  await vscode.tasks.executeTask(tasks[0]!);
  assert.equal(await ended, 1, 'exit code of a check with findings');
  await until(() => vscode.languages.getDiagnostics(uriOf('library/product.py')).some((each) => each.source === 'tilelang-check' && ruleOf(each) === 'gemm-shape-mismatch'), 'problems of the task');
});

test('a new kernel can be opened without a folder to save it in', async () => {
  await running();
  await vscode.commands.executeCommand('tilelang.newKernel');
  const document = vscode.window.activeTextEditor!.document;
  assert.equal(document.uri.scheme, 'untitled');
  const hints = await until(async () => {
    const found = await vscode.commands.executeCommand<vscode.InlayHint[]>('vscode.executeInlayHintProvider', document.uri, new vscode.Range(0, 0, document.lineCount, 0));
    return found.length > 0 && found;
  }, 'hints');
  assert.ok(hints.length >= 4);
  await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
});

test('the targets table has all kernels on all targets, and text for other programs', async () => {
  const { targetsTable } = await running();
  const { document } = await open('matmul.py');
  await findings(document.uri, 'shared-memory-overflow');
  await vscode.commands.executeCommand('tilelang.showTargets');
  const table = await until(() => (targetsTable.shown?.rows.length ?? 0) > 0 && targetsTable.shown, 'the table');
  assert.deepEqual(table.targets, ['T4', 'A100', 'H100']);
  assert.deepEqual(table.rows[0]!.cells.map(({ verdict }) => verdict), ['error', 'ok', 'ok']);
  await targetsTable.export('csv');
  assert.match(vscode.window.activeTextEditor!.document.getText(), /matmul\.py,\d+,main,.*,T4,sm_75,error,98304,49152/);
  await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
  await targetsTable.export('markdown');
  assert.match(vscode.window.activeTextEditor!.document.getText(), /\| ✗ 96 KiB of 48 KiB/);
  await vscode.commands.executeCommand('workbench.action.closeAllEditors');
});

test('the layout view shows the tile under the cursor, and follows it', async () => {
  const { layout } = await running();
  const editor = await open('matmul.py');
  await findings(editor.document.uri, 'shared-memory-overflow');
  const move = (text: string): void => {
    const place = at(editor.document, text);
    editor.selection = new vscode.Selection(place, place);
  };
  move('A_shared');
  await vscode.commands.executeCommand('tilelang.showLayout');
  const name = (): string | undefined => (layout.shown && 'kind' in layout.shown ? `${layout.shown.name} ${layout.shown.kind}` : undefined);
  await until(() => name() === 'A_shared shared', 'the layout of A_shared');
  move('C_local');
  await until(() => name() === 'C_local fragment', 'the layout of C_local');
  move('import tilelang');
  await new Promise((resolve) => setTimeout(resolve, 500));
  assert.equal(name(), 'C_local fragment', 'the picture stays where there is no tile');
  await vscode.commands.executeCommand('workbench.action.closeAllEditors');
});

test('every command of the manifest is registered', async () => {
  await api();
  const known = new Set(await vscode.commands.getCommands(true));
  const manifest = vscode.extensions.getExtension('tilelang-suite.tilelang')!.packageJSON as { contributes: { commands: { command: string }[] } };
  const missing = manifest.contributes.commands.map(({ command }) => command).filter((command) => !known.has(command));
  assert.deepEqual(missing, []);
});

export const run = runTests;
