// npm run test:registry: releases the packages into a registry on 127.0.0.1, and uses them in empty folders as the
// documents say. Takes five minutes, and needs npm's own registry for the packages of others.

import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type CodeBlock, codeBlocksOf } from '../support/documents/code-blocks.ts';
import { freePort } from '../support/documents/free-port.ts';
import { waitFor } from '../support/wait-for.ts';
import { installRegistry } from './local-registry.ts';
import { releaseInto } from './release.ts';
import { type Env, inBackground, machineEnv, readerEnv, root, runToEnd, succeed } from './surroundings.ts';

/** The line of the README that starts a server without a checkout. */
const start = 'npx opentill serve --demo';

/** The pages in the order in which they are read, in one terminal next to that server. */
const pages = ['README.md', ...['store', 'backend', 'tests'].map((name) => `docs/quick-start-${name}.md`)];

const read = (path: string): Promise<string> => readFile(join(root, path), 'utf8');
const say = (line: string) => process.stdout.write(`${line}\n`);

async function json(url: string, request: RequestInit = {}): Promise<Record<string, unknown>> {
  const response = await fetch(url, request);
  if (!response.ok) throw new Error(`${url}: ${response.status}`);
  return (await response.json()) as Record<string, unknown>;
}

/** Requests a token and verifies the purchase of the demo. */
async function verifyPurchase(url: string, clientSecret: string): Promise<void> {
  const body = new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: 'com.example.demo',
    client_secret: clientSecret,
  });
  const { access_token } = await json(`${url}/v2/oauth/token`, { method: 'POST', body });
  const headers = { authorization: `Bearer ${access_token}`, 'content-type': 'application/json' };
  const purchase = await json(`${url}/v2/purchase/details/SANDBOX-DEMO-COINS/com.example.demo`, { headers });
  assert.equal(purchase['developerPayload'], 'order-1001');
}

interface Ports {
  readonly port: number;
  readonly operatorPort: number;
}

/** Two free ports, for servers that use the defaults in the documents. */
async function portSettings(): Promise<{ env: Env } & Ports> {
  const [port, operatorPort] = [await freePort(), await freePort()];
  return { port, operatorPort, env: { OPENTILL_PORT: `${port}`, OPENTILL_OPERATOR_PORT: `${operatorPort}` } };
}

const scripts = { curl: join(root, 'packages/server/test/start/curl-stand-in.ts') };

async function readBlocks(): Promise<CodeBlock[]> {
  return (await Promise.all(pages.map(async (page) => codeBlocksOf(await read(page), page)))).flat();
}

/** The shell blocks as one script, without what needs a checkout and without the start of the server. */
async function scriptOf(blocks: readonly CodeBlock[], { port, operatorPort }: Ports): Promise<string> {
  const [kit] = codeBlocksOf(await read('docs/conformance.md'));
  const shell = [...blocks, ...(kit === undefined ? [] : [kit])].filter(({ language }) =>
    /^(?:ba)?sh$/.test(language),
  );
  assert.ok(shell.some(({ code }) => code.includes('npm install @opentill/client')));
  const prelude = `set -euo pipefail
trap 'echo "failed: $BASH_COMMAND" >&2' ERR
if ! command -v curl >/dev/null; then curl() { node ${scripts.curl} "$@"; }; fi
npm() { case "$1" in ci | run | start | test) ;; *) command npm "$@" ;; esac; }
npx() {
  case "$*" in
    *'opentill serve --demo') ;;
    *) command npx "$@" ;;
  esac
}`;
  return [prelude, ...shell.map(({ code }) => code)]
    .join('\n')
    .replaceAll('http://127.0.0.1:8080', `http://127.0.0.1:${port}`)
    .replaceAll('http://127.0.0.1:8081', `http://127.0.0.1:${operatorPort}`);
}

/** Starts the server as the README says, with this version; then everything else on the pages works, too. */
async function usePages(folder: string, version: string, env: Env): Promise<void> {
  await mkdir(folder);
  await writeFile(join(folder, 'package.json'), '{}');
  const { env: ports, ...numbers } = await portSettings();
  const own = { ...env, ...ports };
  assert.ok((await read('README.md')).includes(`\n${start}\n`));
  const command = start.replace('opentill', `opentill@${version}`).split(' ');
  await using server = inBackground(command, folder, own);
  const url = `http://127.0.0.1:${numbers.port}`;
  await waitFor(
    () => {
      assert.equal(server.process.exitCode, null, `The server ended: ${server.output.stderr}`);
      return server.output.stdout.includes('Try it:');
    },
    { what: 'a server that prints its welcome' },
  );
  const secret = (await readFile(join(folder, '.opentill/demo-client.secret'), 'utf8')).trim();
  await verifyPurchase(url, secret);
  say(`${command.join(' ')}: a purchase is verified`);
  const blocks = await readBlocks();
  for (const { fileName, code } of blocks) {
    if (fileName !== undefined) await writeFile(join(folder, fileName), code);
  }
  await writeFile(join(folder, 'pages.sh'), await scriptOf(blocks, numbers));
  const printed = await succeed(['bash', 'pages.sh'], folder, own);
  say(printed.trim().split('\n').at(-1) ?? '');
  say(`${pages.join(', ')} and the conformance kit work with the packages of the registry`);
}

/** What the pages use of others. */
const libraries = ['express', 'fastify', 'standardwebhooks'];

/** Executes every page with the packages of the registry: the checkout only has the runner. */
async function useEveryPage(folder: string, version: string, env: Env): Promise<void> {
  await mkdir(folder);
  await writeFile(join(folder, 'package.json'), '{}');
  const ours = ['opentill', '@opentill/client'].map((name) => `${name}@${version}`);
  await succeed(['npm', 'install', ...ours, ...libraries], folder, env);
  const test = ['npx', 'vitest', 'run', 'packages/server/test/documents/code-blocks.test.ts'];
  const printed = await succeed(test, root, { ...process.env, INSTALLED_PACKAGES: folder, NO_COLOR: '1' });
  const [tests] = /\d+ passed \(\d+\)(?=\s+Start)/.exec(printed) ?? [];
  assert.ok(tests, printed);
  say(`every page works with the packages of the registry: ${tests}`);
}

/** Runs the shell step of the composite action, without install scripts. */
async function useAction(folder: string, version: string, env: Env): Promise<void> {
  await mkdir(folder);
  const step = /^ {6}run: \|\n((?: {8}.*\n)+)/m.exec(await read('action.yml'))?.[1] ?? '';
  const inputs = { VERSION: version, SEED: '', RUN: 'opentill app list --json' };
  const own = { ...env, ...inputs, npm_config_ignore_scripts: 'true' };
  const printed = await succeed(['bash', '-e', '-o', 'pipefail', '-c', step], folder, own);
  assert.equal(JSON.parse(printed).length, 1);
  say('action.yml: its step runs a script with a sandbox, also without install scripts');
}

/** A Node.js that is too old gets one line of ours after the warnings of npm. */
async function refuseOldNode(folder: string, env: Env): Promise<void> {
  await mkdir(folder);
  const own = { ...env, ...machineEnv };
  const version = (await succeed(['node', '--version'], folder, own)).trim();
  if (Number.parseInt(version.slice(1), 10) >= 24) {
    say(`not tried: an older Node.js (this machine has ${version})`);
    return;
  }
  const { code, stdout, stderr } = await runToEnd(start.split(' '), folder, own);
  assert.equal(code, 1);
  assert.equal(stdout, '');
  const lines = stderr
    .trim()
    .split('\n')
    .filter((line) => !line.startsWith('npm warn'));
  assert.equal(lines.length, 1, stderr);
  assert.match(lines[0] ?? '', /^OpenTill needs Node\.js 24 or later, and this is v\d/);
  say(`with Node.js ${version}: ${lines[0]}`);
}

const folder = await mkdtemp(join(tmpdir(), 'opentill-registry-'));
try {
  await installRegistry();
  const { registry, version } = await releaseInto(folder);
  await using _ = registry;
  say(`released ${version} into ${registry.url}, in two runs, because the first was rejected`);
  await useAction(join(folder, 'action'), version, await readerEnv(registry, join(folder, 'home-1')));
  // The registry has every package now, and the cache of npm has none.
  const env = await readerEnv(registry, join(folder, 'home-2'));
  await usePages(join(folder, 'pages'), version, env);
  await useEveryPage(join(folder, 'every-page'), version, env);
  await refuseOldNode(join(folder, 'old'), env);
} finally {
  await rm(folder, { recursive: true, force: true });
}
