// getAccessToken: the exact token response, every invalid request, and concurrent requests.

import { describe, expect, test } from 'vitest';
import {
  createTestApp,
  operate,
  startTestServer,
  type TestApp,
  useTestServer,
} from '../../../../test/support/harness.ts';
import { expectFailure, jsonContentType } from '../../../../test/support/http/purchase-call.ts';
import { setClientSecret } from '../../../../test/support/stage.ts';
import { formContentType, formOf, postForm, wrongClient } from './token-call.ts';

const server = await useTestServer();
const app = await createTestApp(server);

async function createClient(packageName: string, clientId: string): Promise<TestApp> {
  const created = await operate(server, 'POST', '/apps', { body: { packageName, clientId } });
  expect(created.status).toBe(201);
  return { packageName, clientId, clientSecret: created.body.clientSecret, token: '' };
}

describe('getAccessToken: success', () => {
  test('a token response has six fields in the order of the specification and must not be cached', async () => {
    const fresh = await createClient('com.example.fresh', 'fresh');
    const response = await postForm(server, formOf(fresh));
    expect(response.status).toBe(200);
    const token = response.body.access_token;
    expect(token).toMatch(/^[A-Za-z0-9_-]{36}$/);
    expect(response.text).toBe(
      `{"status":"SUCCESS","client_id":"fresh","access_token":"${token}","token_type":"bearer","expires_in":3600,"scope":"DEFAULT"}`,
    );
    expect(response.headers.get('content-type')).toBe(jsonContentType);
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(response.headers.get('pragma')).toBe('no-cache');
  });

  test.each([`${formContentType} ; charset=UTF-8`, 'Application/X-WWW-Form-URLEncoded'])(
    'a token request with Content-Type %s is accepted',
    async (contentType) => {
      expect((await postForm(server, formOf(app), { 'content-type': contentType })).status).toBe(200);
    },
  );

  test.each([
    ['of 255 characters', 'c'.repeat(255)],
    ['with characters that a form encodes', 'a+b &=%/ü🎮'],
  ])('a client_id %s gets a token', async (_, clientId) => {
    const client = await createClient(`com.example.c${Buffer.from(clientId).length}`, clientId);
    const response = await postForm(server, formOf(client));
    expect(response.status).toBe(200);
    expect(response.body.client_id).toBe(clientId);
  });
});

describe('getAccessToken: malformed request', () => {
  test.each(['application/json', `${formContentType}ed`])(
    'a token request with Content-Type %s is rejected with 400',
    async (contentType) => {
      const response = await postForm(server, formOf(app), { 'content-type': contentType });
      expectFailure(response, 'invalidTokenRequest', 'Content-Type');
    },
  );

  const names = ['client_id', 'client_secret', 'grant_type'] as const;

  test.each(names)(
    'a token request with a missing, empty or duplicate %s is rejected with 400',
    async (name) => {
      const { [name]: value, ...form } = formOf(app);
      const rest = new URLSearchParams(form);
      for (const own of ['', `&${name}=`, `&${name}=${value}&${name}=${value}`])
        expectFailure(await postForm(server, `${rest}${own}`), 'invalidTokenRequest', name);
    },
  );

  test.each(['', '{}', '&&&', '%zz=%zz', '\u0000'])(
    'a token request with an invalid form is rejected with 400: %j',
    async (body) => {
      expectFailure(await postForm(server, body), 'invalidTokenRequest', 'client_id');
    },
  );

  test.each(['password', 'CLIENT_CREDENTIALS'])('grant_type %j is rejected with 400', async (grant_type) => {
    const response = await postForm(server, { ...formOf(app), grant_type });
    expectFailure(response, 'invalidTokenRequest', 'grant_type');
  });

  test('credentials in the URL or in a Basic header instead of the form are rejected with 400', async () => {
    const query = await fetch(`${server.publicUrl}/v2/oauth/token?${new URLSearchParams(formOf(app))}`, {
      method: 'POST',
      headers: { 'content-type': formContentType },
    });
    expect(query.status).toBe(400);
    const basic = Buffer.from(`${app.clientId}:${app.clientSecret}`).toString('base64');
    const headers = { 'content-type': formContentType, authorization: `Basic ${basic}` };
    const response = await postForm(server, 'grant_type=client_credentials', headers);
    expectFailure(response, 'invalidTokenRequest', 'client_id');
  });
});

describe('getAccessToken: wrong credentials', () => {
  test.each<[string, () => Record<string, string>]>([
    ['an unknown client', () => ({ ...formOf(app), client_id: 'none' })],
    ['a client_id in another case', () => ({ ...formOf(app), client_id: app.clientId.toUpperCase() })],
    ['a client_id with a NUL', () => ({ ...formOf(app), client_id: `${app.clientId}\0` })],
    ['a wrong secret', () => ({ ...formOf(app), client_secret: 'wrong' })],
    ['a secret with a space after it', () => ({ ...formOf(app), client_secret: `${app.clientSecret} ` })],
    ['a secret of 60,000 characters', () => ({ ...formOf(app), client_secret: 's'.repeat(60_000) })],
    ['a token in the place of the secret', () => ({ ...formOf(app), client_secret: app.token })],
  ])('a token request with %s is rejected with 400 and the same message', async (_, form) => {
    const response = await postForm(server, form());
    expectFailure(response, 'invalidTokenRequest', wrongClient);
    expect(response.text).toBe((await postForm(server, { ...formOf(app), client_id: 'other' })).text);
  });

  test("another app's secret is rejected with 400 and the same message", async () => {
    const other = await createTestApp(server, 'com.example.other');
    const form = formOf({ ...app, clientSecret: other.clientSecret });
    expectFailure(await postForm(server, form), 'invalidTokenRequest', wrongClient);
  });
});

test('a "+" of a secret that was sent unencoded is accepted in production', async () => {
  await using production = await startTestServer({ env: { OPENTILL_ENVIRONMENT: 'production' } });
  const imported = await createTestApp(production);
  await setClientSecret(production, imported, 'Zm9v+YmFy/cXV4+');
  const form = (secret: string) =>
    `client_id=${imported.clientId}&client_secret=${secret}&grant_type=client_credentials`;
  expectFailure(await postForm(production, form('Zm9v+YmFy/cXV4')), 'invalidTokenRequest', wrongClient);
  expect((await postForm(production, form('Zm9v+YmFy/cXV4+'))).status).toBe(200);
  expect((await postForm(production, form('Zm9v%2BYmFy%2FcXV4%2B'))).status).toBe(200);
});
