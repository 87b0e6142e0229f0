// The track of a clock: what falls due from now on, in a lane for each kind of object. A mark of one instant goes there;
// one of several instants opens their list. Arrow keys walk the marks, + and - zoom.

import { Box, Popover, UnstyledButton } from '@mantine/core';
import { useElementSize, useMergedRef } from '@mantine/hooks';
import { type KeyboardEvent, type ReactNode, useRef, useState } from 'react';
import { colors } from '../parts/colors.ts';
import { countText } from '../parts/count-text.ts';
import { useInstantText } from '../parts/instant.tsx';
import { useTimeZone } from '../parts/preferences.ts';
import { kindColor, kindOf, StopSymbol, stopText } from './stop-kinds.tsx';
import { useGestures } from './track-gestures.ts';
import {
  type DueStop,
  layOutTrack,
  type TrackLayout,
  type TrackMark,
  trackEnd,
  trackLanes,
  trackStart,
} from './track-layout.ts';
import { panned, type TrackWindow, zoomed } from './track-window.ts';
import { placeAfter } from './walk.ts';

const laneHeight = 15;
const axisY = trackLanes.length * laneHeight + 2;
const trackHeight = axisY + 17;

interface ClockTrackProps {
  readonly now: number;
  readonly stops: readonly DueStop[];
  readonly window: TrackWindow;
  readonly isDisabled: boolean;
  readonly onWindow: (next: TrackWindow) => void;
  /** What a click on the mark is about, while it has the focus or the pointer. */
  readonly onAim: (mark: TrackMark | undefined) => void;
  readonly onGo: (time: number) => void;
  /** The stops of a mark of several instants. */
  readonly list: (mark: TrackMark) => ReactNode;
}

export function ClockTrack({ now, stops, window, onWindow, ...actions }: ClockTrackProps) {
  const { ref: sizeRef, width } = useElementSize();
  const elementRef = useRef<HTMLDivElement>(null);
  const timeZone = useTimeZone();
  const text = useInstantText();
  const [focused, setFocused] = useState({ row: 0, index: 0 });
  const layout = layOutTrack(stops, { now, window, width, timeZone });
  const current = markAt(layout, focused);
  const shareOf = (x: number): number => (x - trackStart) / (width - trackStart - trackEnd);
  useGestures(elementRef, {
    onZoom: (factor, x) => onWindow(zoomed(window, factor, Math.min(1, Math.max(0, shareOf(x))))),
    onPan: (by) => onWindow(panned(window, by / width)),
  });
  const onKeyDown = (event: KeyboardEvent<HTMLElement>): void => {
    const factor = zoomKeys[event.key];
    const next = placeAfter(
      event.key,
      current,
      layout.lanes.map(({ marks }) => marks),
    );
    if (factor === undefined && next === undefined) return;
    event.preventDefault();
    if (factor !== undefined) onWindow(zoomed(window, factor, 0));
    if (next !== undefined) {
      event.currentTarget.querySelector<HTMLElement>(`[data-mark="${next.row} ${next.index}"]`)?.focus();
    }
  };
  const shown = layout.lanes.flatMap(({ marks }) => marks.flatMap((mark) => mark.stops));
  const summary = `From ${text(now + window.offset)} to ${text(now + window.offset + window.span)}: ${stopText(shown) || 'nothing falls due'}.`;
  return (
    <Box
      ref={useMergedRef(sizeRef, elementRef)}
      pos="relative"
      h={trackHeight}
      role="toolbar"
      aria-label="Next stops"
      onKeyDown={onKeyDown}
    >
      {width > 0 && (
        <>
          <TrackPicture layout={layout} width={width} summary={summary} isFromNow={window.offset === 0} />
          {layout.lanes.map(({ name, marks }, row) =>
            marks.map((mark, index) => (
              <MarkButton
                key={`${name} ${mark.stops[0]?.time}`}
                {...actions}
                mark={mark}
                place={{ row, index }}
                isCurrent={row === current.row && index === current.index}
                onFocus={() => setFocused({ row, index })}
              />
            )),
          )}
        </>
      )}
    </Box>
  );
}

const zoomKeys: Readonly<Record<string, number>> = { '+': 0.5, '=': 0.5, '-': 2 };

interface MarkPlace {
  readonly row: number;
  readonly index: number;
}

/** The place itself, or the nearest one that has a mark. */
function markAt({ lanes }: TrackLayout, { row, index }: MarkPlace): MarkPlace {
  const counts = lanes.map(({ marks }) => marks.length);
  const found =
    (counts[row] ?? 0) > 0
      ? row
      : Math.max(
          0,
          counts.findIndex((count) => count > 0),
        );
  return { row: found, index: Math.min(index, Math.max(0, (counts[found] ?? 0) - 1)) };
}

const laneY = (row: number): number => row * laneHeight + laneHeight / 2;

interface MarkButtonProps extends Pick<ClockTrackProps, 'isDisabled' | 'onAim' | 'onGo' | 'list'> {
  readonly mark: TrackMark;
  readonly place: MarkPlace;
  readonly isCurrent: boolean;
  readonly onFocus: () => void;
}

function MarkButton({ mark, place, isCurrent, isDisabled, onFocus, onAim, onGo, list }: MarkButtonProps) {
  const text = useInstantText();
  const [isOpen, setOpen] = useState(false);
  const [first] = mark.stops;
  const last = mark.stops.at(-1);
  if (first === undefined || last === undefined) return null;
  const isOneInstant = first.time === last.time;
  const label = isOneInstant
    ? `Go to ${text(first.time)}: ${stopText(mark.stops)}`
    : `List from ${text(first.time)} to ${text(last.time)}: ${stopText(mark.stops)}`;
  return (
    <Popover opened={isOpen} onChange={setOpen} position="bottom" withArrow trapFocus returnFocus>
      <Popover.Target>
        <UnstyledButton
          pos="absolute"
          left={mark.x - mark.width / 2 - 1}
          top={place.row * laneHeight}
          w={mark.width + 2}
          h={laneHeight}
          bdrs="sm"
          data-mark={`${place.row} ${place.index}`}
          tabIndex={isCurrent ? 0 : -1}
          aria-disabled={isOneInstant && isDisabled}
          aria-label={label}
          onFocus={() => {
            onFocus();
            onAim(mark);
          }}
          onBlur={() => onAim(undefined)}
          onMouseEnter={() => onAim(mark)}
          onMouseLeave={() => onAim(undefined)}
          onClick={() => {
            if (!isOneInstant) setOpen(!isOpen);
            else if (!isDisabled) onGo(first.time);
          }}
        />
      </Popover.Target>
      {isOpen && (
        <Popover.Dropdown aria-label={label} p="xs">
          {list(mark)}
        </Popover.Dropdown>
      )}
    </Popover>
  );
}

interface TrackPictureProps {
  readonly layout: TrackLayout;
  readonly width: number;
  readonly summary: string;
  readonly isFromNow: boolean;
}

function TrackPicture({ layout, width, summary, isFromNow }: TrackPictureProps) {
  const { lanes, ticks, before, after } = layout;
  return (
    <svg width={width} height={trackHeight} role="img" aria-label={summary}>
      {lanes.map(({ name }, row) => (
        <SmallText key={name} x={0} y={laneY(row) + 4} anchor="start" text={name} isFaint />
      ))}
      <path d={`M ${trackStart} ${axisY} H ${width}`} stroke={colors.line} />
      {ticks.map(({ x, label }) => (
        <g key={x}>
          <path d={`M ${x} 0 V ${axisY + 3}`} stroke={colors.line} strokeOpacity={0.35} />
          <SmallText x={x} y={axisY + 14} text={label} isFaint />
        </g>
      ))}
      {isFromNow && (
        <>
          <path d={`M ${trackStart} 0 V ${axisY + 3}`} stroke={colors.ink} strokeWidth={2} />
          <SmallText x={trackStart} y={axisY + 14} text="now" />
        </>
      )}
      {before > 0 && <SmallText x={0} y={axisY + 14} anchor="start" text={`${countText(before)} earlier`} />}
      {after > 0 && <SmallText x={width} y={axisY + 14} anchor="end" text={`${countText(after)} later`} />}
      {lanes.flatMap(({ name, marks }, row) =>
        marks.map((mark) => <Mark key={`${name} ${mark.x}`} mark={mark} y={laneY(row)} />),
      )}
    </svg>
  );
}

/** A shape, or the count of several. */
function Mark({ mark, y }: { readonly mark: TrackMark; readonly y: number }) {
  const kind = kindOf(mark.stops);
  if (mark.count === 1) return <StopSymbol kind={kind} x={mark.x} y={y} />;
  return (
    <g>
      <rect
        x={mark.x - mark.width / 2}
        y={y - 6.5}
        width={mark.width}
        height={13}
        rx={6.5}
        fill={kindColor(kind)}
      />
      <text x={mark.x} y={y + 4} textAnchor="middle" fontSize={11} fontWeight={600} fill={colors.card}>
        {countText(mark.count)}
      </text>
    </g>
  );
}

interface TextProps {
  readonly x: number;
  readonly y: number;
  readonly text: string;
  readonly anchor?: 'start' | 'middle' | 'end';
  readonly isFaint?: boolean;
}

function SmallText({ x, y, text, anchor = 'middle', isFaint = false }: TextProps) {
  return (
    <text x={x} y={y} textAnchor={anchor} fontSize={11} fill={isFaint ? colors.muted : colors.ink}>
      {text}
    </text>
  );
}
