/** Programs that the extension asks something. */
import { execFile } from 'node:child_process';
import { stat } from 'node:fs/promises';

const PATIENCE_MS = 20_000;

export function run(command: string, args: string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(command, args, { timeout: PATIENCE_MS, windowsHide: true, cwd: undefined }, (error, stdout, stderr) => {
      if (error) reject(new Error(stderr.trim().split('\n').at(-1) || error.message));
      else resolve(stdout);
    });
  });
}

export async function isFile(file: string): Promise<boolean> {
  try {
    return (await stat(file)).isFile();
  } catch {
    return false;
  }
}
