// How the operator listener serves the console.

import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { afterAll, expect, test } from 'vitest';
import { call, useTestServer } from '../../../../test/support/harness.ts';

const folder = await mkdtemp(join(tmpdir(), 'opentill-console-'));
afterAll(() => rm(folder, { recursive: true }));

let isBuilding = false;
const logLines: string[] = [];
const server = await useTestServer({ built: { folder, isBuilding: () => isBuilding }, logLines });
const page = (path: string) => call(server.operatorUrl + path);

const script = 'export {};';

async function build(): Promise<void> {
  await mkdir(join(folder, 'assets'), { recursive: true });
  await writeFile(join(folder, 'assets/main-12345678.js'), script);
  await writeFile(join(folder, 'assets/main-12345678.js.gz'), gzipSync(script));
  const meta = ['{{environment}}', '{{version}}', '{{nonce}}', '{{nonce}}'];
  await writeFile(join(folder, 'index.html'), meta.join(' '));
}

test('until the console is built, its page says so and reloads itself, or names the command that builds it', async () => {
  isBuilding = true;
  const building = await page('/console/');
  expect(building.status).toBe(503);
  expect(building.text).toContain('<meta http-equiv="refresh" content="1">');
  isBuilding = false;
  const unbuilt = await page('/console/');
  expect(unbuilt.status).toBe(503);
  expect(unbuilt.text).toContain('npm run build');
  expect(unbuilt.text).not.toContain('http-equiv');
});

test('every path under /console/ is its page, with a fresh nonce and a policy without other sources', async () => {
  await build();
  const nonces = new Set<string>();
  for (const path of ['/console/', '/console/apps/com.example.game', '/console/sign-in', '/console/a.js']) {
    const { status, headers, text } = await page(path);
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    const [environment, version, nonce = '', repeated] = text.split(' ');
    expect([environment, version, repeated]).toEqual([
      'sandbox',
      expect.stringMatching(/^\d+\.\d+\.\d+$/),
      nonce,
    ]);
    expect(headers.get('content-security-policy')).toBe(
      `default-src 'none'; script-src 'self'; style-src 'self' 'nonce-${nonce}'; img-src 'self' data:; ` +
        "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    );
    nonces.add(nonce);
  }
  expect(nonces.size).toBe(4);
});

test('assets are compressed and cached for good; a missing one gets 404', async () => {
  await build();
  const asset = await page('/console/assets/main-12345678.js');
  expect(asset.text).toBe(script);
  expect(asset.headers.get('content-encoding')).toBe('gzip');
  expect(asset.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
  for (const path of ['none.js', '..%2findex.html', '%2e%2e/index.html']) {
    expect((await page(`/console/assets/${path}`)).text).not.toBe(script);
  }
  expect((await page('/console/assets/none.js')).status).toBe(404);
});

test.each([
  '/console/assets/../index.html',
  '/console/assets/..%5cindex.html',
  '/console/assets/%00',
  '/docs/static/../index.html',
  '/docs/static/%00',
])('%s, which leaves the folder of static files, gets 404 and no error in the log', async (path) => {
  const { hostname: host, port } = new URL(server.operatorUrl);
  // fetch would resolve `..` itself.
  const socket = connect({ host, port: Number(port) });
  socket.write(`GET ${path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n`);
  expect(await text(socket)).toMatch(/^HTTP\/1\.1 404 .*Path not found/s);
  expect(logLines.filter((line) => line.includes('stack'))).toEqual([]);
});
