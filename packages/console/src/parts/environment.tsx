// Marks the environment, so that nobody mistakes production for the sandbox.

import { Badge, Box } from '@mantine/core';
import { isProduction } from '../runtime/page.ts';

export function EnvironmentBadge() {
  return isProduction ? (
    <Badge color="dark.7" variant="filled">
      Production
    </Badge>
  ) : (
    <Badge variant="outline">Sandbox</Badge>
  );
}

/** The outline of the sandbox. */
export function EnvironmentOutline() {
  if (isProduction) return null;
  return (
    <Box
      aria-hidden="true"
      pos="fixed"
      inset={0}
      style={{
        border: '2px solid var(--mantine-color-teal-filled)',
        pointerEvents: 'none',
        zIndex: 'var(--mantine-z-index-max)',
      }}
    />
  );
}
