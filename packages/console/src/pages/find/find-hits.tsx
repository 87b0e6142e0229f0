// The results of a search, each with a link to its page.

import { Stack } from '@mantine/core';
import type { SearchHit } from '../../api/search.ts';
import { Id } from '../../parts/id.tsx';
import { Instant } from '../../parts/instant.tsx';
import { LongText } from '../../parts/long-text.tsx';
import { Records } from '../../parts/records.tsx';
import { kinds, linkToHit } from '../../parts/search-hits.tsx';

export function Hits({ hits }: { readonly hits: readonly SearchHit[] }) {
  return (
    <Records
      label="Hits"
      rows={hits}
      keyOf={({ kind, packageName = '', id }) => `${kind} ${packageName} ${id}`}
      columns={[
        { title: 'Id', cell: (hit) => <Id value={hit.id} what="id" link={linkToHit(hit)} wraps /> },
        { title: 'Kind', cell: ({ kind }) => kinds[kind].name },
        { title: 'App', cell: ({ packageName = '-' }) => <LongText text={packageName} /> },
        { title: 'Details', cell: (hit) => <Details {...hit} /> },
      ]}
    />
  );
}

function Details({ kind, about = '', time }: SearchHit) {
  return (
    <Stack gap="xxs">
      <LongText text={about} />
      {time !== undefined && (
        <Instant ms={time} clock={kind === 'action' || kind === 'request' ? 'real' : 'app'} />
      )}
    </Stack>
  );
}
