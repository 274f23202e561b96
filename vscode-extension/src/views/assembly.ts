/** The assembly view: which listing it shows, when it is asked for anew, and how it follows the source and back. */
import * as vscode from 'vscode';
import { log } from '../log';
import type { Listing } from '../protocol';
import type { Server } from '../server/server';
import type { ListingDocument } from '../shared/listing';
import { keyOf } from '../shared/listing';
import type { Choice, FromAssembly, Other, Shown, ToAssembly } from '../shared/messages';
import { nameOf, type TargetsTable } from '../shared/table';
import { mentionsLanguage } from '../status';
import { Bands } from './bands';
import { Panel } from './panel';

/** After the last keystroke, before the kernel is compiled again. */
const PAUSE_MS = 700;

/** How often an answer may fail to come, because of edits, until the view says so. */
const ATTEMPTS = 5;

/** What the user chose. Undefined: what the server takes first. */
interface Wanted {
  document: vscode.TextDocument;
  /** The kernel: the place of its `def` or anything in it, from 0. */
  line: number;
  kernel?: string;
  instance?: number;
  target?: string;
  stage?: string;
}

export class AssemblyView implements vscode.Disposable {
  private readonly panel: Panel<ToAssembly, FromAssembly>;
  private readonly bands = new Bands();
  private readonly subscriptions: vscode.Disposable[];
  private wanted: Wanted | undefined;
  private listing: (Listing & { document: ListingDocument }) | undefined;
  /** What was shown before, by what it is a listing of. */
  private readonly before = new Map<string, ListingDocument>();
  private choices: Choice[] = [];
  private other: Other | undefined;
  private running: vscode.CancellationTokenSource | undefined;
  private timer: NodeJS.Timeout | undefined;
  private unanswered = 0;
  private state = { busy: false, stale: false, problem: '' };

  constructor(
    context: vscode.ExtensionContext,
    private readonly server: Server,
    private readonly install: () => Promise<void>,
  ) {
    this.panel = new Panel(context, 'assembly', 'Assembly');
    this.subscriptions = [
      this.panel.onDidReceive((message) => void this.receive(message)),
      this.panel.onDidClose(() => this.close()),
      vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
        if (!contentChanges.length || !this.panel.exists || !this.concerns(document)) return;
        this.unanswered = 0;
        this.later();
      }),
      vscode.window.onDidChangeTextEditorSelection(({ textEditor, selections }) => this.follow(textEditor, selections[0])),
      vscode.window.onDidChangeVisibleTextEditors(() => this.bands.show(this.panel.exists ? this.listing : undefined)),
      vscode.window.onDidChangeActiveTextEditor((editor) => {
        if (editor && this.panel.visible && editor.document !== this.wanted?.document && mentionsLanguage(editor.document)) void this.show();
      }),
      vscode.workspace.onDidCloseTextDocument((document) => {
        if (document === this.wanted?.document) this.setState({ stale: this.listing !== undefined, busy: false });
      }),
      server.onDidChange(({ phase }) => {
        if (phase === 'running' && this.panel.exists && (this.state.stale || !this.listing)) void this.refresh();
        if (phase !== 'running' && this.listing) this.setState({ stale: true });
      }),
      server.onDidCheck(() => {
        if (this.panel.exists && !this.listing && !this.state.busy) void this.refresh();
      }),
      vscode.window.registerWebviewPanelSerializer('tilelang.assembly', {
        deserializeWebviewPanel: async (panel) => {
          this.panel.adopt(panel);
          await this.show();
        },
      }),
    ];
  }

  /** Show a kernel: that of a lens (`line` of its `def`, from 1), or the one under the cursor. */
  async show(uri?: string, line?: number): Promise<void> {
    const editor = vscode.window.activeTextEditor ?? vscode.window.visibleTextEditors.find(({ document }) => mentionsLanguage(document));
    const document = uri ? await vscode.workspace.openTextDocument(vscode.Uri.parse(uri)) : editor?.document;
    this.panel.show();
    if (!document) return;
    const sameFile = document === this.wanted?.document;
    this.wanted = {
      document,
      line: line !== undefined ? line - 1 : (editor?.selection.active.line ?? 0),
      ...(sameFile && this.wanted?.target ? { target: this.wanted.target } : {}),
      ...(sameFile && this.wanted?.stage ? { stage: this.wanted.stage } : {}),
    };
    await this.refresh();
    if (editor) this.follow(editor, editor.selection);
  }

  /** Show what differs from another target, instance or version. */
  async compare(other?: Other): Promise<void> {
    if (!this.panel.exists || !this.listing) await this.show();
    if (!this.listing) return;
    const chosen = other ?? (await this.pickOther());
    if (!chosen) return;
    const value = chosen.kind === 'target' ? `target:${chosen.target}` : chosen.kind === 'instance' ? `instance:${chosen.instance}` : 'before';
    this.panel.post({ type: 'compareWith', value });
    await this.compareWith(chosen);
  }

  /** The lens that compares: with the next of the chosen targets. */
  async compareTargets(uri?: string, line?: number): Promise<void> {
    await this.show(uri, line);
    const next = this.listing?.targets.find(({ arch }) => arch !== this.listing?.target);
    if (next) await this.compare({ kind: 'target', target: next.arch });
  }

  /** For tests: what is shown. */
  get shown(): { listing: Listing | undefined; stale: boolean; busy: boolean; problem: string } | undefined {
    return this.panel.exists ? { listing: this.listing, ...this.state } : undefined;
  }

  // --- asking ---------------------------------------------------------------------------------------------------------

  private later(): void {
    this.setState({ stale: this.listing !== undefined });
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.refresh(), PAUSE_MS);
  }

  private async refresh(): Promise<void> {
    const { wanted } = this;
    if (!wanted || !this.panel.exists) return;
    clearTimeout(this.timer);
    this.running?.cancel();
    const source = (this.running = new vscode.CancellationTokenSource());
    this.setState({ busy: true });
    const answer = await this.ask(wanted, {}, source.token);
    if (source.token.isCancellationRequested || this.running !== source) return;
    this.running = undefined;
    if (answer === undefined) {
      // Overtaken by an edit, or no server: what stands there is old.
      this.setState({ busy: false, stale: this.listing !== undefined });
      if (this.server.state.phase !== 'running') return;
      if (++this.unanswered < ATTEMPTS) this.later();
      else this.setState({ problem: 'The language server did not answer; the log says why.' });
      return;
    }
    this.unanswered = 0;
    if (answer === null) {
      this.setState({ busy: false, problem: this.listing ? '' : 'There is no kernel that can be evaluated here.' });
      return;
    }
    if (!answer.document) {
      const isSame = this.listing !== undefined && sameKernel(this.listing, answer);
      this.setState({ busy: false, stale: isSame, problem: answer.problem });
      return;
    }
    await this.accept(wanted, { ...answer, document: answer.document });
    this.setState({ busy: false, stale: answer.stale, problem: answer.problem });
    if (this.other) await this.compareWith(this.other);
  }

  private ask(wanted: Wanted, more: { target?: string; instance?: number; stage?: string }, token?: vscode.CancellationToken): Promise<Listing | null | undefined> {
    const { document, line, kernel, instance, target, stage } = wanted;
    const chosen = { kernel, instance, target, stage, ...more };
    return this.server.ask<Listing | null>(
      'tilelang/listing',
      {
        textDocument: { uri: this.server.uriOf(document) },
        position: { line, character: 0 },
        ...Object.fromEntries(Object.entries(chosen).filter(([, value]) => value !== undefined)),
        control: true,
      },
      token,
    );
  }

  private async accept(wanted: Wanted, listing: Listing & { document: ListingDocument }): Promise<void> {
    const old = this.listing;
    if (old && identity(old) === identity(listing) && textOf(old.document) !== textOf(listing.document)) this.before.set(identity(old), old.document);
    this.listing = listing;
    const table = await this.server.ask<TargetsTable>('tilelang/table', { textDocument: { uri: this.server.uriOf(wanted.document) } });
    this.choices = choicesOf(table, listing);
    const chosen = this.choices.findIndex((each) => each.kernel === listing.kernel && each.instance === listing.instance && each.line === listing.line);
    const cell = table?.rows.find((row) => row.kernel === listing.kernel && row.instance === listing.instance)?.cells.find(({ arch }) => arch === listing.target);
    const shown: Shown = {
      chosen: Math.max(0, chosen),
      choices: this.choices,
      target: listing.target,
      targets: listing.targets,
      stage: listing.stage,
      stages: listing.stages,
      document: listing.document,
      source: await sourceTexts(listing),
      buffers: (cell?.buffers ?? []).map(({ name, bytes, copies }) => ({ name, bytes, copies })),
      seconds: listing.seconds,
    };
    this.panel.setTitle(`${listing.kernel} · ${listing.target} · ${listing.stage.toUpperCase()}`);
    this.panel.post({ type: 'listing', shown });
    this.bands.show(listing);
  }

  // --- comparing ------------------------------------------------------------------------------------------------------

  private async compareWith(other: Other | undefined): Promise<void> {
    this.other = other;
    const { wanted, listing } = this;
    if (!other || !wanted || !listing) return;
    if (other.kind === 'before') {
      const document = this.before.get(identity(listing));
      if (document) this.panel.post({ type: 'compare', label: 'before the last change', document });
      else this.panel.post({ type: 'noCompare', reason: 'This kernel has not changed since the view was opened. Edit it, and the difference stands here.' });
      return;
    }
    const more = other.kind === 'target' ? { target: other.target } : { instance: other.instance };
    const answer = await this.ask(wanted, { target: listing.target, instance: listing.instance, stage: listing.stage, ...more });
    if (this.other !== other) return;
    if (answer?.document) this.panel.post({ type: 'compare', label: `${answer.document.program} ${answer.target}${other.kind === 'instance' ? ` (${answer.arguments})` : ''}`, document: answer.document });
    else this.panel.post({ type: 'noCompare', reason: answer?.problem || 'There is nothing to compare with.' });
  }

  private async pickOther(): Promise<Other | undefined> {
    const { listing } = this;
    if (!listing) return undefined;
    type Row = vscode.QuickPickItem & { other: Other };
    const rows: Row[] = [
      ...listing.targets.filter(({ arch }) => arch !== listing.target).map(({ arch, label }) => ({ label: `$(chip) ${label}`, description: arch, other: { kind: 'target' as const, target: arch } })),
      ...this.choices
        .filter(({ kernel, instance }) => kernel === listing.kernel && instance !== listing.instance)
        .map(({ label, instance }) => ({ label: `$(symbol-parameter) ${label}`, other: { kind: 'instance' as const, instance } })),
      { label: '$(history) The listing before the last change', other: { kind: 'before' } },
    ];
    return (await vscode.window.showQuickPick(rows, { title: `Compare ${listing.kernel} on ${listing.target} with` }))?.other;
  }

  // --- following ------------------------------------------------------------------------------------------------------

  private concerns(document: vscode.TextDocument): boolean {
    return document === this.wanted?.document || this.listing?.uris.includes(this.server.uriOf(document)) === true;
  }

  /** The cursor or selection of an editor moved. */
  private follow(editor: vscode.TextEditor, selection: vscode.Selection | undefined): void {
    if (!this.panel.exists || !selection || !this.listing) return;
    const file = this.listing.uris.indexOf(this.server.uriOf(editor.document));
    if (file < 0) return;
    this.panel.post({ type: 'cursor', file, from: selection.start.line + 1, to: selection.end.line + 1 });
    this.bands.mark(undefined, 0);
    if (editor.document === this.wanted?.document) this.changeKernel(selection.active.line);
  }

  /** The cursor went into another kernel of the file: that one is shown. */
  private changeKernel(line: number): void {
    const { wanted, listing } = this;
    const at = this.choices.filter((each) => each.line <= line).sort((left, right) => right.line - left.line)[0];
    if (!wanted || !listing || !at || at.line === listing.line || this.state.busy) return;
    const { instance, kernel, ...rest } = wanted;
    log.debug(`the cursor left ${kernel ?? listing.kernel} ${instance ?? ''}`);
    this.wanted = { ...rest, line: at.line, kernel: at.kernel };
    void this.refresh();
  }

  private async receive(message: FromAssembly): Promise<void> {
    switch (message.type) {
      case 'ready':
        return this.setState({});
      case 'choose':
        return this.choose(message);
      case 'compare':
        return this.compareWith(message.other);
      case 'select':
        return this.select(message.file, message.line, message.go);
      case 'install':
        return this.install();
      case 'retry':
        return this.refresh();
    }
  }

  private async choose({ chosen, target, stage }: Extract<FromAssembly, { type: 'choose' }>): Promise<void> {
    if (!this.wanted) return;
    const choice = chosen === undefined ? undefined : this.choices[chosen];
    this.wanted = {
      ...this.wanted,
      ...(choice ? { line: choice.line, kernel: choice.kernel, instance: choice.instance } : {}),
      ...(target ? { target } : {}),
      ...(stage ? { stage } : {}),
    };
    // Another target may have other stages.
    if (target && this.wanted.stage && !['tile-ir', 'tir', 'cuda', 'ptx', 'sass'].includes(this.wanted.stage)) delete this.wanted.stage;
    await this.refresh();
  }

  /** A source line was chosen in the view. */
  private async select(file: number, line: number, go: boolean): Promise<void> {
    const uri = this.listing?.uris[file];
    if (!uri) return;
    const place = vscode.Uri.parse(uri);
    let editor = vscode.window.visibleTextEditors.find(({ document }) => document.uri.toString() === place.toString());
    if (go || !editor) editor = await vscode.window.showTextDocument(place, { viewColumn: editor?.viewColumn ?? vscode.ViewColumn.One, preserveFocus: !go });
    const range = editor.document.lineAt(Math.min(line, editor.document.lineCount) - 1).range;
    const start = range.start.translate(0, editor.document.lineAt(range.start.line).firstNonWhitespaceCharacterIndex);
    editor.selection = new vscode.Selection(start, start);
    editor.revealRange(range, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
    this.bands.mark(editor, line);
  }

  private setState(change: Partial<typeof this.state>): void {
    this.state = { ...this.state, ...change };
    const canInstall = /pip install/.test(this.state.problem);
    this.panel.post({ type: 'state', ...this.state, canInstall });
  }

  private close(): void {
    clearTimeout(this.timer);
    this.running?.cancel();
    this.running = undefined;
    this.listing = undefined;
    this.other = undefined;
    this.before.clear();
    this.state = { busy: false, stale: false, problem: '' };
    this.bands.show(undefined);
    this.bands.mark(undefined, 0);
  }

  dispose(): void {
    clearTimeout(this.timer);
    for (const each of [this.panel, this.bands, ...this.subscriptions]) each.dispose();
  }
}

function identity({ source, kernel, instance, target, stage }: Listing): string {
  return [source, kernel, instance, target, stage].join('\n');
}

function sameKernel(left: Listing, right: Listing): boolean {
  return left.source === right.source && left.kernel === right.kernel;
}

function textOf(document: ListingDocument): string {
  return document.lines.map(({ text }) => text).join('\n');
}

function choicesOf(table: TargetsTable | undefined, listing: Listing): Choice[] {
  const rows = (table?.rows ?? []).filter(({ launch }) => launch === 0);
  const choices = rows.map((row) => ({ kernel: row.kernel, instance: row.instance, line: row.line - 1, label: `${nameOf(row, rows)}: ${row.arguments}` }));
  const isKnown = choices.some(({ kernel, instance }) => kernel === listing.kernel && instance === listing.instance);
  return isKnown ? choices : [...choices, { kernel: listing.kernel, instance: listing.instance, line: listing.line, label: `${listing.kernel}: ${listing.arguments}` }];
}

/** The text of each source line that has code, and of all lines of the kernel: what is compared may have code elsewhere. */
async function sourceTexts({ document, uris, source: own, line: def }: Listing & { document: ListingDocument }): Promise<Record<string, string>> {
  const texts: Record<string, string> = {};
  const files = new Map<number, vscode.TextDocument | undefined>();
  const home = uris.indexOf(own);
  const last = Math.max(0, ...document.mix.filter(({ file }) => file === home).map(({ line }) => line));
  const kernel = home < 0 ? [] : Array.from({ length: Math.max(0, last - def) }, (_, index) => ({ file: home, line: def + 1 + index }));
  for (const { file, line } of [...document.mix, ...kernel]) {
    const uri = uris[file];
    if (!uri) continue;
    if (!files.has(file)) files.set(file, await opened(uri));
    const source = files.get(file);
    if (source && line <= source.lineCount) texts[keyOf({ file, line })] = source.lineAt(line - 1).text;
  }
  return texts;
}

async function opened(uri: string): Promise<vscode.TextDocument | undefined> {
  try {
    return await vscode.workspace.openTextDocument(vscode.Uri.parse(uri));
  } catch {
    // A file that was deleted since: its lines are shown without their text.
    return undefined;
  }
}
