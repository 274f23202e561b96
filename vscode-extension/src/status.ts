/** The language status item (versions, health, restart) and the item in the status bar (targets). */
import * as vscode from 'vscode';
import { chosenTargets } from './settings';
import type { Server, ServerState } from './server/server';
import { SELECTOR } from './server/server';

export class StatusItems implements vscode.Disposable {
  private readonly server = vscode.languages.createLanguageStatusItem('tilelang.server', SELECTOR);
  private readonly versions = vscode.languages.createLanguageStatusItem('tilelang.versions', SELECTOR);
  private readonly targets = vscode.window.createStatusBarItem('tilelang.targets', vscode.StatusBarAlignment.Right, 100);
  private readonly subscriptions: vscode.Disposable[];

  constructor(private readonly of: Server) {
    this.server.name = 'TileLang';
    this.versions.name = 'TileLang Versions';
    this.versions.command = { command: 'tilelang.showLogs', title: 'Log' };
    this.targets.name = 'TileLang Targets';
    this.targets.command = 'tilelang.pickTargets';
    this.subscriptions = [
      of.onDidChange(() => this.show()),
      vscode.window.onDidChangeActiveTextEditor(() => this.show()),
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (event.affectsConfiguration('tilelang.targets')) this.show();
      }),
    ];
    this.show();
  }

  private show(): void {
    const { state } = this.of;
    this.server.busy = state.phase === 'starting' || state.status?.quiescent === false;
    this.server.severity = severity(state);
    this.server.text = text(state);
    this.server.detail = detail(state);
    this.server.command =
      state.phase === 'missing'
        ? { command: 'tilelang.offerServer', title: 'Fix' }
        : { command: 'tilelang.restart', title: 'Restart' };
    this.versions.text = versions(state);
    this.showTargets();
  }

  private showTargets(): void {
    const document = vscode.window.activeTextEditor?.document;
    if (document?.languageId !== 'python' || !mentionsLanguage(document)) {
      this.targets.hide();
      return;
    }
    const { status, phase } = this.of.state;
    const chosen = chosenTargets();
    const names = chosen.length > 0 ? chosen : (status?.targets ?? []);
    const shown = names.length > 4 ? `${names.slice(0, 3).join(' ')} +${names.length - 3}` : names.join(' ');
    this.targets.text = `$(chip) ${shown || 'targets'}${chosen.length === 0 && status?.targetIsAssumed ? ' (assumed)' : ''}`;
    const origin = chosen.length > 0 ? 'chosen here' : status?.targetIsAssumed ? 'assumed: nothing names one' : 'from the project or the kernels';
    this.targets.tooltip = new vscode.MarkdownString(`TileLang checks kernels for **${names.join(', ') || 'no target yet'}** (${origin}). Click to choose.`);
    this.targets.backgroundColor =
      phase === 'missing' || phase === 'failed' ? new vscode.ThemeColor('statusBarItem.warningBackground') : undefined;
    this.targets.show();
  }

  dispose(): void {
    for (const each of [this.server, this.versions, this.targets, ...this.subscriptions]) each.dispose();
  }
}

/** Whether a Python document has to do with TileLang, as the server sees it: by the word. */
export function mentionsLanguage(document: vscode.TextDocument): boolean {
  return document.languageId === 'python' && /\btilelang\b/.test(document.getText());
}

function severity(state: ServerState): vscode.LanguageStatusSeverity {
  if (state.phase === 'missing' || state.phase === 'failed' || state.status?.health === 'error') return vscode.LanguageStatusSeverity.Error;
  if (state.status?.health === 'warning') return vscode.LanguageStatusSeverity.Warning;
  return vscode.LanguageStatusSeverity.Information;
}

function text(state: ServerState): string {
  switch (state.phase) {
    case 'starting':
      return 'TileLang starts';
    case 'missing':
      return 'TileLang needs a Python';
    case 'failed':
      return 'TileLang has stopped';
    case 'stopped':
      return 'TileLang is off';
    case 'running': {
      const kernels = state.status?.kernels;
      return kernels === undefined ? 'TileLang' : `TileLang: ${kernels} kernel${kernels === 1 ? '' : 's'}`;
    }
  }
}

function detail(state: ServerState): string {
  return state.problem ?? (state.status?.message || state.status?.targets.join(', ') || '');
}

function versions(state: ServerState): string {
  const found = state.found;
  if (!found || found.source === 'none') return 'no server';
  return `server ${found.version} (${found.source})${found.pythonVersion ? `, Python ${found.pythonVersion}` : ''}`;
}
