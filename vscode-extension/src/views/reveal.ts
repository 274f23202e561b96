/** Showing a place of a source. */
import * as vscode from 'vscode';
import type { Location } from '../shared/place';

export async function revealLocation({ uri, range }: Location, preserveFocus = false): Promise<void> {
  const { start, end } = range;
  await revealRange(vscode.Uri.parse(uri), new vscode.Range(start.line, start.character, end.line, end.character), preserveFocus);
}

/** In the editor that shows the document already, else in the first column. */
export async function revealRange(uri: vscode.Uri, range: vscode.Range, preserveFocus = false): Promise<void> {
  const shown = vscode.window.visibleTextEditors.find(({ document }) => document.uri.toString() === uri.toString());
  const document = await vscode.workspace.openTextDocument(uri);
  const editor = await vscode.window.showTextDocument(document, { viewColumn: shown?.viewColumn ?? vscode.ViewColumn.One, preserveFocus });
  editor.selection = new vscode.Selection(range.start, range.start);
  editor.revealRange(range, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
}
