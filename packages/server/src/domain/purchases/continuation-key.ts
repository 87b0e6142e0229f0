// The key that continues a walk through the voided list on the next page, without state in the server
// (docs/decisions/purchases.md). It does not know which ranges are allowed.

import { createHmac, timingSafeEqual } from 'node:crypto';
import { sizes } from '@opentill/contract/fields.ts';
import type { PackageName } from '../identifiers.ts';

/** The range of a walk and its last entry so far, in ms; `lastOrder` is the void order of that entry. */
export interface ContinuationPoint {
  readonly start: number;
  readonly end: number;
  readonly lastVoidedTime: number;
  readonly lastOrder: number;
}

const version = '1';
const purpose = 'opentill continuation key';
const instantBytes = 6;
const orderOffset = 3 * instantBytes;
const pointBytes = orderOffset + 8;
/** 41 characters have room for no more; a forged key could only move a walk within the caller's own app. */
const macBytes = 4;
/** 30 bytes fill 40 characters of base64url without spare bits, so each key has exactly one spelling. */
const keyForm = new RegExp(`^${version}[A-Za-z0-9_-]{${sizes.continuationKey - version.length}}$`);

/** Signed with the first of the secrets (those of deriveContinuationKeySecret). */
export function encodeContinuationKey(
  point: ContinuationPoint,
  packageName: PackageName,
  secrets: readonly Buffer[],
): string {
  const [secret] = secrets;
  if (secret === undefined) throw new RangeError('A continuation key needs a secret.');
  if (!isConsistent(point)) throw new RangeError('A continuation key lies within its range.');
  const bytes = Buffer.alloc(pointBytes);
  bytes.writeUIntBE(point.start, 0, instantBytes);
  bytes.writeUIntBE(point.end, instantBytes, instantBytes);
  bytes.writeUIntBE(point.lastVoidedTime, 2 * instantBytes, instantBytes);
  bytes.writeBigUInt64BE(BigInt(point.lastOrder), orderOffset);
  return version + Buffer.concat([bytes, macOf(bytes, packageName, secret)]).toString('base64url');
}

/** Returns undefined unless the key is unaltered and was signed for this app with one of the secrets. */
export function decodeContinuationKey(
  text: string,
  packageName: PackageName,
  secrets: readonly Buffer[],
): ContinuationPoint | undefined {
  if (text.length !== sizes.continuationKey || !keyForm.test(text)) return undefined;
  const bytes = Buffer.from(text.slice(version.length), 'base64url');
  const signed = bytes.subarray(0, pointBytes);
  const mac = bytes.subarray(pointBytes);
  if (!secrets.some((secret) => timingSafeEqual(mac, macOf(signed, packageName, secret)))) return undefined;
  const point = {
    start: signed.readUIntBE(0, instantBytes),
    end: signed.readUIntBE(instantBytes, instantBytes),
    lastVoidedTime: signed.readUIntBE(2 * instantBytes, instantBytes),
    lastOrder: Number(signed.readBigUInt64BE(orderOffset)),
  };
  return isConsistent(point) ? point : undefined;
}

/** Checked when a key is written and again when it is read, because a MAC of 32 bits is short. */
function isConsistent(point: ContinuationPoint): boolean {
  const { start, end, lastVoidedTime, lastOrder } = point;
  const isWhole = [start, end, lastVoidedTime, lastOrder].every(Number.isSafeInteger);
  return isWhole && start <= lastVoidedTime && lastVoidedTime <= end;
}

/** Package names contain no NUL and the point has a fixed length, so different inputs never have the same bytes. */
function macOf(point: Buffer, packageName: PackageName, secret: Buffer): Buffer {
  const mac = createHmac('sha256', secret);
  mac.update(`${purpose}\0${version}\0${packageName}\0`).update(point);
  return mac.digest().subarray(0, macBytes);
}
