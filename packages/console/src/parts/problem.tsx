// A failed call: what was expected, what was received, and the id that finds it in the log of the server.

import { Alert, Anchor, Button, Group, Stack, Text } from '@mantine/core';
import { OpenTillError } from '@opentill/client/operator';
import { isSessionEnd } from '../api/client.ts';

interface ProblemProps {
  readonly error: unknown;
  readonly onRetry?: () => void;
}

export function Problem({ error, onRetry }: ProblemProps) {
  const { title, detail, requestId, type } = wordsOf(error);
  return (
    <Alert color="bad" title={title} role="alert">
      <Stack gap="xs" align="flex-start">
        <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
          {detail}
        </Text>
        {(requestId !== undefined || onRetry !== undefined || type !== undefined) && (
          <Group gap="md">
            {onRetry !== undefined && (
              <Button size="xs" variant="default" onClick={onRetry}>
                Retry
              </Button>
            )}
            {type !== undefined && (
              <Anchor size="xs" href={type} target="_blank" rel="noopener">
                Cause and cure
              </Anchor>
            )}
            {requestId !== undefined && <Text size="xs">Request {requestId}</Text>}
          </Group>
        )}
      </Stack>
    </Alert>
  );
}

interface Words {
  readonly title: string;
  readonly detail: string;
  readonly requestId?: string | undefined;
  /** Its page in the documentation of the server. */
  readonly type?: string;
}

function wordsOf(error: unknown): Words {
  if (!(error instanceof OpenTillError)) return { title: 'The page failed', detail: String(error) };
  const { problem, httpStatus, requestId, message } = error;
  if (isSessionEnd(error))
    return { title: titleOf(401), detail: 'The session has ended. Sign in, then retry.' };
  if (problem !== undefined) {
    const { status, detail, type } = problem;
    return { title: titleOf(status), detail, requestId, type };
  }
  if (httpStatus !== undefined) return { title: 'An unexpected response', detail: message, requestId };
  return { title: 'The server does not respond', detail: 'Check that it is running, then retry.' };
}

const titles: Readonly<Record<number, string>> = {
  400: 'The values are not valid',
  401: 'Not signed in',
  403: 'Not allowed',
  404: 'Not found',
  409: 'Not possible in the current state',
  429: 'Too many calls',
  503: 'Temporarily unavailable',
};

function titleOf(status: number): string {
  return titles[status] ?? 'The call failed';
}
