// Checks of the pages and entries of the voided list. Its parameters are checked in voided-query.ts.

import { getPurchaseDetails } from '@opentill/contract/purchase-api/getPurchaseDetails.ts';
import { getVoidedPurchases } from '@opentill/contract/purchase-api/getVoidedPurchases.ts';
import { type Answer, fieldsOf, isObject, responseText } from '../answer.ts';
import { type CheckDraft, check } from '../check.ts';
import { entriesOfAll, walkVoided } from '../evidence/voids.ts';
import { expectFields, expectShape } from '../judgement.ts';
import { shapeProblems, VoidedEntryShape, VoidedListShape } from '../shapes.ts';
import { cannotTell, judged, pass } from '../verdict.ts';

/** Entries of a page without maxResults (the specification, "Limits"). */
const maxResultsDefault = 100;

/** The second walk takes about this many pages. */
const secondWalkPages = 3;

const pageChecks: readonly CheckDraft[] = [
  check({
    section: 'Resources and their fields',
    rule: 'The voided list has its fields with the specified types and sizes.',
    needs: ['caller'],
    run: async ({ caller }) => judged(expectShape(await caller.call(getVoidedPurchases), VoidedListShape)),
  }),
  check({
    section: 'Limits',
    rule: `Without maxResults, a page has at most ${maxResultsDefault} entries.`,
    needs: ['voidedPages'],
    run: ({ voidedPages }) => {
      const longest = Math.max(...voidedPages.map(({ entries }) => entries.length));
      if (longest > maxResultsDefault) return judged(`A page had ${longest} entries.`);
      if (voidedPages.length > 1) return pass;
      return cannotTell(`No more than ${maxResultsDefault} voided purchases are listed.`);
    },
  }),
  check({
    section: 'getVoidedPurchases query parameters',
    rule: 'With maxResults 1, a page has one entry.',
    needs: ['firstPage'],
    run: ({ firstPage }) =>
      judged(
        listedIds(firstPage).length === 1 ? undefined : `Expected one entry. ${responseText(firstPage)}`,
      ),
  }),
  check({
    section: 'Resources and their fields',
    rule: 'A continuationKey is present if more voided purchases remain.',
    needs: ['firstPage'],
    run: ({ firstPage }) => {
      const isThere = Object.hasOwn(fieldsOf(firstPage), 'continuationKey');
      return judged(isThere ? undefined : `Expected a continuationKey. ${responseText(firstPage)}`);
    },
  }),
  check({
    section: 'getVoidedPurchases query parameters',
    rule: 'A continuationKey leads to the next entries.',
    needs: ['firstPage', 'secondPage'],
    run: ({ firstPage, secondPage }) => {
      const [before] = listedIds(firstPage);
      const [next] = listedIds(secondPage);
      const isFurther = next !== undefined && next !== before;
      return judged(
        isFurther
          ? undefined
          : `Expected an entry that the previous page does not have. ${responseText(secondPage)}`,
      );
    },
  }),
  check({
    section: 'Resources and their fields',
    rule: 'A continuationKey is absent if no voided purchase remains.',
    needs: ['caller', 'voidedPages'],
    run: async ({ caller, voidedPages }) => {
      const { entries, ledBy } = voidedPages.at(-1) ?? { entries: [] };
      if (entries.length === 0) return judged(`The continuationKey ${ledBy} led to a page without an entry.`);
      // Reads the last page again, with maxResults equal to the number of its entries.
      const query = { maxResults: String(entries.length), ...(ledBy && { continuationKey: ledBy }) };
      const last = await caller.call(getVoidedPurchases, { query });
      const { continuationKey } = fieldsOf(last);
      if (continuationKey === undefined) return pass;
      // A key is correct if a purchase has been voided since then.
      const more = { query: { continuationKey: String(continuationKey) } };
      const isMore = listedIds(await caller.call(getVoidedPurchases, more)).length > 0;
      return judged(isMore ? undefined : `Expected no continuationKey. ${responseText(last)}`);
    },
  }),
  check({
    section: 'getVoidedPurchases query parameters',
    rule: 'A walk lists each voided purchase once, whatever maxResults is.',
    needs: ['caller', 'voidedPages'],
    run: async ({ caller, voidedPages }) => {
      const ids = entriesOfAll(voidedPages).map(({ purchaseId }) => purchaseId);
      const size = Math.min(Math.ceil(ids.length / secondWalkPages), maxResultsDefault);
      const again = await walkVoided(caller, { maxResults: String(size) });
      if ('missing' in again) return judged(again.missing);
      const idsAgain = entriesOfAll(again.found).map(({ purchaseId }) => purchaseId);
      const double = idsAgain.find((id, place) => idsAgain.indexOf(id) !== place);
      const left = ids.find((id) => !idsAgain.includes(id));
      return judged(
        double && `With maxResults ${size}, the walk listed ${double} more than once.`,
        left && `With maxResults ${size}, the walk did not list ${left}.`,
      );
    },
  }),
];

const entryChecks: readonly CheckDraft[] = [
  check({
    section: 'Resources and their fields',
    rule: 'An entry of the voided list has all three fields with the specified types and sizes.',
    needs: ['listedPage'],
    run: ({ listedPage }) => {
      const list = fieldsOf(listedPage)['voidedPurchaseList'] as readonly unknown[];
      const problems = list.flatMap((entry) => shapeProblems(VoidedEntryShape, entry));
      return judged(problems.length === 0 ? undefined : `${problems.join(' ')} ${responseText(listedPage)}`);
    },
  }),
  check({
    section: 'What the service does',
    rule: 'A voided purchase is in the voided list.',
    needs: ['voidedPurchase', 'voidedPages'],
    run: ({ voidedPurchase: { purchaseId, isRecent }, voidedPages }) => {
      if (entriesOfAll(voidedPages).some((entry) => entry.purchaseId === purchaseId)) return pass;
      const problem = `${purchaseId} is not in the voided list.`;
      return isRecent
        ? judged(problem)
        : cannotTell(`${problem} It may have been voided more than a month ago.`);
    },
  }),
  check({
    section: 'What the service does',
    rule: 'A purchase that is not voided is not in the voided list.',
    needs: ['caller', 'unconsumedPurchase'],
    run: async ({ caller, unconsumedPurchase }) => {
      const pages = await walkVoided(caller);
      if ('missing' in pages) return cannotTell(pages.missing);
      const isListed = entriesOfAll(pages.found).some(({ purchaseId }) => purchaseId === unconsumedPurchase);
      return judged(isListed ? `${unconsumedPurchase} is in the voided list.` : undefined);
    },
  }),
  check({
    section: 'Resources and their fields',
    rule: 'An entry has the purchaseTime of the purchase details.',
    needs: ['caller', 'voidedPurchase', 'voidedPages'],
    run: async ({ caller, voidedPurchase: { purchaseId }, voidedPages }) => {
      const entry = entriesOfAll(voidedPages).find((one) => one.purchaseId === purchaseId);
      if (entry === undefined) return cannotTell(`${purchaseId} is not in the voided list.`);
      const details = await caller.call(getPurchaseDetails, { path: { purchaseId } });
      return judged(expectFields(details, { purchaseTime: entry.purchaseTime }));
    },
  }),
  check({
    section: 'Resources and their fields',
    rule: 'The voidedTime of an entry is not before its purchaseTime.',
    needs: ['voidedPages'],
    run: ({ voidedPages }) => {
      const wrong = entriesOfAll(voidedPages).find(
        ({ purchaseTime, voidedTime }) => voidedTime < purchaseTime,
      );
      return judged(wrong && `${JSON.stringify(wrong)}: expected voidedTime not before purchaseTime.`);
    },
  }),
];

/** The purchase ids of a page, even if its entries lack other fields. */
function listedIds(page: Answer): readonly unknown[] {
  const { voidedPurchaseList: list } = fieldsOf(page);
  return Array.isArray(list) ? list.map((entry) => (isObject(entry) ? entry['purchaseId'] : undefined)) : [];
}

export const voidedListChecks: readonly CheckDraft[] = [...pageChecks, ...entryChecks];
