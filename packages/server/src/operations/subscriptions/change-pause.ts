// Pauses or resumes renewals of the store or of one app, and returns what they are like then.

import type { Renewals } from '@opentill/contract/renewals.ts';
import { wholeStore } from '../../domain/identifiers.ts';
import { lockApp } from '../../store/apps/apps.ts';
import type { Queryable } from '../../store/connection/database.ts';
import type { Store } from '../../store/store.ts';
import { type OperatorCall, responded } from '../operator-handler.ts';
import { noSuchApp, type Refusal } from '../refusal.ts';
import { readRenewals } from './read-renewals.ts';

interface PauseCall extends Pick<OperatorCall, 'recordAction'> {
  /** Without a package name it concerns all apps. */
  readonly body: { readonly packageName?: string };
}

/** `change` gets the package name of the row, and returns false if it changes nothing. */
export async function changePause(
  store: Store,
  { body: { packageName }, recordAction }: PauseCall,
  change: (transaction: Queryable, packageName: string) => Promise<boolean>,
): Promise<{ readonly status: 200; readonly body: Renewals } | Refusal<'notFound'>> {
  const of = { packageName: packageName ?? wholeStore };
  const isThere = await store.database.transaction(of, async (transaction) => {
    if (packageName !== undefined && (await lockApp(transaction, packageName)) === undefined) return false;
    if (await change(transaction, of.packageName)) await recordAction(transaction, of.packageName);
    return true;
  });
  // A resume may have confirmed the database's time.
  await store.clock.readMark(store.database);
  const body = isThere ? await readRenewals(store, packageName) : undefined;
  return body === undefined ? noSuchApp(packageName ?? '') : responded(200, body);
}
