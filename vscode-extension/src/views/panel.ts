/** A webview beside the editor: one of each kind, made when it is asked for first. */
import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';

export interface PanelMessage {
  type: string;
}

export class Panel<ToView extends PanelMessage, FromView extends PanelMessage> implements vscode.Disposable {
  private panel: vscode.WebviewPanel | undefined;
  private ready = false;
  private waiting: ToView[] = [];
  private readonly received = new vscode.EventEmitter<FromView>();
  private readonly closed = new vscode.EventEmitter<void>();

  readonly onDidReceive = this.received.event;
  readonly onDidClose = this.closed.event;

  /** `name` is that of the script in dist/webview and, with the prefix `tilelang.`, the type of the view. */
  constructor(
    private readonly context: vscode.ExtensionContext,
    private readonly name: string,
    private readonly title: string,
  ) {}

  get visible(): boolean {
    return this.panel?.visible === true;
  }

  get exists(): boolean {
    return this.panel !== undefined;
  }

  /** Open it beside the editor, or bring it to the front; the editor keeps the focus. */
  show(): void {
    if (this.panel) {
      this.panel.reveal(undefined, true);
      return;
    }
    const where = { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true };
    this.adopt(vscode.window.createWebviewPanel(`tilelang.${this.name}`, this.title, where, {}));
  }

  /** Take over a view that the editor restores. */
  adopt(panel: vscode.WebviewPanel): void {
    const media = vscode.Uri.joinPath(this.context.extensionUri, 'dist', 'webview');
    this.panel = panel;
    this.ready = false;
    panel.iconPath = vscode.Uri.joinPath(this.context.extensionUri, 'media', 'icon.svg');
    panel.webview.options = { enableScripts: true, localResourceRoots: [media] };
    panel.webview.onDidReceiveMessage((message: FromView) => {
      if (message.type === 'ready') {
        this.ready = true;
        for (const each of this.waiting.splice(0)) void panel.webview.postMessage(each);
      }
      this.received.fire(message);
    });
    panel.onDidDispose(() => {
      this.panel = undefined;
      this.waiting = [];
      this.closed.fire();
    });
    panel.webview.html = this.html(panel.webview, media);
  }

  post(message: ToView): void {
    if (!this.panel) return;
    if (this.ready) void this.panel.webview.postMessage(message);
    else this.waiting.push(message);
  }

  setTitle(title: string): void {
    if (this.panel) this.panel.title = title;
  }

  private html(webview: vscode.Webview, media: vscode.Uri): string {
    const nonce = randomBytes(16).toString('hex');
    const file = (suffix: string): vscode.Uri => webview.asWebviewUri(vscode.Uri.joinPath(media, `${this.name}.${suffix}`));
    const policy = `default-src 'none'; style-src ${webview.cspSource} 'unsafe-inline'; script-src 'nonce-${nonce}'`;
    return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<link rel="stylesheet" href="${file('css')}">
<title>${this.title}</title>
</head>
<body><script nonce="${nonce}" src="${file('js')}"></script></body>
</html>`;
  }

  dispose(): void {
    this.panel?.dispose();
    this.received.dispose();
    this.closed.dispose();
  }
}
