// The picture of a subscription with its window, its legend, and the same as a table.

import { ActionIcon, Button, Group, Stack, Text } from '@mantine/core';
import { useDisclosure, useElementSize } from '@mantine/hooks';
import type { OperatorOperations, Subscription } from '@opentill/client/operator';
import { IconChevronLeft, IconChevronRight, IconZoomIn, IconZoomOut } from '@tabler/icons-react';
import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Author } from '../../parts/author.tsx';
import { Instant } from '../../parts/instant.tsx';
import { linkTo } from '../../parts/page-link.tsx';
import { type Column, csvOfRecords, Records } from '../../parts/records.tsx';
import { LifeStrip } from '../../pictures/life-strip.tsx';
import { livedMonths } from '../../pictures/small-life-layout.ts';
import { Timeline } from '../../pictures/timeline.tsx';
import { type MarkKind, timelineOf } from '../../pictures/timeline-data.ts';
import { MarkSymbol, markWords } from '../../pictures/timeline-symbols.tsx';
import { type TimelineRow, timelineRows, useTimelineSummary } from '../../pictures/timeline-words.ts';
import { download } from '../../runtime/download.ts';
import { windowSizes } from './subscription-fields.ts';

type Attempts = Awaited<ReturnType<OperatorOperations['listAttempts']>>;
type Events = Awaited<ReturnType<OperatorOperations['listSubscriptionEvents']>>;

interface SubscriptionPictureProps {
  /** The loaded months, of which the window shows a part. */
  readonly subscription: Subscription;
  readonly attempts: Attempts;
  readonly events: Events;
  /** Months in the window; by default as many as have room. */
  readonly size: string | undefined;
  /** Changes search parameters of the address. */
  readonly onShow: (search: { readonly until?: string | undefined; readonly months?: string }) => void;
}

/** A shorter life fits into one window. */
const stripFrom = 24;

/** The room that a month needs for the mark of a charge, in pixels. */
const monthWidthMin = 16;

export function SubscriptionPicture({
  subscription,
  attempts,
  events,
  size,
  onShow,
}: SubscriptionPictureProps) {
  const { ref, width } = useElementSize();
  const [isTable, { toggle }] = useDisclosure();
  const summaryOf = useTimelineSummary();
  const navigate = useNavigate();
  const lived = livedMonths(subscription);
  // A window that is wider than the life shows nothing more.
  const sizes = windowSizes.filter((_, index) => Number(windowSizes[index - 1] ?? 0) < lived);
  const fitting = sizes.filter((months) => Number(months) * monthWidthMin <= width).at(-1) ?? '3';
  const months = sizes.find((known) => known === size) ?? fitting;
  const shown = { ...subscription, months: subscription.months.slice(-Number(months)) };
  const data = timelineOf({ subscription: shown, attempts: attempts.attempts, events: events.events });
  const fromPeriod = shown.months[0]?.periodIndex ?? 0;
  const toPeriod = shown.months.at(-1)?.periodIndex ?? 0;
  const showUntil = (period: number): void =>
    onShow({ until: period >= lived - 1 ? undefined : String(Math.max(0, period) + 1) });
  const zoomTo = (step: number): (() => void) | undefined => {
    const next = sizes[sizes.indexOf(months) + step];
    return next === undefined ? undefined : () => onShow({ months: next });
  };
  const isCut = attempts.nextPageToken !== undefined && lowestOf(attempts) > fromPeriod;
  return (
    <Stack gap="sm" ref={ref}>
      <Group gap="xs" justify="space-between">
        <Text size="sm">
          Months {fromPeriod + 1} to {toPeriod + 1} of {lived}
        </Text>
        <Group gap="xs">
          <IconButton
            label="Earlier"
            icon={<IconChevronLeft size={16} />}
            onAct={fromPeriod === 0 ? undefined : () => showUntil(fromPeriod - 1)}
          />
          <IconButton
            label="Later"
            icon={<IconChevronRight size={16} />}
            onAct={toPeriod >= lived - 1 ? undefined : () => showUntil(toPeriod + Number(months))}
          />
          <IconButton label="Zoom in" icon={<IconZoomIn size={16} />} onAct={zoomTo(-1)} />
          <IconButton label="Zoom out" icon={<IconZoomOut size={16} />} onAct={zoomTo(1)} />
          <Button size="compact-xs" variant="default" aria-pressed={isTable} onClick={toggle}>
            Show as table
          </Button>
        </Group>
      </Group>
      {isTable ? (
        <TimelineTable rows={timelineRows(data)} fileName={`subscription-${subscription.firstPurchaseId}`} />
      ) : (
        <>
          <Timeline
            key={`${fromPeriod} ${toPeriod}`}
            data={data}
            summary={summaryOf(data)}
            onOpen={(purchaseId) =>
              void navigate(linkTo.purchase({ packageName: subscription.packageName, purchaseId }))
            }
          />
          <Legend kinds={new Set([...data.charges, ...data.switches].map(({ kind }) => kind))} />
        </>
      )}
      {isCut && (
        <Text size="sm">Only the newest 200 charges are loaded: zoom in to see all charges of a month.</Text>
      )}
      {lived > stripFrom && (
        <LifeStrip
          months={lived}
          voidedPeriods={subscription.voidedPeriods}
          fromPeriod={fromPeriod}
          toPeriod={toPeriod}
          onShow={showUntil}
        />
      )}
    </Stack>
  );
}

function lowestOf({ attempts }: Attempts): number {
  return attempts.at(-1)?.periodIndex ?? 0;
}

interface IconButtonProps {
  readonly label: string;
  readonly icon: ReactNode;
  /** undefined: there is nothing further. */
  readonly onAct: (() => void) | undefined;
}

function IconButton({ label, icon, onAct }: IconButtonProps) {
  return (
    <ActionIcon
      variant="subtle"
      color="gray"
      size={24}
      aria-label={label}
      title={label}
      disabled={onAct === undefined}
      bg="transparent"
      onClick={onAct}
    >
      {icon}
    </ActionIcon>
  );
}

/** The marks that occur. */
function Legend({ kinds }: { readonly kinds: ReadonlySet<MarkKind> }) {
  return (
    <Group gap="md">
      {Object.entries(markWords)
        .filter(([kind]) => kinds.has(kind as MarkKind))
        .map(([kind, words]) => (
          <Group key={kind} gap="xs" wrap="nowrap">
            <svg width={16} height={16} aria-hidden="true">
              <g transform="translate(8 8)">
                <MarkSymbol kind={kind as MarkKind} />
              </g>
            </svg>
            <Text size="xs">{words}</Text>
          </Group>
        ))}
    </Group>
  );
}

const timelineColumns: readonly Column<TimelineRow>[] = [
  { title: 'Time', clock: 'app', name: 'time', time: ({ time }) => time },
  { title: 'Until', name: 'end', cell: ({ end }) => (end === undefined ? '-' : <Instant ms={end} />) },
  { title: 'What', name: 'what' },
  { title: 'By', name: 'madeBy', cell: ({ madeBy }) => <Author madeBy={madeBy ?? '-'} /> },
];

interface TimelineTableProps {
  readonly rows: readonly TimelineRow[];
  readonly fileName: string;
}

function TimelineTable({ rows, fileName }: TimelineTableProps) {
  const save = (): void => {
    download(`${fileName}.csv`, 'text/csv', csvOfRecords(timelineColumns, rows));
  };
  return (
    <Stack gap="xs" align="flex-start">
      <Button size="compact-xs" variant="default" onClick={save}>
        Save as CSV
      </Button>
      <Records
        label="Life of the subscription"
        rows={rows}
        keyOf={({ time, what }) => `${time} ${what}`}
        columns={timelineColumns}
      />
    </Stack>
  );
}
