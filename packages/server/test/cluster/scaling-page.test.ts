// The move from one PostgreSQL to a cluster, with the commands of docs/scaling.md.

import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { builtProgram, builtProgramEnv } from '../../../../test/support/built-programs.ts';
import { databaseUrlOf } from '../../../../test/support/database-url.ts';
import { codeBlocksOf } from '../../../../test/support/documents/code-blocks.ts';
import {
  callPurchaseApi,
  createTestApp,
  emptyDatabase,
  recordTestPurchase,
  requestToken,
  startTestServer,
} from '../../../../test/support/harness.ts';
import { createOnPostgres } from '../../../../test/support/test-databases.ts';
import { atNode, workerPorts } from './nodes.ts';

const page = new URL('../../../../docs/scaling.md', import.meta.url);
const run = promisify(execFile);

test('the commands of the page move a store from one PostgreSQL to a cluster, on whose nodes its tokens and purchases are valid', async () => {
  const move = codeBlocksOf(await readFile(page, 'utf8')).find(({ code }) => code.startsWith('pg_dump'));
  await using old = await createOnPostgres();
  await using cluster = await emptyDatabase();
  const store = await (async () => {
    await using server = await startTestServer({ database: old });
    const app = await createTestApp(server);
    return { app, purchase: await recordTestPurchase(server, app) };
  })();
  const script = `set -eo pipefail\nopentill() { "$NODE" "$PROGRAM" "$@"; }\n${move?.code}`;
  const { stdout } = await run('bash', ['-c', script], {
    env: {
      PATH: process.env['PATH'],
      ...builtProgramEnv(),
      NODE: process.execPath,
      PROGRAM: builtProgram('cli'),
      OLD: databaseUrlOf(old.connection),
      COORDINATOR: databaseUrlOf(cluster.connection),
    },
  });
  expect(stdout).toMatch(/not distributed +nothing\n$/);

  for (const port of [undefined, ...workerPorts]) {
    const connection = port === undefined ? cluster.connection : atNode(cluster.connection, port);
    await using server = await startTestServer({ database: { connection } });
    const { app, purchase } = store;
    expect((await requestToken(server, app)).body.access_token).toBe(app.token);
    const path = `/details/${purchase.purchaseId}/${app.packageName}`;
    expect(await callPurchaseApi(server, { token: app.token, path })).toMatchObject({
      status: 200,
      body: { purchaseState: 0, consumptionState: 0 },
    });
  }
});
