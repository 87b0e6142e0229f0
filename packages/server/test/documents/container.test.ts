// Checks the Dockerfile against the checkout, without building it.

import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { readConfig } from '../../src/config.ts';

const root = fileURLToPath(new URL('../../../../', import.meta.url));
const dockerfile = (await readFile(join(root, 'Dockerfile'), 'utf8')).replaceAll(/\\\n/g, '');

const instructions = (name: string): string[] =>
  [...dockerfile.matchAll(new RegExp(`^${name} (.+)$`, 'gm'))].map(([, value = '']) => value);

test('the Dockerfile copies only existing files that are not ignored, and starts what it copied', async () => {
  const ignored = (await readFile(join(root, '.dockerignore'), 'utf8')).split('\n');
  const copies = instructions('COPY').filter((line) => !line.startsWith('--from='));
  const copied = copies.flatMap((line) => line.split(' ').slice(0, -1));
  expect(copied).toContain('packages');
  for (const path of copied) {
    expect(existsSync(join(root, path)), path).toBe(true);
    expect(ignored).toContain(`!${path}`);
  }
  const [, program = ''] = JSON.parse(instructions('ENTRYPOINT')[0] ?? '[]') as string[];
  expect(existsSync(join(root, program))).toBe(true);
  expect(program).toMatch(/^packages\//);
});

test('the Dockerfile has valid settings with a proxy or TLS files, and a supported Node.js', async () => {
  const pairs = instructions('ENV').flatMap((line) => line.split(' ').map((pair) => pair.split('=')));
  const env = Object.fromEntries(pairs) as Record<string, string>;
  expect(() => readConfig(env)).toThrow('OPENTILL_BEHIND_TLS_PROXY=true');
  const config = readConfig({ ...env, OPENTILL_BEHIND_TLS_PROXY: 'true' });
  expect(config.dataFolder).toBe(instructions('VOLUME')[0]);
  const { engines } = JSON.parse(await readFile(join(root, 'packages/server/package.json'), 'utf8'));
  const major = Number(/^node:(\d+)-/.exec(instructions('FROM')[0] ?? '')?.[1]);
  expect(major).toBeGreaterThanOrEqual(Number.parseInt(engines.node.slice(2), 10));
  const ports = [config.publicAddress.port, config.operatorAddress.port];
  expect(instructions('EXPOSE')).toEqual([ports.join(' ')]);
});
