// The developer API with the ids of another app, in both environments.

import { type DeveloperOperation, developerOperations } from '@opentill/contract/developer-api.ts';
import { describe, expect, test } from 'vitest';
import { createTestApp, type HttpResponse, useTestServer } from '../../../../test/support/harness.ts';
import { callDeveloper } from '../../../../test/support/http/checked-call.ts';
import {
  allRows,
  createFullApp,
  type FullApp,
  productionEnv,
  sandboxEnv,
  validBodies,
  validQueries,
} from '../../../../test/support/http/developer-stage.ts';

/** The call with these ids in its path, valid in everything else. */
type CallWith = (operation: DeveloperOperation, ids: FullApp['ids'], query?: object) => Promise<HttpResponse>;

/** Ids of the form of the others, which no app has. */
const unknownIds = {
  ...{ purchaseId: 'no-such-purchase', firstPurchaseId: 'no-such-first', periodIndex: '1', attempt: '1' },
  deliveryId: 'evt_1_AAAAAAAAAAAAAAAA',
};

/** It creates the product that its path names. */
const creating = 'putProduct';

describe.each(['sandbox', 'production'] as const)('in the %s', async (environment) => {
  const server = await useTestServer({ env: environment === 'production' ? productionEnv : sandboxEnv });
  const own = await createFullApp(server, 'com.example.own');
  const others = [
    await createFullApp(server, 'com.example.first'),
    await createFullApp(server, 'com.example.second'),
  ];
  const empty = await createTestApp(server, 'com.example.empty');
  const operations = developerOperations[environment];
  const before = await allRows(server);
  const callWith: CallWith = ({ operationId, ...operation }, ids, query = {}) =>
    callDeveloper(
      server,
      { operationId, ...operation },
      {
        ...{ key: own.token, secret: own.clientSecret, path: ids, body: validBodies[operationId] },
        query: { ...validQueries[operationId], ...query },
      },
    );
  // Statements have the names of months, which are the same for each app.
  const hasIds = ({ pathParameters, operationId }: DeveloperOperation) =>
    Object.keys(pathParameters).some((name) => name !== 'name') && operationId !== creating;

  test.each(operations.filter(hasIds).map((operation) => [operation.operationId, operation] as const))(
    '%s gets 404 for the ids of each other app, as for unknown ones, and changes nothing',
    async (_, operation) => {
      const named = Object.keys(operation.pathParameters);
      const withoutIds = ({ text }: HttpResponse, ids: FullApp['ids']) =>
        named.reduce((rest, name) => rest.replaceAll(ids[name] ?? '', name), text);
      const unknown = await callWith(operation, unknownIds);
      for (const other of others) {
        const foreign = await callWith(operation, other.ids);
        expect([foreign.status, foreign.body.error.code]).toEqual([404, 9001]);
        expect(withoutIds(foreign, other.ids)).toBe(withoutIds(unknown, unknownIds));
      }
      expect(await allRows(server)).toBe(before);
    },
  );

  const lists = operations.filter(({ query }) => query?.properties['pageToken'] !== undefined);
  test.each(lists.map((operation) => [operation.operationId, operation] as const))(
    '%s finds nothing by an id of another app, and continues its own list after a page of another app',
    async (_, operation) => {
      const filters = Object.keys(operation.query?.properties ?? {}).filter((name) => /Id$/.test(name));
      for (const { ids, ...other } of others) {
        const values = ['purchaseId', 'firstPurchaseId', 'orderId'].map((name) => ids[name] ?? '');
        for (const name of filters) {
          const none = await callWith(operation, own.ids, { [name]: 'no-such-id' });
          for (const value of values)
            expect((await callWith(operation, own.ids, { [name]: value })).text).toBe(none.text);
        }
        const page = { key: other.token, query: { pageSize: 1 } };
        const { nextPageToken: pageToken } = (await callDeveloper(server, operation, page)).body;
        if (pageToken === undefined) continue;
        const { status, text } = await callWith(operation, own.ids, { pageToken });
        expect(status).toBe(200);
        for (const foreign of [other.packageName, ...values]) expect(text).not.toContain(foreign);
      }
      expect(await allRows(server)).toBe(before);
    },
  );

  test('an app without records finds none, and nothing of other apps is counted in its statistics', async () => {
    const { packageName } = empty;
    const counting = operations.filter(({ operationId }) => operationId === 'getStatistics');
    for (const operation of [...lists, ...counting]) {
      const { operationId } = operation;
      const query = validQueries[operationId] ?? {};
      const { status, body } = await callDeveloper(server, operation, { key: empty.token, query });
      expect(status).toBe(200);
      const entries = Object.values(body).filter(Array.isArray).flat();
      // Its products are its own, and the request log has its token.
      const foreign = entries.filter((entry) => entry.packageName !== packageName);
      if (operationId !== 'listRequests') expect([operationId, foreign]).toEqual([operationId, []]);
    }
  });

  test('each id of the own app is found', async () => {
    for (const operation of operations.filter(hasIds)) {
      const { status, text } = await callWith(operation, own.ids);
      expect([200, 201, 409], `${operation.operationId} ${text}`).toContain(status);
    }
  });
});
