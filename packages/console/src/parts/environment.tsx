// Marks the environment, so that nobody mistakes production for the sandbox.

import { Badge, Box } from '@mantine/core';
import { isProduction } from '../runtime/page.ts';
import { colors } from './colors.ts';

export function EnvironmentBadge() {
  return isProduction ? (
    <Badge color="dark.7" variant="filled" miw="max-content">
      Production
    </Badge>
  ) : (
    <Badge variant="outline" miw="max-content">
      Sandbox
    </Badge>
  );
}

/** The line at the top of the sandbox. */
export function EnvironmentLine() {
  if (isProduction) return null;
  return <Box aria-hidden="true" className="environment-line" bg={colors.good.fill} />;
}
