// Converts a month for the operator API.

import { soFar } from '@opentill/contract/open-month.ts';
import {
  type Statement,
  type StatementCounts,
  type StatementOfProducts,
  Statement as StatementResponse,
} from '@opentill/contract/statements.ts';
import type { MonthRow } from '../../store/months/closed-months.ts';
import { addCounts, noCounts, type ProductSums } from '../../store/months/month-sums.ts';
import type { OpenMonth } from '../../store/months/open-months.ts';
import { shown } from '../shown.ts';

const withNet = <Sums extends StatementCounts>(sums: Sums) => ({
  ...sums,
  netAmount: sums.salesAmount + sums.renewalsAmount - sums.refundsAmount,
});

export function closedStatement(
  { month: name, isFirst, isIncomplete, totals, ...row }: MonthRow,
  packageName: string,
): Statement {
  return shown(StatementResponse, {
    packageName,
    name,
    ...row,
    isFirst: isFirst || null,
    isIncomplete: isIncomplete || null,
    totals: totals.map(withNet),
  });
}

export function openStatement(
  { firstOrder, eventOrder, isFirst }: OpenMonth,
  products: readonly ProductSums[],
  app: { readonly packageName: string; readonly timeZone: string },
): StatementOfProducts {
  const ofCurrency = Map.groupBy(products, ({ currency }) => currency);
  const totals = [...ofCurrency].map(([currency, sums]) => ({
    currency,
    ...sums.reduce(addCounts, noCounts),
  }));
  const values = {
    ...{ ...app, name: soFar, firstOrder, lastOrder: eventOrder, closedAt: null, isIncomplete: null },
    isFirst: isFirst || null,
    totals: totals.map(withNet),
  } as const;
  return withProducts(shown(StatementResponse, values), products);
}

export function withProducts(statement: Statement, products: readonly ProductSums[]): StatementOfProducts {
  return { ...statement, products: products.map(withNet) };
}
