// The help (`?`): the keys of the console, and the switch that turns single keys off.

import { Group, Kbd, Stack, Switch, Text } from '@mantine/core';
import { Dialog } from '../parts/dialog.tsx';
import { keyName, usePageActions } from '../parts/page-actions.ts';
import { useSingleKeys } from '../parts/preferences.ts';
import { navigation } from './navigation.ts';

interface HelpProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

export function Help({ isOpen, onClose }: HelpProps) {
  return (
    <Dialog title="Keys" isOpen={isOpen} onClose={onClose}>
      <HelpContent />
    </Dialog>
  );
}

function HelpContent() {
  const actions = usePageActions();
  const [hasSingleKeys, setSingleKeys] = useSingleKeys();
  const keys: readonly (readonly [string, string])[] = [
    ['Ctrl K', 'Pages and actions'],
    ['/', 'Find box'],
    ['y', 'Copy the id of the page or row'],
    ['Esc', 'Close a dialog'],
    ['?', 'This help'],
    ...navigation.map(({ key, label }) => [`g ${key}`, label] as const),
    ...actions.flatMap(({ hotkey, label }) =>
      hotkey === undefined ? [] : [[keyName(hotkey), label] as const],
    ),
  ];
  return (
    <Stack gap="md">
      <Stack gap="xs" component="dl" m={0}>
        {keys.map(([key, meaning]) => (
          <Group key={key} justify="space-between" wrap="nowrap">
            <Text component="dt" size="sm">
              {meaning}
            </Text>
            <dd style={{ margin: 0 }}>
              <Kbd>{key}</Kbd>
            </dd>
          </Group>
        ))}
      </Stack>
      <Switch
        label="Single keys"
        description="Ctrl-K always works."
        checked={hasSingleKeys}
        onChange={(event) => setSingleKeys(event.currentTarget.checked)}
      />
    </Stack>
  );
}
