/** The extension: what it registers, and when its parts start. */
import * as vscode from 'vscode';
import { debugInformation } from './debugInformation';
import { newKernel } from './newKernel';
import { log, messageOf } from './log';
import { showMarkdown } from './views/markdown';
import { offerServer, offerWhenMissing } from './server/offers';
import { onDidSelectPython } from './server/python';
import { needsRestart, Server } from './server/server';
import { mentionsLanguage, StatusItems } from './status';
import { pickTargets, saveGroup } from './targets/picker';
import { CheckTasks } from './tasks';
import { installCompiler } from './compiler';
import { configuration } from './settings';
import { AssemblyView } from './views/assembly';
import { LayoutView } from './views/layout';
import { peekAssembly } from './views/peek';
import { TargetsTableView } from './views/targetsTable';

/** What other extensions and the tests get. */
export interface Api {
  server: Server;
  /** How long activation took. */
  activationMs: number;
  assembly: AssemblyView;
  targetsTable: TargetsTableView;
  layout: LayoutView;
}

export async function activate(context: vscode.ExtensionContext): Promise<Api> {
  const started = Date.now();
  const server = new Server(context, showMarkdown);
  const tasks = new CheckTasks(server);
  const assembly = new AssemblyView(context, server, () => installCompiler(context, server));
  const targetsTable = new TargetsTableView(context, server);
  const layout = new LayoutView(context, server);
  context.subscriptions.push(
    log,
    server,
    assembly,
    targetsTable,
    layout,
    new StatusItems(server),
    offerWhenMissing(server),
    vscode.tasks.registerTaskProvider('tilelang', tasks),
    vscode.window.onDidChangeActiveTextEditor(followEditor),
    vscode.workspace.onDidChangeTextDocument(({ document }) => {
      if (document === vscode.window.activeTextEditor?.document) followEditor(vscode.window.activeTextEditor);
    }),
    vscode.workspace.onDidGrantWorkspaceTrust(() => server.restart()),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (needsRestart(event)) void server.restart();
    }),
  );
  const commands: Record<string, (...args: never[]) => unknown> = {
    'tilelang.restart': () => server.restart(),
    'tilelang.showLogs': () => log.show(),
    'tilelang.showTrace': () => server.showTrace(),
    'tilelang.offerServer': () => offerServer(server),
    'tilelang.pickTargets': () => pickTargets(server),
    'tilelang.saveTargetGroup': saveGroup,
    'tilelang.newKernel': newKernel,
    'tilelang.showAssembly': (uri?: string, line?: number) => (typeof uri === 'string' ? assembly.show(uri, line) : assembly.show()),
    'tilelang.compareAssembly': () => assembly.compare(),
    'tilelang.compareTargets': (uri?: string, line?: number) => assembly.compareTargets(uri, line),
    'tilelang.peekAssembly': () => peekAssembly(server),
    'tilelang.toggleInlineAssembly': () => configuration().update('inlineAssembly', !configuration().get('inlineAssembly'), vscode.ConfigurationTarget.Global),
    'tilelang.installCompiler': () => installCompiler(context, server),
    'tilelang.showTargets': () => targetsTable.show(),
    'tilelang.showLayout': () => layout.show(),
    'tilelang.debugInformation': async () => {
      const text = debugInformation(context, server);
      await vscode.env.clipboard.writeText(text);
      void vscode.window.showInformationMessage('The debug information is in the clipboard.');
      return text;
    },
    'tilelang.checkWorkspace': async () => {
      for (const task of await tasks.provideTasks()) await vscode.tasks.executeTask(task);
    },
  };
  for (const [name, run] of Object.entries(commands)) context.subscriptions.push(vscode.commands.registerCommand(name, run));

  followEditor(vscode.window.activeTextEditor);
  void listenToPython(context, server);
  void server.restart().catch((error: unknown) => log.error(messageOf(error)));
  const activationMs = Date.now() - started;
  log.info(`activated in ${activationMs} ms`);
  return Promise.resolve({ server, activationMs, assembly, targetsTable, layout });
}

/** Start again when another environment is selected, if that leads to another server. */
async function listenToPython(context: vscode.ExtensionContext, server: Server): Promise<void> {
  const listener = await onDidSelectPython(async () => {
    const before = server.state.found;
    const now = await server.find();
    const same = before && before.source !== 'none' && now.source !== 'none' && before.command === now.command;
    if (!same) await server.restart();
  });
  if (listener) context.subscriptions.push(listener);
}

function followEditor(editor: vscode.TextEditor | undefined): void {
  // A view that takes the focus leaves no active editor: the commands of the last one stay.
  if (!editor) return;
  void vscode.commands.executeCommand('setContext', 'tilelang.inKernelFile', mentionsLanguage(editor.document));
}

export function deactivate(): void {
  // The subscriptions stop the server.
}
