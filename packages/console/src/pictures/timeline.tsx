// The picture of a subscription: changes of auto-payment, months and charges over time. Arrow keys walk the marks.

import { Box, Text } from '@mantine/core';
import { useElementSize } from '@mantine/hooks';
import { type KeyboardEvent, useId, useState } from 'react';
import { colors } from '../parts/colors.ts';
import { useInstantText } from '../parts/instant.tsx';
import type { TimelineData } from './timeline-data.ts';
import { layOutTimeline, type PlacedBar, type PlacedMark, type TimelineLayout } from './timeline-layout.ts';
import { JoinedSymbol, MarkSymbol } from './timeline-symbols.tsx';
import { barText, useMarkText } from './timeline-words.ts';
import { type Place, placeAfter } from './walk.ts';

const { good, bad, waiting, muted, card: ground } = colors;

const height = 160;
const lanes = { switches: 28, months: 74, charges: 120 } as const;
const barHeight = 26;
const axisY = 140;

/** A bar of this width has room for a word. */
const labelledWidth = 60;

interface TimelineProps {
  readonly data: TimelineData;
  /** The picture in words. */
  readonly summary: string;
}

const laneOrder = ['switches', 'months', 'charges'] as const;

type Lane = (typeof laneOrder)[number];

const rowOf = (lane: Lane): number => laneOrder.indexOf(lane);

export function Timeline({ data, summary }: TimelineProps) {
  const { ref, width } = useElementSize();
  const [place, setPlace] = useState<Place>();
  const markText = useMarkText();
  const layout = layOutTimeline(data, width);
  const walked = [
    layout.switches.map(({ x, items }) => ({ x, text: markText(items) })),
    layout.bars.map((bar) => ({ x: bar.x + bar.width / 2, text: markText([], bar) })),
    layout.charges.map(({ x, items }) => ({ x, text: markText(items) })),
  ];
  const current = place === undefined ? undefined : walked[place.row]?.[place.index];
  const onKeyDown = (event: KeyboardEvent): void => {
    // The first key starts from the newest month.
    const start = { row: rowOf('months'), index: layout.bars.length };
    const next = placeAfter(event.key, place ?? start, walked);
    if (next === undefined) return;
    event.preventDefault();
    setPlace(next);
  };
  return (
    <Box>
      <Box ref={ref} role="group" aria-label="Marks of the picture" tabIndex={0} onKeyDown={onKeyDown}>
        {width > 0 && (
          <svg width={width} height={height} role="img" aria-label={summary} style={{ display: 'block' }}>
            <Lanes width={width} />
            <Bars bars={layout.bars} onPoint={(index) => setPlace({ row: rowOf('months'), index })} />
            {(['switches', 'charges'] as const).map((lane) => (
              <Marks
                key={lane}
                marks={layout[lane]}
                y={lanes[lane]}
                onPoint={(index) => setPlace({ row: rowOf(lane), index })}
              />
            ))}
            <Axis layout={layout} width={width} />
            {place !== undefined && current !== undefined && (
              <rect
                x={current.x - 11}
                y={lanes[laneOrder[place.row] ?? 'months'] - 16}
                width={22}
                height={32}
                rx={4}
                fill="none"
                stroke={colors.ink}
                strokeWidth={1.5}
              />
            )}
          </svg>
        )}
      </Box>
      <Text size="sm" role="status" mih="1.6em">
        {current?.text ?? 'Point at a mark, or walk the marks with the arrow keys.'}
      </Text>
    </Box>
  );
}

function Lanes({ width }: { readonly width: number }) {
  const captions = { switches: 'auto-payment', months: 'months', charges: 'charges' } as const;
  return laneOrder.map((lane) => (
    <g key={lane}>
      <text x={0} y={lanes[lane] - 17} fontSize={11} fill={muted}>
        {captions[lane]}
      </text>
      {lane !== 'months' && <path d={`M 0 ${lanes[lane]} H ${width}`} stroke={colors.line} />}
    </g>
  ));
}

interface BarsProps {
  readonly bars: readonly PlacedBar[];
  readonly onPoint: (index: number) => void;
}

function Bars({ bars, onPoint }: BarsProps) {
  const hatch = useId();
  const y = lanes.months - barHeight / 2;
  const looks = {
    paid: { fill: good.fill },
    voided: { fill: `url(#${hatch})`, stroke: bad.text },
    outstanding: { fill: 'none', stroke: waiting.text, strokeWidth: 2, strokeDasharray: '6 3' },
    next: { fill: 'none', stroke: muted, strokeDasharray: '1.5 3' },
  } as const;
  return (
    <>
      <defs>
        <pattern id={hatch} width={6} height={6} patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
          <rect width={6} height={6} fill={ground} />
          <path d="M 1 0 V 6" stroke={bad.text} strokeWidth={2} />
        </pattern>
      </defs>
      {bars.map((bar, index) => (
        <g key={`${bar.kind} ${bar.start}`} data-bar={bar.kind} onPointerEnter={() => onPoint(index)}>
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

function BarLabel({ bar }: { readonly bar: PlacedBar }) {
  const isFilled = bar.kind === 'paid';
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
    </text>
  );
}

interface MarksProps {
  readonly marks: readonly PlacedMark[];
  readonly y: number;
  readonly onPoint: (index: number) => void;
}

function Marks({ marks, y, onPoint }: MarksProps) {
  return marks.map(({ x, items }, index) => {
    const [only] = items;
    return (
      <g key={x} transform={`translate(${x} ${y})`} onPointerEnter={() => onPoint(index)}>
        {items.length === 1 && only !== undefined ? (
          <MarkSymbol kind={only.kind} />
        ) : (
          <JoinedSymbol kinds={items.map(({ kind }) => kind)} />
        )}
      </g>
    );
  });
}

function Axis({ layout, width }: { readonly layout: TimelineLayout; readonly width: number }) {
  const dayText = useDayText();
  const { labels, nowX } = layout;
  return (
    <>
      <path d={`M 0 ${axisY} H ${width}`} stroke={muted} />
      {labels.map(({ time, x, labelX }) => (
        <g key={time}>
          <path d={`M ${x} ${axisY} v 4`} stroke={muted} />
          <text x={labelX} y={axisY + 16} textAnchor="middle" fontSize={11} fill={colors.ink}>
            {dayText(time)}
          </text>
        </g>
      ))}
      {nowX !== undefined && (
        <g>
          <path d={`M ${nowX} 14 V ${axisY}`} stroke={colors.ink} strokeWidth={1.5} />
          <text
            x={nowX}
            y={10}
            textAnchor={nowX > width - 20 ? 'end' : 'middle'}
            fontSize={11}
            fill={colors.ink}
          >
            now
          </text>
        </g>
      )}
    </>
  );
}

function useDayText(): (time: number) => string {
  const instantText = useInstantText();
  return (time) => instantText(time).split(',')[0] ?? '';
}
