// Where a run ended: a cursor of the event feed, in a file per host and app in the user's state folder.

import { createHash } from 'node:crypto';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { makeFolder } from '@opentill/server/runtime/files.ts';
import { explainSystemError } from '@opentill/server/runtime/start-problem.ts';
import { isSystemError } from '@opentill/server/runtime/system-errors.ts';
import type { Surroundings } from '../surroundings.ts';

const ownerOnlyFolder = 0o700;

/** Hexadecimal digits of the hash in a file's name, which distinguishes hosts and client ids of any characters. */
const hashDigits = 16;

/** `XDG_STATE_HOME`, `LOCALAPPDATA` on Windows, or their default. */
function stateFolder(env: Surroundings['env']): string {
  const byDefault = join(env['HOME'] || homedir(), '.local', 'state');
  return join(env['XDG_STATE_HOME'] || env['LOCALAPPDATA'] || byDefault, 'opentill', 'listen');
}

export class PositionFile {
  readonly path: string;
  #saved: string | undefined;
  #latest: string | undefined;
  #saving: Promise<void> = Promise.resolve();

  constructor(env: Surroundings['env'], app: { readonly host: string; readonly clientId: string }) {
    const hash = createHash('sha256').update(`${app.host}\n${app.clientId}`).digest('hex');
    const name = app.clientId.replaceAll(/[^\w.-]/g, '_').slice(0, 100);
    this.path = join(stateFolder(env), `${name}-${hash.slice(0, hashDigits)}`);
  }

  /** undefined before the first save. */
  async read(): Promise<string | undefined> {
    return explainSystemError(`Cannot read ${this.path}`, async () => {
      try {
        return (await readFile(this.path, 'utf8')).trim() || undefined;
      } catch (error) {
        if (isSystemError(error, 'ENOENT')) return undefined;
        throw error;
      }
    });
  }

  /** Resolves when this position or a later one is stored. A crash leaves a complete file, the old or the new one. */
  save(position: string): Promise<void> {
    this.#latest = position;
    this.#saving = this.#saving.then(() => this.#write());
    return this.#saving;
  }

  async #write(): Promise<void> {
    const position = this.#latest;
    if (position === undefined || position === this.#saved) return;
    await explainSystemError(`Cannot write ${this.path}`, async () => {
      await makeFolder(dirname(this.path), ownerOnlyFolder);
      const draft = `${this.path}.${process.pid}`;
      await writeFile(draft, `${position}\n`, { flush: true });
      await rename(draft, this.path);
    });
    this.#saved = position;
  }
}
