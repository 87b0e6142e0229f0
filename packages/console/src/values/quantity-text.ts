// Durations and counts as texts.

import { dayMs, hourMs, minuteMs, secondMs } from '../runtime/durations.ts';

const units = [
  ['d', dayMs],
  ['h', hourMs],
  ['min', minuteMs],
  ['s', secondMs],
] as const;

/** The server counts deliveries and stops up to this limit, which is the same for both in the contract. */
const countedMax = 1_000;

const numberFormat = new Intl.NumberFormat('en-GB');

/** "1,200". */
export function numberText(count: number): string {
  return numberFormat.format(count);
}

/** "1 month", "1,200 months". */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${numberText(count)} ${count === 1 ? one : many}`;
}

export function countText(count: number): string {
  return count >= countedMax ? `${numberText(countedMax)}+` : String(count);
}

/** In its largest unit. */
export function durationText(ms: number): string {
  const [name, unitMs] = units.find(([, size]) => ms >= size) ?? units[3];
  return `${numberText(Math.floor(ms / unitMs))} ${name}`;
}

/** In its two largest units: "5 min 12 s". */
export function exactDurationText(ms: number): string {
  const at = units.findIndex(([, size]) => ms >= size);
  const [first, second] = at === -1 ? [units[3]] : units.slice(at);
  if (first === undefined || second === undefined) return durationText(ms);
  const rest = ms % first[1];
  return rest < second[1]
    ? durationText(ms)
    : `${durationText(ms)} ${Math.floor(rest / second[1])} ${second[0]}`;
}
