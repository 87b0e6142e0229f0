// Finds anything by its id, or by the start of a name. A single hit opens by itself.

import { Box, List, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect } from 'react';
import { type SearchTarget, searchQuery } from '../../api/search.ts';
import { FindBox } from '../../parts/find-box.tsx';
import { Id } from '../../parts/id.tsx';
import { LongText } from '../../parts/long-text.tsx';
import { PageHeading } from '../../parts/page-heading.tsx';
import { PanelContent } from '../../parts/panel.tsx';
import { useRecentRecords } from '../../parts/recent-records.ts';
import { Records } from '../../parts/records.tsx';
import { kinds, linkToHit } from '../../parts/search-hits.tsx';
import { isProduction } from '../../runtime/page.ts';
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
  const search = useQuery(searchQuery(text));
  const navigate = useNavigate();
  const { hits = [], lookedFor = [], generatedIn } = search.data ?? {};
  const shown = isOrderId ? hits.filter((hit) => 'foundBy' in hit && hit.foundBy === 'orderId') : hits;
  const [only] = shown.length === 1 ? shown : [];
  // biome-ignore lint/correctness/useExhaustiveDependencies: a single hit opens once
  useEffect(() => {
    if (only !== undefined) void navigate({ ...linkToHit(only), replace: true });
  }, [only?.kind, only?.id]);
  return (
    <PanelContent state={search}>
      {shown.length > 0 ? (
        <Hits hits={shown} />
      ) : (
        <NoHit
          text={text}
          lookedFor={isOrderId ? ['orderId'] : lookedFor}
          isElsewhere={generatedIn !== undefined && (generatedIn === 'production') !== isProduction}
        />
      )}
    </PanelContent>
  );
}

const targetNames: Readonly<Record<SearchTarget, string>> = {
  purchaseId: 'the id of a purchase',
  orderId: 'an order id',
  buyerId: 'a buyer id',
  deliveryId: 'the id of a delivery',
  eventId: 'the id of an event',
  requestId: 'the id of a request that changed something',
  packageName: 'the start of a package name',
  productId: 'the start of a product id',
};

interface NoHitProps {
  readonly text: string;
  readonly lookedFor: readonly SearchTarget[];
  /** The text has the form of an id that the other environment generates. */
  readonly isElsewhere: boolean;
}

function NoHit({ text, lookedFor, isElsewhere }: NoHitProps) {
  return (
    <Stack gap="xs">
      <Text>
        Nothing was found for <LongText text={text} />.
      </Text>
      {isElsewhere && (
        <Text>
          It looks like a purchase id of {isProduction ? 'the sandbox' : 'production'}, and this is{' '}
          {isProduction ? 'production' : 'the sandbox'}.
        </Text>
      )}
      <Text size="sm" c="dimmed">
        It was compared, with upper and lower case, as:
      </Text>
      <List size="sm" c="dimmed">
        {lookedFor.map((target) => (
          <List.Item key={target}>{targetNames[target]}</List.Item>
        ))}
      </List>
    </Stack>
  );
}
