// Draws the attempts of a delivery. The table of attempts on the page has the same values.

import { Box } from '@mantine/core';
import { useElementSize } from '@mantine/hooks';
import { colors } from '../parts/colors.ts';
import { type DeliveryMark, deliveryEdge, layOutDelivery } from './delivery-layout.ts';

const height = 74;
const lineY = 44;
const markRadius = 5;
const good = colors.good.text;
const bad = colors.bad.text;
const waiting = colors.waiting.text;

interface DeliveryPictureProps {
  readonly delivery: Parameters<typeof layOutDelivery>[0];
  /** What the picture shows, in a sentence. */
  readonly summary: string;
}

export function DeliveryPicture({ delivery, summary }: DeliveryPictureProps) {
  const { ref, width } = useElementSize();
  const { marks, ticks } = layOutDelivery(delivery, width);
  return (
    <Box ref={ref} h={height}>
      {width > 0 && (
        <svg width={width} height={height} role="img" aria-label={summary}>
          <line x1={deliveryEdge} x2={width - deliveryEdge} y1={lineY} y2={lineY} stroke={colors.muted} />
          {ticks.map(({ x, label }) => (
            <g key={label}>
              <line x1={x} x2={x} y1={lineY} y2={lineY + 5} stroke={colors.muted} />
              <text x={x} y={lineY + 20} textAnchor="middle" fontSize="12" fill={colors.muted}>
                {label}
              </text>
            </g>
          ))}
          {marks.map((mark) => (
            <g key={mark.attempt} transform={`translate(${mark.x} ${lineY - 18})`}>
              <title>{`Attempt ${mark.attempt}: ${mark.kind}`}</title>
              <Mark kind={mark.kind} />
            </g>
          ))}
        </svg>
      )}
    </Box>
  );
}

function Mark({ kind }: Pick<DeliveryMark, 'kind'>) {
  const r = markRadius;
  switch (kind) {
    case 'delivered':
      return <circle r={r} style={{ fill: good }} />;
    case 'rejected':
      return (
        <path d={`M${-r} ${-r}L${r} ${r}M${-r} ${r}L${r} ${-r}`} strokeWidth="2.5" style={{ stroke: bad }} />
      );
    case 'failed':
      return <rect x={-r} y={-r} width={2 * r} height={2 * r} style={{ fill: bad }} />;
    case 'next':
      return <circle r={r} strokeWidth="2" style={{ fill: 'none', stroke: waiting }} />;
  }
}
