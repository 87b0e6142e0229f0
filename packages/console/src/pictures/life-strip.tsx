// The whole life of a subscription: one cell for each year, with the window of the picture above.

import { Box, Text } from '@mantine/core';
import { useElementSize } from '@mantine/hooks';
import type { MouseEvent } from 'react';
import { colors } from '../parts/colors.ts';
import { layOutYears } from './timeline-layout.ts';

const { good, bad } = colors;
const height = 26;
const cellHeight = 16;

interface LifeStripProps {
  readonly months: number;
  readonly voidedPeriods: readonly number[];
  /** The window, by periodIndex. */
  readonly fromPeriod: number;
  readonly toPeriod: number;
  /** Shows the window that ends with this month; a keyboard uses the buttons of the picture instead. */
  readonly onShow: (toPeriod: number) => void;
}

export function LifeStrip({ months, voidedPeriods, fromPeriod, toPeriod, onShow }: LifeStripProps) {
  const { ref, width } = useElementSize();
  const years = layOutYears({ months, voidedPeriods }, width);
  const shown = years.filter((year) => year.toPeriod >= fromPeriod && year.fromPeriod <= toPeriod);
  const [first, last] = [shown[0], shown.at(-1)];
  const summary = `${years.length} years, ${voidedPeriods.length} voided months; months ${fromPeriod + 1} to ${toPeriod + 1} are shown above.`;
  const showYear = (event: MouseEvent): void => {
    const year = years[Math.floor((event.nativeEvent.offsetX / width) * years.length)];
    if (year !== undefined) onShow(year.toPeriod);
  };
  return (
    <div>
      <Text size="xs" c="dimmed">
        Whole life: {months} {months === 1 ? 'month' : 'months'}, one cell for each year
      </Text>
      <Box ref={ref} h={height} onClick={showYear} style={{ cursor: 'pointer' }}>
        {width > 0 && (
          <svg width={width} height={height} role="img" aria-label={summary} style={{ display: 'block' }}>
            {years.map(({ year, voided, x, width: own, months: count }) => (
              <g key={year}>
                <title>{`Year ${year + 1}: ${count} months, ${voided} voided`}</title>
                <rect x={x} y={5} width={own} height={cellHeight} fill={good.fill} />
                {/* As high as the share of the year that was voided. */}
                <rect
                  x={x}
                  y={height - 5 - cellHeight * (voided / count)}
                  width={own}
                  height={cellHeight * (voided / count)}
                  fill={bad.text}
                />
              </g>
            ))}
            {first !== undefined && last !== undefined && (
              <rect
                x={Math.max(1, first.x - 1)}
                y={2}
                width={Math.min(width - 2, last.x + last.width - first.x + 2)}
                height={height - 4}
                rx={2}
                fill="none"
                stroke={colors.ink}
                strokeWidth={2}
                pointerEvents="none"
              />
            )}
          </svg>
        )}
      </Box>
    </div>
  );
}
