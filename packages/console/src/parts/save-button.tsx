// Saves the file of an operation: all entries, with instants in the time zone of the page.

import { Button, Stack } from '@mantine/core';
import type { SessionClient } from '@opentill/client/operator';
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
}

export function SaveButton({ save, fileName, title }: SaveButtonProps) {
  const timeZone = useTimeZone() ?? Intl.DateTimeFormat().resolvedOptions().timeZone;
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => save(savingClient(fileName, timeZone)),
  });
  return (
    <Stack gap="xs" align="flex-end">
      <Button
        variant="default"
        loading={isPending}
        onClick={() => mutate()}
        {...(title !== undefined && { 'aria-label': `Save as CSV: ${title}` })}
      >
        Save as CSV
      </Button>
      {error !== null && <Problem error={error} />}
    </Stack>
  );
}
