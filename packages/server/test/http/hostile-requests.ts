// Generates malicious bytes, based on valid calls.

import fc from 'fast-check';
import { payload } from './hostile-bodies.ts';
import { binary, evil, type GoodValues, long, nearly, often, sql } from './hostile-values.ts';

/** How the bytes are sent, and how the client disconnects. */
export interface HostileRequest {
  readonly listener: 'public' | 'operator';
  /** In Latin-1, with one character for each byte. */
  readonly bytes: string;
  /** The pieces, each of which is sent on its own. */
  readonly cuts: readonly number[];
  /** `half-close`: ends its side and waits for the response. `abandon`: disconnects without waiting. */
  readonly end: 'half-close' | 'abandon';
}

const methods = ['', 'GET\u0000', ...'GET POST HEAD PUT DELETE OPTIONS TRACE CONNECT FOO get'.split(' ')];

/** A method and a path, each occasionally invalid. */
type Target = fc.Arbitrary<{ method: string; path: string; type: 'json' | 'form' }>;

const target = (method: string, ...parts: (string | fc.Arbitrary<string>)[]): Target =>
  fc
    .tuple(
      nearly(method, fc.constantFrom(...methods)),
      ...parts.map((part) => (typeof part === 'string' ? fc.constant(part) : part)),
    )
    .map(([drawn, ...values]) => {
      const path = values.join('/');
      return { method: drawn, path, type: path === '/v2/oauth/token' ? 'form' : 'json' };
    });

const publicTargets = (good: GoodValues): Target => {
  const id = often(good.purchaseId, evil);
  const name = nearly(good.packageName, evil);
  return fc.oneof(
    target('GET', '/v2/purchase/details', id, name),
    target('GET', '/v2/purchase/details-by-productid', id, name, often('coins', evil)),
    target('GET', '/v2/purchase/recurring-details', id, name),
    target('POST', '/v2/purchase/manage-payment-status', id, name, often('cancel', evil)),
    target('GET', '/v2/purchase/voided-purchases', name),
    target('POST', '/v2/purchase/consume', id, name),
    target('POST', '/v2/oauth/token'),
    target('GET', '/events/v1/events'),
    target('POST', '/developer/v1/purchases'),
    target('GET', '/developer/v1/purchases'),
    target('PUT', '/developer/v1/products', evil),
    target('POST', '/developer/v1/purchases', id, often('void', evil)),
    target('POST', '/developer/v1/subscriptions', id, fc.constantFrom('cancel', 'reactivate', '')),
    target('GET', '', evil, evil),
    target('GET', fc.constantFrom(...oddTargets)),
  );
};

const oddTargets =
  '* / // /v2/purchase /docs /operator/v1/apps http://elsewhere.example/v2 localhost:80 /% /v2/../v2'.split(
    ' ',
  );

const operatorTargets = (good: GoodValues): Target => {
  const name = nearly(good.packageName, evil);
  const apps = '/operator/v1/apps';
  return fc.oneof(
    target('POST', apps),
    target('GET', apps),
    target('GET', '/operator/v1/purchases'),
    target('PATCH', apps, name),
    target('GET', apps, name, fc.constantFrom('purchases', 'products', 'changes', 'subscriptions')),
    target('POST', apps, name, fc.constantFrom('purchases', 'client-secret')),
    target('PUT', apps, name, 'products', evil),
    target('POST', apps, name, 'purchases', often(good.purchaseId, evil), often('void', evil)),
    target(
      'GET',
      fc.constantFrom('/metrics', '/health/live', '/health/ready', '/docs', '/docs/../metrics', '*'),
    ),
  );
};

const queryNames = 'startTime endTime maxResults continuationKey pageToken buyerId __proto__ a[b]'.split(' ');
const queryValue = fc.oneof(
  evil,
  fc.constantFrom('1', '999', '1000', '1773576000000', '17735760000000', '1'.repeat(41), 'A'.repeat(41)),
);
const query = fc.oneof(
  fc.constant(''),
  fc
    .array(fc.tuple(fc.constantFrom(...queryNames), queryValue), { minLength: 1, maxLength: 5 })
    .map((pairs) => `?${pairs.map(([name, value]) => `${name}=${value}`).join('&')}`),
  fc.constantFrom('?', '??', '?&&&', '?=', '?%', '#x', '?startTime=1&startTime=2'),
);

const headerLines = (good: GoodValues) => [
  `authorization: Bearer ${good.token}`,
  `authorization: Bearer <${good.token}>`,
  `authorization: ${good.token}`,
  `authorization: Bearer ${'A'.repeat(36)}`,
  'authorization:',
  'content-type: application/json',
  'content-type: application/json; charset=\u00ff',
  'content-type: application/x-www-form-urlencoded',
  'content-type: text/plain',
  'content-type: a/b;c=;;;,',
  'content-length: 70000',
  'content-length: -1',
  'content-length: 99999999999999999999',
  'content-length: 5, 5',
  'transfer-encoding: chunked',
  'transfer-encoding: gzip, chunked',
  'expect: 100-continue',
  'upgrade: websocket',
  'connection: close',
  'x-forwarded-for: 1.2.3.4, unknown',
  `x-request-id: ${sql[1]}`,
  'cookie: a=\u00ff',
  'bad header: x',
  ': empty',
  'cr: a\rb',
];

const header = (good: GoodValues): fc.Arbitrary<string> =>
  fc.oneof(
    fc.constantFrom(...headerLines(good)),
    long.map((text) => `x-long: ${text}`),
    { arbitrary: evil.map((text) => `x-evil: ${text}`), weight: 2 },
    fc.integer({ min: 50, max: 2_500 }).map((count) => 'x: y\r\n'.repeat(count).trimEnd()),
  );

const oneRequest = (good: GoodValues, listener: 'public' | 'operator'): fc.Arbitrary<string> => {
  const credential = listener === 'public' ? good.token : good.operatorKey;
  const targets = listener === 'public' ? publicTargets(good) : operatorTargets(good);
  const versions = ['HTTP/1.0', 'HTTP/1.1', 'HTTP/2.0', 'HTTP/0.9', 'HTTP/9.9', 'http/1.1', ''];
  return targets.chain(({ method, path, type }) =>
    fc
      .record({
        query: often('', query),
        version: nearly('HTTP/1.1', fc.constantFrom(...versions)),
        host: nearly<string[]>(['host: test'], fc.constant([])),
        authorization: nearly([`authorization: Bearer ${credential}`], fc.constant<string[]>([])),
        headers: often([], fc.array(header(good), { minLength: 1, maxLength: 2 })),
        payload: payload(good, type),
        lineEnd: nearly('\r\n', nearly('\r\n', fc.constantFrom('\n', '\r'))),
      })
      .map((parts) => {
        const lines = [
          `${method} ${path}${parts.query} ${parts.version}`,
          ...parts.host,
          ...parts.authorization,
          ...parts.payload.headers,
          ...parts.headers,
        ];
        return `${lines.join(parts.lineEnd)}${parts.lineEnd}${parts.lineEnd}${parts.payload.body}`;
      }),
  );
};

export function hostileRequest(good: GoodValues): fc.Arbitrary<HostileRequest> {
  const listener = nearly<'public' | 'operator'>('public', fc.constant('operator'));
  return listener.chain((where) => {
    const one = oneRequest(good, where);
    const bytes = fc.oneof(
      { arbitrary: one, weight: 7 },
      fc.array(one, { minLength: 2, maxLength: 4 }).map((all) => all.join('')),
      fc.tuple(one, fc.nat(400)).map(([text, length]) => text.slice(0, length)),
      binary,
    );
    return fc.record({
      listener: fc.constant(where),
      bytes,
      cuts: nearly<number[]>([], fc.array(fc.nat(600), { maxLength: 4 })),
      end: nearly<HostileRequest['end']>('half-close', fc.constant('abandon')),
    });
  });
}
