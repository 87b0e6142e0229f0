// Checks of consumePurchase: a purchase is consumed at most once, and other consumptions are rejected.

import { consumePurchase } from '@opentill/contract/purchase-api/consumePurchase.ts';
import { isSuccess, responseText } from '../answer.ts';
import { type CheckDraft, check, numbered } from '../check.ts';
import { consumptionUnchangeable, notPurchaseCompleted } from '../error-codes.ts';
import { unknownPurchase } from '../evidence/purchases.ts';
import { expectError, expectFields, expectShape } from '../judgement.ts';
import { ConsumptionShape } from '../shapes.ts';
import { judged } from '../verdict.ts';

const refusals: readonly CheckDraft[] = [
  check({
    section: 'States and transitions',
    rule: 'Consuming a purchase that does not exist is rejected with 9200.',
    needs: ['caller', 'rightCall'],
    run: async ({ caller }) => {
      const answer = await caller.call(consumePurchase, { path: { purchaseId: unknownPurchase } });
      return judged(expectError(answer, notPurchaseCompleted));
    },
  }),
  check({
    section: 'States and transitions',
    rule: 'Consuming a cancelled purchase is rejected with 9200.',
    changes: true,
    needs: ['caller', 'voidedPurchase'],
    run: async ({ caller, voidedPurchase: { purchaseId } }) => {
      const answer = await caller.call(consumePurchase, { path: { purchaseId } });
      return judged(expectError(answer, notPurchaseCompleted));
    },
  }),
  check({
    section: 'States and transitions',
    rule: 'Consuming a purchase that was already consumed is rejected with 9201.',
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
    rule: 'A GET request does not consume a purchase.',
    changes: true,
    needs: ['consumption'],
    run: ({ consumption: { byGet, detailsAfterGet } }) =>
      judged(
        isSuccess(byGet) ? `Expected an error. ${responseText(byGet)}` : undefined,
        expectFields(detailsAfterGet, { consumptionState: 0 }),
      ),
  }),
  check({
    section: 'Resources and their fields',
    rule: 'The response to a consumption has both fields with the specified types and sizes.',
    changes: true,
    needs: ['consumption'],
    run: ({ consumption: { first } }) => judged(expectShape(first, ConsumptionShape)),
  }),
  check({
    section: 'States and transitions',
    rule: 'Consuming a completed purchase returns consumptionState 1.',
    changes: true,
    needs: ['consumption'],
    run: ({ consumption: { first } }) => judged(expectFields(first, { consumptionState: 1 })),
  }),
  check({
    section: 'States and transitions',
    rule: 'The response has the purchaseId of the consumed purchase.',
    changes: true,
    needs: ['consumption'],
    run: ({ consumption: { first, purchaseId } }) => judged(expectFields(first, { purchaseId })),
  }),
  check({
    section: 'States and transitions',
    rule: 'After a consumption, the details of the purchase have consumptionState 1.',
    changes: true,
    needs: ['consumption'],
    run: ({ consumption: { detailsAfterFirst } }) =>
      judged(expectFields(detailsAfterFirst, { consumptionState: 1 })),
  }),
  check({
    section: 'States and transitions',
    rule: 'Consuming again is rejected with 9201.',
    changes: true,
    needs: ['consumption'],
    run: ({ consumption: { second } }) => judged(expectError(second, consumptionUnchangeable)),
  }),
  check({
    section: 'States and transitions',
    rule: 'Consuming again does not change the purchase: consumptionState stays 1.',
    changes: true,
    needs: ['consumption'],
    run: ({ consumption: { detailsAfterSecond } }) =>
      judged(expectFields(detailsAfterSecond, { consumptionState: 1 })),
  }),
  check({
    section: 'States and transitions',
    rule: 'When several calls consume a purchase concurrently, one succeeds and the others get 9201.',
    changes: true,
    needs: ['race'],
    run: ({ race: answers }) => {
      const succeeded = answers.filter(isSuccess);
      const others = answers.filter((answer) => !isSuccess(answer));
      const count = `Expected one of ${answers.length} calls to succeed, got ${succeeded.length}.`;
      return judged(
        succeeded.length === 1 ? undefined : count,
        ...others.map((answer) => expectError(answer, consumptionUnchangeable)),
      );
    },
  }),
];

export const consumeChecks = numbered('consume', [...refusals, ...consumptions]);
