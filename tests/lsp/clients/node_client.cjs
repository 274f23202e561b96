// A client made of the packages that VS Code itself uses. Arguments: the folder of node_modules, the file to open, and
// the command of the server. Prints what it saw as JSON.
const { spawn } = require('node:child_process');
const { readFileSync } = require('node:fs');
const { createRequire } = require('node:module');
const { join } = require('node:path');
const { pathToFileURL } = require('node:url');

const [modules, file, ...command] = process.argv.slice(2);
const lsp = createRequire(join(modules, 'here.js'))('vscode-languageserver-protocol/node');

const server = spawn(command[0], command.slice(1), { stdio: ['pipe', 'pipe', 'inherit'] });
const connection = lsp.createProtocolConnection(
  new lsp.StreamMessageReader(server.stdout),
  new lsp.StreamMessageWriter(server.stdin),
);
const text = readFileSync(file, 'utf8');
const textDocument = { uri: pathToFileURL(file).href };

/** Where a text starts, in UTF-16 units as JavaScript counts. */
function position(needle, shift = 0) {
  const offset = text.indexOf(needle) + shift;
  const before = text.slice(0, offset).split('\n');
  return { line: before.length - 1, character: before.at(-1).length };
}

async function main() {
  const published = new Promise((resolve) => {
    connection.onNotification(lsp.PublishDiagnosticsNotification.type, (params) => {
      if (params.uri === textDocument.uri && params.diagnostics.length) {
        resolve(params.diagnostics);
      }
    });
  });
  connection.listen();
  await connection.sendRequest(lsp.InitializeRequest.type, {
    processId: process.pid,
    rootUri: null,
    capabilities: {
      textDocument: {
        hover: { contentFormat: ['markdown'] },
        codeAction: { codeActionLiteralSupport: { codeActionKind: { valueSet: ['quickfix'] } } },
      },
    },
    initializationOptions: { target: ['t4', 'a100'] },
  });
  await connection.sendNotification(lsp.InitializedNotification.type, {});
  await connection.sendNotification(lsp.DidOpenTextDocumentNotification.type, {
    textDocument: { ...textDocument, languageId: 'python', version: 1, text },
  });
  const diagnostics = await published;
  const range = { start: { line: 0, character: 0 }, end: { line: 200, character: 0 } };
  const hints = await connection.sendRequest(lsp.InlayHintRequest.type, { textDocument, range });
  const hover = await connection.sendRequest(lsp.HoverRequest.type, { textDocument, position: position('A_tile') });
  const completion = await connection.sendRequest(lsp.CompletionRequest.type, {
    textDocument,
    position: position('T.gemm', 4),
  });
  const lenses = await connection.sendRequest(lsp.CodeLensRequest.type, { textDocument });
  const actions = await connection.sendRequest(lsp.CodeActionRequest.type, {
    textDocument,
    range: diagnostics.find((each) => each.code === 'shared-memory-overflow').range,
    context: { diagnostics, only: ['quickfix'] },
  });
  const show = lenses.find((lens) => lens.command.title === 'Show assembly');
  const uri = await connection.sendRequest(lsp.ExecuteCommandRequest.type, show.command);
  const listing = await connection.sendRequest(lsp.TextDocumentContentRequest.type, { uri });
  await connection.sendRequest(lsp.ShutdownRequest.type);
  await connection.sendNotification(lsp.ExitNotification.type);
  console.log(
    JSON.stringify({
      diagnostics: diagnostics.map((each) => each.message),
      hints: hints.map((hint) => hint.label.map((part) => part.value).join('')),
      hover: hover.contents.value,
      completion: completion.items.map((item) => item.label),
      lenses: lenses.map((lens) => lens.command.title),
      actions: actions.map((action) => action.title),
      listing: listing.text,
    }),
  );
}

main().then(
  () => process.exit(0),
  (error) => {
    console.error(error);
    process.exit(1);
  },
);
