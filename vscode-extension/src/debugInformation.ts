/** What a bug report needs to say about versions and settings. No paths of the workspace, no contents of files. */
import * as vscode from 'vscode';
import type { Server } from './server/server';
import { SECTION } from './settings';

export function debugInformation(context: vscode.ExtensionContext, server: Server): string {
  const { state } = server;
  const found = state.found;
  const status = state.status;
  const settings = vscode.workspace.getConfiguration().get(SECTION);
  return [
    `extension: ${context.extension.id} ${String(context.extension.packageJSON.version)}`,
    `editor: ${vscode.env.appName} ${vscode.version}, ${vscode.env.remoteName ?? 'local'}, ${process.platform}-${process.arch}, Node ${process.version}`,
    `workspace: ${vscode.workspace.isTrusted ? 'trusted' : 'not trusted'}, ${vscode.workspace.workspaceFolders?.length ?? 0} folders`,
    `server: ${state.phase}${state.problem ? `, ${state.problem}` : ''}`,
    found === undefined
      ? 'not looked for'
      : found.source === 'none'
        ? `none found: ${found.rejected.join('; ')}`
        : `version ${found.version} from ${found.source}: ${found.command} ${found.args.join(' ')}${found.pythonVersion ? ` (Python ${found.pythonVersion})` : ''}`,
    status ? `health: ${status.health} ${status.message}; ${status.kernels} kernels; targets ${status.targets.join(', ')}` : 'no check has ended',
    `Python extension: ${String(vscode.extensions.getExtension('ms-python.python')?.packageJSON.version ?? 'none')}`,
    `settings: ${JSON.stringify(settings)}`,
  ].join('\n');
}
