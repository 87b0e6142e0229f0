// A duration in its largest unit, for people.

const units = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1_000],
] as const;

export function durationText(ms: number): string {
  const [name, unitMs] = units.find(([, size]) => ms >= size) ?? units[3];
  return `${Math.floor(ms / unitMs)} ${name}`;
}
