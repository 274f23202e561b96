/** The picture of a tile: which thread and register, or which bank and address, holds each element. */
import * as vscode from 'vscode';
import { isLayout, type LayoutAnswer } from '../shared/layout';
import type { FromLayout, ToLayout } from '../shared/messages';
import type { Location } from '../shared/place';
import type { Server } from '../server/server';
import { Panel } from './panel';
import { revealLocation } from './reveal';

export class LayoutView implements vscode.Disposable {
  private readonly panel: Panel<ToLayout, FromLayout>;
  private readonly subscriptions: vscode.Disposable[];
  private at: { document: vscode.TextDocument; position: vscode.Position } | undefined;
  private target: string | undefined;
  private answer: LayoutAnswer | undefined;

  constructor(
    context: vscode.ExtensionContext,
    private readonly server: Server,
  ) {
    this.panel = new Panel(context, 'layout', 'Layout');
    this.subscriptions = [
      this.panel.onDidReceive((message) => void this.receive(message)),
      server.onDidCheck(() => void this.refresh()),
      vscode.window.onDidChangeTextEditorSelection(({ textEditor, selections }) => {
        if (this.panel.visible && textEditor.document === this.at?.document && selections[0]) void this.follow(textEditor.document, selections[0].active);
      }),
    ];
  }

  /** Show the tile under the cursor, or at a place. */
  async show(place?: Location): Promise<void> {
    const editor = vscode.window.activeTextEditor;
    if (place) {
      const document = await vscode.workspace.openTextDocument(vscode.Uri.parse(place.uri));
      this.at = { document, position: new vscode.Position(place.range.start.line, place.range.start.character) };
    } else if (editor) {
      this.at = { document: editor.document, position: editor.selection.active };
    }
    this.panel.show();
    await this.refresh(true);
  }

  /** The cursor moved: another tile is shown; on anything else the picture stays. */
  private async follow(document: vscode.TextDocument, position: vscode.Position): Promise<void> {
    const answer = await this.ask(document, position);
    if (!answer || !isLayout(answer)) return;
    this.at = { document, position };
    this.set(answer);
  }

  private async refresh(evenWithout = false): Promise<void> {
    if (!this.at || !this.panel.exists) return;
    const answer = await this.ask(this.at.document, this.at.position);
    if (answer && (isLayout(answer) || evenWithout || !this.answer)) this.set(answer);
  }

  private ask(document: vscode.TextDocument, { line, character }: vscode.Position): Promise<LayoutAnswer | undefined> {
    return this.server.ask<LayoutAnswer>('tilelang/layout', {
      textDocument: { uri: this.server.uriOf(document) },
      position: { line, character },
      ...(this.target ? { target: this.target } : {}),
    });
  }

  private set(answer: LayoutAnswer): void {
    this.answer = answer;
    this.panel.setTitle(isLayout(answer) ? `Layout: ${answer.name}` : 'Layout');
    this.panel.post({ type: 'layout', answer });
  }

  private async receive(message: FromLayout): Promise<void> {
    if (message.type === 'reveal') await revealLocation(message.place);
    if (message.type === 'tile') await this.show(message.place);
    if (message.type === 'target') {
      this.target = message.target;
      await this.refresh();
    }
  }

  /** For tests: what is shown. */
  get shown(): LayoutAnswer | undefined {
    return this.panel.exists ? this.answer : undefined;
  }

  dispose(): void {
    for (const each of [this.panel, ...this.subscriptions]) each.dispose();
  }
}
