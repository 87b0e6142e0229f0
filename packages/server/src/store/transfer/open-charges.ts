// Checks that imported subscriptions with an open charge have an open attempt, which renewals retry, and the other way
// around; and that no attempt is ahead of a subscription that would charge its month again.

import type { Session } from '../connection/session.ts';
import type { ImportLine } from './import-lines.ts';
import { findAttemptAhead, findLoneCharges } from './import-statements.ts';
import { RefusedLine } from './refused-line.ts';

export class OpenCharges {
  /** By app and first purchase id: the first imported line of each open charge. */
  readonly #lines = new Map<string, Map<string, ImportLine>>();

  /** Takes lines that were written. */
  note(lines: readonly ImportLine[]): void {
    for (const line of lines) {
      const { kind, packageName, values } = line;
      if (kind.openChargeField === undefined || values[kind.openChargeField] === undefined) continue;
      const ofApp = this.#lines.get(packageName) ?? new Map<string, ImportLine>();
      this.#lines.set(packageName, ofApp);
      const id = String(values['firstPurchaseId']);
      if (!ofApp.has(id)) ofApp.set(id, line);
    }
  }

  /** @throws RefusedLine for the first line without its other one */
  async refuseLone(session: Session): Promise<void> {
    const lone: ImportLine[] = [];
    for (const [packageName, ofApp] of this.#lines) {
      const rows = await session.rows(findLoneCharges, [packageName, [...ofApp.keys()]]);
      lone.push(...rows.flatMap(({ firstPurchaseId }) => ofApp.get(firstPurchaseId) ?? []));
    }
    const [first] = lone.sort((left, right) => left.number - right.number);
    if (first === undefined) return;
    const expected = 'expected an openChargeTime of the subscription and a nextTryTime of its attempt';
    throw new RefusedLine(first.number, `${first.kind.openChargeField}: ${expected}, got one of the two`);
  }
}

/**
 * Takes lines of one app that were written. An attempt that is paid or unresolved belongs to a subscription that has its
 * month or has ended; an older row of the subscription would charge that month again.
 * @throws RefusedLine for the first attempt that is ahead of its subscription
 */
export async function refuseAttemptAhead(
  session: Session,
  packageName: string,
  lines: readonly ImportLine[],
): Promise<void> {
  const ended = lines.filter(
    ({ kind, values: { outcome, nextTryTime } }) =>
      kind.kind === 'renewalAttempt' &&
      (outcome === 'paid' || (outcome === undefined && nextTryTime === undefined)),
  );
  if (ended.length === 0) return;
  const ids = ended.map(({ values }) => values['firstPurchaseId']);
  const periods = ended.map(({ values }) => values['periodIndex']);
  const [ahead] = await session.rows(findAttemptAhead, [packageName, ids, periods]);
  const line = ahead && ended[ahead.position - 1];
  if (line === undefined) return;
  const problem =
    'expected a subscription that has this month or has ended, got one that would charge it again';
  throw new RefusedLine(line.number, `periodIndex: ${problem}`);
}
