/** A report that the server made, in the editor's own Markdown preview. */
import * as vscode from 'vscode';

const SCHEME = 'tilelang-report';
let text = '';
const changed = new vscode.EventEmitter<vscode.Uri>();

export const reportProvider = vscode.workspace.registerTextDocumentContentProvider(SCHEME, {
  onDidChange: changed.event,
  provideTextDocumentContent: () => text,
});

export async function showMarkdown(markdown: string): Promise<void> {
  text = markdown;
  const uri = vscode.Uri.from({ scheme: SCHEME, path: '/Kernel Report.md' });
  changed.fire(uri);
  await vscode.commands.executeCommand('markdown.showPreviewToSide', uri);
}
