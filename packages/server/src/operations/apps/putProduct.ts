// Creates a product of an app or replaces it as a whole; an identical product stays unchanged.

import { isDeepStrictEqual } from 'node:util';
import type { ActionDetail } from '@opentill/contract/actions.ts';
import { problemOfNewCurrency } from '@opentill/contract/currencies.ts';
import { putProduct as operation } from '@opentill/contract/operator-api/putProduct.ts';
import { findApp } from '../../store/apps/apps.ts';
import {
  findProduct,
  insertProduct,
  lockProduct,
  type ProductRow,
  updateProduct,
} from '../../store/apps/products.ts';
import type { Database, Queryable } from '../../store/connection/database.ts';
import type { Store } from '../../store/store.ts';
import { type CallOf, type OperatorHandler, operatorHandler, responded } from '../operator-handler.ts';
import { noPaymentGateway, noSuchApp, refuseValue } from '../refusal.ts';
import { productResponse } from './responses.ts';

type Call = CallOf<typeof operation>;

export function putProduct({ database }: Store, allowsSubscriptions: boolean): OperatorHandler {
  return operatorHandler(operation, async (call) => {
    const { packageName, productId } = call.path;
    if (call.body.type === 'subscription' && !allowsSubscriptions) {
      return noPaymentGateway();
    }
    if (call.body.type === 'oneTime' && call.body.period !== undefined) {
      const message = 'expected none for a one-time product';
      return refuseValue('invalidRequest', '/period', message);
    }
    if ((await findApp(database, packageName)) === undefined) return noSuchApp(packageName);
    const problem = problemOfNewCurrency(call.body.currency);
    if (problem !== undefined && (await findProduct(database, call.path))?.currency !== call.body.currency) {
      return refuseValue('invalidRequest', '/currency', problem);
    }
    const { outcome, product } = await writeProduct(database, call);
    switch (outcome) {
      case 'created':
        return responded(201, productResponse(product));
      case 'replaced':
        return responded(200, productResponse(product));
      case 'otherType': {
        const message = `expected ${product.type}, the type of the existing product ${productId}, got ${call.body.type}`;
        return refuseValue('conflict', '/type', message);
      }
      case 'otherPeriod': {
        const message = `expected ${product.period}, the period of the existing product ${productId}, got ${call.body.period ?? 'P1M, the default'}`;
        return refuseValue('conflict', '/period', message);
      }
    }
  });
}

interface Written {
  readonly outcome: 'created' | 'replaced' | 'otherType' | 'otherPeriod';
  readonly product: ProductRow;
}

function writeProduct(database: Database, { path, body, now, recordAction }: Call): Promise<Written> {
  const period = body.type === 'subscription' ? (body.period ?? 'P1M') : null;
  const wanted = { ...path, ...body, period, title: body.title ?? null, createdAt: now, updatedAt: now };
  return database.transaction({ packageName: path.packageName }, async (transaction) => {
    const written = await insertOrReplace(transaction, wanted);
    if (written.changed) await recordAction(transaction, path.packageName, changeableOf(wanted));
    return written;
  });
}

async function insertOrReplace(
  transaction: Queryable,
  wanted: ProductRow,
): Promise<Written & { readonly changed: boolean }> {
  const inserted = await insertProduct(transaction, wanted);
  if (inserted !== undefined) return { outcome: 'created', product: inserted, changed: true };
  const locked = await lockProduct(transaction, wanted);
  if (locked === undefined) throw new Error('Cannot lock an existing product.');
  if (locked.type !== wanted.type) return { outcome: 'otherType', product: locked, changed: false };
  if (locked.period !== wanted.period) {
    return { outcome: 'otherPeriod', product: locked, changed: false };
  }
  if (isDeepStrictEqual(changeableOf(locked), changeableOf(wanted)))
    return { outcome: 'replaced', product: locked, changed: false };
  return { outcome: 'replaced', product: await updateProduct(transaction, wanted), changed: true };
}

/** Everything that putProduct can change. */
function changeableOf({ title, price, currency, type, period }: ProductRow): ActionDetail {
  return {
    type,
    ...(period !== null && { period }),
    price,
    currency,
    ...(title !== null && { title }),
  };
}
