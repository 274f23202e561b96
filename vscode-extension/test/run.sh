#!/bin/sh
# Tests of the extension: `unit` needs Node 20 or newer and npm, `all` also what test/workbench/install.mjs installs.
set -eu
cd "$(dirname "$0")/.."
if ! node -e 'process.exit(Number(process.versions.node.split(".")[0]) >= 20 ? 0 : 1)' 2>/dev/null; then
    echo "vscode: skipped, this machine has no Node 20 or newer"
    exit 0
fi
[ -x ../node_modules/.bin/vitest ] || (cd .. && npm ci --no-audit --no-fund --loglevel=error)
npm run --silent types
npm run --silent lint
npm test --silent
[ "${1:-all}" = all ] || exit 0

if [ "$(uname -sm)" != "Linux x86_64" ]; then
    echo "vscode: tests in VS Code skipped, they need Linux on x86-64"
    exit 0
fi
node test/workbench/install.mjs
node package-vsix.mjs --here
node test/host/run.mjs
node test/browser/run.mjs
