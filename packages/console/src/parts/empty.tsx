// What a list without entries shows: why it is empty, and the call that adds the first one.

import { Button, Code, CopyButton, Stack, Text } from '@mantine/core';
import { origin } from '../runtime/page.ts';

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
  const curl = calls.map(curlOf).join('\n');
  return (
    <Stack gap="xs" align="flex-start">
      <Text size="sm" c="dimmed">
        {text}
      </Text>
      {calls.length > 0 && (
        <>
          <Code block w="100%" style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
            {curl}
          </Code>
          <CopyButton value={curl}>
            {({ copied, copy }) => (
              <Button size="xs" variant="default" onClick={copy}>
                {copied ? 'Copied' : 'Copy'}
              </Button>
            )}
          </CopyButton>
        </>
      )}
    </Stack>
  );
}

function curlOf({ method, path, body }: SuggestedCall): string {
  return [
    `curl -X ${method} ${origin}/operator/v1${path}`,
    `  -H "Authorization: Bearer $OPERATOR_KEY" -H 'Content-Type: application/json'`,
    `  -d '${JSON.stringify(body)}'`,
  ].join(' \\\n');
}
