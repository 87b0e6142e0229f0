// The sessions and the sign-in links of the console, which are sealed text instead of rows (docs/decisions/console.md).

import type { ConsoleRole } from '@opentill/contract/sessions.ts';
import { isSealed, type Seal, sealed } from '../../domain/console/seal.ts';
import type { Environment } from '../../domain/identifiers.ts';
import { dayMs, minuteMs } from '../../domain/time.ts';
import type { TokenScope } from '../../domain/tokens/access-token.ts';
import type { OperatorKeys } from './operator-keys.ts';

/** How long a session lasts in all, and without a call. */
const sessionLifetimes = {
  sandbox: { lastsMs: 30 * dayMs, idleMs: 30 * dayMs },
  production: { lastsMs: dayMs / 3, idleMs: 30 * minuteMs },
} as const satisfies Record<Environment, { lastsMs: number; idleMs: number }>;

/** A session is sealed again with a call this long after the last time, in ms. */
const renewedEveryMs = minuteMs;

/** The caller that a session identifies. */
export interface SessionIdentity {
  readonly madeBy: string;
  readonly role: ConsoleRole;
  readonly createdAt: number;
  readonly endsAt: number;
}

interface FoundSession {
  readonly session: SessionIdentity;
  /** The session has not been sealed for a while, so that it would count as idle. */
  readonly isStale: boolean;
}

interface SignInLink extends Pick<SessionIdentity, 'madeBy' | 'role' | 'endsAt'> {
  /** Makes each link different. */
  readonly nonce: string;
}

interface ConsoleSealsOptions {
  readonly scope: TokenScope;
  readonly secrets: () => readonly Buffer[];
  readonly keys: () => OperatorKeys;
}

type Owner = Pick<SessionIdentity, 'madeBy' | 'role'>;

export class ConsoleSeals {
  readonly #options: ConsoleSealsOptions;

  constructor(options: ConsoleSealsOptions) {
    this.#options = options;
  }

  sessionOf(owner: Owner, createdAt: number): SessionIdentity {
    return { ...owner, createdAt, endsAt: createdAt + this.#lifetimes.lastsMs };
  }

  sealSession(session: SessionIdentity, now: number): string {
    return this.#seal('session', session, [String(session.createdAt), String(now)]);
  }

  /** Returns undefined if the session has ended, or its operator key is not configured. */
  findSession(text: string, now: number): FoundSession | undefined {
    const found = this.#open('session', text);
    if (found === undefined) return undefined;
    const [createdAt, sealedAt] = found.fields.map(Number) as [number, number];
    const session = this.sessionOf(found, createdAt);
    if (now >= session.endsAt || now >= sealedAt + this.#lifetimes.idleMs) return undefined;
    return { session, isStale: now >= sealedAt + renewedEveryMs };
  }

  sealLink(link: SignInLink): string {
    return this.#seal('link', link, [String(link.endsAt), link.nonce]);
  }

  /** Returns undefined if the link has ended, or its operator key is not configured. */
  findLink(text: string, now: number): Owner | undefined {
    const found = this.#open('link', text);
    return found === undefined || now >= Number(found.fields[0]) ? undefined : found;
  }

  get #lifetimes() {
    return sessionLifetimes[this.#options.scope.environment];
  }

  #sealOf(purpose: Seal['purpose'], { madeBy, role }: Owner): Seal | undefined {
    const { scope, secrets, keys } = this.#options;
    const key = keys().findByAuthor(madeBy);
    const isAllowed = key !== undefined && (key.role === 'admin' || key.role === role);
    return isAllowed ? { purpose, scope, keyHash: key.hash, secrets: secrets() } : undefined;
  }

  #seal(purpose: Seal['purpose'], owner: Owner, fields: readonly string[]): string {
    const seal = this.#sealOf(purpose, owner);
    if (seal === undefined) throw new Error(`There is no operator key of ${owner.madeBy} with this role.`);
    const name = Buffer.from(owner.madeBy).toString('base64url');
    return sealed([name, owner.role, ...fields].join('.'), seal);
  }

  #open(
    purpose: Seal['purpose'],
    text: string,
  ): (Owner & { readonly fields: readonly string[] }) | undefined {
    const [name = '', role, first = '', second = ''] = text.split('.');
    const owner = { madeBy: Buffer.from(name, 'base64url').toString(), role: role as ConsoleRole };
    const seal = this.#sealOf(purpose, owner);
    return seal !== undefined && isSealed(text, seal) ? { ...owner, fields: [first, second] } : undefined;
  }
}
