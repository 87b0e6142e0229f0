// Draws the life of a subscription: changes of auto-payment above, periods as bars, charges below, and a line for now. What a
// mark means is its title.

import { Box } from '@mantine/core';
import { useElementSize } from '@mantine/hooks';
import { colors } from '../parts/colors.ts';
import { useInstantText } from '../values/instant.tsx';
import { durationText } from '../values/quantity-text.ts';
import { barName, type LifeData, lifeSummary } from './life-data.ts';
import { type LifeLayout, layOutLife, type PlacedBar, type PlacedMark } from './life-layout.ts';
import { barLooks, JoinedSymbol, MarkSymbol, VoidHatch } from './life-marks.tsx';

const { muted, card: ground } = colors;

const fullHeight = 160;

/** The lane at the top, without which a picture begins lower if auto-payment never changed. */
const switchesHeight = 32;

const lanes = { switches: 28, periods: 74, charges: 120 } as const;
const laneNames = { switches: 'auto-payment', periods: 'periods', charges: 'charges' } as const;
const axisY = 140;
const barHeight = 26;

/** A bar of this width has room for a word. */
const labelledWidth = 60;

/** Around a text that something else may cross. */
const halo = { stroke: ground, strokeWidth: 4, paintOrder: 'stroke' } as const;

/** Half of the room of the label of now. */
const nowRoom = 32;

/** The room of the name of the first lane, which is in the same line as that label. */
const laneNameRoom = 72;

export function LifePicture({ data }: { readonly data: LifeData }) {
  const { ref, width } = useElementSize();
  const instantText = useInstantText();
  const layout = layOutLife(data, width);
  const top = data.switches.length === 0 ? switchesHeight : 0;
  const height = fullHeight - top;
  return (
    // The picture must not keep its box from becoming narrower.
    <Box ref={ref} mih={height} style={{ contain: 'inline-size' }}>
      {width > 0 && (
        <svg
          width={width}
          height={height}
          viewBox={`0 ${top} ${width} ${height}`}
          role="img"
          aria-label={lifeSummary(data, instantText)}
          style={{ display: 'block' }}
        >
          <Now layout={layout} width={width} top={top} text={timeOf(instantText(data.now))} />
          <VoidHatch />
          <Lanes width={width} />
          <Bars bars={layout.bars} />
          <Marks marks={layout.switches} y={lanes.switches} />
          <Marks marks={layout.charges} y={lanes.charges} />
          <Axis layout={layout} width={width} />
        </svg>
      )}
    </Box>
  );
}

/** The day, or the hour and minute, of the text of an instant. */
const dayOf = (text: string): string => text.split(',')[0] ?? '';
const timeOf = (text: string): string => /\d\d:\d\d/.exec(text)?.[0] ?? '';

interface LaidOut {
  readonly layout: LifeLayout;
  readonly width: number;
}

interface NowProps extends LaidOut {
  readonly top: number;
  readonly text: string;
}

/** Drawn first, behind the marks. */
function Now({ layout: { nowX }, width, top, text }: NowProps) {
  if (nowX === undefined) return null;
  const nameRoom = top === 0 ? laneNameRoom : 0;
  const anchor = nowX > width - nowRoom ? 'end' : nowX < nameRoom + nowRoom ? 'start' : 'middle';
  return (
    <g>
      <path d={`M ${nowX} ${top + 14} V ${axisY}`} stroke={colors.ink} strokeWidth={1.5} />
      <text x={Math.max(nowX, nameRoom)} y={top + 10} textAnchor={anchor} fontSize={11} fill={colors.ink}>
        now {text}
      </text>
    </g>
  );
}

function Lanes({ width }: { readonly width: number }) {
  return (
    <>
      {Object.entries(lanes).map(([lane, y]) => (
        // The line of now does not cross it.
        <text key={lane} x={0} y={y - 17} fontSize={11} fill={muted} {...halo}>
          {laneNames[lane as keyof typeof lanes]}
        </text>
      ))}
      <path d={`M 0 ${lanes.charges} H ${width}`} stroke={colors.line} />
    </>
  );
}

function Bars({ bars }: { readonly bars: readonly PlacedBar[] }) {
  const instantText = useInstantText();
  const y = lanes.periods - barHeight / 2;
  return (
    <>
      {bars.map((bar) => (
        <g key={`${bar.kind} ${bar.start}`} data-bar={bar.kind}>
          <title>{`${barName(bar)}, ${instantText(bar.start)} to ${instantText(bar.end)}`}</title>
          <rect x={bar.x} y={y} width={bar.width} height={barHeight} rx={2} {...barLooks[bar.kind]} />
          {bar.width >= labelledWidth && <BarLabel bar={bar} />}
        </g>
      ))}
    </>
  );
}

function BarLabel({ bar }: { readonly bar: PlacedBar }) {
  const isFilled = bar.kind === 'paid' || bar.kind === 'outstanding';
  return (
    <text
      x={bar.x + bar.width / 2}
      y={lanes.periods + 4}
      textAnchor="middle"
      fontSize={12}
      fill={isFilled ? colors.onFill : colors.ink}
      {...(!isFilled && halo)}
    >
      {bar.kind}
      {bar.kind === 'outstanding' && ` ${durationText(bar.end - bar.start)}`}
    </text>
  );
}

function Marks({ marks, y }: { readonly marks: readonly PlacedMark[]; readonly y: number }) {
  const instantText = useInstantText();
  return marks.map(({ x, items }) => {
    const [first] = items;
    return (
      <g key={x} transform={`translate(${x} ${y})`} data-mark={items.length > 1 ? 'several' : first?.kind}>
        <title>{items.map(({ text, time }) => `${text}, ${instantText(time)}`).join('\n')}</title>
        {items.length === 1 && first !== undefined ? (
          <MarkSymbol kind={first.kind} />
        ) : (
          <JoinedSymbol kinds={items.map(({ kind }) => kind)} />
        )}
      </g>
    );
  });
}

function Axis({ layout: { labels }, width }: LaidOut) {
  const instantText = useInstantText();
  return (
    <>
      <path d={`M 0 ${axisY} H ${width}`} stroke={muted} />
      {labels.map(({ time, x, labelX }) => (
        <g key={time}>
          <path d={`M ${x} ${axisY} v 4`} stroke={muted} />
          <text x={labelX} y={axisY + 16} textAnchor="middle" fontSize={11} fill={colors.ink}>
            {dayOf(instantText(time))}
          </text>
        </g>
      ))}
    </>
  );
}
