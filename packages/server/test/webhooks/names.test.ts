// Host names of receivers: each connection resolves the name and connects to allowed addresses only.

import { expect, test } from 'vitest';
import { useForFile } from '../../../../test/support/harness.ts';
import { startTestReceiver } from '../../../../test/support/webhooks/test-receiver.ts';
import { ownMachine } from '../../../../test/support/webhooks/webhook-stage.ts';
import type { WebhookRules } from '../../src/domain/webhooks/webhook-address.ts';
import {
  AddressRefused,
  guardedLookup,
  nameResolution,
  rejectForbiddenPeer,
} from '../../src/jobs/webhooks/receiver-lookup.ts';
import { webhookSender } from '../../src/jobs/webhooks/webhook-sender.ts';
import { OutgoingHttp } from '../../src/runtime/outgoing-http.ts';

const production: WebhookRules = { allowsHttp: false, allowsLoopback: false, allowedRanges: [] };

const receiver = await useForFile(startTestReceiver());

/** Each lookup resolves to the next entry. */
function resolving(responses: readonly (readonly string[])[]) {
  const asked: string[] = [];
  const left = [...responses];
  return {
    asked,
    resolveName: async (name: string) => {
      asked.push(name);
      return left.shift() ?? [];
    },
  };
}

const message = (host: string) => ({
  url: new URL(`http://${host}:${receiver.port}/`),
  body: '{}',
  headers: {},
});

test('a name that resolves to a forbidden address on a later attempt is refused by that attempt', async () => {
  const { asked, resolveName } = resolving([['127.0.0.1'], ['10.0.0.1'], ['169.254.169.254'], ['127.0.0.1']]);
  const sender = webhookSender(ownMachine, { resolveName });
  const outcomes: unknown[] = [];
  for (const _ of [1, 2, 3, 4]) {
    const outcome = await sender.send(message('rebinding.example'));
    outcomes.push(outcome?.httpStatus ?? outcome?.failure);
    // The next attempt needs a new connection and resolves the name again.
    receiver.closeIdle();
  }
  expect(outcomes).toEqual([204, 'addressRefused', 'addressRefused', 204]);
  expect(asked).toEqual(Array.from({ length: 4 }, () => 'rebinding.example'));
  expect(receiver.received).toHaveLength(2);
  sender.close();
});

/** Returns the addresses that a connection to the name would use. */
function lookUp(rules: WebhookRules, responses: readonly (readonly string[])[]) {
  const lookup = guardedLookup(rules, resolving(responses).resolveName);
  return (all: boolean) =>
    new Promise((resolve) => {
      lookup('shop.example', { all }, (error, addresses) => resolve(error === null ? addresses : error.name));
    });
}

test('a connection uses only the allowed addresses of a name, which is looked up each time', async () => {
  const found = lookUp(production, [
    ['10.0.0.1', '1.1.1.1', '2606:4700::1111', '::ffff:10.0.0.1', '64:ff9b::a00:1'],
    ['10.0.0.1', '::1'],
    ['1.1.1.1'],
    ['::1'],
  ]);
  expect(await found(true)).toEqual([
    { address: '1.1.1.1', family: 4 },
    { address: '2606:4700::1111', family: 6 },
  ]);
  expect(await found(true)).toBe('AddressRefused');
  expect(await found(false)).toBe('1.1.1.1');
  expect(await found(false)).toBe('AddressRefused');
});

test.each(['http', 'https'])(
  'a connection by %s to an address that was not resolved is closed before a byte is sent',
  async (scheme) => {
    const before = receiver.received.length;
    using http = new OutgoingHttp(
      { withinMs: 10_000, bodyBytesMax: 1_024 },
      { lookup: () => expect.unreachable(), onConnected: rejectForbiddenPeer(production) },
    );
    const url = new URL(`${scheme}://127.0.0.1:${receiver.port}/`);
    const result = await http.send({ method: 'POST', url, body: '{}' });
    expect(result).toMatchObject({ status: undefined, failure: { error: expect.any(AddressRefused) } });
    expect(receiver.received).toHaveLength(before);
  },
);

test.each(['ENOTFOUND', 'ETIMEOUT'])(
  'a name that does not resolve (%s) fails with nameNotFound',
  async (code) => {
    const resolveName = () => Promise.reject(Object.assign(new Error('none'), { code }));
    const sender = webhookSender(ownMachine, { resolveName });
    expect(await sender.send(message('nowhere.example'))).toMatchObject({ failure: 'nameNotFound' });
    sender.close();
  },
);

test('localhost and its subdomains resolve to loopback, whatever the name servers return', async () => {
  const resolve = nameResolution();
  expect(await resolve('localhost')).toEqual(['127.0.0.1', '::1']);
  expect(await resolve('hooks.localhost')).toEqual(['127.0.0.1', '::1']);
});
