// The kinds of stops in words, colors and shapes.

import type { UpcomingStops } from '@opentill/client/operator';
import { colors } from '../parts/colors.ts';
import { countText } from '../parts/count-text.ts';
import type { DueStop } from './track-layout.ts';

type StopKind = UpcomingStops['stops'][number]['kind'];

const kinds: Readonly<
  Record<StopKind, { readonly one: string; readonly many: string; readonly color: string }>
> = {
  renewal: { one: 'renewal', many: 'renewals', color: colors.good.text },
  retry: { one: 'payment retry', many: 'payment retries', color: colors.bad.text },
  poll: { one: 'payment poll', many: 'payment polls', color: colors.waiting.text },
  expiry: { one: 'expiry', many: 'expiries', color: colors.info.text },
  delivery: { one: 'delivery', many: 'deliveries', color: colors.waiting.text },
};

/** What falls due: "14 renewals, 1 payment retry". */
export function stopText(stops: readonly DueStop[]): string {
  const byKind = Map.groupBy(stops, ({ kind }) => kind as StopKind);
  return [...byKind]
    .map(([kind, own]) => {
      const count = own.reduce((sum, stop) => sum + stop.count, 0);
      return `${countText(count)} ${count === 1 ? kinds[kind].one : kinds[kind].many}`;
    })
    .join(', ');
}

/** The one kind of several stops, if they have one. */
export function kindOf(stops: readonly DueStop[]): StopKind | undefined {
  const [first] = stops;
  return stops.every(({ kind }) => kind === first?.kind) ? (first?.kind as StopKind) : undefined;
}

const symbolSize = 4;

interface StopSymbolProps {
  readonly kind: StopKind | undefined;
  readonly x: number;
  readonly y: number;
}

/** A shape for each kind. */
export function StopSymbol({ kind = 'renewal', x, y }: StopSymbolProps) {
  const s = symbolSize;
  const { color } = kinds[kind];
  const line = { stroke: color, strokeWidth: 2, fill: colors.card };
  switch (kind) {
    case 'renewal':
      return <circle cx={x} cy={y} r={s} fill={color} />;
    case 'poll':
      return <circle cx={x} cy={y} r={s - 1} {...line} />;
    case 'retry':
      return (
        <path
          d={`M ${x - s} ${y - s} l ${2 * s} ${2 * s} m 0 ${-2 * s} l ${-2 * s} ${2 * s}`}
          {...line}
          strokeWidth={2.5}
        />
      );
    case 'expiry':
      return <rect x={x - s + 1} y={y - s + 1} width={2 * s - 2} height={2 * s - 2} {...line} />;
    case 'delivery':
      return <path d={`M ${x} ${y - s} l ${s} ${2 * s} h ${-2 * s} Z`} fill={color} />;
  }
}

/** The color of the count of several. */
export function kindColor(kind: StopKind | undefined): string {
  return kind === undefined ? colors.ink : kinds[kind].color;
}
