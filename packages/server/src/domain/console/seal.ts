// Text that only a server of this store can have written, so that sessions and sign-in links of the console need no rows
// (docs/decisions/console.md). It does not know what the text says.

import { createHmac, timingSafeEqual } from 'node:crypto';
import type { TokenScope } from '../tokens/access-token.ts';

export interface Seal {
  /** So that a link is no session. */
  readonly purpose: 'session' | 'link';
  readonly scope: TokenScope;
  /** Of the operator key that the text is about: with another key it is void. */
  readonly keyHash: Buffer;
  /** The first secret seals, all of them open. */
  readonly secrets: readonly Buffer[];
}

export function sealed(text: string, seal: Seal): string {
  const [secret] = seal.secrets;
  if (secret === undefined) throw new RangeError('A seal needs a secret.');
  return `${text}.${macOf(text, seal, secret).toString('base64url')}`;
}

/** Whether the text before the last dot is unaltered, and was sealed for this purpose, scope and key. */
export function isSealed(sealedText: string, seal: Seal): boolean {
  const end = sealedText.lastIndexOf('.');
  const mac = Buffer.from(sealedText.slice(end + 1), 'base64url');
  return seal.secrets.some((secret) => {
    const expected = macOf(sealedText.slice(0, Math.max(0, end)), seal, secret);
    return mac.length === expected.length && timingSafeEqual(mac, expected);
  });
}

/** All parts except purpose and environment, which end with a NUL, and the text at the end have a fixed length. */
function macOf(text: string, { purpose, scope, keyHash }: Seal, secret: Buffer): Buffer {
  const mac = createHmac('sha256', secret);
  mac.update(`${purpose}\0${scope.environment}\0`).update(scope.installationId).update(keyHash);
  return mac.update(text).digest();
}
