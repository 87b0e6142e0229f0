// Checks that imported subscriptions with an open charge have an open attempt, which renewals retry, and the other way
// around; and that those with an unresolved attempt have ended, because no other attempt could begin.

import type { Session } from '../connection/session.ts';
import type { ImportLine } from './import-lines.ts';
import { findLoneCharges } from './import-statements.ts';
import { RefusedLine } from './refused-line.ts';

export class OpenCharges {
  /** By app and first purchase id: the first imported line of each open charge. */
  readonly #lines = new Map<string, Map<string, ImportLine>>();

  /** Takes lines that were written. */
  note(lines: readonly ImportLine[]): void {
    for (const line of lines) {
      const { kind, packageName, values } = line;
      if (kind.openChargeField === undefined) continue;
      const isUnresolved = kind.kind === 'renewalAttempt' && values['outcome'] === undefined;
      if (values[kind.openChargeField] === undefined && !isUnresolved) continue;
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
    const { openChargeField = '' } = first.kind;
    if (first.values[openChargeField] === undefined) {
      throw new RefusedLine(
        first.number,
        'outcome: expected one while the subscription can be renewed, got none',
      );
    }
    const expected = 'expected an openChargeTime of the subscription and a nextTryTime of its attempt';
    throw new RefusedLine(first.number, `${openChargeField}: ${expected}, got one of the two`);
  }
}
