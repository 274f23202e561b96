/** Installing the compiler packages, when the user asks for it: into a folder of the extension, nowhere else. */
import * as path from 'node:path';
import * as vscode from 'vscode';
import { log, messageOf } from './log';
import { isolated } from './server/find';
import { run } from './server/process';
import type { Server } from './server/server';

export async function installCompiler(context: vscode.ExtensionContext, server: Server): Promise<void> {
  const found = server.state.found;
  if (!found || found.source === 'none') {
    void vscode.window.showErrorMessage('TileLang: there is no Python to install the compiler packages for.');
    return;
  }
  if (!found.python) {
    void vscode.window.showInformationMessage(
      `The server of ${found.command} uses the packages of its own environment. Install them there: pip install 'tilelang-suite[cuda]'.`,
    );
    return;
  }
  const choice = await vscode.window.showInformationMessage(
    'Install the compiler packages?',
    {
      modal: true,
      detail: `Apache TVM, NVRTC and the CUDA disassemblers come from PyPI (about 250 MB, once) and go into the extension's own folder. No environment is changed, and no GPU or CUDA toolkit is needed.\n\n${server.compilerFolder}`,
    },
    'Install',
  );
  if (choice !== 'Install') return;
  const [command, ...flags] = found.python;
  try {
    const tag = (await run(command!, [...flags, ...isolated(server.script), 'tag'])).trim();
    const task = new vscode.Task(
      { type: 'tilelang-install' },
      vscode.TaskScope.Workspace,
      'install compiler packages',
      'tilelang',
      new vscode.ProcessExecution(command!, [
        ...flags, '-I', '-m', 'pip', 'install', '--disable-pip-version-check', '--upgrade', '--only-binary=:all:',
        '--target', path.join(server.compilerFolder, tag), '-r', context.asAbsolutePath('bundled/compiler.txt'),
      ]),
    );
    const code = await ended(task);
    if (code === 0) {
      await server.restart();
      void vscode.window.showInformationMessage('The compiler packages are installed.');
    } else {
      void vscode.window.showErrorMessage(`Installing the compiler packages failed (exit code ${code ?? 'unknown'}); the terminal says why. This takes a Python with pip.`);
    }
  } catch (error) {
    log.error(`installing the compiler packages: ${messageOf(error)}`);
    void vscode.window.showErrorMessage(`TileLang: ${messageOf(error)}`);
  }
}

async function ended(task: vscode.Task): Promise<number | undefined> {
  const execution = await vscode.tasks.executeTask(task);
  return new Promise((resolve) => {
    const listener = vscode.tasks.onDidEndTaskProcess((event) => {
      if (event.execution !== execution) return;
      listener.dispose();
      resolve(event.exitCode);
    });
  });
}
