// Checks of consumePurchase: a purchase is consumed at most once, and other consumptions are rejected.

import { type CheckDraft, endpoints, resources, states } from '../check.ts';
import { unknownPurchase } from '../evidence.ts';
import { isSuccess } from '../http-response.ts';
import { expectError, expectFields, expectShape, expectThat } from '../judgement.ts';
import { ConsumptionShape } from '../shapes.ts';

const notConsumed = { consumptionState: 0 };
const consumed = { consumptionState: 1 };

export const consumeChecks: readonly CheckDraft[] = [
  states.check('Consuming a purchase that does not exist is rejected with 9200.', async (run) =>
    expectError(await run.wrongCall('consumePurchase', unknownPurchase), 'notPurchaseCompleted'),
  ),
  states.changing('Consuming a cancelled purchase is rejected with 9200.', async (run) =>
    expectError(await run.call('consumePurchase', await run.voidedPurchase()), 'notPurchaseCompleted'),
  ),
  states.changing('Consuming a purchase that was already consumed is rejected with 9201.', async (run) =>
    expectError(await run.call('consumePurchase', await run.consumedPurchase()), 'consumptionUnchangeable'),
  ),
  endpoints.changing('A GET request does not consume a purchase.', async (run) => {
    const { byGet, detailsAfterGet } = await run.consumption();
    return [
      expectThat(!isSuccess(byGet), 'Expected an error.', byGet),
      expectFields(detailsAfterGet, notConsumed),
    ];
  }),
  resources.changing(
    'The response to a consumption has both fields with the specified types and sizes.',
    async (run) => expectShape((await run.consumption()).first, ConsumptionShape),
  ),
  states.changing('Consuming a completed purchase returns consumptionState 1.', async (run) =>
    expectFields((await run.consumption()).first, consumed),
  ),
  states.changing('The response has the purchaseId of the consumed purchase.', async (run) => {
    const { first, purchaseId } = await run.consumption();
    return expectFields(first, { purchaseId });
  }),
  states.changing('After a consumption, the details of the purchase have consumptionState 1.', async (run) =>
    expectFields((await run.consumption()).detailsAfterFirst, consumed),
  ),
  states.changing('Consuming again is rejected with 9201.', async (run) =>
    expectError((await run.consumption()).second, 'consumptionUnchangeable'),
  ),
  states.changing('Consuming again does not change the purchase: consumptionState stays 1.', async (run) =>
    expectFields((await run.consumption()).detailsAfterSecond, consumed),
  ),
  states.changing(
    'When several calls consume a purchase concurrently, one succeeds and the others get 9201.',
    async (run) => {
      const responses = await run.race();
      const others = responses.filter((response) => !isSuccess(response));
      const succeeded = responses.length - others.length;
      return [
        succeeded === 1
          ? undefined
          : `Expected one of ${responses.length} calls to succeed, got ${succeeded}.`,
        ...others.map((response) => expectError(response, 'consumptionUnchangeable')),
      ];
    },
  ),
];
