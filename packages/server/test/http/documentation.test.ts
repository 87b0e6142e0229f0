// The pages under /docs of a running sandbox.

import { createHash } from 'node:crypto';
import { developerOperations } from '@opentill/contract/developer-api.ts';
import { errors } from '@opentill/contract/errors.ts';
import { eventsOperations, purchaseOperations } from '@opentill/contract/operations.ts';
import { expect, test } from 'vitest';
import { openApiDocument } from '../../src/http/openapi/document.ts';
import { type Answer, call, useTestServer } from '../harness.ts';

const server = await useTestServer();

const read = (path: string): Promise<Answer> => call(`${server.operatorUrl}${path}`);

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
    for (const file of [path, ...files, '/docs/json', '/docs/problems']) {
      const { status, headers } = await call(server[url] + file);
      expect([status, headers.get('cache-control')], file).toEqual([200, 'public, max-age=300']);
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('x-request-id')).not.toBeNull();
    }
  }
});

test('the reference may run its own scripts and nothing else', async () => {
  const { text, headers } = await read('/docs');
  const [, script = ''] = /<script>([^<]+)<\/script>/.exec(text) ?? [];
  const hash = createHash('sha256').update(script).digest('base64');
  const policy = headers.get('content-security-policy');
  expect(policy).toContain(`default-src 'none'; script-src 'self' 'sha256-${hash}'; `);
  // On plain HTTP, the browser would request the files over TLS.
  expect(policy).not.toContain('upgrade-insecure-requests');
});

test('browsers do not guess another content type for responses of the operator listener', async () => {
  for (const path of ['/docs', '/health/live', '/operator/v1/apps']) {
    expect((await read(path)).headers.get('x-content-type-options')).toBe('nosniff');
  }
});

test('the operator listener of a sandbox has the OpenAPI document of all APIs', async () => {
  const { body } = await read('/docs/json');
  expect(body).toEqual(JSON.parse(JSON.stringify(await openApiDocument('sandboxOperator'))));
});

const operationIds = ({ paths }: Answer['body']): string[] =>
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
