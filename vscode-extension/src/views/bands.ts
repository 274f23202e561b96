/** Colour bands in the source, the same as in the assembly view, and dimmed lines that generated nothing. */
import * as vscode from 'vscode';
import { SourceMap, type ListingDocument } from '../shared/listing';
import { BAND_ALPHA, BANDS, withAlpha } from '../shared/palette';
import { unusedLines } from '../shared/unused';

export class Bands implements vscode.Disposable {
  private readonly types = BANDS.map((color) =>
    vscode.window.createTextEditorDecorationType({
      isWholeLine: true,
      overviewRulerColor: withAlpha(color, 0.7),
      overviewRulerLane: vscode.OverviewRulerLane.Left,
      dark: { backgroundColor: withAlpha(color, BAND_ALPHA.dark) },
      light: { backgroundColor: withAlpha(color, BAND_ALPHA.light) },
    }),
  );
  private readonly dim = vscode.window.createTextEditorDecorationType({ opacity: '0.55' });
  private readonly marked = vscode.window.createTextEditorDecorationType({
    isWholeLine: true,
    borderStyle: 'solid',
    borderWidth: '1px 0',
    borderColor: new vscode.ThemeColor('focusBorder'),
  });

  /** `uris`: of the files of the listing. Without a listing nothing is marked. */
  show(listing: { document: ListingDocument; uris: string[]; source: string; line: number } | undefined): void {
    const map = listing && new SourceMap(listing.document);
    for (const editor of vscode.window.visibleTextEditors) {
      const file = listing?.uris.indexOf(editor.document.uri.toString()) ?? -1;
      const lines = map && file >= 0 ? map.places.filter((place) => place.file === file).map(({ line }) => line) : [];
      this.types.forEach((type, band) => {
        const mine = lines.filter((line) => map!.bandOf({ file, line }, BANDS.length) === band);
        editor.setDecorations(type, mine.map((line) => lineRange(editor.document, line)));
      });
      const texts = editor.document.getText().split(/\r?\n/);
      const isKernel = listing?.source === editor.document.uri.toString();
      editor.setDecorations(this.dim, (isKernel ? unusedLines(texts, new Set(lines), listing.line + 1) : []).map((line) => lineRange(editor.document, line)));
    }
  }

  /** Frame the line that was chosen in the view. */
  mark(editor: vscode.TextEditor | undefined, line: number): void {
    for (const each of vscode.window.visibleTextEditors) {
      each.setDecorations(this.marked, each === editor ? [lineRange(each.document, line)] : []);
    }
  }

  dispose(): void {
    for (const each of [...this.types, this.dim, this.marked]) each.dispose();
  }
}

/** `line` counts from 1; one behind the end of a text that became shorter is the last one. */
function lineRange(document: vscode.TextDocument, line: number): vscode.Range {
  return document.lineAt(Math.max(0, Math.min(line, document.lineCount) - 1)).range;
}
