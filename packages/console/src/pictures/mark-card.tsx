// What the focused mark of the picture of a subscription stands for: a month, or each of the charges and changes there.

import { Button, Group, Paper, Stack, Text } from '@mantine/core';
import { Author } from '../parts/author.tsx';
import { Instant, InstantLookContext } from '../parts/instant.tsx';
import type { TimelineBar, TimelineMark } from './timeline-data.ts';
import { MarkSymbol } from './timeline-symbols.tsx';
import { barName } from './timeline-words.ts';

/** A place that keys and the pointer can be at. */
export interface PointedMark {
  readonly x: number;
  /** Of a month, in pixels. */
  readonly width?: number;
  readonly items: readonly TimelineMark[];
  readonly bar?: TimelineBar;
}

interface MarkCardProps {
  /** undefined: no mark has the focus. */
  readonly mark: PointedMark | undefined;
  /** Of the picture, in pixels. */
  readonly width: number;
  readonly onOpen: (purchaseId: string) => void;
}

const cardWidth = 340;
const look = { hasZone: true, hasSeconds: true };

export function MarkCard({ mark, width, onOpen }: MarkCardProps) {
  const left = Math.max(0, Math.min(width - cardWidth, (mark?.x ?? 0) - cardWidth / 2));
  return (
    <Paper withBorder radius="sm" p="xs" maw={cardWidth} ml={left} mih={64} role="status">
      <InstantLookContext value={look}>
        {mark === undefined ? (
          <Text size="sm" c="dimmed">
            Point at a mark, or walk the marks with the arrow keys.
          </Text>
        ) : (
          <Stack gap="xxs" align="flex-start">
            {mark.bar !== undefined && <Month bar={mark.bar} onOpen={onOpen} />}
            {mark.items.map((item) => (
              <Item key={`${item.time} ${item.text}`} item={item} />
            ))}
          </Stack>
        )}
      </InstantLookContext>
    </Paper>
  );
}

function Month({ bar, onOpen }: { readonly bar: TimelineBar } & Pick<MarkCardProps, 'onOpen'>) {
  const { start, end, paidLate, purchaseId } = bar;
  return (
    <>
      <Text size="sm" fw={500}>
        {barName(bar)}
      </Text>
      <Text size="sm">
        <Instant ms={start} /> to <Instant ms={end} />
      </Text>
      {paidLate !== undefined && (
        <Text size="sm">
          Paid late, on <Instant ms={paidLate} />
        </Text>
      )}
      {purchaseId !== undefined && (
        <Button variant="default" onClick={() => onOpen(purchaseId)}>
          Open the purchase
        </Button>
      )}
    </>
  );
}

function Item({ item: { kind, text, time, madeBy } }: { readonly item: TimelineMark }) {
  return (
    <Group gap="xs" wrap="nowrap" align="flex-start">
      <svg width={16} height={16} aria-hidden="true" style={{ flexShrink: 0 }}>
        <g transform="translate(8 8)">
          <MarkSymbol kind={kind} />
        </g>
      </svg>
      <Text size="sm">
        {text}, <Instant ms={time} />
        {madeBy !== undefined && (
          <>
            {' '}
            by <Author madeBy={madeBy} />
          </>
        )}
      </Text>
    </Group>
  );
}
