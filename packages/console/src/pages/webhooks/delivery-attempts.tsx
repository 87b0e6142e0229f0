// The attempts of a delivery, with each response.

import { Code } from '@mantine/core';
import type { ShownDelivery } from '../../api/app.ts';
import { durationText } from '../../parts/duration.ts';
import { Empty } from '../../parts/empty.tsx';
import { lastResponseOf } from '../../parts/last-attempt.ts';
import { Records } from '../../parts/records.tsx';

type Attempt = ShownDelivery['attempts'][number];

export function DeliveryAttempts({
  delivery: { attempts, eventTime },
}: {
  readonly delivery: ShownDelivery;
}) {
  if (attempts.length === 0) return <Empty text="There was no attempt yet." />;
  return (
    <Records
      label="Attempts"
      rows={attempts.map((attempt, index) => ({ ...attempt, number: index + 1 }))}
      keyOf={({ number }) => String(number)}
      columns={[
        { title: 'Attempt', cell: ({ number }) => number },
        { title: 'Time', clock: 'app', time: ({ appTime }) => appTime },
        { title: 'After the event', cell: ({ appTime }) => durationText(Math.max(0, appTime - eventTime)) },
        { title: 'Result', cell: (attempt) => lastResponseOf({ attempts: [attempt] }) },
        { title: 'Took', align: 'right', cell: ({ latencyMs }) => `${Math.round(latencyMs)} ms` },
        { title: 'Response', cell: (attempt) => <Response attempt={attempt} /> },
      ]}
    />
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
