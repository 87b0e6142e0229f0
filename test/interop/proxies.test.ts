// The files of packaging/proxy, in the programs that read them, in front of two servers of a production store.

import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { waitFor } from '../support/wait-for.ts';
import { haproxy, installed, nginx, type ProxyProgram } from './programs.ts';
import { createProxiedApp, load } from './proxied-app.ts';
import {
  newPlaces,
  type ServerName,
  type ServerPlaces,
  type StartedProxy,
  startProxy,
  startServers,
} from './proxied-store.ts';

/** RESTARTS=10 restarts more often. */
const restarts = Number(process.env['RESTARTS'] ?? 2);

const serverNames: readonly ServerName[] = ['a', 'b'];

/** The columns of HAProxy's statistics, for each server of each backend. */
async function statisticsOf({ folder }: StartedProxy): Promise<Readonly<Record<string, string>>[]> {
  const socket = connect(join(folder, 'admin.sock')).setEncoding('utf8');
  await once(socket, 'connect');
  socket.end('show stat\n');
  const [head = '', ...lines] = (await Array.fromAsync(socket)).join('').trim().split('\n');
  const names = head.replace('# ', '').split(',');
  return lines
    .map((line) => Object.fromEntries(line.split(',').map((value, index) => [names[index], value])))
    .filter(({ svname }) => svname === 'a' || svname === 'b');
}

test.each(installed([haproxy]))(
  'restarting two servers in turn behind HAProxy fails no call, and nothing is sent twice',
  async (program) => {
    const places = await newPlaces();
    await using servers = await startServers(places);
    await using proxy = await startProxy(program, places);
    const { goOn, end, failed } = load(await createProxiedApp(proxy));
    for (let restart = 0; restart < restarts; restart += 1) {
      await goOn();
      await servers.restart(restart % 2 === 0 ? 'a' : 'b');
    }
    await goOn();
    const calls = await end();
    console.log(`${restarts} restarts behind HAProxy: ${calls} calls, ${failed.length} failed`);
    expect(failed).toEqual([]);
    const retries = (await statisticsOf(proxy)).map(({ wretr, wredis }) => `${wretr} ${wredis}`);
    expect(retries).toEqual(['0 0', '0 0', '0 0', '0 0']);
  },
);

const proxies = installed<ProxyProgram>([haproxy, nginx]);

test.each(proxies)(
  '$name passes paths, errors and the address of the client, and the Host of the operator API',
  async (program) => {
    const places = await newPlaces();
    await using servers = await startServers(places);
    await using proxy = await startProxy(program, places);
    const app = await createProxiedApp(proxy);
    expect(await app.sell('P.1')).toMatchObject({ status: 201 });
    const forged = { 'x-forwarded-for': '203.0.113.9' };
    expect(await app.call('GET', 'details/P.1', forged)).toMatchObject({
      status: 200,
      text: expect.stringContaining('"purchaseState":0'),
    });
    expect(await app.call('GET', 'details/P%2F2')).toMatchObject({
      status: 404,
      headers: { 'content-type': 'application/json;charset=utf-8', 'x-request-id': expect.any(String) },
      text: expect.stringContaining('"code":9001'),
    });
    const isOfApp = ({ operationId }: { operationId?: unknown }) => operationId === 'getPurchaseDetails';
    const logged = () => serverNames.flatMap(servers.loggedCalls).filter(isOfApp);
    await waitFor(() => logged().length === 2, { what: 'two lines of the log' });
    expect(logged().map(({ address }) => address)).toEqual([proxy.clientAddress, proxy.clientAddress]);
  },
);

test.each(proxies)('with affinity, $name sends all calls of an app to one server', async (program) => {
  const places = await newPlaces();
  await using servers = await startServers(places);
  const optional = /#(?=(?:balance hash|hash-type|hash \$package))/g;
  await using proxy = await startProxy(program, places, (text) => text.replaceAll(optional, ''));
  const app = await createProxiedApp(proxy);
  const paths = ['voided-purchases', ...Array.from({ length: 9 }, (_, index) => `details/P-${index}`)];
  for (const path of paths) await app.call('GET', path);
  const isOfApp = ({ operationId }: { operationId?: unknown }) =>
    operationId === 'getPurchaseDetails' || operationId === 'getVoidedPurchases';
  const counts = () => serverNames.map((name) => servers.loggedCalls(name).filter(isOfApp).length);
  await waitFor(() => counts().reduce((sum, count) => sum + count) === paths.length, { what: 'all lines' });
  expect(counts().sort()).toEqual([0, paths.length]);
});

/** Servers that are ready, and close the connection of any other call. */
async function startBreakingServers({ hosts, port, operatorPort }: ServerPlaces) {
  await using starting = new AsyncDisposableStack();
  const broken: string[] = [];
  for (const host of Object.values(hosts)) {
    for (const each of [port, operatorPort]) {
      const server = createServer(({ method, url = '', socket }, response) => {
        if (url === '/health/ready' || url === '/') {
          response.end();
          return;
        }
        broken.push(`${method} ${url}`);
        socket.destroy();
      });
      starting.defer(async () => {
        server.closeAllConnections();
        server.close();
      });
      await once(server.listen(each, host), 'listening');
    }
  }
  const started = starting.move();
  return { broken, [Symbol.asyncDispose]: () => started.disposeAsync() };
}

test.each(proxies)(
  '$name sends a POST once although its connection is lost, and responds in JSON',
  async (program) => {
    const places = await newPlaces();
    await using servers = await startBreakingServers(places);
    await using proxy = await startProxy(program, places);
    const path = '/v2/purchase/consume/P-1/com.example.game';
    const response = await proxy.send(`${proxy.publicUrl}${path}`, { method: 'POST' });
    expect([502, 503]).toContain(response.status);
    expect(response.headers['content-type']).toMatch(/^application\/json/);
    expect(JSON.parse(response.text)).toEqual({ error: { code: 9999, message: expect.any(String) } });
    expect(servers.broken).toEqual([`POST ${path}`]);
  },
);
