/** The extension's log, the channel "TileLang". */
import * as vscode from 'vscode';

export const log = vscode.window.createOutputChannel('TileLang', { log: true });

/** What an error says, for logs and messages. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
