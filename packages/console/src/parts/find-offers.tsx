// What the find box offers below it: the first hits for what is typed, or else the records that were opened last.

import { Box, Group, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { searchDelayMs, searchQuery } from '../api/search.ts';
import { LongText, ShortName } from './long-text.tsx';
import { type RecentRecord, useRecentRecords } from './recent-records.ts';
import { kinds, linkToHit } from './search-hits.tsx';

/** Enter lists all hits. */
const offersMax = 8;

interface FindOffersProps {
  readonly id: string;
  readonly q: string;
  /** The id of the offer that Enter opens. */
  readonly active: string | undefined;
  readonly onChoose: () => void;
}

interface Offer extends Omit<RecentRecord, 'kind'> {
  readonly kind: keyof typeof kinds;
}

export function useOffers(q: string): readonly Offer[] {
  const recent = useRecentRecords();
  const [asked] = useDebouncedValue(q, searchDelayMs);
  const { data } = useQuery({ ...searchQuery(asked), placeholderData: keepPreviousData });
  if (q === '') return recent;
  const hits = data?.hits.slice(0, offersMax) ?? [];
  return hits.map((hit) => ({
    kind: hit.kind,
    id: hit.id,
    packageName: 'packageName' in hit && hit.packageName !== hit.id ? hit.packageName : undefined,
    target: linkToHit(hit),
  }));
}

export function FindOffers({ id, q, active, onChoose }: FindOffersProps) {
  const navigate = useNavigate();
  const offers = useOffers(q);
  return (
    <Box
      id={id}
      className="find-offers"
      role="listbox"
      aria-label={q === '' ? 'Opened last' : 'Hits'}
      // The focus stays in the box.
      onMouseDown={(event) => event.preventDefault()}
    >
      {offers.map(({ kind, id: recordId, packageName, target }, index) => {
        const { name, icon: Icon } = kinds[kind];
        const optionId = `${id}-${index}`;
        return (
          <Group
            key={`${kind} ${packageName} ${recordId}`}
            id={optionId}
            role="option"
            aria-selected={optionId === active}
            className="option"
            gap="xs"
            px="sm"
            py="xs"
            wrap="nowrap"
            onClick={() => {
              onChoose();
              void navigate(target);
            }}
          >
            <Icon size={16} aria-hidden="true" style={{ flex: 'none' }} />
            <Text span size="xs" ff="monospace" flex={1} miw={0}>
              <LongText text={recordId} />
            </Text>
            <Text span size="xs" c="dimmed" style={{ flex: 'none' }}>
              {name}
              {packageName !== undefined && (
                <>
                  , <ShortName text={packageName} />
                </>
              )}
            </Text>
          </Group>
        );
      })}
      {offers.length === 0 && (
        <Text size="sm" c="dimmed" px="sm" py="xs">
          {q === '' ? 'An id of any record, or the start of a name.' : 'Enter lists what was compared.'}
        </Text>
      )}
    </Box>
  );
}
