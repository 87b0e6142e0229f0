// The sessions of the console, remembered for a few seconds (docs/decisions/console.md).

import type { ConsoleRole } from '@opentill/contract/sessions.ts';
import { LRUCache } from 'lru-cache';
import type { Environment } from '../../domain/identifiers.ts';
import { dayMs, minuteMs } from '../../domain/time.ts';
import type { Database } from '../../store/connection/database.ts';
import {
  type ConsoleSession,
  findSession,
  listSessionRows,
  noteSessionSeen,
} from '../../store/console/console-sessions.ts';
import { type OperatorKeys, sha256 } from './operator-keys.ts';

/** How long a session lasts in all, and without a call. */
export const sessionLifetimes = {
  sandbox: { lastsMs: 30 * dayMs, idleMs: 30 * dayMs },
  production: { lastsMs: dayMs / 3, idleMs: 30 * minuteMs },
} as const satisfies Record<Environment, { lastsMs: number; idleMs: number }>;

/** How long a session may be used without asking the database, in ms. */
const rememberedMs = 5_000;

/** Remembered sessions: about 500 bytes each. */
const rememberedMax = 10_000;

/** A session writes at most this often that it was seen. */
const seenEveryMs = minuteMs;

/** The caller that a session identifies. */
export interface SessionIdentity extends Pick<ConsoleSession, 'hash' | 'madeBy' | 'createdAt' | 'endsAt'> {
  readonly role: ConsoleRole;
}

export interface SessionDirectory {
  /** Returns undefined if the session has ended, or its operator key is not configured. */
  find(secret: string, now: number): Promise<SessionIdentity | undefined>;
  /** All open sessions; those seen last come first. */
  list(now: number): Promise<ConsoleSession[]>;
  /** Makes the next look-up on this server ask the database. */
  forget(hash: Buffer): void;
}

interface SessionDirectoryOptions {
  readonly database: Database;
  readonly environment: Environment;
  readonly keys: () => OperatorKeys;
}

export function sessionDirectory({ database, environment, keys }: SessionDirectoryOptions): SessionDirectory {
  const remembered = new LRUCache<string, { readonly session: ConsoleSession; readonly readAt: number }>({
    max: rememberedMax,
  });
  const { idleMs } = sessionLifetimes[environment];
  const read = async (hash: Buffer, now: number): Promise<ConsoleSession | undefined> => {
    const id = sessionIdOf(hash);
    const known = remembered.get(id);
    if (known !== undefined && now >= known.readAt && now < known.readAt + rememberedMs) return known.session;
    const session = await findSession(database, hash);
    if (session === undefined) remembered.delete(id);
    else remembered.set(id, { session, readAt: now });
    return session;
  };
  const isOpen = (session: ConsoleSession, now: number): boolean =>
    isAllowed(session, keys()) && now < session.endsAt && now < session.lastSeenAt + idleMs;
  return {
    async find(secret, now) {
      const hash = sha256(secret);
      const session = await read(hash, now);
      if (session === undefined || !isOpen(session, now)) return undefined;
      if (now >= session.lastSeenAt + seenEveryMs) {
        await noteSessionSeen(database, hash, now);
        remembered.set(sessionIdOf(hash), { session: { ...session, lastSeenAt: now }, readAt: now });
      }
      return session;
    },
    list: async (now) => (await listSessionRows(database)).filter((session) => isOpen(session, now)),
    forget: (hash) => void remembered.delete(sessionIdOf(hash)),
  };
}

/** A session ends with its operator key, and with the role of that key. */
function isAllowed({ keyHash, role }: ConsoleSession, keys: OperatorKeys): boolean {
  const key = keys.findByHash(keyHash);
  return key !== undefined && (key.role === 'admin' || key.role === role);
}

/** The public id of a session: nobody can compute its secret from it. */
export function sessionIdOf(hash: Buffer): string {
  return hash.toString('base64url');
}
