// Saves the file of an operation: all entries, with instants in the time zone of the page.

import { ActionIcon, Button, Stack } from '@mantine/core';
import type { SessionClient } from '@opentill/client/operator';
import { IconDownload } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { savingClient } from '../api/client.ts';
import { useTimeZone } from './preferences.ts';
import { Problem } from './problem.tsx';

interface SaveButtonProps {
  /** Makes the call. */
  readonly save: (client: SessionClient) => Promise<unknown>;
  /** Without the extension. */
  readonly fileName: string;
  /** Distinguishes several on a page. */
  readonly title?: string;
  /** Next to a title, where there is little room. */
  readonly isIcon?: true;
}

export function SaveButton({ save, fileName, title, isIcon }: SaveButtonProps) {
  const timeZone = useTimeZone() ?? Intl.DateTimeFormat().resolvedOptions().timeZone;
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => save(savingClient(fileName, timeZone)),
  });
  const shared = {
    variant: 'default',
    loading: isPending,
    onClick: () => mutate(),
    ...(title !== undefined && { 'aria-label': `Save as CSV: ${title}` }),
  } as const;
  return (
    <Stack gap="xs" align="flex-end">
      {isIcon ? (
        <ActionIcon {...shared} size={24} title="Save as CSV">
          <IconDownload size={16} />
        </ActionIcon>
      ) : (
        <Button {...shared}>Save as CSV</Button>
      )}
      {error !== null && <Problem error={error} />}
    </Stack>
  );
}
