import { describe, expect, it } from 'vitest';
import { findServer, isolated, type Wishes, type World } from '../../src/server/find';
import { forServer } from '../../src/server/section';
import { compareVersions, isUsablePython, versionIn } from '../../src/server/version';

const SCRIPT = '/extension/bundled/tool/tilelang_tool.py';

/** A machine with some programs, each with what it prints. */
function machine(programs: Record<string, string>, PATH = '/usr/bin', selected?: string): World & { ran: string[] } {
  const ran: string[] = [];
  return {
    ran,
    platform: 'linux',
    environment: { PATH },
    bundled: { script: SCRIPT, version: '0.1.0' },
    isFile: (file) => Promise.resolve(file in programs),
    run: (command) => {
      ran.push(command);
      const said = programs[command];
      return said === undefined || said === 'broken' ? Promise.reject(new Error('it fails')) : Promise.resolve(said);
    },
    selectedPython: () => Promise.resolve(selected),
    log: () => undefined,
  };
}

const wishes = (more: Partial<Wishes> = {}): Wishes => ({ trusted: true, path: [], interpreter: [], importStrategy: 'fromEnvironment', ...more });

describe('the server', () => {
  it('is the one of the settings, if it is new enough', async () => {
    const world = machine({ '/own/tilelang-lsp': 'tilelang-lsp 0.2.0', '/usr/bin/python3': '3.11.2' });
    expect(await findServer(wishes({ path: ['/own/tilelang-lsp'] }), world)).toMatchObject({ source: 'setting', version: '0.2.0' });
  });

  it('is not one that is too old or broken', async () => {
    const world = machine({ '/own/tilelang-lsp': 'tilelang-lsp 0.0.9', '/usr/bin/tilelang-lsp': 'broken', '/usr/bin/python3': '3.11.2' });
    expect(await findServer(wishes({ path: ['/own/tilelang-lsp'] }), world)).toMatchObject({ source: 'bundled' });
  });

  it('is looked for beside the selected interpreter, then on PATH', async () => {
    const programs = { '/env/bin/tilelang-lsp': '0.1.0', '/usr/bin/tilelang-lsp': '0.1.0', '/usr/bin/python3': '3.11.2' };
    expect(await findServer(wishes(), machine(programs, '/usr/bin', '/env/bin/python'))).toMatchObject({ source: 'environment', command: '/env/bin/tilelang-lsp' });
    expect(await findServer(wishes(), machine(programs))).toMatchObject({ source: 'PATH' });
    expect(await findServer(wishes({ importStrategy: 'useBundled' }), machine(programs))).toMatchObject({ source: 'bundled' });
  });

  it('runs isolated when it is the bundled one', async () => {
    const found = await findServer(wishes(), machine({ '/usr/bin/python3': '3.12.1' }));
    expect(found).toMatchObject({ source: 'bundled', command: '/usr/bin/python3', args: [...isolated(SCRIPT), 'server'], pythonVersion: '3.12.1' });
    expect(isolated(SCRIPT)).toEqual(expect.arrayContaining(['-I', '-S']));
  });

  it('needs a Python from 3.10 to 3.13 and takes the first that fits', async () => {
    const found = await findServer(wishes(), machine({ '/usr/bin/python3': '3.9.2', '/usr/bin/python3.11': '3.11.4' }));
    expect(found).toMatchObject({ command: '/usr/bin/python3.11' });
  });

  it('is missing with the reasons', async () => {
    const old = await findServer(wishes(), machine({ '/usr/bin/python3': '3.8.10' }));
    expect(old).toEqual({ source: 'none', rejected: ['/usr/bin/python3 is Python 3.8.10; 3.10 to 3.13 are needed'] });
    expect(await findServer(wishes(), machine({}))).toEqual({ source: 'none', rejected: ['no Python was found on PATH'] });
  });

  it('is never a program of a folder that is not trusted', async () => {
    const world = machine({ '/folder/server': '9.9.9', '/folder/python': '3.12.0', '/usr/bin/tilelang-lsp': '0.1.0', '/usr/bin/python3': '3.11.2' }, '/usr/bin', '/folder/python');
    const found = await findServer(wishes({ trusted: false, path: ['/folder/server'], interpreter: ['/folder/python'] }), world);
    expect(found).toMatchObject({ source: 'bundled', command: '/usr/bin/python3' });
    expect(world.ran).toEqual(['/usr/bin/python3']);
  });

  it('is not looked for in relative folders of PATH', async () => {
    const world = machine({ 'bin/tilelang-lsp': '9.9.9', '/usr/bin/python3': '3.11.2' }, 'bin:.:/usr/bin');
    expect(await findServer(wishes(), world)).toMatchObject({ source: 'bundled' });
  });
});

describe('versions', () => {
  it('are compared by their numbers', () => {
    expect(versionIn('tilelang-lsp 0.10.2\n')).toBe('0.10.2');
    expect(compareVersions('0.10.0', '0.9.9')).toBeGreaterThan(0);
    expect(compareVersions('1.0', '1.0.0')).toBe(0);
    expect(['3.9.1', '3.10.0', '3.13.2', '3.14.0', '2.7.18'].map(isUsablePython)).toEqual([false, true, true, false, false]);
  });
});

describe('the section for the server', () => {
  it('has what the server reads, under its names', () => {
    expect(forServer({ targets: ['t4'], codeLens: false, interpreter: ['x'], inlayHints: { tiles: false } })).toEqual({
      target: ['t4'],
      codeLens: false,
      inlayHints: { tiles: false, code: true },
    });
  });

  it('leaves the targets to the project when none are chosen', () => {
    expect(forServer({ targets: [] })).not.toHaveProperty('target');
    expect(forServer(undefined)).toEqual({});
  });

  it('turns inline assembly off with its setting', () => {
    expect(forServer({ inlineAssembly: false })).toEqual({ inlayHints: { code: false } });
    expect(forServer({ inlineAssembly: true, inlayHints: { loops: false } })).toEqual({ inlayHints: { loops: false, code: true } });
  });
});
