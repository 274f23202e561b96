// Runs the tests of test/host inside the extension host of a VS Code that has the packed extension installed.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import * as esbuild from 'esbuild';
import { EXTENSION, OUT, PATIENT, start } from '../workbench/workbench.mjs';

const suites = [
  { name: 'trusted', entry: 'trusted.ts', options: { copy: join(EXTENSION, 'test', 'kernels') } },
  { name: 'untrusted', entry: 'untrusted.ts', options: { copy: join(EXTENSION, 'test', 'untrusted'), trusted: false } },
  { name: 'missing', entry: 'missing.ts', options: { copy: join(EXTENSION, 'test', 'kernels'), home: 'export PATH=/nowhere\n' } },
];
const wanted = process.argv[2];
let failed = 0;
for (const suite of suites.filter(({ name }) => !wanted || name === wanted)) failed += await run(suite);
process.exit(failed === 0 ? 0 : 1);

async function run({ name, entry, options }) {
  const script = join(OUT, 'host', entry.replace('.ts', '.js'));
  await esbuild.build({ entryPoints: [join(EXTENSION, 'test', 'host', entry)], outfile: script, bundle: true, platform: 'node', format: 'cjs', external: ['vscode'], logLevel: 'error' });
  const workbench = await start(options);
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
  }
}
