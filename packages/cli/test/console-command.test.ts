// opentill console: the link that it prints.

import { expect, test } from 'vitest';
import { callByPage, cookieOf, signIn } from '../../server/test/console/session-calls.ts';
import { useTestServer } from '../../server/test/harness.ts';
import { opentill, serverEnv } from './program-process.ts';

const server = await useTestServer();

test.each([
  ['console', 'admin'],
  ['console --role support', 'support'],
])('opentill %s prints a link that signs in as admin with the role %s', async (line, role) => {
  const { code, stdout, stderr } = await opentill(`${line} --json`.split(' '), { env: serverEnv(server) });
  expect(code, stderr).toBe(0);
  const [address, secret] = (JSON.parse(stdout).url as string).split('#');
  expect(address).toBe(`${server.operatorUrl}/console/sign-in`);
  const cookie = cookieOf(await signIn(server, { code: secret }));
  const session = await callByPage(server, '/sessions/current', { headers: { cookie } });
  expect(session.body).toMatchObject({ madeBy: 'operator:admin', role });
});
