// The shapes of the marks on the picture of a subscription: each kind has a shape of its own, not only a color.

import { symbol, symbolCircle, symbolDiamond, symbolTimes, symbolTriangle } from 'd3-shape';
import { colors } from '../parts/colors.ts';
import type { MarkKind } from './life-data.ts';

const [good, bad, second, waiting] = [
  colors.good.text,
  colors.bad.text,
  colors.info.text,
  colors.waiting.text,
];
const ground = colors.card;

/** Areas in square pixels, as d3-shape takes them. */
const area = 90;
const smallArea = 34;

const shapes = {
  circle: symbol(symbolCircle, area)() ?? '',
  triangle: symbol(symbolTriangle, 70)() ?? '',
  times: symbol(symbolTimes, area)() ?? '',
  smallTimes: symbol(symbolTimes, smallArea)() ?? '',
  diamond: symbol(symbolDiamond, 80)() ?? '',
};

export const markWords: Readonly<Record<MarkKind, string>> = {
  paid: 'paid',
  declined: 'declined',
  final: 'declined for the last time',
  pending: 'without an outcome',
  next: 'next',
  cancelled: 'cancelled',
  reactivated: 'reactivated',
  ended: 'ended',
};

export function MarkSymbol({ kind }: { readonly kind: MarkKind }) {
  switch (kind) {
    case 'paid':
      return <path d={shapes.circle} fill={good} />;
    case 'declined':
      return <path d={shapes.times} stroke={bad} strokeWidth={2} fill="none" />;
    case 'final':
      return (
        <>
          <path d={shapes.circle} stroke={bad} strokeWidth={2} fill={ground} />
          <path d={shapes.smallTimes} stroke={bad} strokeWidth={2} fill="none" />
        </>
      );
    case 'pending':
      return <path d={shapes.circle} stroke={waiting} strokeWidth={2} fill={ground} />;
    case 'next':
      return <path d={shapes.circle} stroke={waiting} strokeWidth={2} strokeDasharray="2 2" fill={ground} />;
    case 'cancelled':
      return <path d={shapes.triangle} fill={bad} transform="rotate(180)" />;
    case 'reactivated':
      return <path d={shapes.triangle} fill={good} />;
    case 'ended':
      return <path d={shapes.diamond} fill={second} />;
  }
}

/** Several marks at one place: the worst kind gives the color, and the text is their number. */
export function JoinedSymbol({ kinds }: { readonly kinds: readonly MarkKind[] }) {
  const isBad = kinds.some((kind) => ['declined', 'final', 'cancelled'].includes(kind));
  const color = isBad ? bad : kinds.some((kind) => ['pending', 'next'].includes(kind)) ? waiting : good;
  return (
    <>
      <rect x={-7} y={-8} width={14} height={16} rx={3} fill={ground} stroke={color} strokeWidth={1.5} />
      <text textAnchor="middle" y={4} fontSize={11} fill={color}>
        {kinds.length > 99 ? '…' : kinds.length}
      </text>
    </>
  );
}
