// What a refused Authorization header did wrong, where the token in it can still be told (the specification,
// "Authentication" 3).

import { sizes } from '@opentill/contract/fields.ts';
import type { HintName } from '@opentill/contract/logged-request.ts';

export interface HeaderReading {
  /** 36 characters that stand where a token would. */
  readonly token: string;
  /** undefined: the header is as it has to be. */
  readonly hint: HintName | undefined;
}

const token = `([A-Za-z0-9_-]{${sizes.accessToken}})`;

/** In the order in which they are tried. */
const forms: readonly (readonly [RegExp, HintName | undefined])[] = [
  [new RegExp(`^Bearer ${token}$`), undefined],
  [new RegExp(`^bearer ${token}$`, 'i'), 'bearerLowerCase'],
  [new RegExp(`^${token}$`), 'bearerMissing'],
  [new RegExp(`<${token}>`), 'tokenInBrackets'],
  [new RegExp(`^bearer${token}$`, 'i'), 'bearerSpaceMissing'],
  [new RegExp(`(?<![A-Za-z0-9_-])${token}(?![A-Za-z0-9_-])`), 'authorizationMalformed'],
];

/** The token that a header holds in one way or another; whether it is one is for the caller to verify. */
export function readAuthorization(authorization: string | undefined): HeaderReading | undefined {
  if (authorization === undefined) return undefined;
  for (const [form, hint] of forms) {
    const found = form.exec(authorization)?.[1];
    if (found !== undefined) return { token: found, hint };
  }
  return undefined;
}
