// The part of the sandbox API that the kit uses, over a till.

import { done, failed, type Reply, type Seen } from './answers.ts';
import type { Till } from './till.ts';

/** The durations that the kit uses. */
const durations: Readonly<Record<string, number>> = { PT0S: 0, PT1S: 1_000 };

export function answerSandboxApi(till: Till, { method, path, headers, body }: Seen): Reply {
  const token = /^Bearer (.+)$/.exec(headers['authorization'] ?? '')?.[1] ?? '';
  if (!till.isLive(token)) return failed(401);
  const sent = body === '' ? {} : JSON.parse(body);
  const [, , , subject = '', id = '', action = ''] = path.split('/').map(decodeURIComponent);
  switch (`${method} ${subject} ${action}`.trim()) {
    case 'GET clock':
      return done({ now: till.now });
    case 'POST clock':
      till.advance(durations[sent.by] ?? Number.NaN);
      return done({ now: till.now });
    case 'PUT products':
      till.products.set(id, sent.type);
      return done({});
    case 'PUT token':
      till.shortenToken(sent.expiresIn);
      return done({});
    case 'POST purchases':
      return done(
        till.record(
          { purchaseTime: till.now, ...sent },
          till.products.get(sent.productId) === 'subscription',
        ),
      );
    case 'POST purchases void': {
      const purchase = till.purchases.get(id);
      if (purchase === undefined) return failed(9001);
      till.void(purchase);
      return done({});
    }
    default:
      return failed(9999);
  }
}
