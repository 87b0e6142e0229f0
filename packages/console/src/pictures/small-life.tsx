// The months of a subscription in a row of a list: how long it has lived, what was voided, and whether a payment is missing.

import { colors } from '../parts/colors.ts';
import { counted } from '../parts/count-text.ts';
import {
  layOutSmallLife,
  livedMonths,
  type SmallLife,
  type SmallMonth,
  smallWidth,
} from './small-life-layout.ts';

const height = 16;
const barHeight = 10;
const top = (height - barHeight) / 2;

const looks: Readonly<Record<SmallMonth['kind'], object>> = {
  paid: { fill: colors.good.fill },
  // Lower than a paid one, so that the color is not the only difference.
  voided: { fill: colors.bad.fill, y: top + barHeight / 2, height: barHeight / 2 },
  outstanding: { fill: colors.waiting.fill, y: 0, height },
  next: { fill: 'none', stroke: colors.muted, strokeDasharray: '1.5 2' },
};

export function SmallLifePicture({ subscription }: { readonly subscription: SmallLife }) {
  const { voidedPeriods } = subscription;
  const voided = voidedPeriods.length === 0 ? '' : `, ${voidedPeriods.length} voided`;
  const lived = livedMonths(subscription);
  const summary = `${counted(lived, 'month')}${voided}`;
  return (
    <svg width={smallWidth} height={height} role="img" aria-label={summary} style={{ display: 'block' }}>
      <title>{summary}</title>
      {layOutSmallLife(subscription).map(({ kind, x, width }) => (
        <rect key={x} x={x} y={top} width={width} height={barHeight} rx={1} {...looks[kind]} />
      ))}
    </svg>
  );
}
