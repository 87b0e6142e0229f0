// The operator calls of this page as code, to repeat them outside the console.

import { Drawer, Group, SegmentedControl, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { useCalls } from '../api/call-log.ts';
import { curlOf, typescriptOf, typescriptStart } from '../parts/call-code.ts';
import { CopiedCode } from '../parts/copied-code.tsx';

interface CallsDrawerProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

export function CallsDrawer({ isOpen, onClose }: CallsDrawerProps) {
  return (
    <Drawer.Root opened={isOpen} onClose={onClose} position="right" size="lg">
      <Drawer.Overlay />
      <Drawer.Content>
        <Drawer.Body>
          <Group justify="space-between" mb="md">
            <Drawer.Title fz="h2" fw={600}>
              Calls of this page
            </Drawer.Title>
            <Drawer.CloseButton aria-label="Close" />
          </Group>
          <Calls />
        </Drawer.Body>
      </Drawer.Content>
    </Drawer.Root>
  );
}

const languages = { curl: 'curl', typescript: 'TypeScript' } as const;

function Calls() {
  const calls = useCalls();
  const [language, setLanguage] = useState<string>('curl');
  const isCurl = language === 'curl';
  return (
    <Stack gap="md">
      <SegmentedControl
        aria-label="Language"
        size="xs"
        data={Object.entries(languages).map(([value, label]) => ({ value, label }))}
        value={language}
        onChange={setLanguage}
      />
      {calls.length === 0 && <Text size="sm">This page has made no calls.</Text>}
      {!isCurl && calls.length > 0 && <CopiedCode code={typescriptStart} what="the client" />}
      {calls.map((call) => (
        <CopiedCode
          key={`${call.method} ${call.path} ${call.body ?? ''}`}
          what={call.operation}
          code={isCurl ? curlOf(call) : typescriptOf(call)}
        />
      ))}
    </Stack>
  );
}
