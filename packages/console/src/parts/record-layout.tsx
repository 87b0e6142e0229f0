// The parts of a record below its heading: what happened, next to its facts.

import { Box, Flex, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { Panel, type PanelState } from './panel.tsx';

interface RecordLayoutProps {
  readonly state: PanelState;
  readonly facts: ReactNode;
  readonly children: ReactNode;
}

export function RecordLayout({ state, facts, children }: RecordLayoutProps) {
  return (
    <Flex gap="lg" direction={{ base: 'column', lg: 'row' }} align="stretch">
      <Stack gap="lg" flex={1} miw={0}>
        {children}
      </Stack>
      <Box w={{ base: '100%', lg: 320 }} style={{ flexShrink: 0 }}>
        <Panel title="Record" state={state}>
          {facts}
        </Panel>
      </Box>
    </Flex>
  );
}
