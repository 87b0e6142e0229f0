// The picture of a subscription with its window and its legend, and the same as a table.

import { Button, Group, Stack, Text } from '@mantine/core';
import { useDisclosure, useElementSize } from '@mantine/hooks';
import type { Subscription } from '@opentill/client/operator';
import type { ReactNode } from 'react';
import { Author } from '../../parts/author.tsx';
import { type Column, Records } from '../../parts/records.tsx';
import {
  type LifeData,
  type LifeRow,
  lifeOf,
  lifeRows,
  livedMonths,
  type MarkKind,
} from '../../pictures/life-data.ts';
import { layOutLife } from '../../pictures/life-layout.ts';
import { JoinedSymbol, MarkSymbol, markWords } from '../../pictures/life-marks.tsx';
import { LifePicture } from '../../pictures/life-picture.tsx';
import { Instant } from '../../values/instant.tsx';

interface SubscriptionPictureProps {
  /** The loaded months, of which the window shows the last ones. */
  readonly subscription: Subscription;
  /** Changes the last month of the window, from 1; undefined: the newest. */
  readonly onShow: (until: number | undefined) => void;
}

/** Months of the window; fewer where they have no room. */
const windowMonthsMax = 24;

/** The room that a month needs for the mark of a charge, in pixels. */
const monthWidthMin = 24;

export function SubscriptionPicture({ subscription, onShow }: SubscriptionPictureProps) {
  const { ref, width } = useElementSize();
  const [isTable, { toggle }] = useDisclosure();
  const lived = livedMonths(subscription);
  const size = Math.max(1, Math.min(windowMonthsMax, Math.floor(width / monthWidthMin)));
  const months = subscription.months.slice(-size);
  const { attempts, events } = subscription;
  const data = lifeOf({ subscription: { ...subscription, months }, attempts, events });
  const first = (months[0]?.periodIndex ?? 0) + 1;
  const last = (months.at(-1)?.periodIndex ?? 0) + 1;
  return (
    <Stack gap="sm" ref={ref}>
      <Group gap="xs" justify="space-between">
        <Text size="sm">
          Months {first} to {last} of {lived}
        </Text>
        <Group gap="xs">
          <Button variant="default" disabled={first === 1} onClick={() => onShow(first - 1)}>
            Earlier
          </Button>
          <Button
            variant="default"
            disabled={last >= lived}
            onClick={() => onShow(last + size >= lived ? undefined : last + size)}
          >
            Later
          </Button>
          <Button variant="default" aria-pressed={isTable} onClick={toggle}>
            Show as table
          </Button>
        </Group>
      </Group>
      {isTable ? (
        <Records
          label="Life of the subscription"
          rows={lifeRows(data)}
          keyOf={({ time, what }) => `${time} ${what}`}
          columns={columns}
        />
      ) : (
        <>
          <LifePicture data={data} />
          <Legend data={data} width={width} />
        </>
      )}
    </Stack>
  );
}

/** The marks that occur. */
function Legend({ data, width }: { readonly data: LifeData; readonly width: number }) {
  const { charges, switches } = layOutLife(data, width);
  const marks = [...charges, ...switches].map(({ items }) => items);
  const kinds = new Set(marks.flat().map(({ kind }) => kind));
  const joined = marks.find((items) => items.length > 1)?.map(({ kind }) => kind);
  return (
    <Group gap="md">
      {Object.entries(markWords)
        .filter(([kind]) => kinds.has(kind as MarkKind))
        .map(([kind, words]) => (
          <LegendEntry key={kind} words={words}>
            <MarkSymbol kind={kind as MarkKind} />
          </LegendEntry>
        ))}
      {joined !== undefined && (
        <LegendEntry words="several close together: point at them">
          <JoinedSymbol kinds={joined} />
        </LegendEntry>
      )}
    </Group>
  );
}

function LegendEntry({ words, children }: { readonly words: string; readonly children: ReactNode }) {
  return (
    <Group gap="xs" wrap="nowrap">
      <svg width={16} height={18} aria-hidden="true">
        <g transform="translate(8 9)">{children}</g>
      </svg>
      <Text size="xs">{words}</Text>
    </Group>
  );
}

const columns: readonly Column<LifeRow>[] = [
  { title: 'Time', clock: 'app', name: 'time' },
  { title: 'Until', cell: ({ end }) => (end === undefined ? '-' : <Instant ms={end} />) },
  { title: 'What', name: 'what' },
  { title: 'By', cell: ({ madeBy }) => <Author madeBy={madeBy ?? '-'} /> },
];
