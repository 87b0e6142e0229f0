// The client secret in the developer API: the header of the operations that need it.

import { clientSecretHeader } from '../../packages/contract/src/developer-api.ts';
import { type Api, developerApi, type Operation, productionDeveloperApi } from './apis.ts';

/** Only production asks for it. */
export function secretParameters(api: Api, { needsClientSecret }: Operation): object[] {
  if (needsClientSecret !== true || (api !== developerApi && api !== productionDeveloperApi)) return [];
  const description = 'The client secret of the app, in production; a sandbox asks for the token alone.';
  const required = api === productionDeveloperApi;
  const place = { name: clientSecretHeader, in: 'header', required };
  return [{ ...place, schema: { type: 'string' }, example: '$CLIENT_SECRET', description }];
}

/** The option of curl. */
export const secretOptions = (api: Api, { needsClientSecret }: Operation): string[] =>
  api === productionDeveloperApi && needsClientSecret === true
    ? [`-H "${clientSecretHeader}: $CLIENT_SECRET"`]
    : [];
