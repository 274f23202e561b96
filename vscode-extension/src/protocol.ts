/** The requests and notifications beside the standard ones: docs/editor.md describes them for all clients. */
import { NotificationType } from 'vscode-languageclient/node';
import type { ListingDocument } from './shared/listing';

/** What a status bar shows. */
export interface Status {
  health: 'ok' | 'warning' | 'error';
  message: string;
  /** Whether no check is under way. */
  quiescent: boolean;
  kernels: number;
  targets: string[];
  targetIsAssumed: boolean;
}

export const statusNotification = new NotificationType<Status>('tilelang/status');

/** The answer to `tilelang/listing`. Lines are from 0, except in `document`. */
export interface Listing {
  uri: string;
  source: string;
  kernel: string;
  instance: number;
  instances: number;
  arguments: string;
  line: number;
  target: string;
  targets: { arch: string; label: string }[];
  stage: string;
  stages: string[];
  stale: boolean;
  seconds: number;
  problem: string;
  document: ListingDocument | null;
  /** Of each of the document's files; empty for files of the compiler. */
  uris: string[];
}

/** A compile has started or ended. */
export interface CompiledParams {
  textDocument: { uri: string };
  running: number;
  results: { kernel: string; instance: number; line: number; target: string; ok: boolean; seconds: number; summary: string; problems: string[]; uri: string }[];
}

export const compiledNotification = new NotificationType<CompiledParams>('tilelang/compiled');

/** Commands of the server that this extension has views of its own for. */
export const OWN_COMMANDS = ['tilelang.showAssembly', 'tilelang.compareTargets'];
