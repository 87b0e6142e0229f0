// Valid and invalid calls of the token endpoint; each response is checked against the contract.

import { getAccessToken } from '@opentill/contract/purchase-api/getAccessToken.ts';
import { expect } from 'vitest';
import type { HttpResponse, TestApp } from '../../../../test/support/harness.ts';
import { expectAsListed, expectCommon } from '../../../../test/support/http/purchase-call.ts';
import { sendRequest } from '../../../../test/support/http/sent-request.ts';
import type { ServerAddress } from '../../../../test/support/start/opentill-process.ts';

export const formContentType = 'application/x-www-form-urlencoded';

/** The message for all wrong credentials. */
export const wrongClient = 'client_id and client_secret';

export function formOf({ clientId, clientSecret }: Pick<TestApp, 'clientId' | 'clientSecret'>) {
  return { client_id: clientId, client_secret: clientSecret, grant_type: 'client_credentials' };
}

/** Posts a form, or its text; `headers` replace the correct Content-Type. */
export async function postForm(
  server: ServerAddress,
  form: Readonly<Record<string, string>> | string,
  headers: Readonly<Record<string, string>> = { 'content-type': formContentType },
): Promise<HttpResponse> {
  const body = typeof form === 'string' ? form : new URLSearchParams(form).toString();
  const response = await sendRequest(server.publicUrl, {
    method: getAccessToken.method,
    path: getAccessToken.path,
    headers,
    body,
  });
  expectAsListed(getAccessToken, response);
  expectCommon(response);
  expect(response.headers.get('pragma')).toBe(response.status === 200 ? 'no-cache' : null);
  return response;
}

/** The token and its remaining seconds for the correct secret of an app. */
export async function obtainToken(
  server: ServerAddress,
  app: Pick<TestApp, 'clientId' | 'clientSecret'>,
): Promise<{ readonly token: string; readonly expiresIn: number }> {
  const response = await postForm(server, formOf(app));
  expect(response.status).toBe(200);
  return { token: response.body.access_token, expiresIn: response.body.expires_in };
}
