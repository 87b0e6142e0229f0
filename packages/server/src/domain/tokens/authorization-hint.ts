// Finds the mistake in a rejected Authorization header whose token is still recognizable (the specification,
// "Authentication" 3).

import { sizes } from '@opentill/contract/fields.ts';
import type { HintName } from '@opentill/contract/logged-request.ts';

export interface HeaderReading {
  /** 36 characters in the place of a token. */
  readonly token: string;
  /** undefined: the header is correct. */
  readonly hint: HintName | undefined;
}

const token = `([A-Za-z0-9_-]{${sizes.accessToken}})`;

/** The first match counts. */
const forms: readonly (readonly [RegExp, HintName | undefined])[] = [
  [new RegExp(`^Bearer ${token}$`), undefined],
  [new RegExp(`^bearer ${token}$`, 'i'), 'bearerLowerCase'],
  [new RegExp(`^${token}$`), 'bearerMissing'],
  [new RegExp(`<${token}>`), 'tokenInBrackets'],
  [new RegExp(`^bearer${token}$`, 'i'), 'bearerSpaceMissing'],
  [new RegExp(`(?<![A-Za-z0-9_-])${token}(?![A-Za-z0-9_-])`), 'authorizationMalformed'],
];

/** Finds the token in a header, well-formed or not; the caller has to verify it. */
export function readAuthorization(authorization: string | undefined): HeaderReading | undefined {
  if (authorization === undefined) return undefined;
  for (const [form, hint] of forms) {
    const found = form.exec(authorization)?.[1];
    if (found !== undefined) return { token: found, hint };
  }
  return undefined;
}
