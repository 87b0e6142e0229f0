// The axis of the picture of a subscription, and the line of now.

import { colors } from '../parts/colors.ts';
import { useInstantText } from '../parts/instant.tsx';
import { dayMs } from '../runtime/durations.ts';
import type { TimelineLayout } from './timeline-layout.ts';

/** Below the lanes, in pixels. */
const axisY = 140;

/** Half of the room of the label of now. */
const nowRoom = 32;

/** The room of the name of the first lane, which is in the same line. */
const laneNameRoom = 72;

interface NowProps {
  readonly layout: TimelineLayout;
  readonly width: number;
  readonly now: number;
}

/** Is drawn first, so that it lies behind the marks. */
export function Now({ layout: { nowX }, width, now }: NowProps) {
  const timeText = useTimeText();
  if (nowX === undefined) return null;
  return (
    <g>
      <path d={`M ${nowX} 14 V ${axisY}`} stroke={colors.ink} strokeWidth={1.5} />
      <text
        x={Math.max(nowX, laneNameRoom)}
        y={10}
        textAnchor={nowX > width - nowRoom ? 'end' : nowX < laneNameRoom + nowRoom ? 'start' : 'middle'}
        fontSize={11}
        fill={colors.ink}
      >
        now {timeText(now)}
      </text>
    </g>
  );
}

export function Axis({
  layout: { labels },
  width,
}: {
  readonly layout: TimelineLayout;
  readonly width: number;
}) {
  const instantText = useInstantText();
  const timeText = useTimeText();
  const dayOf = (time: number) => instantText(time).split(',')[0] ?? '';
  const isHours = labels.some(({ time }, index) => {
    const next = labels[index + 1];
    return next !== undefined && next.time - time < dayMs;
  });
  return (
    <>
      <path d={`M 0 ${axisY} H ${width}`} stroke={colors.muted} />
      {labels.map(({ time, x, labelX }, index) => {
        const previous = labels[index - 1];
        const isSameDay = previous !== undefined && dayOf(previous.time) === dayOf(time);
        return (
          <g key={time}>
            <path d={`M ${x} ${axisY} v 4`} stroke={colors.muted} />
            <text x={labelX} y={axisY + 16} textAnchor="middle" fontSize={11} fill={colors.ink}>
              {isHours && isSameDay ? timeText(time) : dayOf(time)}
            </text>
          </g>
        );
      })}
    </>
  );
}

/** The hour and minute of an instant. */
function useTimeText(): (time: number) => string {
  const instantText = useInstantText();
  return (time) => /\d\d:\d\d/.exec(instantText(time))?.[0] ?? '';
}
