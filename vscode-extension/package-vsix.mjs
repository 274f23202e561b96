// Makes dist/tilelang.vsix: bundles the server if that has not been done, builds, packs, and prints the sizes.
//   node package-vsix.mjs [--here]      PYTHON=python3.12 chooses the Python that runs pip
// --here: with the compiled parts for this machine only, which is quicker; for tests.
import { execFileSync } from 'node:child_process';
import { copyFileSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const python = process.env.PYTHON ?? join(here, '..', '.venv', 'bin', 'python');
const run = (command, ...args) => execFileSync(command, args, { cwd: here, stdio: 'inherit' });

run(python, 'bundled/build.py', ...process.argv.slice(2));
for (const file of ['LICENSE', 'NOTICE']) copyFileSync(join(here, '..', file), join(here, file));
run(process.execPath, 'esbuild.mjs', '--production');
const vsce = join(here, '..', 'node_modules', '@vscode', 'vsce', 'vsce');
run(process.execPath, vsce, 'package', '--no-dependencies', '--allow-package-all-secrets', '--allow-missing-repository', '--no-rewrite-relative-links', '-o', 'dist/tilelang.vsix');

const size = (path) => (statSync(path).isDirectory() ? readdirSync(path).reduce((sum, name) => sum + size(join(path, name)), 0) : statSync(path).size);
const kib = (path) => `${Math.round(size(join(here, path)) / 1024)} KiB`;
console.log(`package ${kib('dist/tilelang.vsix')}: extension ${kib('dist/extension.js')}, views ${kib('dist/webview')}, server ${kib('bundled/libs')} unpacked`);
