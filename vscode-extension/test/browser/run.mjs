// What a user sees, in the browser, with screenshots in test/out/shots.
//   node test/browser/run.mjs            with UPDATE_PICTURES=1 the pictures of the README are replaced by new ones
import assert from 'node:assert/strict';
import { copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { EXTENSION, PATIENT, start, Workbench } from '../workbench/workbench.mjs';

const FILE = 'matmul.py';
const PICTURES = join(EXTENSION, 'media', 'readme');
/** Lines of the kernel file. */
const [PARAMETERS, TILE, GEMM, CALL] = [6, 14, 22, 28];
const steps = [];
const step = (name, body) => steps.push({ name, body });

/** Keep a picture of the window, or of a part of it, under a name; the README uses some of them. */
async function picture(name, options) {
  const path = await ui.screenshot(name, options);
  if (!process.env.UPDATE_PICTURES) return;
  mkdirSync(PICTURES, { recursive: true });
  copyFileSync(path, join(PICTURES, `${name}.png`));
}

const workbench = await start({ copy: join(EXTENSION, 'test', 'kernels'), compiler: true, settings: { 'window.zoomLevel': 0, 'workbench.statusBar.visible': true, 'workbench.activityBar.location': 'hidden', 'breadcrumbs.enabled': false } });
const page = await workbench.page();
const ui = new Workbench(page);
const frame = () => page.frameLocator('iframe.webview.ready').frameLocator('#active-frame');
const view = (selector) => frame().locator(selector);
const text = (locator) => locator.first().innerText();
const until = async (ask, what) => {
  const end = Date.now() + PATIENT;
  for (;;) {
    const found = await ask();
    if (found) return found;
    if (Date.now() > end) throw new Error(`waited in vain for ${what}`);
    await page.waitForTimeout(80);
  }
};

step('a kernel that does not fit is underlined, and hints and verdicts are there', async () => {
  const opened = Date.now();
  const file = workbench.remote(join(workbench.folder, FILE));
  await ui.open(workbench.address([['openFile', file]]));
  await page.locator('.squiggly-error').first().waitFor();
  console.log(`# a fresh profile: install ${(workbench.installMs / 1000).toFixed(1)} s, from opening the window to the first finding ${((Date.now() - opened) / 1000).toFixed(1)} s`);
  await page.keyboard.press('Control+B');
  await ui.openFile(FILE);
  await page.locator('.squiggly-error').first().waitFor();
  await page.locator('.codelens-decoration', { hasText: 'T4 ✗ 96 KiB of 48 KiB' }).first().waitFor();
  await until(async () => (await page.locator('.view-lines').innerText()).includes('float16'), 'inlay hints');
  await picture('check');
});

step('the finding says why, with the places involved', async () => {
  await ui.goTo(FILE, CALL, 50);
  await page.keyboard.press('F8');
  const peek = page.locator('.marker-widget');
  await peek.waitFor();
  await until(async () => (await peek.innerText()).includes('98 304 B exceeds the 49 152 B'), 'the message');
  await ui.screenshot('finding');
  await page.keyboard.press('Escape');
});

step('the hover of a tile shows its bytes', async () => {
  await ui.goTo(FILE, TILE, 14);
  const hover = await ui.hover();
  await until(async () => (await hover.innerText()).includes('float16[128, 64]'), 'the shape');
  await ui.screenshot('hover');
  await page.keyboard.press('Escape');
});

step('a quick fix makes the kernel fit', async () => {
  await ui.goTo(FILE, CALL, 50);
  await page.keyboard.press('F8');
  await page.locator('.marker-widget').waitFor();
  await page.keyboard.press('Escape');
  await page.keyboard.press('Control+.');
  const menu = page.locator('.action-widget').first();
  await menu.waitFor();
  await until(async () => (await menu.innerText()).includes('num_stages'), 'the fix');
  await picture('fit');
  await menu.locator('.monaco-list-row', { hasText: 'num_stages' }).first().click();
  await page.locator('.codelens-decoration', { hasText: 'T4 ✓' }).first().waitFor();
  await page.keyboard.press('Control+Z');
  await page.locator('.codelens-decoration', { hasText: 'T4 ✗' }).first().waitFor();
});

step('the targets table shows all, and a click goes to the line', async () => {
  await ui.command('TileLang: Show Targets Table');
  await view('td[data-target="T4"][data-verdict="error"]').waitFor();
  assert.match(await text(view('td[data-target="A100"]')), /96 KiB[\s\S]*registers/);
  await picture('targets');
  await view('tbody tr td button.link').first().click();
  await until(async () => /Ln 8,/.test(await page.locator('#status\\.editor\\.selection').innerText()), 'the line of the kernel');
  await closePanels();
});

step('the layout view shows banks, threads and conflicts', async () => {
  await ui.goTo(FILE, TILE, 14);
  await ui.command('TileLang: Show Layout of Tile');
  await view('canvas').waitFor();
  assert.match(await text(view('#conflicts')), /no conflicts/);
  await view('canvas').hover({ position: { x: 30, y: 30 } });
  assert.match(await text(view('[data-fact="bank"]')), /^\d+$/);
  await picture('layout-shared');
  await view('select[aria-label="Access pattern"]').selectOption('column');
  await until(async () => /-way conflicts/.test(await text(view('#conflicts'))), 'conflicts down a column');
  await ui.screenshot('layout-conflicts');
  await ui.goTo(FILE, 16, 14);
  await view('[data-fact="thread"]').waitFor();
  await view('canvas').click({ position: { x: 40, y: 40 } });
  await ui.screenshot('layout-fragment');
  await closePanels();
});

/** Choose a target, or leave it out, in the picker of the status bar. */
async function toggleTarget(name) {
  await page.locator('#tilelang-suite\\.tilelang\\.tilelang\\.targets').first().click();
  await page.locator('.quick-input-widget').waitFor();
  await ui.quickInput(name);
  await page.locator('.quick-input-list .monaco-list-row', { hasText: name }).first().click();
  await page.locator('.quick-input-widget').getByText('OK', { exact: true }).click();
}

step('other targets are chosen in the status bar', async () => {
  await toggleTarget('A100');
  await page.locator('.statusbar-item', { hasText: /^\s*a100\s*$/ }).first().waitFor();
  await page.locator('.squiggly-error').first().waitFor({ state: 'detached' });
  await toggleTarget('A100');
  await page.locator('.squiggly-error').first().waitFor();
});

step('the assembly view stands beside the source', async () => {
  await ui.goTo(FILE, GEMM, 20);
  await ui.command('TileLang: Show Assembly Beside');
  await view('select[aria-label="Target"]').selectOption('sm_80');
  await until(async () => (await view('.badge').count()) === 0 && /16816/.test(await text(view('.entry.current .mix'))), 'the code for A100');
  await view('.row.current .op').first().waitFor();
  assert.match(await text(view('[data-fact="registers"]')), /\d+ a thread/);
  assert.match(await text(view('[data-fact="occupancy"]')), /block/);
  assert.match(await text(view('#memory')), /A_shared stage 1/);
  assert.equal(await view('.row.directive').count(), 0);
  await picture('assembly');
});

step('the view follows the cursor', async () => {
  await ui.goTo(FILE, 21, 20);
  await until(async () => (await view('.entry.current').count()) === 1, 'one marked line');
  const line = await view('.entry.current').first().getAttribute('data-line');
  await ui.goTo(FILE, GEMM, 20);
  await until(async () => (await view('.entry.current').first().getAttribute('data-line')) !== line, 'another line');
  await view('.row.current').first().waitFor();
});

step('the editor follows the view', async () => {
  await view('#code').evaluate((list) => (list.scrollTop = 0));
  const other = view('.row.instruction:not(.current)').filter({ has: frame().locator('.number', { hasText: /\d/ }) }).first();
  const number = await other.locator('.number').innerText();
  await other.click();
  await until(async () => (await text(ui.editor(FILE).locator('.active-line-number'))).trim() === number.trim(), `line ${number}`);
});

step('an instruction is explained on hover', async () => {
  await ui.goTo(FILE, GEMM, 20);
  await view('.row.current .op').first().hover();
  await view('#tip').waitFor();
  assert.match(await text(view('#tip')), /From line \d+/);
  await ui.screenshot('instruction');
});

step('filters and stages', async () => {
  await view('input[data-filter="directives"]').click();
  await view('.row.directive').first().waitFor();
  await view('input[data-filter="directives"]').click();
  for (const [stage, pattern] of [['ptx', /mma\.sync|ldmatrix|cp\.async/], ['cuda', /__global__|tl::/], ['tir', /T\./], ['tile-ir', /gemm/]]) {
    await view(`[data-stage="${stage}"]`).click();
    await view(`[data-stage="${stage}"][aria-selected="true"]`).waitFor();
    await until(async () => pattern.test(await view('#code').innerText()), `the code of ${stage}`);
  }
  await view('[data-stage="sass"]').click();
  await view('[data-stage="sass"][aria-selected="true"]').waitFor();
});

step('two targets are compared by source line, the summary first', async () => {
  await view('select[aria-label="Compare with"]').selectOption({ index: 1 });
  await view('#summary').waitFor();
  assert.match(await text(view('#summary')), /registers|tensor|async/);
  await view(`#difference tr[data-line="${GEMM}"]`).click();
  await view('#difference tr.detail:not([hidden]) pre').first().waitFor();
  await view(`#difference tr[data-line="${GEMM}"]`).click();
  await picture('compare');
  await view('select[aria-label="Compare with"]').selectOption('');
  await view('.row').first().waitFor();
});

step('an unsaved edit makes the view stale, not blank, and it keeps its place', async () => {
  await view('#code').evaluate((list) => (list.scrollTop = 2000));
  const rows = await view('.row').count();
  await ui.goTo(FILE, PARAMETERS, 1);
  await page.keyboard.press('End');
  await ui.goTo(FILE, CALL, 40);
  await page.keyboard.press('Home');
  await page.keyboard.type('# moved\n');
  await view('.badge').first().waitFor();
  assert.ok(rows > 0 && (await view('.row').count()) > 0, 'the old listing stays');
  await until(async () => (await view('.badge').count()) === 0, 'the new listing');
  const top = await view('#code').evaluate((list) => list.scrollTop);
  assert.ok(Math.abs(top - 2000) < 40, `scrolled to ${top}`);
  await ui.command('File: Revert File');
});

step('instructions stand at the end of lines once the file is saved, and can be peeked', async () => {
  await closePanels();
  await ui.goTo(FILE, CALL - 1, 1);
  await page.keyboard.type('# Saved.');
  await page.keyboard.press('Control+S');
  await ui.goTo(FILE, GEMM, 20);
  await until(async () => /HMMA/.test(await ui.editor(FILE).innerText()), 'inline assembly');
  await ui.screenshot('inline');
  await ui.command('TileLang: Peek Instructions of Line');
  const peek = page.locator('.peekview-widget');
  await peek.waitFor();
  await until(async () => /HMMA|LDSM/.test(await peek.innerText()), 'the instructions');
  await ui.screenshot('peek');
  await page.keyboard.press('Escape');
});

step('the view is readable on a light theme', async () => {
  await ui.command('Preferences: Color Theme');
  await page.keyboard.type('Light Modern');
  await page.locator('.quick-input-list .monaco-list-row', { hasText: 'Light Modern' }).first().waitFor();
  await page.keyboard.press('Enter');
  await ui.goTo(FILE, GEMM, 20);
  await ui.command('TileLang: Show Assembly Beside');
  await view('.row.current .op').first().waitFor();
  await ui.screenshot('assembly-light');
});

async function closePanels() {
  await page.keyboard.press('Control+1');
  await ui.command('View: Close Editors in Other Groups');
  await page.locator('iframe.webview').first().waitFor({ state: 'detached' });
}

let failed = 0;
let stopped = false;
for (const { name, body } of steps) {
  if (stopped) {
    console.log(`not ok - ${name}: not reached`);
    failed++;
    continue;
  }
  try {
    await body();
    console.log(`ok - ${name}`);
  } catch (error) {
    failed++;
    console.log(`not ok - ${name}: ${error instanceof Error ? error.stack : error}`);
    await ui.screenshot(`failed-${steps.findIndex((each) => each.name === name)}`);
    // Later steps build on the window of earlier ones.
    stopped = !process.env.GO_ON;
    await page.keyboard.press('Escape');
  }
}
console.log(`# in the browser: ${steps.length - failed} passed, ${failed} failed`);
await workbench.stop();
process.exit(failed === 0 ? 0 : 1);
