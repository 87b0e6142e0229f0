// One line while the server does not answer, with the age of what the pages show. They read it again when it answers.

import { Text } from '@mantine/core';
import { useInterval } from '@mantine/hooks';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useConnection } from '../api/connection.ts';
import { readAgain } from '../api/session.ts';
import { colors } from '../parts/colors.ts';
import { durationText } from '../parts/duration.ts';
import { serverNow } from '../runtime/clock.ts';
import { secondMs } from '../runtime/durations.ts';

export function ConnectionBar() {
  const { isLost, lastAnswerAt } = useConnection();
  return isLost && <LostConnection lastAnswerAt={lastAnswerAt} />;
}

function LostConnection({ lastAnswerAt }: { readonly lastAnswerAt: number | undefined }) {
  const queryClient = useQueryClient();
  const [now, setNow] = useState(serverNow);
  useInterval(() => setNow(serverNow()), secondMs, { autoInvoke: true });
  useEffect(() => () => void readAgain(queryClient), [queryClient]);
  return (
    <Text className="connection-bar" bg={colors.bad.soft} size="sm" px="lg" py="xs">
      <b role="status">The server does not answer.</b>
      {lastAnswerAt !== undefined && ` What is shown is ${durationText(now - lastAnswerAt)} old.`}
    </Text>
  );
}
