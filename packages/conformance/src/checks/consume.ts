// Consuming: what can be consumed, once, and what it is refused for.

import { consumePurchase } from '@opentill/contract/purchase-api/consumePurchase.ts';
import { isSuccess, shown } from '../answer.ts';
import { type CheckDraft, check, numbered } from '../check.ts';
import { consumptionUnchangeable, notPurchaseCompleted } from '../error-codes.ts';
import { unknownPurchase } from '../evidence/purchases.ts';
import { expectError, expectFields, expectShape } from '../judgement.ts';
import { ConsumptionShape } from '../shapes.ts';
import { judged } from '../verdict.ts';

const refusals: readonly CheckDraft[] = [
  check({
    section: 'States and transitions',
    rule: 'A purchase that does not exist is refused with 9200.',
    needs: ['caller', 'rightCall'],
    run: async ({ caller }) => {
      const answer = await caller.call(consumePurchase, { path: { purchaseId: unknownPurchase } });
      return judged(expectError(answer, notPurchaseCompleted));
    },
  }),
  check({
    section: 'States and transitions',
    rule: 'A cancelled purchase is refused with 9200.',
    changes: true,
    needs: ['caller', 'voidedPurchase'],
    run: async ({ caller, voidedPurchase: { purchaseId } }) => {
      const answer = await caller.call(consumePurchase, { path: { purchaseId } });
      return judged(expectError(answer, notPurchaseCompleted));
    },
  }),
  check({
    section: 'States and transitions',
    rule: 'A purchase that was consumed before is refused with 9201.',
    changes: true,
    needs: ['caller', 'consumedPurchase'],
    run: async ({ caller, consumedPurchase: purchaseId }) => {
      const answer = await caller.call(consumePurchase, { path: { purchaseId } });
      return judged(expectError(answer, consumptionUnchangeable));
    },
  }),
];

const consumptions: readonly CheckDraft[] = [
  check({
    section: 'Endpoints',
    rule: 'A GET consumes nothing.',
    changes: true,
    needs: ['consumption'],
    run: ({ consumption: { byGet, detailsAfterGet } }) =>
      judged(
        isSuccess(byGet) ? `Expected it to be refused. ${shown(byGet)}` : undefined,
        expectFields(detailsAfterGet, { consumptionState: 0 }),
      ),
  }),
  check({
    section: 'Resources and their fields',
    rule: 'The result of a consumption has both fields, of their types and sizes.',
    changes: true,
    needs: ['consumption'],
    run: ({ consumption: { first } }) => judged(expectShape(first, ConsumptionShape)),
  }),
  check({
    section: 'States and transitions',
    rule: 'A completed purchase is consumed: the answer has consumptionState 1.',
    changes: true,
    needs: ['consumption'],
    run: ({ consumption: { first } }) => judged(expectFields(first, { consumptionState: 1 })),
  }),
  check({
    section: 'States and transitions',
    rule: 'The answer names the purchase that was consumed.',
    changes: true,
    needs: ['consumption'],
    run: ({ consumption: { first, purchaseId } }) => judged(expectFields(first, { purchaseId })),
  }),
  check({
    section: 'States and transitions',
    rule: 'The details of a purchase that was just consumed show consumptionState 1.',
    changes: true,
    needs: ['consumption'],
    run: ({ consumption: { detailsAfterFirst } }) =>
      judged(expectFields(detailsAfterFirst, { consumptionState: 1 })),
  }),
  check({
    section: 'States and transitions',
    rule: 'Consuming again is refused with 9201.',
    changes: true,
    needs: ['consumption'],
    run: ({ consumption: { second } }) => judged(expectError(second, consumptionUnchangeable)),
  }),
  check({
    section: 'States and transitions',
    rule: 'Consuming again changes nothing: consumptionState stays 1.',
    changes: true,
    needs: ['consumption'],
    run: ({ consumption: { detailsAfterSecond } }) =>
      judged(expectFields(detailsAfterSecond, { consumptionState: 1 })),
  }),
  check({
    section: 'States and transitions',
    rule: 'Of many that consume a purchase at the same time one succeeds, and the others get 9201.',
    changes: true,
    needs: ['race'],
    run: ({ race: answers }) => {
      const succeeded = answers.filter(isSuccess);
      const others = answers.filter((answer) => !isSuccess(answer));
      const count = `${succeeded.length} of ${answers.length} succeeded: expected one.`;
      return judged(
        succeeded.length === 1 ? undefined : count,
        ...others.map((answer) => expectError(answer, consumptionUnchangeable)),
      );
    },
  }),
];

export const consumeChecks = numbered('consume', [...refusals, ...consumptions]);
