/** The environment that the Python extension has selected. That extension is optional. */
import { PythonExtension } from '@vscode/python-extension';
import * as vscode from 'vscode';
import { log, messageOf } from '../log';

/** The interpreter of the first workspace folder, if the Python extension is there and knows one. */
export async function selectedPython(): Promise<string | undefined> {
  const api = await pythonApi();
  if (!api) return undefined;
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  const selected = api.environments.getActiveEnvironmentPath(folder);
  const resolved = await api.environments.resolveEnvironment(selected);
  return resolved?.executable.uri?.fsPath;
}

/** Calls back when the user selects another environment. */
export async function onDidSelectPython(callback: () => void): Promise<vscode.Disposable | undefined> {
  return (await pythonApi())?.environments.onDidChangeActiveEnvironmentPath(callback);
}

async function pythonApi(): Promise<PythonExtension | undefined> {
  if (!vscode.extensions.getExtension('ms-python.python')) return undefined;
  try {
    const api = await PythonExtension.api();
    return 'environments' in api ? api : undefined;
  } catch (error) {
    log.warn(`the Python extension does not answer: ${messageOf(error)}`);
    return undefined;
  }
}
