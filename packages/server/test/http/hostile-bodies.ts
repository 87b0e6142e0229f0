// Malicious bodies: deeply nested, duplicated, malformed, truncated and too long.

import fc from 'fast-check';
import { binary, evil, type GoodValues, sql } from './hostile-values.ts';

const deep = (depth: number, open: string, close: string) => open.repeat(depth) + close.repeat(depth);
const jsonBodies = [
  '{}',
  'null',
  '1e999',
  '{"productId":"coins"}',
  '{"productId":"monthly","price":1e30}',
  '{"productId":"coins","purchaseTime":99999999999999999999999}',
  '{"productId":"coins","developerPayload":"\\u0000"}',
  '{"productId":"coins","developerPayload":"\\ud800"}',
  '{"productId":"coins","orderId":"\u00ed\u00a0\u0080"}',
  '{"constructor":{"prototype":{"x":1}},"productId":"coins"}',
  '{"productId":{"toString":"x"}}',
  '{"productId":"coins","productId":"other"}',
  '{"reason":"customer"}',
  '{"packageName":"x","clientId":"',
  deep(5_000, '[', ']'),
  `{"productId":"${'x'.repeat(60_000)}"}`,
  `{"productId":"coins","x":"${'y'.repeat(70_000)}"}`,
  `[${'1,'.repeat(20_000)}1]`,
];
const formBodies = (good: GoodValues) => [
  `grant_type=client_credentials&client_id=${good.packageName}&client_secret=${good.clientSecret}`,
  `grant_type=client_credentials&client_id=${good.packageName}&client_secret=wrong`,
  'grant_type[]=client_credentials&client_id[a]=b&client_secret=c',
  '__proto__[client_id]=a&grant_type=client_credentials&client_secret=x',
  `grant_type=client_credentials&client_secret=x&client_id=${encodeURIComponent(sql[1] ?? '')}`,
  'grant_type=client_credentials&client_secret=%00&client_id=%00',
  'grant_type=client_credentials&client_secret=%ed%a0%80&client_id=%ed%a0%80',
  `${'a=b&'.repeat(15_000)}c=d`,
  `${deep(3_000, 'a[', ']')}=x`,
];

const chunked = (body: string) => `${Buffer.byteLength(body, 'latin1').toString(16)}\r\n${body}\r\n0\r\n\r\n`;
const badChunks = [
  'zz\r\nabc\r\n0\r\n\r\n',
  '5\r\nabc',
  'ffffffffffffffff\r\n',
  `1;${'x'.repeat(20_000)}\r\na\r\n0\r\n\r\n`,
  '0\r\nbad trailer\r\n\r\n',
];

export interface Payload {
  readonly headers: readonly string[];
  readonly body: string;
}

const asJson = 'content-type: application/json';
const asForm = 'content-type: application/x-www-form-urlencoded';
const measured = (body: string) => `content-length: ${body.length}`;

/** Bodies with their headers, mostly of the correct type, whether the call needs a body or not. */
export const payload = (good: GoodValues, type: 'json' | 'form'): fc.Arbitrary<Payload> => {
  const json = fc.constantFrom(...jsonBodies);
  const form = fc.constantFrom(...formBodies(good));
  const own = type === 'json' ? json : form;
  const typed = own.map((body) => ({ headers: [type === 'json' ? asJson : asForm, measured(body)], body }));
  const content = fc.oneof(json, form, binary, evil);
  const inChunks = fc.oneof(json.map(chunked), fc.constantFrom(...badChunks));
  return fc.oneof(
    { arbitrary: typed, weight: 8 },
    { arbitrary: fc.constant({ headers: [asJson], body: '' }), weight: 4 },
    {
      arbitrary: inChunks.map((body) => ({ headers: [asJson, 'transfer-encoding: chunked'], body })),
      weight: 3,
    },
    content.map((body) => ({ headers: [measured(body)], body })),
    // A Content-Length other than that of the body.
    fc
      .tuple(content, fc.nat(200))
      .map(([body, length]) => ({ headers: [`content-length: ${length}`], body })),
  );
};
