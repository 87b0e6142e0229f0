// Colors and sizes of the console. The default shades of Mantine have too little contrast for text.

import { Badge, Button, type CSSVariablesResolver, createTheme } from '@mantine/core';

export const theme = createTheme({
  primaryColor: 'teal',
  primaryShade: { light: 9, dark: 4 },
  autoContrast: true,
  defaultRadius: 'sm',
  cursorType: 'pointer',
  components: {
    // Mantine chooses the text for the light scheme only.
    Button: Button.extend({
      vars: (_, { variant = 'filled' }) => ({
        root: variant === 'filled' ? { '--button-color': 'var(--mantine-primary-color-contrast)' } : {},
      }),
    }),
    Badge: Badge.extend({ defaultProps: { radius: 'sm', tt: 'none', miw: 'max-content' } }),
  },
});

export const themeVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: { '--mantine-color-dimmed': 'var(--mantine-color-gray-7)' },
  dark: { '--mantine-color-dimmed': 'var(--mantine-color-dark-1)' },
});
