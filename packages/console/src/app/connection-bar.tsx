// One bar below the header while the server does not answer: since when, and when the next attempt is. The pages keep what
// they show, and read it again as soon as the server answers.

import { Button, Group, Text } from '@mantine/core';
import { useInterval } from '@mantine/hooks';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { probe, useConnection } from '../api/connection.ts';
import { readAgain } from '../api/session.ts';
import { colors } from '../parts/colors.ts';
import { durationText } from '../parts/duration.ts';
import { Instant, InstantLookContext } from '../parts/instant.tsx';
import { elapsedMs, serverNow } from '../runtime/clock.ts';
import { secondMs } from '../runtime/durations.ts';
import { pause } from '../runtime/pause.ts';

const retryAfterMs = { first: 1_000, most: 15_000 } as const;

const look = { hasZone: false, hasSeconds: true } as const;

export function ConnectionBar() {
  const { isLost, lastAnswerAt } = useConnection();
  return isLost && <LostConnection lastAnswerAt={lastAnswerAt} />;
}

function LostConnection({ lastAnswerAt }: { readonly lastAnswerAt: number | undefined }) {
  const { retryAt, retryNow } = useRetries();
  const [now, setNow] = useState(elapsedMs);
  useInterval(() => setNow(elapsedMs()), secondMs, { autoInvoke: true });
  const waitMs = Math.max(0, retryAt - now);
  return (
    <Group className="connection-bar" bg={colors.bad.soft} gap="sm" px="lg" py="xs">
      <Text size="sm" fw={500} role="status">
        {lastAnswerAt === undefined ? (
          'The server does not answer.'
        ) : (
          <InstantLookContext value={look}>
            No answer since <Instant ms={lastAnswerAt} />.
          </InstantLookContext>
        )}
      </Text>
      <Text size="sm">
        {lastAnswerAt !== undefined && `Shown: ${durationText(serverNow() - lastAnswerAt)} old. `}
        Retrying in {Math.ceil(waitMs / secondMs)} s
      </Text>
      <Button variant="default" size="compact-sm" onClick={retryNow}>
        Retry now
      </Button>
    </Group>
  );
}

/** Asks the server until it answers, at growing distances, and then reads again what the page shows. */
function useRetries() {
  const queryClient = useQueryClient();
  const [retryAt, setRetryAt] = useState(() => elapsedMs() + retryAfterMs.first);
  const waiting = useRef(new AbortController());
  useEffect(() => {
    const stopping = new AbortController();
    const retry = async (): Promise<void> => {
      for (
        let waitMs: number = retryAfterMs.first;
        !stopping.signal.aborted;
        waitMs = Math.min(waitMs * 2, retryAfterMs.most)
      ) {
        setRetryAt(elapsedMs() + waitMs);
        waiting.current = new AbortController();
        await pause(waitMs, AbortSignal.any([stopping.signal, waiting.current.signal]));
        if (await probe()) {
          await readAgain(queryClient);
          return;
        }
      }
    };
    void retry();
    return () => stopping.abort();
  }, [queryClient]);
  return { retryAt, retryNow: () => waiting.current.abort() };
}
