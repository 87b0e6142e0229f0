// What a stop is about, as a link: a delivery or a subscription.

import { linkTo, PageLink } from '../../parts/page-link.tsx';
import { stopText } from '../../pictures/stop-kinds.tsx';
import type { DueStop } from '../../pictures/track-layout.ts';
import { useLab } from './lab-context.ts';

export function StopObject({ stop: { kind, id } }: { readonly stop: Pick<DueStop, 'kind' | 'id'> }) {
  const { packageName } = useLab();
  const link =
    kind === 'delivery'
      ? linkTo.delivery(packageName, id)
      : linkTo.subscription({ packageName, firstPurchaseId: id });
  return (
    <PageLink {...link} inherit>
      <bdi>{kind === 'delivery' ? shortEventId(id) : id}</bdi>
    </PageLink>
  );
}

/** The part that counts: "evt_81". */
function shortEventId(id: string): string {
  return /^evt_\d+/.exec(id)?.[0] ?? id;
}

/** "14 renewals"; a single one is named, so it needs no number. */
export function stopWords(stops: readonly DueStop[]): string {
  const text = stopText(stops);
  return stops.length === 1 ? text.replace(/^1 /, '') : text;
}
