// Who made a change, in words: `operator:admin` is admin.

import { authorText } from '@opentill/contract/author-text.ts';

/** What a filter for an author means: `admin`, as it is shown, or `job:renewals`. */
export function madeByOf(text: string): string {
  return text.includes(':') ? text : `operator:${text}`;
}

export function Author({ madeBy }: { readonly madeBy: string }) {
  return (
    <bdi title={madeBy} style={{ overflowWrap: 'anywhere' }}>
      {authorText(madeBy)}
    </bdi>
  );
}
