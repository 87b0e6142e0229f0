// Checks of the pages and entries of the voided list. Its parameters are checked in voided-query.ts.

import { type CheckDraft, limits, resources, service, voidedQuery } from '../check.ts';
import { fieldsOf } from '../http-response.ts';
import { expectFields, expectShape, expectThat } from '../judgement.ts';
import { VoidedListShape } from '../shapes.ts';
import { inconclusive } from '../verdict.ts';
import { entriesOfAll, entryProblems, listedIds, walkVoided } from '../voided-pages.ts';

/** Entries of a page without maxResults (the specification, "Limits"). */
const maxResultsDefault = 100;

/** The second walk takes about this many pages. */
const secondWalkPages = 3;

const pageChecks: readonly CheckDraft[] = [
  resources.check('The voided list has its fields with the specified types and sizes.', async (run) =>
    expectShape(await run.call('getVoidedPurchases'), VoidedListShape),
  ),
  limits.check(`Without maxResults, a page has at most ${maxResultsDefault} entries.`, async (run) => {
    const pages = await run.voidedPages();
    const longest = Math.max(...pages.map(({ entries }) => entries.length));
    if (longest > maxResultsDefault) return `A page had ${longest} entries.`;
    if (pages.length > 1) return undefined;
    return inconclusive(`No more than ${maxResultsDefault} voided purchases are listed.`);
  }),
  voidedQuery.check('With maxResults 1, a page has one entry.', async (run) => {
    const page = await run.firstPage();
    return expectThat(listedIds(page).length === 1, 'Expected one entry.', page);
  }),
  resources.check('A continuationKey is present if more voided purchases remain.', async (run) => {
    const page = await run.firstPage();
    return expectThat(Object.hasOwn(fieldsOf(page), 'continuationKey'), 'Expected a continuationKey.', page);
  }),
  voidedQuery.check('A continuationKey leads to the next entries.', async (run) => {
    const [before] = listedIds(await run.firstPage());
    const page = await run.secondPage();
    const [next] = listedIds(page);
    const isFurther = next !== undefined && next !== before;
    return expectThat(isFurther, 'Expected an entry that the previous page does not have.', page);
  }),
  resources.check('A continuationKey is absent if no voided purchase remains.', async (run) => {
    const { entries, ledBy } = (await run.voidedPages()).at(-1) ?? { entries: [] };
    if (entries.length === 0) return `The continuationKey ${ledBy} led to a page without an entry.`;
    // Reads the last page again, with maxResults equal to the number of its entries.
    const query = { maxResults: String(entries.length), ...(ledBy && { continuationKey: ledBy }) };
    const last = await run.call('getVoidedPurchases', {}, { query });
    const { continuationKey } = fieldsOf(last);
    if (continuationKey === undefined) return undefined;
    // A key is correct if a purchase has been voided since then.
    const more = { query: { continuationKey: String(continuationKey) } };
    const isMore = listedIds(await run.call('getVoidedPurchases', {}, more)).length > 0;
    return expectThat(isMore, 'Expected no continuationKey.', last);
  }),
  voidedQuery.check('A walk lists each voided purchase once, whatever maxResults is.', async (run) => {
    const ids = entriesOfAll(await run.voidedPages()).map(({ purchaseId }) => purchaseId);
    const size = Math.min(Math.ceil(ids.length / secondWalkPages), maxResultsDefault);
    const again = await walkVoided(run.call, { maxResults: String(size) });
    if (typeof again === 'string') return again;
    const idsAgain = entriesOfAll(again).map(({ purchaseId }) => purchaseId);
    const double = idsAgain.find((id, place) => idsAgain.indexOf(id) !== place);
    const left = ids.find((id) => !idsAgain.includes(id));
    return [
      double && `With maxResults ${size}, the walk listed ${double} more than once.`,
      left && `With maxResults ${size}, the walk did not list ${left}.`,
    ];
  }),
];

const entryChecks: readonly CheckDraft[] = [
  resources.check(
    'An entry of the voided list has all three fields with the specified types and sizes.',
    async (run) => entryProblems(await run.listedPage()),
  ),
  service.check('A voided purchase is in the voided list.', async (run) => {
    const { purchaseId } = await run.voidedPurchase();
    if (entriesOfAll(await run.voidedPages()).some((entry) => entry.purchaseId === purchaseId))
      return undefined;
    const problem = `${purchaseId} is not in the voided list.`;
    if (run.isVoidRecent()) return problem;
    return inconclusive(`${problem} It may have been voided more than a month ago.`);
  }),
  service.check('A purchase that is not voided is not in the voided list.', async (run) => {
    const { purchaseId } = await run.unconsumedPurchase();
    const pages = await walkVoided(run.call);
    if (typeof pages === 'string') return inconclusive(pages);
    const isListed = entriesOfAll(pages).some((entry) => entry.purchaseId === purchaseId);
    return isListed ? `${purchaseId} is in the voided list.` : undefined;
  }),
  resources.check('An entry has the purchaseTime of the purchase details.', async (run) => {
    const { purchaseId } = await run.voidedPurchase();
    const entry = entriesOfAll(await run.voidedPages()).find((one) => one.purchaseId === purchaseId);
    if (entry === undefined) return inconclusive(`${purchaseId} is not in the voided list.`);
    const { purchaseTime } = entry;
    return expectFields(await run.call('getPurchaseDetails', { purchaseId }), { purchaseTime });
  }),
];

export const voidedListChecks: readonly CheckDraft[] = [...pageChecks, ...entryChecks];
