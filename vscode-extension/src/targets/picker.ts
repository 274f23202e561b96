/** Choosing targets: the picker behind the status bar, and groups of them. */
import * as vscode from 'vscode';
import type { Server } from '../server/server';
import { chosenTargets, configuration, targetGroups } from '../settings';
import { entries, namesOf, type Entry, type KnownArch } from './choice';

type Row = vscode.QuickPickItem & { entry: Entry };

/** Let the user choose; the choice is written to the settings of the workspace, or of the user without one. */
export async function pickTargets(server: Server): Promise<string[] | undefined> {
  const known = (await server.ask<KnownArch[]>('tilelang/targets', {})) ?? [];
  const rows = entries(known, targetGroups(), chosenTargets()).map(row);
  const picker = vscode.window.createQuickPick<Row>();
  picker.title = 'TileLang targets';
  picker.placeholder = 'The GPUs to check for. None: what the project or the kernels say.';
  picker.canSelectMany = true;
  picker.matchOnDescription = true;
  picker.items = rows;
  picker.selectedItems = rows.filter((each) => each.picked);
  const picked = await new Promise<Entry[] | undefined>((resolve) => {
    picker.onDidAccept(() => resolve(picker.selectedItems.map((each) => each.entry)));
    picker.onDidHide(() => resolve(undefined));
    picker.show();
  });
  picker.dispose();
  if (picked === undefined) return undefined;
  const names = namesOf(picked);
  await chooseTargets(names);
  return names;
}

export async function chooseTargets(names: string[]): Promise<void> {
  const scope = vscode.workspace.workspaceFolders?.length ? vscode.ConfigurationTarget.Workspace : vscode.ConfigurationTarget.Global;
  await configuration().update('targets', names.length > 0 ? names : undefined, scope);
}

/** Keep the chosen targets under a name. */
export async function saveGroup(): Promise<void> {
  const names = chosenTargets();
  if (names.length === 0) {
    void vscode.window.showInformationMessage('No targets are chosen. Choose some first.');
    return;
  }
  const name = await vscode.window.showInputBox({ title: 'Name of the group', value: names.join('-'), prompt: names.join(', ') });
  if (!name) return;
  await configuration().update('targetGroups', { ...targetGroups(), [name]: names }, vscode.ConfigurationTarget.Global);
}

function row(entry: Entry): Row {
  switch (entry.kind) {
    case 'heading':
      return { label: entry.label, kind: vscode.QuickPickItemKind.Separator, entry };
    case 'group':
      return { label: `$(layers) ${entry.label}`, description: entry.description, entry };
    case 'target':
      return { label: entry.label, description: entry.description, picked: entry.picked, entry };
  }
}
