// The colors of the theme (app/theme.ts) by their meaning, for styles and pictures: Mantine's components take their names,
// as in `<Text c="bad">` and `<Alert color="waiting">`.

export type ToneName = 'good' | 'waiting' | 'bad' | 'info';

function toneOf(name: ToneName) {
  return {
    /** On every surface, and on `soft`. */
    text: `var(--mantine-color-${name}-text)`,
    /** Marks, and surfaces below white text. */
    fill: `var(--mantine-color-${name}-filled)`,
    /** Surfaces below text. */
    soft: `var(--mantine-color-${name}-light)`,
  } as const;
}

export const colors = {
  ink: 'var(--mantine-color-text)',
  muted: 'var(--mantine-color-dimmed)',
  line: 'var(--mantine-color-default-border)',
  page: 'var(--mantine-color-page)',
  card: 'var(--mantine-color-body)',
  raised: 'var(--mantine-color-raised)',
  /** On every `fill`. */
  onFill: 'var(--mantine-color-white)',
  good: toneOf('good'),
  waiting: toneOf('waiting'),
  bad: toneOf('bad'),
  info: toneOf('info'),
} as const;
