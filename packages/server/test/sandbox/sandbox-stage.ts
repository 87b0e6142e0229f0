// Calls of the sandbox's controls that several tests share.

import { developerApi } from '@opentill/contract/developer-api.ts';
import type { Faults, NewFault } from '@opentill/contract/faults.ts';
import type { LoggedRequest } from '@opentill/contract/logged-request.ts';
import { expect } from 'vitest';
import type { TestApp } from '../../../../test/support/harness.ts';
import { callDeveloper } from '../../../../test/support/http/checked-call.ts';
import type { ServerAddress } from '../../../../test/support/start/opentill-process.ts';

const { getFaults, listRequests, putFaults } = developerApi;

type Caller = Pick<TestApp, 'token'>;

export async function putTestFaults(
  server: ServerAddress,
  app: Caller,
  faults: readonly NewFault[],
): Promise<void> {
  const response = await callDeveloper(server, putFaults, { key: app.token, body: faults });
  expect([response.status, response.text]).toEqual([200, expect.anything()]);
}

export async function faultsResponse(server: ServerAddress, app: Caller): Promise<Faults['faults']> {
  return (await callDeveloper(server, getFaults, { key: app.token })).body.faults;
}

/** The first page of the request log, newest first. */
export async function loggedRequests(
  server: ServerAddress,
  app: Caller,
  pageSize = 200,
): Promise<LoggedRequest[]> {
  const response = await callDeveloper(server, listRequests, { key: app.token, query: { pageSize } });
  expect(response.status).toBe(200);
  return response.body.requests;
}
