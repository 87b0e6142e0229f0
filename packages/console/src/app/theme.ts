// Colors and sizes of the console. The default shades of Mantine have too little contrast for text.

import {
  Alert,
  Badge,
  Button,
  type CSSVariablesResolver,
  createTheme,
  SegmentedControl,
} from '@mantine/core';

export const theme = createTheme({
  primaryColor: 'teal',
  primaryShade: { light: 9, dark: 4 },
  autoContrast: true,
  defaultRadius: 'sm',
  cursorType: 'pointer',
  respectReducedMotion: true,
  components: {
    // Mantine chooses the text color of primary buttons for the light scheme only.
    Button: Button.extend({
      vars: (_, { variant = 'filled', color }) => ({
        root:
          variant === 'filled' && color === undefined
            ? { '--button-color': 'var(--mantine-primary-color-contrast)' }
            : {},
      }),
    }),
    // Its text fades between the schemes, and cannot be read in the meantime.
    SegmentedControl: SegmentedControl.extend({ defaultProps: { transitionDuration: 0 } }),
    Alert: Alert.extend({ styles: { title: { color: 'var(--mantine-color-text)' } } }),
    Badge: Badge.extend({ defaultProps: { radius: 'sm', tt: 'none', miw: 'max-content' } }),
  },
});

export const themeVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: { '--mantine-color-dimmed': 'var(--mantine-color-gray-7)' },
  dark: { '--mantine-color-dimmed': 'var(--mantine-color-dark-1)' },
});
