// The help (`?`): the keys of the console.

import { Group, Kbd, Stack, Text } from '@mantine/core';
import { Dialog } from '../parts/dialog.tsx';
import { isProduction } from '../runtime/page.ts';

const keys = {
  '/ or Ctrl K': 'Find pages, apps and records',
  'j, k': 'Go to the next or the previous record of the page; Enter opens it',
  v: 'Void the purchase of the page',
  c: 'Cancel or reactivate the subscription of the page',
  '?': 'This help',
  ...(!isProduction && {
    Space: 'In the lab: freeze or run the clock',
    '.': 'In the lab: go to the next stop',
    m: 'In the lab: go a month ahead',
  }),
};

export function Help({ onClose }: { readonly onClose: () => void }) {
  return (
    <Dialog title="Keys" isOpen onClose={onClose}>
      <Stack gap="xs" component="dl" m={0}>
        {Object.entries(keys).map(([key, meaning]) => (
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
      <Text size="sm">Single keys can be turned off in the settings; Ctrl-K always works.</Text>
    </Dialog>
  );
}
