// Runs the tests of test/host inside the extension host of a VS Code that has the packed extension installed.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as esbuild from 'esbuild';
import { EXTENSION, OUT, PATIENT, start } from '../workbench/workbench.mjs';

const suites = [
  { name: 'trusted', entry: 'trusted.ts', options: { copy: join(EXTENSION, 'test', 'kernels') } },
  { name: 'untrusted', entry: 'untrusted.ts', options: { copy: join(EXTENSION, 'test', 'untrusted'), trusted: false } },
  { name: 'shadowed', entry: 'shadowed.ts', options: shadow },
  { name: 'assembly', entry: 'assembly.ts', options: { copy: join(EXTENSION, 'test', 'kernels'), compiler: true } },
  { name: 'missing', entry: 'missing.ts', options: { copy: join(EXTENSION, 'test', 'kernels'), home: 'export PATH=/nowhere\n' } },
];
const wanted = process.argv[2];
let failed = 0;
for (const suite of suites.filter(({ name }) => !wanted || name === wanted)) failed += await run(suite);
process.exit(failed === 0 ? 0 : 1);

async function run({ name, entry, options }) {
  const script = join(OUT, 'host', entry.replace('.ts', '.js'));
  await esbuild.build({ entryPoints: [join(EXTENSION, 'test', 'host', entry)], outfile: script, bundle: true, platform: 'node', format: 'cjs', external: ['vscode'], logLevel: 'error' });
  const made = typeof options === 'function' ? options() : options;
  const workbench = await start(made);
  const page = await workbench.page();
  let done;
  const ended = new Promise((resolve) => (done = resolve));
  const timer = setTimeout(() => done('timeout'), 4 * PATIENT);
  try {
    await page.exposeFunction('codeAutomationLog', (_type, args) => {
      const text = args.join(' ');
      if (process.env.VERBOSE || /^(ok|not ok|#|Error)/.test(text)) console.log(text);
    });
    await page.exposeFunction('codeAutomationExit', (code) => done(code));
    // A built workbench runs tests only with this switch, which has no flag: set it as the page reads its settings.
    await page.addInitScript(() => {
      const get = Element.prototype.getAttribute;
      Element.prototype.getAttribute = function (attribute) {
        const value = get.call(this, attribute);
        if (this.id !== 'vscode-workbench-web-configuration' || attribute !== 'data-settings' || !value) return value;
        return JSON.stringify({ ...JSON.parse(value), developmentOptions: { enableSmokeTestDriver: true } });
      };
    });
    console.log(`# in the extension host: ${name}`);
    await page.goto(
      workbench.address([
        ['extensionDevelopmentPath', workbench.remote(join(EXTENSION, 'test', 'host', 'shell'))],
        ['extensionTestsPath', workbench.remote(script)],
        ['skipWelcome', 'true'],
      ]),
    );
    const code = await ended;
    if (code !== 0) {
      mkdirSync(join(OUT, 'shots'), { recursive: true });
      await page.screenshot({ path: join(OUT, 'shots', `host-${entry}.png`) });
      console.log(`# ${name}: ended with ${code}`);
    }
    return code === 0 ? 0 : 1;
  } finally {
    clearTimeout(timer);
    await workbench.stop();
    if (made.scratch) rmSync(made.scratch, { recursive: true, force: true });
  }
}

/** An environment with another `tilelang`, in all places from which Python imports. Each leaves a mark when it is. */
function shadow() {
  const scratch = mkdtempSync(join(tmpdir(), 'tilelang-shadow-'));
  const environment = join(scratch, 'environment');
  execFileSync(process.env.PYTHON ?? join(EXTENSION, '..', '.venv', 'bin', 'python'), ['-m', 'venv', '--without-pip', environment]);
  const lib = join(environment, 'lib');
  const places = [join(lib, readdirSync(lib)[0], 'site-packages'), join(scratch, 'path')];
  const trap = (where) => `import pathlib, os\nfolder = pathlib.Path(os.environ['TILELANG_TRAP'])\n(folder / 'imported-${where}').touch()\nraise ImportError('another tilelang')\n`;
  for (const [index, place] of places.entries()) {
    for (const name of ['tilelang', 'tilelang_lsp', 'tilelang_analyzers', 'pygls', 'sitecustomize']) {
      mkdirSync(join(place, name), { recursive: true });
      writeFileSync(join(place, name, '__init__.py'), trap(`${name}-${index}`));
    }
  }
  const profile = `export PATH=${join(environment, 'bin')}:$PATH PYTHONPATH=${places[1]} TILELANG_TRAP=$HOME/../kernels\n`;
  return {
    scratch,
    copy: join(EXTENSION, 'test', 'kernels'),
    files: { 'tilelang/__init__.py': trap('folder') },
    home: profile,
  };
}
