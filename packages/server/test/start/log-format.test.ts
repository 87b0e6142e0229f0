// The log and the welcome on a terminal.

import { expect, test } from 'vitest';
import { databaseEnv, emptyDatabase } from '../harness.ts';
import { waitFor } from '../wait-for.ts';
import { startOnTerminal } from './terminal-process.ts';

const escapeCharacter = '\u001b';

/** Makes a request without a token, again if the machine is so busy that the server answers 503. */
const readPurchase = (publicUrl: string) =>
  waitFor(async () => (await fetch(`${publicUrl}/v2/purchase/details/B1/com.example.game`)).status === 401, {
    what: 'a request that is rejected for its token',
  });

test('a terminal shows one line for the migrations, a styled welcome and a short line for each request', async () => {
  await using database = await emptyDatabase();
  await using server = startOnTerminal(databaseEnv(database.connection));
  await readPurchase(await server.publicUrl());
  const isLogged = () => server.text().includes('getPurchaseDetails');
  await waitFor(isLogged, { what: 'the line of the request' });
  expect(server.text()).toMatch(
    /^\d\d:\d\d:\d\d Updated the schema\n\nOpenTill, sandbox environment\n\n(?: {2}.+\n){4}\n(?:.+ 503 .+\n)*\d\d:\d\d:\d\d getPurchaseDetails 401 [\d.]+ ms\n$/,
  );
  expect(server.raw()).toContain(`${escapeCharacter}[1mOpenTill, sandbox environment${escapeCharacter}[22m`);
  expect(server.raw()).toContain(`${escapeCharacter}[33m401${escapeCharacter}[39m`);
});
