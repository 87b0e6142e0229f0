// The sessions and the sign-in links of the console: sealed text that only a server of this store can have written, instead
// of rows (docs/decisions/console.md).

import { createHmac, timingSafeEqual } from 'node:crypto';
import type { ConsoleRole } from '@opentill/contract/sessions.ts';
import type { Environment } from '../../domain/identifiers.ts';
import { dayMs, minuteMs } from '../../domain/time.ts';
import type { TokenScope } from '../../domain/tokens/access-token.ts';
import type { SessionIdentity } from '../operator-handler.ts';
import type { OperatorKeys } from './operator-keys.ts';

export interface Seal {
  /** Keeps a link from being used as a session. */
  readonly purpose: 'session' | 'link';
  readonly scope: TokenScope;
  /** The hash of the operator key for which the text is valid. */
  readonly keyHash: Buffer;
  /** The first secret seals, all of them open. */
  readonly secrets: readonly Buffer[];
}

function sealed(text: string, seal: Seal): string {
  const [secret] = seal.secrets;
  if (secret === undefined) throw new RangeError('A seal needs a secret.');
  return `${text}.${macOf(text, seal, secret)}`;
}

/**
 * Whether the text before the last dot is unaltered, and was sealed for this purpose, scope and key. MACs are compared as
 * text: the same bytes have several spellings, and a used link is remembered by its text.
 */
function isSealed(sealedText: string, seal: Seal): boolean {
  const end = sealedText.lastIndexOf('.');
  const mac = Buffer.from(sealedText.slice(end + 1));
  return seal.secrets.some((secret) => {
    const expected = Buffer.from(macOf(sealedText.slice(0, Math.max(0, end)), seal, secret));
    return mac.length === expected.length && timingSafeEqual(mac, expected);
  });
}

/** All parts except purpose and environment, which end with a NUL, and the text at the end have a fixed length. */
function macOf(text: string, { purpose, scope, keyHash }: Seal, secret: Buffer): string {
  const mac = createHmac('sha256', secret);
  mac.update(`${purpose}\0${scope.environment}\0`).update(scope.installationId).update(keyHash);
  return mac.update(text).digest('base64url');
}

/** How long a session lasts, in ms. */
const sessionMs = dayMs / 3;

/** How long it lasts without a call, in ms. */
const idleMs: Readonly<Record<Environment, number>> = { sandbox: sessionMs, production: 30 * minuteMs };

/** A session is sealed again with a call this long after the last time, in ms. */
const renewedEveryMs = minuteMs;

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
  readonly secrets: readonly Buffer[];
  readonly keys: OperatorKeys;
}

type Owner = Pick<SessionIdentity, 'madeBy' | 'role'>;

export class ConsoleSeals {
  readonly #options: ConsoleSealsOptions;

  constructor(options: ConsoleSealsOptions) {
    this.#options = options;
  }

  sessionOf(owner: Owner, createdAt: number): SessionIdentity {
    return { ...owner, createdAt, endsAt: createdAt + sessionMs };
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
    const isIdle = now >= sealedAt + idleMs[this.#options.scope.environment];
    if (now >= session.endsAt || isIdle) return undefined;
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

  #sealOf(purpose: Seal['purpose'], { madeBy, role }: Owner): Seal | undefined {
    const { scope, secrets, keys } = this.#options;
    const key = keys.findByAuthor(madeBy);
    const isAllowed = key !== undefined && (key.role === 'admin' || key.role === role);
    return isAllowed ? { purpose, scope, keyHash: key.hash, secrets } : undefined;
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
