/** The instructions of a line, under it. */
import * as vscode from 'vscode';
import type { Server } from '../server/server';
import type { Location } from '../shared/place';

export async function peekAssembly(server: Server): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  if (!editor) return;
  const { line, character } = editor.selection.active;
  const found = await vscode.window.withProgress({ location: vscode.ProgressLocation.Window, title: 'TileLang: instructions of the line' }, () =>
    server.ask<Location[] | null>('tilelang/peek', { textDocument: { uri: server.uriOf(editor.document) }, position: { line, character } }),
  );
  const places = (found ?? []).map(({ uri, range: { start, end } }) => new vscode.Location(vscode.Uri.parse(uri), new vscode.Range(start.line, start.character, end.line, end.character)));
  if (places.length === 0) {
    void vscode.window.showInformationMessage('This line generated no instructions, or its kernel cannot be compiled here: see the assembly view.');
    return;
  }
  await vscode.commands.executeCommand('editor.action.peekLocations', editor.document.uri, editor.selection.active, places, 'peek');
}
