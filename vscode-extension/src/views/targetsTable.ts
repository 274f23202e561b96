/** The table of all kernels of a file on all chosen targets. */
import * as vscode from 'vscode';
import type { FromTargets, ToTargets } from '../shared/messages';
import { asCsv, asMarkdown, type TargetsTable } from '../shared/table';
import type { Server } from '../server/server';
import { mentionsLanguage } from '../status';
import { Panel } from './panel';
import { revealLocation } from './reveal';

export class TargetsTableView implements vscode.Disposable {
  private readonly panel: Panel<ToTargets, FromTargets>;
  private readonly subscriptions: vscode.Disposable[];
  private document: vscode.TextDocument | undefined;
  private table: TargetsTable | undefined;

  constructor(
    context: vscode.ExtensionContext,
    private readonly server: Server,
  ) {
    this.panel = new Panel(context, 'targets', 'Targets');
    this.subscriptions = [
      this.panel.onDidReceive((message) => void this.receive(message)),
      server.onDidCheck(() => void this.refresh()),
      vscode.window.onDidChangeActiveTextEditor((editor) => {
        if (editor && this.panel.exists && mentionsLanguage(editor.document)) void this.of(editor.document);
      }),
    ];
  }

  async show(): Promise<void> {
    const document = vscode.window.activeTextEditor?.document ?? this.document;
    this.panel.show();
    if (document) await this.of(document);
  }

  /** The table as text, in a document that can be saved. */
  async export(format: 'csv' | 'markdown'): Promise<void> {
    if (!this.table || !this.document) return;
    const name = vscode.workspace.asRelativePath(this.document.uri);
    const content = format === 'csv' ? asCsv(this.table, name) : asMarkdown(this.table, name);
    const document = await vscode.workspace.openTextDocument({ content, language: format === 'csv' ? 'plaintext' : 'markdown' });
    await vscode.window.showTextDocument(document, { viewColumn: vscode.ViewColumn.One });
  }

  private async of(document: vscode.TextDocument): Promise<void> {
    this.document = document;
    this.panel.setTitle(`Targets: ${document.uri.path.split('/').at(-1)}`);
    await this.refresh();
  }

  private async refresh(): Promise<void> {
    const { document } = this;
    if (!document || !this.panel.exists) return;
    const table = await this.server.ask<TargetsTable>('tilelang/table', { textDocument: { uri: this.server.uriOf(document) } });
    // An answer that was overtaken by an edit: the next check asks again, and the old table stays till then.
    if (!table || document !== this.document) return;
    this.table = table;
    this.panel.post({ type: 'table', file: vscode.workspace.asRelativePath(document.uri), table });
  }

  private async receive(message: FromTargets): Promise<void> {
    if (message.type === 'reveal') await revealLocation(message.place);
    if (message.type === 'export') await this.export(message.format);
  }

  /** For tests: what is shown. */
  get shown(): TargetsTable | undefined {
    return this.panel.exists ? this.table : undefined;
  }

  dispose(): void {
    for (const each of [this.panel, ...this.subscriptions]) each.dispose();
  }
}
