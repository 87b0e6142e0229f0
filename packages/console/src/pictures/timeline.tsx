// The picture of a subscription: changes of auto-payment, months and charges over time. Arrow keys walk the marks, Enter
// opens a month or spreads the charges that share a mark.

import { Box, Button } from '@mantine/core';
import { useElementSize } from '@mantine/hooks';
import { type KeyboardEvent, useId, useState } from 'react';
import { colors } from '../parts/colors.ts';
import { durationText } from '../parts/duration.ts';
import { MarkCard, type PointedMark } from './mark-card.tsx';
import { Axis, Now } from './timeline-axis.tsx';
import { type TimelineData, zoomedTo } from './timeline-data.ts';
import { layOutTimeline, type PlacedBar, type PlacedMark, type TimelineLayout } from './timeline-layout.ts';
import { JoinedSymbol, MarkSymbol } from './timeline-symbols.tsx';
import { barText } from './timeline-words.ts';
import { type Place, placeAfter } from './walk.ts';

const { good, bad, waiting, muted, card: ground } = colors;

/** Between the picture and the frame of its focus, in pixels. */
const inset = 8;

const height = 160;
const lanes = { switches: 28, months: 74, charges: 120 } as const;
const barHeight = 26;

/** A bar of this width has room for a word. */
const labelledWidth = 60;

interface TimelineProps {
  readonly data: TimelineData;
  /** The picture in words. */
  readonly summary: string;
  /** Opens the purchase of a month. */
  readonly onOpen: (purchaseId: string) => void;
}

const laneOrder = ['switches', 'months', 'charges'] as const;

type Lane = (typeof laneOrder)[number];

const rowOf = (lane: Lane): number => laneOrder.indexOf(lane);

export function Timeline({ data, summary, onOpen }: TimelineProps) {
  const { ref, width: outer } = useElementSize();
  const [place, setPlace] = useState<Place>();
  const [zoomed, setZoomed] = useState<TimelineData>();
  const width = Math.max(0, outer - 2 * inset);
  const layout = layOutTimeline(zoomed ?? data, width);
  const walked: readonly (readonly PointedMark[])[] = [
    layout.switches.map(({ x, items }) => ({ x, items })),
    layout.bars.map((bar) => ({ x: bar.x + bar.width / 2, width: bar.width, items: [], bar })),
    layout.charges.map(({ x, items }) => ({ x, items })),
  ];
  const current = place === undefined ? undefined : walked[place.row]?.[place.index];
  const act = ({ bar, items }: PointedMark): void => {
    if (bar?.purchaseId !== undefined) onOpen(bar.purchaseId);
    else if (items.length > 1) {
      setPlace(undefined);
      setZoomed(zoomedTo(data, items));
    }
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (
      current !== undefined &&
      (event.key === 'Enter' || (event.key === 'v' && current.bar !== undefined))
    ) {
      event.preventDefault();
      event.stopPropagation();
      act(current);
      return;
    }
    // The first key starts from the newest month.
    const start = { row: rowOf('months'), index: layout.bars.length };
    const next = placeAfter(event.key, place ?? start, walked);
    if (next === undefined) return;
    event.preventDefault();
    setPlace(next);
  };
  const handlersOf = (lane: Lane): LaneHandlers => ({
    onPoint: (index) => setPlace({ row: rowOf(lane), index }),
    onAct: (index) => {
      const mark = walked[rowOf(lane)]?.[index];
      if (mark !== undefined) act(mark);
    },
  });
  return (
    <Box>
      <Box
        ref={ref}
        role="group"
        aria-label="Marks of the picture"
        tabIndex={0}
        onKeyDown={onKeyDown}
        px={inset}
      >
        {width > 0 && (
          <svg width={width} height={height} role="img" aria-label={summary} style={{ display: 'block' }}>
            <Now layout={layout} width={width} now={data.now} />
            <Lanes width={width} renewing={layout.renewing} />
            <Bars bars={layout.bars} {...handlersOf('months')} />
            {(['switches', 'charges'] as const).map((lane) => (
              <Marks key={lane} marks={layout[lane]} y={lanes[lane]} {...handlersOf(lane)} />
            ))}
            <Axis layout={layout} width={width} />
            {place !== undefined && current !== undefined && <Focus current={current} row={place.row} />}
          </svg>
        )}
      </Box>
      <MarkCard mark={current} width={outer} onOpen={onOpen} />
      {zoomed !== undefined && (
        <Button variant="default" mt="xs" onClick={() => setZoomed(undefined)}>
          Show the whole window
        </Button>
      )}
    </Box>
  );
}

/** A month is framed as a whole, and a mark with room around it. */
function Focus({ current: { x, width = 0 }, row }: { readonly current: PointedMark; readonly row: number }) {
  const own = Math.max(22, width + 4);
  return (
    <rect
      x={x - own / 2}
      y={lanes[laneOrder[row] ?? 'months'] - 16}
      width={own}
      height={32}
      rx={4}
      fill="none"
      stroke={colors.ink}
      strokeWidth={1.5}
    />
  );
}

interface LanesProps {
  readonly width: number;
  readonly renewing: TimelineLayout['renewing'];
}

/** The line of the first lane is drawn where auto-payment was on. */
function Lanes({ width, renewing }: LanesProps) {
  const captions = { switches: 'auto-payment', months: 'months', charges: 'charges' } as const;
  return (
    <>
      {laneOrder.map((lane) => (
        <text key={lane} x={0} y={lanes[lane] - 17} fontSize={11} fill={muted}>
          {captions[lane]}
        </text>
      ))}
      <path d={`M 0 ${lanes.charges} H ${width}`} stroke={colors.line} />
      {renewing.map(({ x, width: own }) => (
        <path key={x} d={`M ${x} ${lanes.switches} h ${own}`} stroke={good.fill} strokeWidth={2} />
      ))}
    </>
  );
}

interface LaneHandlers {
  readonly onPoint: (index: number) => void;
  readonly onAct: (index: number) => void;
}

interface BarsProps extends LaneHandlers {
  readonly bars: readonly PlacedBar[];
}

function Bars({ bars, onPoint, onAct }: BarsProps) {
  const hatch = useId();
  const retryHatch = useId();
  const y = lanes.months - barHeight / 2;
  const looks = {
    paid: { fill: good.fill },
    voided: { fill: `url(#${hatch})`, stroke: bad.text },
    outstanding: { fill: waiting.fill },
    retried: { fill: `url(#${retryHatch})`, stroke: waiting.text, strokeDasharray: '6 3' },
    next: { fill: 'none', stroke: muted, strokeDasharray: '1.5 3' },
  } as const;
  return (
    <>
      <defs>
        <Hatch id={hatch} color={bad.text} />
        <Hatch id={retryHatch} color={waiting.text} />
      </defs>
      {bars.map((bar, index) => (
        // biome-ignore lint/a11y/noStaticElementInteractions: keys act on the focused mark of the group
        <g
          key={`${bar.kind} ${bar.start}`}
          data-bar={bar.kind}
          onPointerEnter={() => onPoint(index)}
          onClick={() => onAct(index)}
        >
          <rect x={bar.x} y={y} width={bar.width} height={barHeight} rx={2} {...looks[bar.kind]} />
          {bar.tickX !== undefined && (
            <path d={`M ${bar.tickX} ${y - 4} V ${y + barHeight}`} stroke={waiting.text} strokeWidth={2} />
          )}
          {bar.width >= labelledWidth && <BarLabel bar={bar} />}
        </g>
      ))}
    </>
  );
}

function Hatch({ id, color }: { readonly id: string; readonly color: string }) {
  return (
    <pattern id={id} width={6} height={6} patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
      <rect width={6} height={6} fill={ground} />
      <path d="M 1 0 V 6" stroke={color} strokeWidth={2} />
    </pattern>
  );
}

function BarLabel({ bar }: { readonly bar: PlacedBar }) {
  const isFilled = bar.kind === 'paid' || bar.kind === 'outstanding';
  return (
    <text
      x={bar.x + bar.width / 2}
      y={lanes.months + 4}
      textAnchor="middle"
      fontSize={12}
      fill={isFilled ? colors.onFill : colors.ink}
      {...(!isFilled && { stroke: ground, strokeWidth: 4, paintOrder: 'stroke' })}
    >
      {barText[bar.kind]}
      {bar.kind === 'outstanding' && ` ${durationText(bar.end - bar.start)}`}
    </text>
  );
}

interface MarksProps extends LaneHandlers {
  readonly marks: readonly PlacedMark[];
  readonly y: number;
}

function Marks({ marks, y, onPoint, onAct }: MarksProps) {
  return marks.map(({ x, items }, index) => {
    const [only] = items;
    return (
      // biome-ignore lint/a11y/noStaticElementInteractions: keys act on the focused mark of the group
      <g
        key={x}
        transform={`translate(${x} ${y})`}
        onPointerEnter={() => onPoint(index)}
        onClick={() => onAct(index)}
      >
        {items.length === 1 && only !== undefined ? (
          <MarkSymbol kind={only.kind} />
        ) : (
          <JoinedSymbol kinds={items.map(({ kind }) => kind)} />
        )}
      </g>
    );
  });
}
