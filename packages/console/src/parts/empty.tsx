// An empty list: why it is empty, and the call that adds the first entry.

import { Stack, Text } from '@mantine/core';
import { curlOf } from './call-code.ts';
import { CopiedCode } from './copied-code.tsx';

interface SuggestedCall {
  readonly method: string;
  /** Follows /operator/v1. */
  readonly path: string;
  readonly body: object;
}

interface EmptyProps {
  readonly text: string;
  readonly calls?: readonly SuggestedCall[];
}

export function Empty({ text, calls = [] }: EmptyProps) {
  const code = calls
    .map(({ method, path, body }) =>
      curlOf({ method, path: `/operator/v1${path}`, body: JSON.stringify(body) }),
    )
    .join('\n');
  return (
    <Stack gap="xs">
      <Text size="sm" c="dimmed">
        {text}
      </Text>
      {calls.length > 0 && <CopiedCode code={code} />}
    </Stack>
  );
}
