// Checks of the shape of errors, which is the same for all causes.

import { type CheckDraft, errors } from '../check.ts';
import { type Evidence, unknownPurchase } from '../evidence.ts';
import { fieldsOf, type HttpResponse } from '../http-response.ts';
import { expectThat } from '../judgement.ts';
import { ErrorShape, shapeProblems } from '../shapes.ts';

/** Calls without effect that every correct server rejects. */
const refusedCalls: readonly (readonly [
  what: string,
  send: (evidence: Evidence) => Promise<HttpResponse>,
])[] = [
  ['an invalid token request', (run) => run.requestToken({ form: { grant_type: 'password' } })],
  ['a call with an invalid token', (run) => run.call('getVoidedPurchases', {}, { token: 'not-a-token' })],
  ['a read of an unknown purchase', (run) => run.call('getPurchaseDetails', unknownPurchase)],
  ['an invalid query', (run) => run.call('getVoidedPurchases', {}, { query: { maxResults: 'all' } })],
  [
    'a call with the package name of another app',
    (run) => run.call('getVoidedPurchases', { packageName: 'no.such.package' }),
  ],
  ['the consumption of an unknown purchase', (run) => run.call('consumePurchase', unknownPurchase)],
];

export const errorChecks: readonly CheckDraft[] = refusedCalls.map(([what, send]) =>
  errors.check(`The response to ${what} is a JSON error with an integer code and a message.`, async (run) => {
    await run.validCall();
    const response = await send(run);
    const problems = shapeProblems(ErrorShape, fieldsOf(response)['error']);
    return expectThat(problems.length === 0, `error: ${problems.join(' ')}`, response);
  }),
);
