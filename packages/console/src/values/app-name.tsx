// The name of an app with its package name, and whether it is disabled.

import { Group, Stack, Text } from '@mantine/core';
import { type AppTab, linkTo } from '../parts/page-link.tsx';
import { State } from '../parts/states.tsx';
import { Id } from './id.tsx';

interface AppNameProps {
  readonly app: {
    readonly packageName: string;
    readonly name?: string | undefined;
    readonly disabled: boolean;
  };
  /** The tab of the app that it links to. */
  readonly tab?: AppTab;
}

export function AppName({ app: { packageName, name, disabled }, tab }: AppNameProps) {
  return (
    <Stack gap="xxs" align="flex-start">
      {(name !== undefined || disabled) && (
        <Group gap="xs">
          <Text size="sm" fw={500} component="bdi" style={{ overflowWrap: 'anywhere' }}>
            {name ?? packageName}
          </Text>
          {disabled && <State>disabled</State>}
        </Group>
      )}
      <Id value={packageName} what="package name" wraps link={linkTo.app(packageName, tab)} />
    </Stack>
  );
}
