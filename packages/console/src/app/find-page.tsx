// The address of a search, for links of help desks: a single record opens by itself.

import { Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Navigate, useSearch } from '@tanstack/react-router';
import { PageHeading } from '../parts/page-heading.tsx';
import { PageLink } from '../parts/page-link.tsx';
import { PanelContent } from '../parts/panel.tsx';
import { LongText } from '../values/long-text.tsx';
import { comparedText, offerOf, searchQuery } from './search-offers.ts';

export function FindPage() {
  const { q = '', orderId = q } = useSearch({ from: '/frame/find' });
  const search = useQuery(searchQuery(orderId));
  const hits = search.data?.hits ?? [];
  const [only] = hits;
  if (only !== undefined && hits.length === 1) return <Navigate {...offerOf(only).target} replace />;
  return (
    <Stack gap="lg">
      <PageHeading title={orderId === '' ? 'Find' : `Find ${orderId}`} note={comparedText} />
      <PanelContent state={orderId === '' ? { ...search, isPending: false } : search}>
        {hits.length === 0 && 'No results'}
        <Stack component="ul" aria-label="Found" gap="xs" m={0} p={0} style={{ listStyle: 'none' }}>
          {hits.map(offerOf).map(({ key, label, about, target }) => (
            <li key={key} data-record>
              <PageLink {...target}>
                <LongText text={label} />
              </PageLink>{' '}
              <Text span size="sm" c="dimmed">
                {about}
              </Text>
            </li>
          ))}
        </Stack>
      </PanelContent>
    </Stack>
  );
}
