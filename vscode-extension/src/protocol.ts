/** The requests and notifications beside the standard ones: docs/editor.md describes them for all clients. */
import { NotificationType } from 'vscode-languageclient/node';

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
