// The attempts of a delivery: the picture, and each response.

import { Code, Stack, Text } from '@mantine/core';
import type { ShownDelivery } from '../../api/app.ts';
import { durationText } from '../../parts/duration.ts';
import { Empty } from '../../parts/empty.tsx';
import { lastResponseOf } from '../../parts/last-attempt.ts';
import { Records } from '../../parts/records.tsx';
import { DeliveryPicture } from '../../pictures/delivery-picture.tsx';

type Attempt = ShownDelivery['attempts'][number];

export function DeliveryAttempts({ delivery }: { readonly delivery: ShownDelivery }) {
  const { attempts, dueTime } = delivery;
  const rows = attempts.map((attempt, index) => ({ ...attempt, number: index + 1 }));
  const next = dueTime === undefined ? '' : ' The hollow circle is the next attempt.';
  return (
    <Stack gap="sm">
      <DeliveryPicture
        delivery={delivery}
        summary={`${attempts.length} ${attempts.length === 1 ? 'attempt' : 'attempts'} by the time since the event.${next}`}
      />
      <Text size="xs" c="dimmed">
        Time since the event, logarithmic. Circle: 2xx; cross: another status; square: no complete response.
        {next}
      </Text>
      {rows.length === 0 ? (
        <Empty text="There was no attempt yet." />
      ) : (
        <Records
          label="Attempts"
          rows={rows}
          keyOf={({ number }) => String(number)}
          columns={[
            { title: 'Attempt', cell: ({ number }) => number },
            { title: 'Time', clock: 'app', time: ({ appTime }) => appTime },
            {
              title: 'After the event',
              cell: ({ appTime }) => durationText(Math.max(0, appTime - delivery.eventTime)),
            },
            { title: 'Result', cell: (attempt) => lastResponseOf({ attempts: [attempt] }) },
            { title: 'Took', align: 'right', cell: ({ latencyMs }) => `${Math.round(latencyMs)} ms` },
            { title: 'Response', cell: (attempt) => <Response attempt={attempt} /> },
          ]}
        />
      )}
    </Stack>
  );
}

function Response({ attempt: { answer, isAnswerCut, httpStatus } }: { readonly attempt: Attempt }) {
  if (answer === '') return httpStatus === undefined ? 'none' : 'no content';
  return (
    <>
      <Code style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
        <bdi>{answer}</bdi>
      </Code>
      {isAnswerCut && ' (truncated)'}
    </>
  );
}
