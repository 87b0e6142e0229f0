// The track of a clock: now and the next stops, each a button that goes there. Arrow keys walk the stops.

import { Box, Group, Text, UnstyledButton } from '@mantine/core';
import { useElementSize } from '@mantine/hooks';
import type { UpcomingStops } from '@opentill/client/operator';
import { type KeyboardEvent, useState } from 'react';
import { countedMax } from '../parts/count-text.ts';
import { useInstantText } from '../parts/instant.tsx';
import { type DueStop, layOutTrack, type TrackMark, trackEdge } from './track-layout.ts';
import { placeAfter } from './walk.ts';

type StopKind = UpcomingStops['stops'][number]['kind'];

const kinds: Readonly<
  Record<StopKind, { readonly one: string; readonly many: string; readonly color: string }>
> = {
  renewal: { one: 'renewal', many: 'renewals', color: 'light-dark(#08745c, #33c8a4)' },
  retry: { one: 'payment retry', many: 'payment retries', color: 'light-dark(#c92a2a, #ff8787)' },
  poll: { one: 'payment poll', many: 'payment polls', color: 'light-dark(#a35200, #ffc078)' },
  expiry: { one: 'expiry', many: 'expiries', color: 'light-dark(#4263eb, #91a7ff)' },
  delivery: { one: 'delivery', many: 'deliveries', color: 'light-dark(#a35200, #ffc078)' },
};

/** What falls due: "14 renewals, 1 payment retry". */
export function stopText(stops: readonly DueStop[]): string {
  return stops
    .map(({ kind, count }) => {
      const { one, many } = kinds[kind as StopKind];
      return `${count >= countedMax ? `${count} or more` : count} ${count === 1 ? one : many}`;
    })
    .join(', ');
}

const rowHeight = 62;
const axisY = 30;
const buttonSize = 24;
const symbolSize = 6;

interface ClockTrackProps {
  readonly now: number;
  readonly stops: readonly DueStop[];
  readonly isDisabled: boolean;
  /** The stop that a click would go to, while it has the focus or the pointer. */
  readonly onAim: (mark: TrackMark | undefined) => void;
  readonly onGo: (mark: TrackMark) => void;
}

export function ClockTrack({ now, stops, isDisabled, onAim, onGo }: ClockTrackProps) {
  const { ref, width } = useElementSize();
  const [focused, setFocused] = useState(0);
  const text = useInstantText();
  const { marks, rowCount } = layOutTrack(stops, { now, width });
  const current = Math.min(focused, marks.length - 1);
  const summary =
    marks.length === 0
      ? `Now ${text(now)}. Nothing falls due.`
      : `Now ${text(now)}, and ${marks.length} next stops until ${text(marks.at(-1)?.time ?? now)}.`;
  const onKeyDown = (event: KeyboardEvent<HTMLElement>): void => {
    const next = placeAfter(event.key, { row: 0, index: current }, [marks]);
    if (next === undefined) return;
    event.preventDefault();
    event.currentTarget.querySelectorAll<HTMLElement>('[data-stop]')[next.index]?.focus();
  };
  return (
    <Box
      ref={ref}
      pos="relative"
      h={rowCount * rowHeight}
      role="toolbar"
      aria-label="Next stops"
      onKeyDown={onKeyDown}
    >
      {width > 0 && (
        <svg width={width} height={rowCount * rowHeight} role="img" aria-label={summary}>
          <Axes rowCount={rowCount} width={width} />
          <path
            d={`M ${trackEdge} ${axisY - 12} v 24`}
            stroke="var(--mantine-color-text)"
            strokeWidth={3}
            strokeLinecap="round"
          />
          <SmallText x={2} y={axisY + 26} anchor="start" text="now" />
          {marks.map((mark) => (
            <Mark key={mark.time} mark={mark} />
          ))}
        </svg>
      )}
      {width > 0 &&
        marks.map((mark, index) => (
          <UnstyledButton
            key={mark.time}
            pos="absolute"
            left={mark.x - buttonSize / 2}
            top={mark.row * rowHeight + axisY - buttonSize / 2}
            w={buttonSize}
            h={buttonSize}
            style={{ borderRadius: '50%' }}
            data-stop
            tabIndex={index === current ? 0 : -1}
            aria-disabled={isDisabled}
            aria-label={`Go to ${text(mark.time)}: ${stopText(mark.stops)}`}
            onFocus={() => {
              setFocused(index);
              onAim(mark);
            }}
            onBlur={() => onAim(undefined)}
            onMouseEnter={() => onAim(mark)}
            onMouseLeave={() => onAim(undefined)}
            onClick={() => {
              if (!isDisabled) onGo(mark);
            }}
          />
        ))}
    </Box>
  );
}

function Axes({ rowCount, width }: { readonly rowCount: number; readonly width: number }) {
  const rows = Array.from({ length: rowCount }, (_, row) => row * rowHeight + axisY);
  return (
    <path
      d={rows.map((y) => `M ${trackEdge} ${y} H ${width - trackEdge}`).join(' ')}
      stroke="light-dark(var(--mantine-color-gray-5), var(--mantine-color-dark-3))"
      strokeWidth={2}
    />
  );
}

function Mark({ mark }: { readonly mark: TrackMark }) {
  const y = mark.row * rowHeight + axisY;
  const kind = new Set(mark.stops.map((stop) => stop.kind)).size === 1 ? mark.stops[0]?.kind : undefined;
  return (
    <g>
      <StopSymbol kind={kind as StopKind | undefined} x={mark.x} y={y} />
      {mark.count > 1 && (
        <SmallText
          x={mark.x}
          y={y - 15}
          text={mark.count >= countedMax ? `${countedMax / 1_000}k+` : String(mark.count)}
        />
      )}
      {mark.labelX !== undefined && <DayText x={mark.labelX} y={y + 26} time={mark.time} />}
    </g>
  );
}

/** A shape for each kind; a diamond for several kinds at one instant. */
function StopSymbol({
  kind,
  x,
  y,
}: {
  readonly kind: StopKind | undefined;
  readonly x: number;
  readonly y: number;
}) {
  const s = symbolSize;
  const background = 'var(--mantine-color-body)';
  const color = kind === undefined ? 'var(--mantine-color-text)' : kinds[kind].color;
  const line = { stroke: color, strokeWidth: 2.5, fill: background };
  switch (kind) {
    case 'renewal':
      return <circle cx={x} cy={y} r={s} fill={color} />;
    case 'poll':
      return <circle cx={x} cy={y} r={s} {...line} />;
    case 'retry':
      return (
        <g>
          <circle cx={x} cy={y} r={s + 2} fill={background} />
          <path d={`M ${x - s} ${y - s} l ${2 * s} ${2 * s} m 0 ${-2 * s} l ${-2 * s} ${2 * s}`} {...line} />
        </g>
      );
    case 'expiry':
      return <rect x={x - s} y={y - s} width={2 * s} height={2 * s} {...line} />;
    case 'delivery':
      return <path d={`M ${x} ${y - s} l ${s} ${2 * s} h ${-2 * s} Z`} {...line} />;
    default:
      return (
        <path
          d={`M ${x} ${y - s - 1} l ${s + 1} ${s + 1} l ${-s - 1} ${s + 1} l ${-s - 1} ${-s - 1} Z`}
          fill={color}
        />
      );
  }
}

interface TextProps {
  readonly x: number;
  readonly y: number;
  readonly text: string;
  readonly anchor?: 'start' | 'middle';
}

function SmallText({ x, y, text, anchor = 'middle' }: TextProps) {
  return (
    <text x={x} y={y} textAnchor={anchor} fontSize={11} fill="var(--mantine-color-text)">
      {text}
    </text>
  );
}

function DayText({ x, y, time }: { readonly x: number; readonly y: number; readonly time: number }) {
  const [day] = useInstantText()(time).split(',');
  return <SmallText x={x} y={y} text={day ?? ''} />;
}

/** What the shapes on the track mean. */
export function TrackLegend({ stops }: { readonly stops: readonly DueStop[] }) {
  const shown = (Object.keys(kinds) as StopKind[]).filter((kind) => stops.some((stop) => stop.kind === kind));
  return (
    <Group gap="md">
      {shown.map((kind) => (
        <Group key={kind} gap={6}>
          <svg width={16} height={16} aria-hidden="true">
            <StopSymbol kind={kind} x={8} y={8} />
          </svg>
          <Text size="xs">{kinds[kind].one}</Text>
        </Group>
      ))}
    </Group>
  );
}
