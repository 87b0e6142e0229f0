// Every color and size of the console (docs/decisions/console.md, "Colors and sizes"). Colors are named by their meaning;
// styles outside Mantine use their names from parts/colors.ts, and the style sheet has rules only.

import { type CSSVariablesResolver, colorsTuple, createTheme } from '@mantine/core';

interface Tone {
  /** The tone of text: 4.5:1 on every surface and on `soft`. */
  readonly text: string;
  /** The tone of marks and filled buttons: 3:1 on cards, and 4.5:1 below white text. */
  readonly fill: string;
  /** The tone of a surface below text. */
  readonly soft: string;
}

/** Teal is the color of the primary action, of the sandbox and of what is good, and of nothing else. */
const tones = {
  good: {
    light: { text: '#08745c', fill: '#087f66', soft: '#e3f6f0' },
    dark: { text: '#4fd1b0', fill: '#297c69', soft: '#16322b' },
  },
  waiting: {
    light: { text: '#8f4700', fill: '#b35500', soft: '#fff3dc' },
    dark: { text: '#ffc078', fill: '#a9600c', soft: '#3a2a16' },
  },
  bad: {
    light: { text: '#b42323', fill: '#c92a2a', soft: '#fdecec' },
    dark: { text: '#ff9b9b', fill: '#c92a2a', soft: '#43201f' },
  },
  info: {
    light: { text: '#2f4ec4', fill: '#4263eb', soft: '#ebf0ff' },
    dark: { text: '#a3b5ff', fill: '#4f69e0', soft: '#222b4d' },
  },
} as const satisfies Readonly<Record<string, Readonly<Record<'light' | 'dark', Tone>>>>;

/** Pages lie below cards, and cards below what is raised: dialogs, menus and buttons. */
const surfaces = {
  light: { page: '#f8f9fa', card: '#ffffff', raised: '#ffffff', ink: '#1c2024', muted: '#59616a' },
  dark: { page: '#14151a', card: '#1c1e21', raised: '#25282c', ink: '#e9ecef', muted: '#9aa0a6' },
} as const;

const borders = { light: '#dfe2e6', dark: '#3b3f45' } as const;

/** The pixels of the design, in units that follow the font size of the browser. */
const pixels = (count: number): string => `${count / 16}rem`;

export const theme = createTheme({
  primaryColor: 'good',
  colors: {
    ...Object.fromEntries(Object.entries(tones).map(([name, { light }]) => [name, colorsTuple(light.fill)])),
    dark: [
      surfaces.dark.ink,
      '#c4c8cd',
      surfaces.dark.muted,
      '#7d838a',
      borders.dark,
      '#2f3338',
      surfaces.dark.raised,
      surfaces.dark.card,
      '#17191b',
      surfaces.dark.page,
    ],
  },
  black: surfaces.light.ink,
  fontFamily: 'Inter, system-ui, sans-serif',
  fontFamilyMonospace: 'ui-monospace, SFMono-Regular, Menlo, Consolas, monospace',
  fontSizes: { xs: pixels(12), sm: pixels(13), md: pixels(13), lg: pixels(16), xl: pixels(28) },
  spacing: {
    xxs: pixels(4),
    xs: pixels(8),
    sm: pixels(12),
    md: pixels(16),
    lg: pixels(24),
    xl: pixels(40),
  },
  headings: {
    fontWeight: '600',
    sizes: {
      h1: { fontSize: pixels(20), lineHeight: '1.3' },
      h2: { fontSize: pixels(15), lineHeight: '1.4' },
      h3: { fontSize: pixels(13), lineHeight: '1.5' },
    },
  },
  defaultRadius: 'sm',
  cursorType: 'pointer',
  respectReducedMotion: true,
  // Without the components themselves, whose code would be loaded with the theme.
  components: {
    Alert: {
      defaultProps: { variant: 'light', maw: 'var(--text-width)' },
      styles: { title: { color: 'var(--mantine-color-text)' } },
    },
    Anchor: { defaultProps: { underline: 'hover' } },
    Button: { defaultProps: { size: 'xs' } },
    // Its text fades between the schemes, and cannot be read in the meantime.
    SegmentedControl: { defaultProps: { transitionDuration: 0 } },
    Skeleton: { defaultProps: { radius: 'sm' } },
  },
});

export const themeVariables: CSSVariablesResolver = () => ({
  variables: { '--text-width': pixels(1_120) },
  light: variablesOf('light'),
  dark: variablesOf('dark'),
});

function variablesOf(scheme: 'light' | 'dark'): Record<string, string> {
  const { page, card, raised, ink, muted } = surfaces[scheme];
  const colors = {
    page,
    raised,
    body: card,
    text: ink,
    bright: ink,
    anchor: tones.info[scheme].text,
    dimmed: muted,
    placeholder: muted,
    default: raised,
    'default-color': ink,
    'default-border': borders[scheme],
    disabled: page,
    'disabled-color': muted,
    'disabled-border': borders[scheme],
    error: tones.bad[scheme].text,
    success: tones.good[scheme].text,
    'gray-text': muted,
    'gray-light': scheme === 'light' ? '#eceef1' : '#2f3338',
    'gray-light-hover': scheme === 'light' ? '#eceef1' : '#2f3338',
    'gray-light-color': ink,
  };
  return Object.fromEntries(
    [
      ...Object.entries(colors),
      ...Object.entries(tones).flatMap(([name, tone]) => toneColors(name, tone[scheme])),
    ].map(([name, color]) => [`--mantine-color-${name}`, color]),
  );
}

/** The names by which Mantine finds the colors of its variants. */
function toneColors(name: string, { text, fill, soft }: Tone): [string, string][] {
  return [
    [`${name}-text`, text],
    [`${name}-filled`, fill],
    [`${name}-filled-hover`, fill],
    [`${name}-light`, soft],
    [`${name}-light-hover`, soft],
    [`${name}-light-color`, text],
    [`${name}-outline`, text],
    [`${name}-outline-hover`, soft],
  ];
}
