// A proxy with its file of packaging/proxy, and the two servers of a production store behind it, on loopback addresses of
// their own.

import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { Agent, request } from 'node:https';
import { join } from 'node:path';
import type { ClientConfig } from 'pg';
import { checkoutProgram } from '../support/built-programs.ts';
import { freePort } from '../support/documents/free-port.ts';
import { makeScratch } from '../support/embedded/scratch.ts';
import { databaseEnv, emptyDatabase } from '../support/harness.ts';
import { outputOf } from '../support/process-output.ts';
import { startOpentill } from '../support/start/opentill-process.ts';
import { testCertificate } from '../support/start/test-certificate.ts';
import { waitFor } from '../support/wait-for.ts';
import type { ProxyProgram } from './programs.ts';

export type ServerName = 'a' | 'b';

/** Where the servers of a proxy listen. */
export interface ServerPlaces {
  readonly hosts: Readonly<Record<ServerName, string>>;
  readonly port: number;
  readonly operatorPort: number;
}

/** A network of loopback addresses: the proxy is .1, as the file's servers .11 and .12 are. */
export async function newPlaces(): Promise<ServerPlaces & { readonly network: string }> {
  const network = `127.${randomInt(1, 255)}.${randomInt(256)}`;
  const hosts = { a: `${network}.11`, b: `${network}.12` };
  return { network, hosts, port: await freePort(), operatorPort: await freePort() };
}

export type StartedProxy = Awaited<ReturnType<typeof startProxy>>;

/** Starts a proxy in front of servers that run; `edit` changes its file. */
export async function startProxy(
  { command: [program, ...args], file }: ProxyProgram,
  { network, port, operatorPort }: Awaited<ReturnType<typeof newPlaces>>,
  edit = (text: string): string => text,
) {
  await using starting = new AsyncDisposableStack();
  const scratch = starting.use(await makeScratch());
  const certificate = join(scratch.path, 'certificate.pem');
  await writeFile(certificate, `${testCertificate.cert}${testCertificate.key}`);
  const [proxyPort, storePort] = [await freePort(), await freePort()];
  const text = (await readFile(new URL(`../../packaging/proxy/${file}`, import.meta.url), 'utf8'))
    .replaceAll(/\/\S+\.pem/g, certificate)
    .replaceAll('10.1.0.7:8443', `${network}.1:${storePort}`)
    .replaceAll(/(?<=(?:bind|listen) ):?443/g, `${network}.1:${proxyPort}`)
    .replaceAll('10.1.0.1', `${network}.1`)
    .replaceAll('8080', String(port))
    .replaceAll('8081', String(operatorPort))
    .replaceAll(/\/run(?:\/haproxy)?(?=\/)/g, scratch.path)
    // Only root may change its user, and write where nginx does by default.
    .replaceAll(/^ *(?:user|group) .*\n/gm, '')
    .replace('http {', `http {\n${writtenByNginx(scratch.path)}`);
  const path = join(scratch.path, file);
  await writeFile(path, edit(text));
  const running = spawn(program, [...args, path], { stdio: ['ignore', 'pipe', 'pipe'] });
  const output = outputOf(running);
  const ended = once(running, 'close');
  starting.defer(async () => {
    running.kill();
    await ended;
  });

  // The address of the client is none of the proxy and the servers.
  const agent = new Agent({ keepAlive: true, localAddress: `${network}.99`, rejectUnauthorized: false });
  starting.defer(() => agent.destroy());
  const send = callsOf(agent);
  const publicUrl = `https://${network}.1:${proxyPort}`;
  const isServing = async () => {
    if (running.exitCode !== null) throw new Error(`It ended: ${output.stdout}${output.stderr}`);
    const response = await send(publicUrl, { headers: { connection: 'close' } }).catch(() => undefined);
    return response !== undefined && response.status !== 503;
  };
  await waitFor(isServing, { what: 'a proxy with servers' });
  const started = starting.move();
  return {
    publicUrl,
    operatorUrl: `https://${network}.1:${storePort}`,
    clientAddress: `${network}.99`,
    send,
    folder: scratch.path,
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  };
}

function writtenByNginx(folder: string): string {
  const names = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  return [...names.map((name) => `${name}_temp_path ${folder}/${name};`), 'access_log off;'].join('\n');
}

interface ServedStore {
  readonly connection: ClientConfig;
  /** The server that is started; by default that of the checkout. */
  readonly program?: string;
  /** The settings of the environment. */
  readonly env?: Readonly<Record<string, string>>;
}

const productionEnv = { OPENTILL_ENVIRONMENT: 'production', OPENTILL_TRUSTED_PROXIES: 'loopback' };

/** Starts both servers on one database, by default on a new one. */
export async function startServers({ hosts, port, operatorPort }: ServerPlaces, store?: ServedStore) {
  await using starting = new AsyncDisposableStack();
  const { connection } = store ?? starting.use(await emptyDatabase());
  const start = (name: ServerName, program = store?.program ?? checkoutProgram('server')) =>
    startOpentill({
      program,
      env: {
        ...databaseEnv(connection),
        ...(store?.env ?? productionEnv),
        OPENTILL_HOST: hosts[name],
        OPENTILL_PORT: String(port),
        OPENTILL_OPERATOR_HOST: hosts[name],
        OPENTILL_OPERATOR_PORT: String(operatorPort),
        OPENTILL_OPERATOR_HOSTS: 'till.internal',
      },
    });
  const running = { a: start('a'), b: start('b') };
  starting.defer(async () => void (await Promise.all([running.a.kill(), running.b.kill()])));
  await Promise.all([running.a.ready(), running.b.ready()]);
  const earlier = { a: '', b: '' };
  const log = (name: ServerName) => earlier[name] + running[name].output.stdout;
  const started = starting.move();
  return {
    /** Until it is ready again, as docs/operating.md says; perhaps with another program. */
    async restart(name: ServerName, program?: string): Promise<void> {
      running[name].signal('SIGTERM');
      const code = await running[name].ended();
      if (code !== 0) throw new Error(`It ended with ${code}: ${running[name].output.stderr}`);
      earlier[name] = log(name);
      running[name] = start(name, program);
      await running[name].ready();
    },
    /** The lines that a server has logged for calls. */
    loggedCalls: (name: ServerName): Record<string, unknown>[] =>
      log(name)
        .split('\n')
        .filter((line) => line.startsWith('{') && line.includes('"operationId":'))
        .map((line) => JSON.parse(line)),
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  };
}

interface ProxiedCall {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Calls on connections that stay open; nothing is sent twice. */
function callsOf(agent: Agent) {
  return async (url: string, { method = 'GET', headers = {}, body = '' }: ProxiedCall = {}) => {
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    const length = { 'content-length': String(body.length) };
    const sent = request(url, { method, headers: { ...length, ...headers }, agent }, resolve);
    sent.on('error', reject);
    sent.end(body);
    const response = await promise;
    const text = Buffer.concat(await Array.fromAsync(response)).toString();
    return { status: response.statusCode ?? 0, headers: response.headers, text };
  };
}
