// Checks that the actions of an export are complete and unchanged: each continues the chain of the one before.

import { actionHash } from '../../domain/audit/action-hash.ts';
import type { ImportLine } from '../../store/transfer/import-lines.ts';

type Values = Parameters<typeof actionHash>[0];

/** The last action read; the actions of an app follow each other in an export. */
interface Position {
  readonly packageName: unknown;
  readonly order: number;
  readonly hash: Buffer | null;
}

export class ActionChain {
  #last: Position = { packageName: undefined, order: 0, hash: null };

  /** Returns the problem of an action that does not continue the chain. */
  check({
    packageName,
    values: { hash, ...values },
  }: Pick<ImportLine, 'packageName' | 'values'>): string | undefined {
    const fields = { packageName, ...values } as Values;
    const { order } = values;
    const isSameApp = this.#last.packageName === packageName;
    const last = isSameApp ? this.#last : { order: 0, hash: null };
    const expected = actionHash(fields, last.hash);
    if (order !== last.order + 1) return `order: expected ${last.order + 1}`;
    if (hash !== expected.toString('hex')) return 'hash: expected that of an unchanged chain of actions';
    this.#last = { packageName, order: last.order + 1, hash: expected };
    return undefined;
  }
}
