// Malicious texts for paths, queries, headers and bodies.

import fc from 'fast-check';
import { anyCharacter } from '../domain/arbitraries.ts';

/** The valid parts of a malicious request. */
export interface GoodValues {
  readonly token: string;
  readonly operatorKey: string;
  readonly packageName: string;
  readonly purchaseId: string;
  readonly clientSecret: string;
}

export const sql = [
  "' or '1'='1",
  "'; drop table purchase; --",
  "x' union all select version() --",
  '$1::text[]',
  '"; delete from app where ""="',
  "\\'; commit; --",
  "1; set_config('role','x',false)",
];
const percent = [
  '%',
  '%z',
  '%zz',
  '%00',
  '%2',
  '%c0%af',
  '%ed%a0%80',
  '%ff%fe',
  '%2e%2e%2f',
  '%25',
  '%u0041',
  '%0d%0ax-a: b',
];
const odd = [
  '',
  ' ',
  '..',
  '../../etc/passwd',
  '.',
  '//',
  '\\',
  '"',
  '<script>alert(1)</script>',
  '__proto__',
  'constructor',
  'toString',
  'null',
  'undefined',
  'NaN',
  '-1',
  '1e999',
  '0x10',
  '99999999999999999999',
  '[object Object]',
  '*',
  ':purchaseId',
  '%F0%9F%98%80',
  '\u0000',
  '\u007f',
  '\u00ff\u00fe',
  '{"a":1}',
  'a,b',
];
const sizes = [20, 21, 128, 129, 150, 151, 2_000, 9_000, 17_000];

export const long = fc
  .tuple(fc.constantFrom(...sizes), fc.constantFrom('a', '7', '%41', '%00', '\u00e9'))
  .map(([size, part]) => part.repeat(Math.ceil(size / part.length)));
export const binary = fc
  .string({ unit: anyCharacter, maxLength: 24 })
  .map((text) => Buffer.from(text, 'utf8').toString('latin1'));
/** Bytes that an HTTP parser accepts. */
const encoded = fc
  .uint8Array({ minLength: 1, maxLength: 16 })
  .map((bytes) => Array.from(bytes, (byte) => `%${byte.toString(16).padStart(2, '0')}`).join(''));

export const evil = fc.oneof(
  { arbitrary: fc.constantFrom(...sql).map((text) => encodeURIComponent(text)), weight: 4 },
  { arbitrary: fc.string({ maxLength: 30 }).map((text) => encodeURIComponent(text)), weight: 4 },
  { arbitrary: encoded, weight: 3 },
  { arbitrary: fc.constantFrom(...percent), weight: 2 },
  { arbitrary: fc.constantFrom(...sql, ...odd), weight: 2 },
  { arbitrary: long, weight: 1 },
  { arbitrary: binary, weight: 1 },
);

/** Rarely invalid, so that other invalid parts of the request are reached. */
export const nearly = <Value>(good: Value, bad: fc.Arbitrary<Value>) =>
  fc.oneof({ arbitrary: fc.constant(good), weight: 7 }, { arbitrary: bad, weight: 1 });

/** Invalid half of the time. */
export const often = <Value>(good: Value, bad: fc.Arbitrary<Value>) => fc.oneof(fc.constant(good), bad);
