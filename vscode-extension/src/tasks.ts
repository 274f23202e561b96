/** Tasks of the type `tilelang`: tilelang-check over files, its findings in the problems view. */
import * as path from 'node:path';
import * as vscode from 'vscode';
import { isolated, type FoundServer } from './server/find';
import type { Server } from './server/server';
import { chosenTargets } from './settings';

interface Definition extends vscode.TaskDefinition {
  paths?: string[];
  targets?: string[];
  args?: string[];
}

export class CheckTasks implements vscode.TaskProvider {
  constructor(private readonly server: Server) {}

  async provideTasks(): Promise<vscode.Task[]> {
    const folders = vscode.workspace.workspaceFolders ?? [];
    const tasks = await Promise.all(folders.map((folder) => this.task({ type: 'tilelang' }, folder)));
    return tasks.filter((task) => task !== undefined);
  }

  resolveTask(task: vscode.Task): Promise<vscode.Task | undefined> {
    const folder = typeof task.scope === 'object' ? task.scope : vscode.workspace.workspaceFolders?.[0];
    return this.task(task.definition as Definition, folder);
  }

  /** Check a folder. */
  async task(definition: Definition, folder?: vscode.WorkspaceFolder): Promise<vscode.Task | undefined> {
    const known = this.server.state.found;
    const found = known && known.source !== 'none' ? known : await this.server.find();
    if (found.source === 'none') return undefined;
    const [command, ...start] = checker(found, this.server.script);
    const targets = definition.targets ?? chosenTargets();
    const args = [
      ...start,
      '--format=concise',
      ...(targets.length ? [`--target=${targets.join(',')}`] : []),
      ...(definition.args ?? []),
      ...(definition.paths ?? ['.']),
    ];
    const options = { ...(folder ? { cwd: folder.uri.fsPath } : {}), env: { PYTHONUTF8: '1' } };
    const task = new vscode.Task(
      definition,
      folder ?? vscode.TaskScope.Workspace,
      'check kernels',
      'tilelang',
      new vscode.ProcessExecution(command!, args, options),
      '$tilelang-check',
    );
    task.group = vscode.TaskGroup.Test;
    task.detail = 'tilelang-check over the folder';
    return task;
  }
}

/** The command of the checker that belongs to a server. */
export function checker(found: FoundServer, script: string): string[] {
  if (found.python) return [...found.python, ...isolated(script), 'check'];
  const suffix = path.extname(found.command);
  return [path.join(path.dirname(found.command), `tilelang-check${suffix === '.exe' ? suffix : ''}`)];
}
