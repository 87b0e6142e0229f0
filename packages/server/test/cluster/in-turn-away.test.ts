// Each node of the cluster is killed in turn while servers on two of them are under load.

import { expect, test } from 'vitest';
import { AcknowledgedLoad } from '../attack/acknowledged-load.ts';
import { answeredWithinMs } from '../attack/every-call.ts';
import { auditLedger } from '../attack/ledger-audit.ts';
import { adminKey, freshDatabase, startTestServer, useForFile } from '../harness.ts';
import { waitFor } from '../wait-for.ts';
import { atNode, coordinatorPort, createAppOn, killNode, nodePorts, workerPorts } from './nodes.ts';

const rounds = 10;

/** Acknowledged calls of each load while a node is away, and again when it is back. */
const callsBetween = 50;

const goesOnWithinMs = 60_000;

const [first = 0, second = 0] = workerPorts;
const database = await useForFile(freshDatabase());
const { connection } = database;
const onCoordinator = await useForFile(startTestServer({ database }));
const onFirst = await useForFile(startTestServer({ database: { connection: atNode(connection, first) } }));

/** Calls for an app with its rows on one node, on a server that is connected to a node. */
async function startLoad(server: typeof onFirst, serverPort: number, appPort: number) {
  const name = `of${serverPort}on${appPort}n`;
  const app = await createAppOn(onCoordinator, { connection, port: appPort, name });
  return { server, needs: new Set([serverPort, appPort]), load: new AcknowledgedLoad(app, adminKey) };
}

test('while each node is killed in turn, ten times, apps on others go on, and nothing acknowledged is lost or doubled', {
  timeout: 900_000,
}, async () => {
  const loads = [
    await startLoad(onCoordinator, coordinatorPort, first),
    await startLoad(onCoordinator, coordinatorPort, second),
    await startLoad(onFirst, first, first),
    await startLoad(onFirst, first, second),
  ];
  const goOn = async (some: typeof loads): Promise<void> => {
    const enough = some.map(({ load }) => load.acknowledgedCalls + callsBetween);
    await waitFor(() => some.every(({ load }, index) => load.acknowledgedCalls >= (enough[index] ?? 0)), {
      deadlineMs: goesOnWithinMs,
      what: 'loads that go on',
    });
  };
  const begun = performance.now();
  let isOver = false;
  const running = Promise.all(loads.map(({ server, load }) => load.run(server, () => isOver)));
  const slowestOfOthers: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    for (const port of nodePorts) {
      await goOn(loads);
      const others = loads.filter(({ needs }) => !needs.has(port));
      for (const { load } of loads) {
        expect(load.slowestMs).toBeLessThan(answeredWithinMs);
        load.slowestMs = 0;
      }
      await using node = await killNode(port);
      await goOn(others);
      await node.start();
      slowestOfOthers.push(...others.map(({ load }) => load.slowestMs));
    }
  }
  await goOn(loads);
  isOver = true;
  await running;
  const seconds = (performance.now() - begun) / 1_000;
  const calls = loads.reduce((sum, { load }) => sum + load.acknowledgedCalls, 0);
  process.stdout.write(
    `${slowestOfOthers.length} loads that needed no killed node: slowest call ${Math.round(Math.max(...slowestOfOthers))} ms, ${Math.round(calls / seconds)} acknowledged calls per second\n`,
  );
  for (const { server, load } of loads) await load.expectAllThere(server);
  expect(await auditLedger(connection)).toEqual({});
});
