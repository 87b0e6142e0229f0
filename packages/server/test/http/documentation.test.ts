// The pages under /docs of a running server.

import { errors } from '@opentill/contract/errors.ts';
import { expect, test } from 'vitest';
import { openApiDocument } from '../../src/http/openapi/document.ts';
import { type Answer, call, useTestServer } from '../harness.ts';

const lines: string[] = [];

const server = await useTestServer({ logLines: lines });

const read = (path: string): Promise<Answer> => call(`${server.operatorUrl}${path}`);

/** The text of HTML. */
const decoded = (html: string): string =>
  html
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&');

test.each(['/docs', '/docs/'])('%s serves a page with its scripts and styles without a key', async (path) => {
  const page = await read(path);
  expect(page.status).toBe(200);
  expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
  const files = [...page.text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, file]) => file as string);
  expect(files.length).toBeGreaterThan(4);
  for (const file of files) {
    const { pathname } = new URL(file, `${server.operatorUrl}${path}`);
    expect((await read(pathname)).status, pathname).toBe(200);
  }
});

test('the documentation page may run its own scripts and nothing else', async () => {
  for (const path of ['/docs', '/docs/problems', '/docs/static/swagger-ui-bundle.js']) {
    const { headers } = await read(path);
    const policy = headers.get('content-security-policy') ?? '';
    // On plain HTTP, upgrade-insecure-requests would make the browser request the files over TLS.
    expect(policy.split('; ')).toEqual([
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self' 'unsafe-inline'",
      "img-src 'self' data:",
      "connect-src 'self'",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ]);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('x-request-id')).not.toBeNull();
  }
});

test('browsers do not guess another content type for responses of the operator listener', async () => {
  for (const path of ['/docs', '/health/live', '/operator/v1/apps']) {
    expect((await read(path)).headers.get('x-content-type-options')).toBe('nosniff');
  }
});

test('the documentation page has no inline script, which its policy would block', async () => {
  expect((await read('/docs')).text).not.toMatch(/<script(?![^>]*src=)|\son\w+=/);
});

test('/docs/json is the OpenAPI document', async () => {
  const { status, body } = await read('/docs/json');
  expect(status).toBe(200);
  expect(body).toEqual(JSON.parse(JSON.stringify(await openApiDocument())));
});

test('an unknown path of the documentation returns a problem', async () => {
  const { status, body } = await read('/docs/static/nothing.js');
  expect(status).toBe(404);
  expect(body.type).toBe(errors.unknownPath.type);
});

test.each(['operatorUrl', 'publicUrl'] as const)(
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
