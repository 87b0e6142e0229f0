// A whole server in a process of its own, on the database of a test, which a test can kill.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { ClientConfig } from 'pg';
import { databaseUrlOf } from '../database-url.ts';
import { type Answer, adminKey, call } from '../harness.ts';
import { waitFor } from '../wait-for.ts';

const program = fileURLToPath(new URL('../../bin/opentill.cjs', import.meta.url));
const readyWithinMs = 50_000;

export interface ServerProcess extends AsyncDisposable {
  readonly operatorUrl: string;
  signal(name: NodeJS.Signals): void;
  ended(): Promise<void>;
}

export async function startServerProcess(connection: ClientConfig): Promise<ServerProcess> {
  const child = spawn(process.execPath, [program], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      PATH: process.env['PATH'],
      DATABASE_URL: databaseUrlOf(connection),
      OPENTILL_PORT: '0',
      OPENTILL_OPERATOR_PORT: '0',
      OPENTILL_OPERATOR_KEY: adminKey,
      OPENTILL_TOKEN_KEYS: `1:${Buffer.alloc(32, 1).toString('base64url')}`,
    },
  });
  const end = once(child, 'close').then(() => undefined);
  const operatorUrl = await readUrl(child);
  return {
    operatorUrl,
    signal: (name) => void child.kill(name),
    ended: () => end,
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await end;
    },
  };
}

async function readUrl(child: ChildProcess): Promise<string> {
  let said = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(-10_000);
  });
  const isReady = () => {
    if (child.exitCode !== null) throw new Error(`a server did not start: ${said}`);
    return said.includes('documentation') && /operator API\s+(http:\/\/[^\s/]+)/.exec(said)?.[1];
  };
  return waitFor(isReady, { deadlineMs: readyWithinMs, what: 'a server that listens' });
}

/** A call of the operator API; it fails when the server is killed before it has answered. */
export function operateProcess(
  { operatorUrl }: ServerProcess,
  method: string,
  path: string,
  body?: object,
): Promise<Answer> {
  return call(`${operatorUrl}/operator/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${adminKey}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
}
