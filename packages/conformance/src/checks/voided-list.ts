// The pages of the voided list, and what stands on them. What may be asked of it: voided-query.ts.

import { getPurchaseDetails } from '@opentill/contract/purchase-api/getPurchaseDetails.ts';
import { getVoidedPurchases } from '@opentill/contract/purchase-api/getVoidedPurchases.ts';
import { type Answer, fieldsOf, isObject, shown } from '../answer.ts';
import { type CheckDraft, check } from '../check.ts';
import { entriesOfAll, walkVoided } from '../evidence/voids.ts';
import { expectFields, expectShape } from '../judgement.ts';
import { shapeProblems, VoidedEntryShape, VoidedListShape } from '../shapes.ts';
import { cannotTell, judged, pass } from '../verdict.ts';

/** Entries of a page, where no other number was asked for (the specification, "Limits"). */
const maxResultsDefault = 100;

/** A second walk is made in about so many pages. */
const secondWalkPages = 3;

const pageChecks: readonly CheckDraft[] = [
  check({
    section: 'Resources and their fields',
    rule: 'The voided list has the fields of its table, of their types and sizes.',
    needs: ['caller'],
    run: async ({ caller }) => judged(expectShape(await caller.call(getVoidedPurchases), VoidedListShape)),
  }),
  check({
    section: 'Limits',
    rule: `A page has at most ${maxResultsDefault} entries, where no number was asked for.`,
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
    rule: 'With maxResults 1 a page has one entry.',
    needs: ['firstPage'],
    run: ({ firstPage }) =>
      judged(listedIds(firstPage).length === 1 ? undefined : `Expected one entry. ${shown(firstPage)}`),
  }),
  check({
    section: 'Resources and their fields',
    rule: 'A continuationKey is present when more voided purchases remain.',
    needs: ['firstPage'],
    run: ({ firstPage }) => {
      const isThere = Object.hasOwn(fieldsOf(firstPage), 'continuationKey');
      return judged(isThere ? undefined : `Expected a continuationKey. ${shown(firstPage)}`);
    },
  }),
  check({
    section: 'getVoidedPurchases query parameters',
    rule: 'A continuationKey leads to the further entries.',
    needs: ['firstPage', 'secondPage'],
    run: ({ firstPage, secondPage }) => {
      const [before] = listedIds(firstPage);
      const [next] = listedIds(secondPage);
      const isFurther = next !== undefined && next !== before;
      return judged(
        isFurther ? undefined : `Expected another entry than on the page before. ${shown(secondPage)}`,
      );
    },
  }),
  check({
    section: 'Resources and their fields',
    rule: 'A continuationKey is absent when no voided purchase remains.',
    needs: ['caller', 'voidedPages'],
    run: async ({ caller, voidedPages }) => {
      const { entries, ledBy } = voidedPages.at(-1) ?? { entries: [] };
      if (entries.length === 0) return judged(`The continuationKey ${ledBy} led to a page without an entry.`);
      // The last page once more, asked for with just as many entries as it has.
      const query = { maxResults: String(entries.length), ...(ledBy && { continuationKey: ledBy }) };
      const last = await caller.call(getVoidedPurchases, { query });
      const { continuationKey } = fieldsOf(last);
      if (continuationKey === undefined) return pass;
      // Unless something has been voided meanwhile.
      const more = { query: { continuationKey: String(continuationKey) } };
      const isMore = listedIds(await caller.call(getVoidedPurchases, more)).length > 0;
      return judged(isMore ? undefined : `Expected no continuationKey. ${shown(last)}`);
    },
  }),
  check({
    section: 'getVoidedPurchases query parameters',
    rule: 'A walk gives each voided purchase once, however long its pages are.',
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
        double && `With maxResults ${size} the walk gave ${double} more than once.`,
        left && `With maxResults ${size} the walk did not give ${left}.`,
      );
    },
  }),
];

const entryChecks: readonly CheckDraft[] = [
  check({
    section: 'Resources and their fields',
    rule: 'An entry of the voided list has all three fields, of their types and sizes.',
    needs: ['listedPage'],
    run: ({ listedPage }) => {
      const list = fieldsOf(listedPage)['voidedPurchaseList'] as readonly unknown[];
      const problems = list.flatMap((entry) => shapeProblems(VoidedEntryShape, entry));
      return judged(problems.length === 0 ? undefined : `${problems.join(' ')} ${shown(listedPage)}`);
    },
  }),
  check({
    section: 'What the service does',
    rule: 'A voided purchase stands in the voided list.',
    needs: ['voidedPurchase', 'voidedPages'],
    run: ({ voidedPurchase: { purchaseId, isRecent }, voidedPages }) => {
      if (entriesOfAll(voidedPages).some((entry) => entry.purchaseId === purchaseId)) return pass;
      const problem = `${purchaseId} does not stand in the voided list.`;
      return isRecent ? judged(problem) : cannotTell(`${problem} It may be more than a month ago.`);
    },
  }),
  check({
    section: 'What the service does',
    rule: 'A purchase that is not voided does not stand in the voided list.',
    needs: ['caller', 'unconsumedPurchase'],
    run: async ({ caller, unconsumedPurchase }) => {
      const pages = await walkVoided(caller);
      if ('missing' in pages) return cannotTell(pages.missing);
      const isListed = entriesOfAll(pages.found).some(({ purchaseId }) => purchaseId === unconsumedPurchase);
      return judged(isListed ? `${unconsumedPurchase} stands in the voided list.` : undefined);
    },
  }),
  check({
    section: 'Resources and their fields',
    rule: 'An entry has the purchaseTime that the details of the purchase have.',
    needs: ['caller', 'voidedPurchase', 'voidedPages'],
    run: async ({ caller, voidedPurchase: { purchaseId }, voidedPages }) => {
      const entry = entriesOfAll(voidedPages).find((one) => one.purchaseId === purchaseId);
      if (entry === undefined) return cannotTell(`${purchaseId} does not stand in the voided list.`);
      const details = await caller.call(getPurchaseDetails, { path: { purchaseId } });
      return judged(expectFields(details, { purchaseTime: entry.purchaseTime }));
    },
  }),
  check({
    section: 'Resources and their fields',
    rule: 'No purchase is voided before it is made.',
    needs: ['voidedPages'],
    run: ({ voidedPages }) => {
      const wrong = entriesOfAll(voidedPages).find(
        ({ purchaseTime, voidedTime }) => voidedTime < purchaseTime,
      );
      return judged(wrong && `${JSON.stringify(wrong)}: expected voidedTime not before purchaseTime.`);
    },
  }),
];

/** The purchase ids of a page, whatever else its entries lack. */
function listedIds(page: Answer): readonly unknown[] {
  const { voidedPurchaseList: list } = fieldsOf(page);
  return Array.isArray(list) ? list.map((entry) => (isObject(entry) ? entry['purchaseId'] : undefined)) : [];
}

export const voidedListChecks: readonly CheckDraft[] = [...pageChecks, ...entryChecks];
