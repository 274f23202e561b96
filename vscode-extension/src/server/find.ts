/**
 * Which server to run.
 *
 * A trusted workspace: the paths in the settings, then `tilelang-lsp` of the selected environment, then the one on PATH,
 * then the bundled one. An untrusted one: the bundled server on a Python from PATH only, since anything else could be a
 * program of the workspace. The environment's own packages are never imported by the bundled server: see bundled/tool.
 */
import * as path from 'node:path';
import { compareVersions, isUsablePython, MINIMUM_SERVER, PYTHON_MINORS, versionIn } from './version';

export type Source = 'setting' | 'environment' | 'PATH' | 'bundled';

/** A server that can be started. `python` and `pythonVersion` are known for the bundled one. */
export interface FoundServer {
  source: Source;
  command: string;
  args: string[];
  version: string;
  python?: string[];
  pythonVersion?: string;
}

/** Why there is none: no Python for the bundled server. `rejected` says what was tried, in sentences. */
export interface NotFound {
  source: 'none';
  rejected: string[];
}

export interface Wishes {
  trusted: boolean;
  path: string[];
  interpreter: string[];
  importStrategy: 'fromEnvironment' | 'useBundled';
}

/** What the search needs of the world. */
export interface World {
  platform: NodeJS.Platform;
  environment: NodeJS.ProcessEnv;
  /** The start script of the bundled server, and its version. */
  bundled: { script: string; version: string };
  isFile(file: string): Promise<boolean>;
  /** The standard output of a program; rejects if it fails. */
  run(command: string, args: string[]): Promise<string>;
  /** The interpreter that the user selected in the Python extension, if there is one. */
  selectedPython(): Promise<string | undefined>;
  log(message: string): void;
}

export async function findServer(wishes: Wishes, world: World): Promise<FoundServer | NotFound> {
  const rejected: string[] = [];
  if (wishes.trusted) {
    const own = await installedServer(wishes, world, rejected);
    if (own) return own;
  }
  const python = await findPython(wishes, world, rejected);
  if (!python) return { source: 'none', rejected };
  return {
    source: 'bundled',
    command: python.command[0]!,
    args: [...python.command.slice(1), ...isolated(world.bundled.script), 'server'],
    version: world.bundled.version,
    python: python.command,
    pythonVersion: python.version,
  };
}

/** The bundled tool without the packages, variables and working folder of the environment. */
export function isolated(script: string): string[] {
  return ['-I', '-S', '-u', '-X', 'utf8', script];
}

async function installedServer(wishes: Wishes, world: World, rejected: string[]): Promise<FoundServer | undefined> {
  const candidates: { source: Source; file: string }[] = wishes.path.map((file) => ({ source: 'setting', file }));
  if (wishes.importStrategy === 'fromEnvironment') {
    const python = wishes.interpreter.length === 1 ? wishes.interpreter[0] : await world.selectedPython();
    if (python) candidates.push({ source: 'environment', file: path.join(path.dirname(python), executable('tilelang-lsp', world)) });
    for (const folder of pathFolders(world)) candidates.push({ source: 'PATH', file: path.join(folder, executable('tilelang-lsp', world)) });
  }
  for (const { source, file } of candidates) {
    if (!(await world.isFile(file))) {
      if (source === 'setting') rejected.push(`${file} (tilelang.path) does not exist`);
      continue;
    }
    const version = await versionOf(file, world);
    if (version && compareVersions(version, MINIMUM_SERVER) >= 0) return { source, command: file, args: [], version };
    rejected.push(version ? `${file} is version ${version}; ${MINIMUM_SERVER} or newer is needed` : `${file} does not start`);
    world.log(rejected.at(-1)!);
  }
  return undefined;
}

async function versionOf(file: string, world: World): Promise<string | undefined> {
  try {
    return versionIn(await world.run(file, ['--version']));
  } catch {
    return undefined;
  }
}

interface Python {
  command: string[];
  version: string;
}

/** A Python for the bundled server. */
async function findPython(wishes: Wishes, world: World, rejected: string[]): Promise<Python | undefined> {
  const candidates: string[][] = [];
  if (wishes.trusted) {
    if (wishes.interpreter.length) candidates.push(wishes.interpreter);
    const selected = await world.selectedPython();
    if (selected) candidates.push([selected]);
  }
  const names = [...PYTHON_MINORS].reverse().map((minor) => `python3.${minor}`);
  for (const name of ['python3', 'python', ...names]) {
    for (const folder of pathFolders(world)) candidates.push([path.join(folder, executable(name, world))]);
  }
  const launcher = pathFolders(world).map((folder) => path.join(folder, 'py.exe'));
  if (world.platform === 'win32') candidates.push(...launcher.map((file) => [file, '-3']));
  for (const command of candidates) {
    const isNamed = command === wishes.interpreter;
    if (path.isAbsolute(command[0]!) && !(await world.isFile(command[0]!))) {
      if (isNamed) rejected.push(`${command[0]} (tilelang.interpreter) does not exist`);
      continue;
    }
    try {
      const ask = "import sys; print('%d.%d.%d' % sys.version_info[:3])";
      const version = versionIn(await world.run(command[0]!, [...command.slice(1), '-I', '-S', '-c', ask]));
      if (version && isUsablePython(version)) return { command, version };
      rejected.push(`${command.join(' ')} is Python ${version ?? 'of an unknown version'}; 3.10 to 3.13 are needed`);
    } catch (error) {
      rejected.push(`${command.join(' ')} does not start: ${error instanceof Error ? error.message.split('\n')[0] : error}`);
    }
    world.log(rejected.at(-1)!);
  }
  if (rejected.length === 0) rejected.push('no Python was found on PATH');
  return undefined;
}

/** Absolute folders of PATH: a relative one would be the workspace's. */
function pathFolders(world: World): string[] {
  const separator = world.platform === 'win32' ? ';' : ':';
  const value = world.environment['PATH'] ?? world.environment['Path'] ?? '';
  return [...new Set(value.split(separator).filter((folder) => path.isAbsolute(folder)))];
}

function executable(name: string, world: World): string {
  return world.platform === 'win32' ? `${name}.exe` : name;
}
