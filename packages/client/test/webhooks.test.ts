// verifyWebhook: accepts messages that the server signed, and rejects all others.

import { runInNewContext } from 'node:vm';
import { describe, expect, test } from 'vitest';
import { testNow } from '../../../test/support/harness.ts';
import { parseWebhookSecret, signatureHeaders } from '../../server/src/domain/webhooks/webhook-signature.ts';
import { OpenTillError, type ReceivedWebhook, verifyWebhook } from '../src/index.ts';

const secret = `whsec_${Buffer.alloc(32, 1).toString('base64')}`;
const otherSecret = `whsec_${Buffer.alloc(32, 2).toString('base64')}`;
const body = '{"type":"purchase.voided","text":"ü"}';
const message = { type: 'purchase.voided', text: 'ü' };

function headersOf(text = body, by = secret, now = testNow): Record<string, string> {
  const key = parseWebhookSecret(by);
  if ('problem' in key) throw new Error(key.problem);
  return signatureHeaders({ id: 'msg_1', now, body: text }, [key]);
}

const good: ReceivedWebhook = { body, headers: headersOf(), secrets: secret, now: testNow };

const verify = (changed: Partial<ReceivedWebhook> = {}) => verifyWebhook({ ...good, ...changed });

async function refusal(changed: Partial<ReceivedWebhook>): Promise<string> {
  const error = await verify(changed).then(
    () => expect.fail('The message was accepted.'),
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(OpenTillError);
  return (error as OpenTillError).message;
}

describe('a message of the store', () => {
  test('a message with a valid signature is returned, from text and from bytes', async () => {
    expect(await verify()).toEqual(message);
    const bytes = new TextEncoder().encode(body);
    const foreign = runInNewContext('Uint8Array.from(bytes).buffer', { bytes });
    const view = new Uint8Array([0, ...bytes, 0]).subarray(1, -1);
    for (const form of [bytes, bytes.buffer, Buffer.from(bytes), foreign, view])
      expect(await verify({ body: form })).toEqual(message);
  });

  test('headers are accepted in each form that frameworks use', async () => {
    const headers = headersOf();
    const upper = Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value]);
    const listed = Object.entries(headers).map(([name, value]) => [name, [value]]);
    for (const form of [new Headers(headers), Object.fromEntries(upper), Object.fromEntries(listed)]) {
      expect(await verify({ headers: form })).toEqual(message);
    }
  });

  test('a message is accepted with any of several secrets and any of several signatures', async () => {
    expect(await verify({ secrets: [otherSecret, secret] })).toEqual(message);
    const { 'webhook-signature': signature = '', ...rest } = headersOf();
    const { 'webhook-signature': other = '' } = headersOf(body, otherSecret);
    for (const signatures of [`${other} ${signature}`, `v1a,xxx v1,! ${signature}`, [other, signature]]) {
      expect(await verify({ headers: { ...rest, 'webhook-signature': signatures } })).toEqual(message);
    }
  });

  test('the example of Standard Webhooks is accepted', async () => {
    const example = {
      body: '{"test": 2432232314}',
      secrets: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
      now: 1_614_265_330_000,
      headers: {
        'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
        'webhook-timestamp': '1614265330',
        'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
      },
    };
    expect(await verifyWebhook(example)).toEqual({ test: 2_432_232_314 });
  });
});

describe('a message is refused', () => {
  const noFit = 'verifyWebhook: no signature matches the message and a secret';

  test('a message with an altered body, id or time is rejected', async () => {
    expect(await refusal({ body: `${body} ` })).toBe(noFit);
    expect(await refusal({ headers: { ...headersOf(), 'webhook-id': 'msg_2' } })).toBe(noFit);
    const timestamp = String(testNow / 1000 - 1);
    expect(await refusal({ headers: { ...headersOf(), 'webhook-timestamp': timestamp } })).toBe(noFit);
  });

  test('a message that is unsigned or signed with another secret or scheme is rejected', async () => {
    expect(await refusal({ secrets: [otherSecret] })).toBe(noFit);
    const signature = headersOf()['webhook-signature'] ?? '';
    for (const wrong of [
      signature.replace('v1,', 'v2,'),
      signature.slice(3),
      'v1,',
      signature.slice(0, -4),
    ]) {
      expect(await refusal({ headers: { ...headersOf(), 'webhook-signature': wrong } }), wrong).toBe(noFit);
    }
  });

  test.each(['webhook-id', 'webhook-timestamp', 'webhook-signature'])(
    'a message without %s is rejected',
    async (name) => {
      const headers = { ...headersOf(), [name]: undefined };
      expect(await refusal({ headers })).toBe(`verifyWebhook: the header ${name} is missing`);
    },
  );

  test('a message from more than five minutes ago or ahead is rejected', async () => {
    for (const now of [testNow - 300_000, testNow + 300_000]) expect(await verify({ now })).toEqual(message);
    for (const now of [testNow - 301_000, testNow + 301_000]) {
      expect(await refusal({ now })).toMatch(/^verifyWebhook: webhook-timestamp: expected .* within 300 s/);
    }
    expect(await refusal({ now: testNow + 61_000, toleranceSeconds: 60 })).toMatch(/within 60 s/);
    // The clock of the machine is far from the time of the message.
    expect(await refusal({ now: undefined })).toMatch(/webhook-timestamp/);
    for (const timestamp of ['', '1e9'])
      await refusal({ headers: { ...headersOf(), 'webhook-timestamp': timestamp } });
  });

  test('a signed message whose body is not JSON is rejected', async () => {
    expect(await refusal({ body: '{', headers: headersOf('{') })).toBe(
      'verifyWebhook: the body is not valid JSON',
    );
  });
});

test.each(['', 'whsec_', 'whsec_!', Buffer.alloc(32, 1).toString('base64')])(
  'an invalid secret throws a TypeError that does not repeat it: %j',
  async (wrong) => {
    for (const secrets of [wrong, [secret, wrong]]) {
      await expect(verify({ secrets })).rejects.toThrow(/^secrets: expected whsec_ and base64$/);
    }
  },
);

test.each([
  [message, 'a parsed body'],
  [undefined, 'undefined'],
])('a body that is not the raw one throws a TypeError that asks for it: %j', async (parsed, got) => {
  const error = await verify({ body: parsed as never }).catch((reason: unknown) => reason);
  expect(error).toEqual(new TypeError(`body: expected the raw bytes or text of the request, got ${got}`));
});
