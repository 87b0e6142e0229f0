// The shapes of the marks on the picture of a subscription: each kind has a shape of its own, not only a color.

import type { SVGProps } from 'react';
import { colors } from '../parts/colors.ts';
import type { BarKind, MarkKind } from './life-data.ts';

const { card: ground } = colors;
const [good, bad, waiting] = [colors.good.text, colors.bad.text, colors.waiting.text];

const shapes = {
  circle: 'M -5 0 A 5 5 0 1 1 5 0 A 5 5 0 1 1 -5 0 Z',
  triangle: 'M 0 -7 L 6 4 H -6 Z',
  cross: 'M -5 -5 L 5 5 M -5 5 L 5 -5',
  bar: 'M -6 -2 H 6 V 2 H -6 Z',
} as const;

export const markWords: Readonly<Record<MarkKind, string>> = {
  paid: 'paid',
  declined: 'declined',
  pending: 'without an outcome',
  next: 'next',
  cancelled: 'cancelled',
  awaiting: 'consent asked for',
  reactivated: 'reactivated',
  ended: 'ended',
};

const hatch = 'void-hatch';

/** The looks of the bars; that of a void needs `VoidHatch` on the page. */
export const barLooks: Readonly<Record<BarKind, SVGProps<SVGRectElement>>> = {
  paid: { fill: colors.good.fill },
  free: { fill: colors.good.soft, stroke: good },
  voided: { fill: `url(#${hatch})`, stroke: bad },
  outstanding: { fill: colors.waiting.fill },
  next: { fill: 'none', stroke: colors.muted, strokeDasharray: '1.5 3' },
};

export function VoidHatch() {
  return (
    <pattern id={hatch} width={6} height={6} patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
      <rect width={6} height={6} fill={ground} />
      <path d="M 1 0 V 6" stroke={bad} strokeWidth={2} />
    </pattern>
  );
}

const outline = { strokeWidth: 2, fill: ground } as const;

const looks: Readonly<Record<MarkKind, SVGProps<SVGPathElement>>> = {
  paid: { d: shapes.circle, fill: good },
  declined: { d: shapes.cross, stroke: bad, ...outline },
  pending: { d: shapes.circle, stroke: waiting, ...outline },
  next: { d: shapes.circle, stroke: colors.muted, strokeDasharray: '2 2', ...outline },
  cancelled: { d: shapes.triangle, stroke: good, transform: 'rotate(180)', ...outline },
  awaiting: { d: shapes.triangle, stroke: waiting, transform: 'rotate(180)', ...outline },
  reactivated: { d: shapes.triangle, fill: good },
  ended: { d: shapes.bar, fill: colors.muted },
};

export function MarkSymbol({ kind }: { readonly kind: MarkKind }) {
  return <path {...looks[kind]} />;
}

/** Several marks at one place: the worst kind gives the color, and the text is their number. */
export function JoinedSymbol({ kinds }: { readonly kinds: readonly MarkKind[] }) {
  const isBad = kinds.some((kind) => kind === 'declined');
  const color = isBad ? bad : kinds.some((kind) => ['pending', 'awaiting'].includes(kind)) ? waiting : good;
  return (
    <>
      <rect x={-7} y={-8} width={14} height={16} rx={3} fill={ground} stroke={color} strokeWidth={1.5} />
      <text textAnchor="middle" y={4} fontSize={11} fill={color}>
        {kinds.length > 99 ? '…' : kinds.length}
      </text>
    </>
  );
}
