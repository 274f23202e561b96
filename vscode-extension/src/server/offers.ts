/** What is offered when something is missing. Nothing is installed unless the user asks for it. */
import * as vscode from 'vscode';
import type { Server } from './server';

/** Say once what is missing when the server cannot start. */
export function offerWhenMissing(server: Server): vscode.Disposable {
  let said = false;
  return server.onDidChange(({ phase }) => {
    if (phase === 'running') said = false;
    if (said || (phase !== 'missing' && phase !== 'failed')) return;
    said = true;
    void offerServer(server);
  });
}

/** Say what is missing, with the ways out. */
export async function offerServer(server: Server): Promise<void> {
  const { phase, found, problem } = server.state;
  if (phase === 'failed') {
    const choice = await vscode.window.showErrorMessage(`TileLang: ${problem}.`, 'Restart', 'Show Log', 'Copy Debug Information');
    if (choice === 'Restart') await vscode.commands.executeCommand('tilelang.restart');
    if (choice === 'Show Log') await vscode.commands.executeCommand('tilelang.showLogs');
    if (choice === 'Copy Debug Information') await vscode.commands.executeCommand('tilelang.debugInformation');
    return;
  }
  if (found?.source !== 'none') return;
  const hasPythonExtension = vscode.extensions.getExtension('ms-python.python') !== undefined;
  const actions = [...(hasPythonExtension ? ['Select Interpreter'] : []), 'Set Interpreter', 'Show Log'];
  const reason = found.rejected.at(-1) ?? '';
  const choice = await vscode.window.showErrorMessage(
    `TileLang needs a Python from 3.10 to 3.13 to run its bundled server, and found none (${reason}). No package has to be installed in it.`,
    ...actions,
  );
  if (choice === 'Select Interpreter') await vscode.commands.executeCommand('python.setInterpreter');
  if (choice === 'Set Interpreter') await vscode.commands.executeCommand('workbench.action.openSettings', 'tilelang.interpreter');
  if (choice === 'Show Log') await vscode.commands.executeCommand('tilelang.showLogs');
}
