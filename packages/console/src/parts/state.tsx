// The state of something in a word, with a dot in the color of what it means. Only what is bad is filled.

import { Box, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { colors, type ToneName } from './colors.ts';

interface StateProps {
  /** `calm` needs nobody's attention. */
  readonly tone?: ToneName | 'calm';
  readonly children: ReactNode;
}

export function State({ tone = 'calm', children }: StateProps) {
  return (
    <Text
      span
      size="sm"
      className="state"
      {...(tone === 'bad' && { c: 'bad', bg: colors.bad.soft, px: 'xs' })}
    >
      <Box
        component="span"
        className="state-dot"
        bg={tone === 'calm' ? colors.muted : colors[tone].text}
        aria-hidden="true"
      />
      {children}
    </Text>
  );
}
