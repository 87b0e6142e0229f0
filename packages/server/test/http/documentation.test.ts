// The pages under /docs of a running sandbox.

import { developerOperations } from '@opentill/contract/developer-api.ts';
import { errors } from '@opentill/contract/errors.ts';
import { eventsOperations, purchaseOperations } from '@opentill/contract/operations.ts';
import { expect, test } from 'vitest';
import { openApiDocument } from '../../../../packaging/reference/document.ts';
import { call, type HttpResponse, startTestServer, useTestServer } from '../../../../test/support/harness.ts';

const server = await useTestServer();

const read = (path: string): Promise<HttpResponse> => call(`${server.operatorUrl}${path}`);

/** The text of HTML. */
const decoded = (html: string): string =>
  html
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&');

const listeners = ['operatorUrl', 'publicUrl'] as const;

test.each(listeners)('the %s serves the reference with its files without a key, cacheable', async (url) => {
  for (const path of ['/docs', '/docs/']) {
    const page = await call(server[url] + path);
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
    const files = [...page.text.matchAll(/(?:src|href)="(\/[^"]+)"/g)].map(([, file]) => file as string);
    expect(files).toHaveLength(2);
    for (const file of [path, ...files, '/docs/json', '/docs/problems', '/docs/guides/client.html']) {
      const { status, headers } = await call(server[url] + file);
      expect([status, headers.get('cache-control')], file).toEqual([200, 'public, max-age=300']);
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('content-encoding')).toBe(/\/$|docs$/.test(file) ? null : 'gzip');
      expect(headers.get('x-request-id')).not.toBeNull();
    }
  }
});

test('the reference may run scripts of this server and call it, and nothing else', async () => {
  expect((await read('/docs')).headers.get('content-security-policy')).toBe(
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; " +
      "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  );
});

test('the address of the public listener leads to the reference', async () => {
  expect((await call(server.publicUrl)).text).toBe((await call(`${server.publicUrl}/docs`)).text);
});

test('browsers do not guess another content type for responses of the operator listener', async () => {
  for (const path of ['/docs', '/health/live', '/operator/v1/apps']) {
    const { headers } = await read(path);
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    // Other hosts of the store's domain may have no certificate.
    expect(headers.get('strict-transport-security')).toBe('max-age=31536000');
  }
});

test.each([
  ['publicUrl', 'developer'],
  ['operatorUrl', 'sandboxOperator'],
] as const)('the %s of a sandbox has the current OpenAPI document for the %s', async (url, audience) => {
  const { text } = await call(`${server[url]}/docs/json`);
  expect(text === JSON.stringify(openApiDocument(audience)), 'stale: run npm run build').toBe(true);
});

const operationIds = ({ paths }: HttpResponse['body']): string[] =>
  Object.values(paths as Record<string, Record<string, { operationId: string }>>).flatMap((item) =>
    Object.values(item).map(({ operationId }) => operationId),
  );

test('the public listener of a sandbox has what a developer may call, and nothing of the operator API', async () => {
  const { body, text } = await call(`${server.publicUrl}/docs/json`);
  const expected = [
    ...purchaseOperations.map(({ operationId }) => operationId),
    ...eventsOperations.map(({ operationId }) => `events.${operationId}`),
    ...developerOperations.sandbox.map(({ operationId }) => `developer.${operationId}`),
  ];
  expect(new Set(operationIds(body))).toEqual(new Set(expected));
  expect(text).not.toMatch(/\/operator\/|operatorKey|operator listener|operator API|8081/i);
});

test('the public listener of production has the developer API of production, once the store has opened it', async () => {
  const env = { OPENTILL_ENVIRONMENT: 'production', OPENTILL_DEVELOPER_API: 'read' };
  await using production = await startTestServer({ env });
  const { body, text } = await call(`${production.publicUrl}/docs/json`);
  expect(text === JSON.stringify(openApiDocument('productionDeveloper'))).toBe(true);
  const ofDevelopers = operationIds(body).filter((id) => id.startsWith('developer.'));
  const expected = developerOperations.production.map(({ operationId }) => `developer.${operationId}`);
  expect(new Set(ofDevelopers)).toEqual(new Set(expected));
  const { parameters } = body.paths['/developer/v1/webhook'].put;
  expect(parameters).toMatchObject([{ name: 'x-client-secret', in: 'header', required: true }]);
});

test('an unknown path of the documentation returns a problem', async () => {
  expect((await read('/docs/static/nothing.js')).body.type).toBe(errors.unknownPath.type);
});

test.each(listeners)(
  'the type of each error links to its section at the %s, which has its title, cause, example and cure',
  async (url) => {
    for (const { type, title, cause, example, cure } of Object.values(errors)) {
      const target = new URL(type, server[url]);
      const page = await call(target.href);
      expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
      const section = page.text.split(`<h2 id="${target.hash.slice(1)}">`)[1]?.split('<h2')[0] ?? '';
      const text = decoded(section);
      for (const part of [title, cause, example, cure]) expect(text).toContain(part.replaceAll('`', ''));
    }
  },
);
