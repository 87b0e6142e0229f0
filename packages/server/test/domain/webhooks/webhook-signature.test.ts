// Signatures of Standard Webhooks.

import { createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import {
  formatWebhookSecret,
  parseWebhookSecret,
  previousSecretEnd,
  signatureHeaders,
} from '../../../src/domain/webhooks/webhook-signature.ts';

const secretText = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

test('a message is signed over its id, its time in seconds and its body', () => {
  const secret = parseWebhookSecret(secretText);
  if ('problem' in secret) throw new Error(secret.problem);
  const body = '{"test": 2432232314}';
  const headers = signatureHeaders({ id: 'msg_p5jXN8AQM9LWM0D4loKWxJek', now: 1_614_265_330_999, body }, [
    secret,
  ]);
  const signed = `msg_p5jXN8AQM9LWM0D4loKWxJek.1614265330.${body}`;
  const key = Buffer.from('MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'base64');
  expect(headers).toEqual({
    'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    'webhook-timestamp': '1614265330',
    'webhook-signature': `v1,${createHmac('sha256', key).update(signed).digest('base64')}`,
  });
  // The example of the Standard Webhooks specification.
  expect(headers['webhook-signature']).toBe('v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=');
});

test('a message with two secrets has a signature of each, so that either verifies it', () => {
  const message = { id: 'evt_1', now: 1_614_265_330_999, body: '{}' };
  const [fresh, previous] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];
  const alone = [fresh, previous].map((secret) => signatureHeaders(message, [secret])['webhook-signature']);
  expect(signatureHeaders(message, [fresh, previous])['webhook-signature']).toBe(alone.join(' '));
  expect(new Set(alone).size).toBe(2);
});

describe('webhook secrets', () => {
  const encoded = (bytes: number) => Buffer.alloc(bytes, 7).toString('base64');

  test.each([24, 32, 64])('a secret may have %i bytes', (bytes) => {
    const text = `whsec_${encoded(bytes)}`;
    expect(parseWebhookSecret(text)).toEqual(Buffer.alloc(bytes, 7));
    expect(formatWebhookSecret(Buffer.alloc(bytes, 7))).toBe(text);
  });

  test.each([
    ['too short', `whsec_${encoded(23)}`],
    ['too long', `whsec_${encoded(65)}`],
    ['without its prefix', encoded(32)],
    ['not base64', `whsec_${encoded(32).replace('B', '!')}`],
    ['truncated', `whsec_${encoded(32).slice(0, -1)}`],
  ])('a secret that is %s is rejected and not repeated in the reason', (_what, text) => {
    expect(parseWebhookSecret(text)).toEqual({ problem: 'expected whsec_ and 24 to 64 bytes in base64' });
  });
});

test('a rotated secret signs until just before its end', () => {
  expect(previousSecretEnd(2_000, 1_999)).toBe(2_000);
  expect(previousSecretEnd(2_000, 2_000)).toBeUndefined();
  expect(previousSecretEnd(null, 0)).toBeUndefined();
});
