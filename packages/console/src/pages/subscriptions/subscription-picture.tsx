// The picture of a subscription with its window and its legend. The story and the months below it are the same as texts.

import { Button, Group, Stack, Text } from '@mantine/core';
import { useElementSize } from '@mantine/hooks';
import type { Subscription } from '@opentill/client/operator';
import type { ReactNode } from 'react';
import { type LifeData, lifeOf, livedMonths, type MarkKind } from '../../pictures/life-data.ts';
import { layOutLife } from '../../pictures/life-layout.ts';
import { JoinedSymbol, MarkSymbol, markWords } from '../../pictures/life-marks.tsx';
import { LifePicture } from '../../pictures/life-picture.tsx';

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
  const lived = livedMonths(subscription);
  const size = Math.max(1, Math.min(windowMonthsMax, Math.floor(width / monthWidthMin)));
  const months = subscription.months.slice(-size);
  const data = lifeOf({ ...subscription, months });
  const first = (months[0]?.periodIndex ?? 0) + 1;
  const last = (months.at(-1)?.periodIndex ?? 0) + 1;
  return (
    <Stack gap="sm" ref={ref}>
      <Group gap="xs" justify="space-between">
        <Text size="sm">
          Periods {first} to {last} of {lived}
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
        </Group>
      </Group>
      <LifePicture data={data} />
      <Legend data={data} width={width} />
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
        <LegendEntry words="several close together, listed below">
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
