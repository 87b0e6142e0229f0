// The picture of a subscription with its window and its legend. The story and the periods below it are the same as texts.

import { Button, Group, Stack, Text } from '@mantine/core';
import { useElementSize } from '@mantine/hooks';
import type { Subscription } from '@opentill/client/operator';
import type { ReactNode } from 'react';
import { type LifeData, lifeOf, livedPeriods, type MarkKind } from '../../pictures/life-data.ts';
import { layOutLife } from '../../pictures/life-layout.ts';
import { barLooks, JoinedSymbol, MarkSymbol, markWords } from '../../pictures/life-marks.tsx';
import { LifePicture } from '../../pictures/life-picture.tsx';
import { useMoneyText } from '../../values/money.tsx';

interface SubscriptionPictureProps {
  /** The loaded periods, of which the window shows the last ones. */
  readonly subscription: Subscription;
  /** Changes the last period of the window, from 1; undefined: the newest. */
  readonly onShow: (until: number | undefined) => void;
}

/** Periods of the window; fewer where they have no room. */
const windowPeriodsMax = 24;

/** The room that a period needs for the mark of a charge, in pixels. */
const periodWidthMin = 24;

export function SubscriptionPicture({ subscription, onShow }: SubscriptionPictureProps) {
  const { ref, width } = useElementSize();
  const lived = livedPeriods(subscription);
  const size = Math.max(1, Math.min(windowPeriodsMax, Math.floor(width / periodWidthMin)));
  const periods = subscription.periods.slice(-size);
  const { renewalPrice: price, currency } = subscription;
  const data = lifeOf({ ...subscription, periods }, useMoneyText()({ price, currency }));
  const first = (periods[0]?.periodIndex ?? 0) + 1;
  // Many more are loaded than shown; those before the first may have stayed in another store.
  const isFromFirst = periods.length === subscription.periods.length;
  const last = (periods.at(-1)?.periodIndex ?? 0) + 1;
  return (
    <Stack gap="sm" ref={ref}>
      <Group gap="xs" justify="space-between">
        <Text size="sm">
          {periods.length === 0
            ? 'Earlier periods are not in this store.'
            : `Periods ${first} to ${last} of ${lived}`}
        </Text>
        <Group gap="xs">
          <Button variant="default" disabled={isFromFirst} onClick={() => onShow(first - 1)}>
            Earlier
          </Button>
          <Button
            variant="default"
            disabled={last >= lived}
            onClick={() => onShow(periods.length === 0 || last + size >= lived ? undefined : last + size)}
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
  const barKinds = new Set(data.bars.map(({ kind }) => kind));
  const marks = [...charges, ...switches].map(({ items }) => items);
  const kinds = new Set(marks.flat().map(({ kind }) => kind));
  const joined = marks.find((items) => items.length > 1)?.map(({ kind }) => kind);
  return (
    <Group gap="md">
      {[...barKinds].map((kind) => (
        <LegendEntry key={kind} words={kind === 'next' ? 'next period' : `${kind} period`}>
          <rect x={-7} y={-5} width={14} height={10} rx={2} {...barLooks[kind]} />
        </LegendEntry>
      ))}
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
