// Reads the settings that contain secrets. A problem never repeats the value.

import { sizes } from '@opentill/contract/fields.ts';
import type { Role } from '@opentill/contract/operator-api/operator-operation.ts';
import { parseTokenKeys, type TokenKeys } from '../domain/tokens/access-token.ts';
import { parseWebhookSecret } from '../domain/webhooks/webhook-signature.ts';
import { StartProblem } from '../runtime/start-problem.ts';
import { SettingReader } from './setting-reader.ts';
import { isLoopback } from './settings.ts';

export interface SecretSettings {
  readonly operatorKeys: readonly OperatorKey[];
  /** undefined: created at the first start, with the bundled PostgreSQL only. */
  readonly tokenKeys: TokenKeys | undefined;
  /** undefined in the sandbox, and in production without subscriptions. */
  readonly paymentGateway: { readonly url: string; readonly secret: Buffer } | undefined;
}

interface OperatorKey {
  readonly name: string;
  readonly role: Role;
  readonly key: string;
}

/** A shorter key could be guessed; the client rejects spaces, and a header cannot carry other characters. */
const operatorKeyPattern = /^(?!(.)\1*$)[!-~]{32,}$/;
export const operatorKeyExpected = 'at least 32 ASCII characters without spaces, not all the same';
const operatorRoles = ['record', 'read', 'support', 'admin'] as const satisfies readonly Role[];

export function readSecretSettings(reader: SettingReader): SecretSettings {
  return {
    operatorKeys: readOperatorKeys(reader),
    tokenKeys: readTokenKeys(reader),
    paymentGateway: readPaymentGateway(reader),
  };
}

export function isOperatorKey(text: string): boolean {
  return operatorKeyPattern.test(text);
}

function readOperatorKeys(reader: SettingReader): OperatorKey[] {
  const keys = (reader.secret('OPENTILL_OPERATOR_KEYS') ?? '')
    .split(',')
    .filter((entry) => entry !== '')
    .map((entry) => {
      const [name = '', roleText, ...rest] = entry.trim().split(':');
      const key = rest.join(':');
      const role = operatorRoles.find((candidate) => candidate === roleText);
      const isNamed = /^[A-Za-z0-9._-]+$/.test(name) && name.length <= sizes.keyName;
      if (isNamed && role !== undefined && isOperatorKey(key)) return { name, role, key };
      reader.problems.push(
        `OPENTILL_OPERATOR_KEYS: expected name:role:key with a role of ${operatorRoles.join(', ')} and a key of ${operatorKeyExpected}, in the entry named "${isNamed ? name : '?'}".`,
      );
      return undefined;
    })
    .filter((key) => key !== undefined);
  return keys;
}

function readTokenKeys(reader: SettingReader): TokenKeys | undefined {
  const text = reader.secret('OPENTILL_TOKEN_KEYS');
  if (text === undefined) return undefined;
  const keys = parseTokenKeys(text);
  if (!('problem' in keys)) return keys;
  reader.problems.push(`OPENTILL_TOKEN_KEYS: ${keys.problem}`);
  return undefined;
}

/** @throws StartProblem unless the settings name a gateway and its secret. */
export function requirePaymentGateway(
  env: Readonly<Record<string, string | undefined>>,
): NonNullable<SecretSettings['paymentGateway']> {
  const reader = new SettingReader(env);
  const gateway = readPaymentGateway(reader);
  if (reader.problems.length > 0) throw new StartProblem(reader.problems.join('\n'));
  if (gateway !== undefined) return gateway;
  throw new StartProblem('OPENTILL_PAYMENT_GATEWAY_URL: required, with OPENTILL_PAYMENT_GATEWAY_SECRET.');
}

function readPaymentGateway(reader: SettingReader): SecretSettings['paymentGateway'] {
  const url = reader.text('OPENTILL_PAYMENT_GATEWAY_URL');
  const secretText = reader.secret('OPENTILL_PAYMENT_GATEWAY_SECRET');
  if (url === undefined && secretText === undefined) return undefined;
  if (url === undefined || secretText === undefined) {
    if (!reader.isReported('OPENTILL_PAYMENT_GATEWAY_SECRET')) {
      reader.problems.push(
        'OPENTILL_PAYMENT_GATEWAY_URL, OPENTILL_PAYMENT_GATEWAY_SECRET: expected both an address and a secret, or neither.',
      );
    }
    return undefined;
  }
  const { protocol, hostname = '', username, password } = URL.parse(url) ?? {};
  const isProtected = protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname));
  if (!isProtected || username !== '' || password !== '') {
    reader.problems.push(
      'OPENTILL_PAYMENT_GATEWAY_URL: expected https://host/path without a user; http is for loopback only.',
    );
  }
  const secret = parseWebhookSecret(secretText);
  if (!('problem' in secret)) return { url, secret };
  reader.problems.push(`OPENTILL_PAYMENT_GATEWAY_SECRET: ${secret.problem}.`);
  return undefined;
}
