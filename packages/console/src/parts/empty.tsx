// An empty list: why it is empty, and the call that adds the first entry.

import { Stack, Text } from '@mantine/core';
import { origin } from '../runtime/page.ts';
import { CopiedCode } from '../values/copied-code.tsx';

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
  return (
    <Stack gap="xs">
      <Text size="sm" c="dimmed">
        {text}
      </Text>
      {calls.length > 0 && <CopiedCode code={calls.map(curlOf).join('\n')} />}
    </Stack>
  );
}

/** The operator key is a variable. */
function curlOf({ method, path, body }: SuggestedCall): string {
  return [
    `curl -X ${method} ${quoted(`${origin}/operator/v1${path}`)}`,
    `  -H "Authorization: Bearer $OPERATOR_KEY"`,
    `  -H 'Content-Type: application/json' -d ${quoted(JSON.stringify(body))}`,
  ].join(' \\\n');
}

/** For a shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
