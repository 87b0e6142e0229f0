// Credentials that a token request has in the URL or in the Authorization header instead of the form.

import type { HintName } from '@opentill/contract/logged-request.ts';
import type { FastifyRequest } from 'fastify';

/** A parameter that was sent several times is an array. */
export interface TokenParameters {
  readonly client_id?: unknown;
  readonly client_secret?: unknown;
}

const basicForm = /^basic +([A-Za-z0-9+/=_-]+)$/i;

/** The user of Basic credentials. */
export function basicUser(authorization: string | undefined): string | undefined {
  const encoded = basicForm.exec(authorization ?? '')?.[1];
  return encoded && Buffer.from(encoded, 'base64').toString().split(':', 1)[0];
}

export function hintsOfPlaces({ query, headers }: FastifyRequest): HintName[] {
  const { client_id: clientId, client_secret: secret } = query as TokenParameters;
  return [
    ...(clientId !== undefined || secret !== undefined ? (['credentialsInQuery'] as const) : []),
    ...(basicUser(headers.authorization) !== undefined ? (['credentialsInHeader'] as const) : []),
  ];
}
