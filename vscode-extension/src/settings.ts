/** The settings of the extension, and what the server is told of them. */
import * as vscode from 'vscode';
import type { Wishes } from './server/find';

export const SECTION = 'tilelang';

export function configuration(): vscode.WorkspaceConfiguration {
  return vscode.workspace.getConfiguration(SECTION);
}

export function serverWishes(): Wishes {
  const found = configuration();
  return {
    trusted: vscode.workspace.isTrusted,
    path: found.get<string[]>('path', []),
    interpreter: found.get<string[]>('interpreter', []),
    importStrategy: found.get<Wishes['importStrategy']>('importStrategy', 'fromEnvironment'),
  };
}

export function chosenTargets(): string[] {
  return configuration().get<string[]>('targets', []);
}

export function targetGroups(): Record<string, string[]> {
  return configuration().get<Record<string, string[]>>('targetGroups', {});
}
