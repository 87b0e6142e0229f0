// The unique index that a write violated is identified by its name, on one database and on the shards of a cluster.

import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { query } from '../embedded/scratch.ts';
import { operate, useTestServer } from '../harness.ts';

const server = await useTestServer();

const create = (body: object) => operate(server, 'POST', '/apps', { body });

test.each([
  ['on one database', ''],
  ['on a shard, whose indexes are named with its number', '_102008'],
])('a conflict reports whether the package name or the client id is taken, %s', async (_, suffix) => {
  for (const index of ['app_pkey', 'app_client_id_key']) {
    if (suffix !== '') await query(server.connection, `alter index ${index} rename to ${index}${suffix}`);
  }
  const packageName = `com.example.x${randomBytes(4).toString('hex')}`;
  expect((await create({ packageName })).status).toBe(201);
  const taken = await create({ packageName, clientId: 'another' });
  expect([taken.status, taken.body.detail]).toEqual([409, expect.stringContaining(packageName)]);
  const client = await create({ packageName: `${packageName}.other`, clientId: packageName });
  expect([client.status, client.body.detail]).toEqual([409, expect.stringContaining('clientId')]);
});
