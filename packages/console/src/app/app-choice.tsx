// The dialog of the app switcher: the apps whose names contain what is typed.

import { Box, Stack, Text, TextInput, UnstyledButton } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { appsQuery, offeredAppsMax } from '../api/apps.ts';
import { searchDelayMs } from '../api/search.ts';
import { Dialog } from '../parts/dialog.tsx';
import { LongText } from '../parts/long-text.tsx';
import { PanelContent } from '../parts/panel.tsx';

interface AppChoiceProps {
  readonly isOpen: boolean;
  readonly onChoose: (packageName: string | undefined) => void;
  readonly onClose: () => void;
}

export function AppChoice({ isOpen, onChoose, onClose }: AppChoiceProps) {
  return (
    <Dialog title="Choose an app" isOpen={isOpen} onClose={onClose}>
      <Choice onChoose={onChoose} />
    </Dialog>
  );
}

function Choice({ onChoose }: Pick<AppChoiceProps, 'onChoose'>) {
  const [text, setText] = useState('');
  const [containing] = useDebouncedValue(text.trim(), searchDelayMs);
  const apps = useQuery(appsQuery(containing));
  return (
    <Stack gap="sm">
      <TextInput
        label="Name contains"
        autoComplete="off"
        data-autofocus
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
      />
      <Stack gap="xxs">
        <Option onChoose={() => onChoose(undefined)}>All apps</Option>
        <PanelContent state={apps}>
          {apps.data?.apps.map(({ packageName, name }) => (
            <Option key={packageName} onChoose={() => onChoose(packageName)}>
              <bdi>{name ?? packageName}</bdi>
              {name !== undefined && (
                <Text size="xs" c="dimmed" ff="monospace">
                  <LongText text={packageName} />
                </Text>
              )}
            </Option>
          ))}
        </PanelContent>
      </Stack>
      {apps.data?.nextPageToken !== undefined && (
        <Text size="xs" c="dimmed">
          The first {offeredAppsMax}: type a part of the name to find others.
        </Text>
      )}
    </Stack>
  );
}

function Option({ onChoose, children }: { readonly onChoose: () => void; readonly children: ReactNode }) {
  return (
    <UnstyledButton className="option" px="sm" py="xs" onClick={onChoose}>
      <Box fz="sm">{children}</Box>
    </UnstyledButton>
  );
}
