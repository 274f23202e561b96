/** The running language server: started, restarted one at a time, watched. */
import { spawn, type ChildProcess } from 'node:child_process';
import { tmpdir } from 'node:os';
import * as vscode from 'vscode';
import {
  CloseAction,
  ErrorAction,
  LanguageClient,
  RevealOutputChannelOn,
  State,
  type ConfigurationParams,
  type DocumentSelector,
  type LanguageClientOptions,
  type ServerCapabilities,
  type StaticFeature,
} from 'vscode-languageclient/node';
import { log, messageOf } from '../log';
import { OWN_COMMANDS, statusNotification, type Status } from '../protocol';
import { SECTION, serverWishes } from '../settings';
import { findServer, type FoundServer, type NotFound } from './find';
import { isFile, run } from './process';
import { selectedPython } from './python';
import { forServer } from './section';

/** Documents of the server. */
export const SELECTOR: DocumentSelector & vscode.DocumentFilter[] = [
  { scheme: 'file', language: 'python' },
  { scheme: 'untitled', language: 'python' },
  { scheme: 'vscode-notebook-cell', language: 'python' },
];

/** How often a server that dies is started again within WINDOW_MS before the user is asked. */
const RESTARTS = 4;
const WINDOW_MS = 180_000;

export type Phase = 'starting' | 'running' | 'stopped' | 'missing' | 'failed';

export interface ServerState {
  phase: Phase;
  found?: FoundServer | NotFound;
  status?: Status;
  /** Why it failed. */
  problem?: string;
}

/** Shows a Markdown text that the server made. */
export type ShowReport = (markdown: string) => Promise<void>;

export class Server implements vscode.Disposable {
  private client: LanguageClient | undefined;
  private queue: Promise<void> = Promise.resolve();
  private waiting = false;
  private process: ChildProcess | undefined;
  private deaths: number[] = [];
  private readonly changed = new vscode.EventEmitter<ServerState>();
  private readonly trace = vscode.window.createOutputChannel('TileLang Trace', { log: true });
  private readonly checked = new vscode.EventEmitter<void>();

  readonly onDidChange = this.changed.event;
  /** A check has ended: what views show may be old. */
  readonly onDidCheck = this.checked.event;
  state: ServerState = { phase: 'stopped' };

  constructor(
    private readonly context: vscode.ExtensionContext,
    private readonly showReport: ShowReport,
  ) {}

  /** The start script of the bundled server. */
  get script(): string {
    return this.context.asAbsolutePath('bundled/tool/tilelang_tool.py');
  }

  /** Where the compiler packages are that the user had installed by this extension. */
  get compilerFolder(): string {
    return vscode.Uri.joinPath(this.context.globalStorageUri, 'compiler').fsPath;
  }

  /** The environment of processes of the bundled tool. */
  environment(): NodeJS.ProcessEnv {
    return { ...process.env, PYTHONUTF8: '1', TILELANG_COMPILER_PACKAGES: this.compilerFolder };
  }

  /** Start, or stop and start. Calls while one waits already are the same restart. */
  restart(): Promise<void> {
    if (this.waiting) return this.queue;
    this.waiting = true;
    this.queue = this.queue.then(async () => {
      this.waiting = false;
      await this.stop();
      await this.start();
    });
    return this.queue;
  }

  /** Which server would run, found anew. */
  find(): Promise<FoundServer | NotFound> {
    return findServer(serverWishes(), {
      platform: process.platform,
      environment: process.env,
      bundled: { script: this.script, version: String(this.context.extension.packageJSON.version) },
      isFile,
      run,
      selectedPython,
      log: (message) => log.info(message),
    });
  }

  /** Ask the running server. Undefined if none runs, or if the text changed meanwhile. */
  async ask<T>(method: string, params: unknown, token?: vscode.CancellationToken): Promise<T | undefined> {
    if (!this.client?.isRunning()) return undefined;
    try {
      // A token that is undefined would be sent as a second parameter.
      return await (token ? this.client.sendRequest<T>(method, params, token) : this.client.sendRequest<T>(method, params));
    } catch (error) {
      log.info(`${method}: ${messageOf(error)}`);
      return undefined;
    }
  }

  /** A document as the server names it. */
  uriOf(document: vscode.TextDocument): string {
    return this.client?.code2ProtocolConverter.asUri(document.uri) ?? document.uri.toString();
  }

  /** The trace channel records what its log level asks for; "Trace" is everything. */
  async showTrace(): Promise<void> {
    this.trace.show();
    if (this.trace.logLevel === vscode.LogLevel.Trace) return;
    const choice = await vscode.window.showInformationMessage('Set the level of "TileLang Trace" to Trace to record every message.', 'Set Log Level');
    if (choice) await vscode.commands.executeCommand('workbench.action.setLogLevel');
  }

  /** For tests and bug reports: the process id of the server. */
  get pid(): number | undefined {
    return this.process?.pid;
  }

  private async start(): Promise<void> {
    this.set({ phase: 'starting' });
    const found = await this.find();
    if (found.source === 'none') {
      log.error(`no server: ${found.rejected.join('; ')}`);
      this.set({ phase: 'missing', found });
      return;
    }
    const by = found.python ? ` on ${found.python.join(' ')} (${found.pythonVersion})` : '';
    log.info(`server ${found.version}, ${found.source}${by}: ${found.command} ${found.args.join(' ')}`);
    const started = Date.now();
    this.client = this.make(found);
    try {
      await this.client.start();
      log.info(`server ready after ${Date.now() - started} ms`);
      this.set({ phase: 'running', found });
    } catch (error) {
      log.error(`the server did not start: ${messageOf(error)}`);
      this.set({ phase: 'failed', found, problem: messageOf(error) });
    }
  }

  private make(found: FoundServer): LanguageClient {
    const options: LanguageClientOptions = {
      documentSelector: SELECTOR,
      outputChannel: log,
      traceOutputChannel: this.trace,
      revealOutputChannelOn: RevealOutputChannelOn.Never,
      initializationOptions: forServer(vscode.workspace.getConfiguration().get(SECTION)),
      markdown: { supportHtml: false },
      errorHandler: {
        error: () => ({ action: ErrorAction.Continue, handled: true }),
        closed: () => this.died(found),
      },
      middleware: {
        // Findings of closed files come from the task, as users of Python tools expect; else they would stand twice.
        provideWorkspaceDiagnostics: () => ({ items: [] }),
        workspace: {
          configuration: async (params: ConfigurationParams, token, next) => {
            const answer = await next(params, token);
            if (!Array.isArray(answer)) return answer;
            return answer.map((value, index) => (params.items[index]?.section === SECTION ? forServer(value) : value));
          },
        },
        executeCommand: async (command, args, next) => {
          const answer: unknown = await next(command, args);
          if (command === 'tilelang.kernelReport' && typeof answer === 'string') await this.showReport(answer);
          return answer;
        },
      },
    };
    const client = new LanguageClient(
      SECTION,
      'TileLang',
      () => Promise.resolve(this.spawn(found)),
      options,
    );
    client.registerFeature({
      fillClientCapabilities: (capabilities) => {
        capabilities.experimental = { ...(capabilities.experimental as object | undefined), tilelangStatus: true };
      },
      initialize: () => undefined,
      getState: () => ({ kind: 'static' }),
      clear: () => undefined,
    });
    keepOwnCommands(client);
    client.onNotification(statusNotification, (status) => {
      this.set({ ...this.state, status });
      if (status.quiescent) this.checked.fire();
    });
    client.onDidChangeState(({ newState }) => {
      if (this.client !== client) return;
      if (newState === State.Running && this.state.phase === 'starting') this.set({ phase: 'running', found });
    });
    return client;
  }

  private spawn(found: FoundServer): ChildProcess {
    // The working folder is nobody's: no file of a workspace can be taken for a module.
    this.process = spawn(found.command, found.args, { env: this.environment(), cwd: tmpdir(), windowsHide: true });
    return this.process;
  }

  /** The server's process ended although nobody asked for it. */
  private died(found: FoundServer): { action: CloseAction; handled: boolean } {
    const now = Date.now();
    this.deaths = [...this.deaths.filter((time) => now - time < WINDOW_MS), now];
    if (this.deaths.length <= RESTARTS) {
      log.warn('the server ended; it is started again');
      this.set({ phase: 'starting', found });
      return { action: CloseAction.Restart, handled: true };
    }
    const problem = `the server ended ${this.deaths.length} times within ${WINDOW_MS / 60_000} minutes`;
    log.error(problem);
    this.set({ phase: 'failed', found, problem });
    return { action: CloseAction.DoNotRestart, handled: true };
  }

  private async stop(): Promise<void> {
    const client = this.client;
    this.client = undefined;
    this.deaths = [];
    if (!client) return;
    try {
      await client.dispose(5000);
    } catch (error) {
      log.warn(`the server did not stop as asked: ${messageOf(error)}`);
    }
    this.set({ phase: 'stopped' });
  }

  private set(state: ServerState): void {
    this.state = state;
    void vscode.commands.executeCommand('setContext', 'tilelang.running', state.phase === 'running');
    this.changed.fire(state);
  }

  async dispose(): Promise<void> {
    await this.stop();
    this.trace.dispose();
    this.changed.dispose();
    this.checked.dispose();
  }
}

/** The client registers all commands that the server offers. Those that this extension answers with a view are left out. */
function keepOwnCommands(client: LanguageClient): void {
  const feature = client.getFeature('workspace/executeCommand') as unknown as StaticFeature;
  const initialize = feature.initialize.bind(feature);
  feature.initialize = (capabilities: ServerCapabilities, selector) => {
    const offered = capabilities.executeCommandProvider;
    const others = offered && { ...offered, commands: offered.commands.filter((name) => !OWN_COMMANDS.includes(name)) };
    initialize({ ...capabilities, ...(others ? { executeCommandProvider: others } : {}) }, selector);
  };
}

/** Settings that take a new server. */
export function needsRestart(event: vscode.ConfigurationChangeEvent): boolean {
  return ['path', 'interpreter', 'importStrategy'].some((key) => event.affectsConfiguration(`${SECTION}.${key}`));
}
