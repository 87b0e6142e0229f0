// Finds anything by its id, or by the start of a name. A single hit opens by itself.

import { Box, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect } from 'react';
import { orderQuery, searchQuery } from '../../api/search.ts';
import { FindBox } from '../../parts/find-box.tsx';
import { Id } from '../../parts/id.tsx';
import { LongText } from '../../parts/long-text.tsx';
import { PageHeading } from '../../parts/page-heading.tsx';
import { PanelContent } from '../../parts/panel.tsx';
import { useRecentRecords } from '../../parts/recent-records.ts';
import { Records } from '../../parts/records.tsx';
import { kinds, linkToHit } from '../../parts/search-hits.tsx';
import { Hits } from './find-hits.tsx';

export function FindPage() {
  const { q = '', orderId } = useSearch({ from: '/frame/find' });
  const text = orderId ?? q;
  return (
    <Stack gap="lg">
      <PageHeading title="Find" />
      <Box hiddenFrom="sm">
        <FindBox />
      </Box>
      {text === '' ? <Introduction /> : <Results text={text} isOrderId={orderId !== undefined} />}
    </Stack>
  );
}

function Introduction() {
  const recent = useRecentRecords();
  return (
    <Stack gap="md">
      <Text size="sm">
        Paste the id of a purchase, order, buyer, event, delivery or request, or type the start of a package
        name or a product id.
      </Text>
      {recent.length > 0 && (
        <Stack gap="xs">
          <Title order={2}>Opened last</Title>
          <Records
            label="Opened last"
            rows={recent}
            keyOf={({ kind, id, packageName }) => `${kind} ${packageName} ${id}`}
            columns={[
              { title: 'Id', cell: ({ id, target }) => <Id value={id} what="id" link={target} wraps /> },
              { title: 'Kind', cell: ({ kind }) => kinds[kind].name },
              { title: 'App', cell: ({ packageName = '-' }) => <LongText text={packageName} /> },
            ]}
          />
        </Stack>
      )}
    </Stack>
  );
}

interface ResultsProps {
  readonly text: string;
  /** Only purchases with this order id count. */
  readonly isOrderId: boolean;
}

function Results({ text, isOrderId }: ResultsProps) {
  const search = useQuery(searchQuery(isOrderId ? '' : text));
  const orders = useQuery({ ...orderQuery(text), enabled: isOrderId });
  const state = isOrderId ? orders : search;
  const shown = state.data?.hits ?? [];
  const navigate = useNavigate();
  const [only] = shown.length === 1 ? shown : [];
  // biome-ignore lint/correctness/useExhaustiveDependencies: a single hit opens once
  useEffect(() => {
    if (only !== undefined) void navigate({ ...linkToHit(only), replace: true });
  }, [only?.kind, only?.id]);
  return (
    <PanelContent state={state}>
      {shown.length > 0 ? (
        <Hits hits={shown} />
      ) : (
        <Text>
          No {isOrderId ? 'order' : 'id'} is <LongText text={text} />
          {isOrderId ? '.' : ', and no package name or product id starts with it, in upper and lower case.'}
        </Text>
      )}
    </PanelContent>
  );
}
