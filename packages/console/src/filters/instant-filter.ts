// The instant that a filter of the address means: relative to a clock such as -24h or +7d, in ISO 8601, or in ms.

import { serverNow } from '../runtime/clock.ts';
import { dayMs, hourMs, minuteMs } from '../runtime/durations.ts';

const unitsMs: Readonly<Record<string, number>> = { m: minuteMs, h: hourMs, d: dayMs };

/** Returns ms, or undefined if the text is not an instant. */
export function instantOf(text = '', now = serverNow()): number | undefined {
  const [, sign, count, unit = ''] = /^([+-])(\d{1,6})([mhd])$/.exec(text) ?? [];
  if (count !== undefined) return now + Number(`${sign}${count}`) * (unitsMs[unit] ?? 0);
  const ms = /^\d{1,15}$/.test(text) ? Number(text) : Date.parse(text);
  return Number.isNaN(ms) ? undefined : ms;
}
