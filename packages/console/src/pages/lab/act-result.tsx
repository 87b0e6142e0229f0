// The latest act, and the response of the server.

import { Button, Code, Collapse, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { ClockAdvance } from '@opentill/client/operator';
import { actionText } from '../../parts/action-labels.tsx';
import { counted } from '../../parts/count-text.ts';
import { Instant } from '../../parts/instant.tsx';
import { Problem } from '../../parts/problem.tsx';
import { Sentence } from '../../parts/sentence.tsx';
import { type Act, useLab } from './lab-context.ts';

export function ActResult({ act }: { readonly act: Act }) {
  const { start, isBusy } = useLab();
  const [isOpen, { toggle }] = useDisclosure();
  const { call, state, result, error } = act;
  return (
    <Stack gap="xs" align="flex-start">
      <div role="status">
        <Sentence name={call.operation}>{textOf(act)}</Sentence>
      </div>
      {state === 'success' && call.operation === 'advanceClock' && (
        <Advanced advance={result as ClockAdvance} />
      )}
      {state === 'error' && <Problem error={error} {...(!isBusy && { onRetry: () => start(call) })} />}
      {state === 'success' && result !== undefined && (
        <Button size="compact-xs" variant="default" aria-expanded={isOpen} onClick={toggle}>
          Response
        </Button>
      )}
      <Collapse expanded={isOpen && state === 'success'}>
        <JsonText value={result} />
      </Collapse>
    </Stack>
  );
}

function textOf({ call, state }: Act): string {
  if (state === 'success') return actionText(call.operation);
  return state === 'pending' ? 'Running' : 'Failed';
}

function Advanced({ advance: { now, count } }: { readonly advance: ClockAdvance }) {
  return (
    <Text size="sm" role="status">
      The clock is at <Instant ms={now} />. {counted(count, 'event')} happened.
    </Text>
  );
}

export function JsonText({ value }: { readonly value: unknown }) {
  return (
    <Code
      block
      tabIndex={0}
      style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere', maxHeight: '20rem', overflow: 'auto' }}
    >
      {JSON.stringify(value, null, 2)}
    </Code>
  );
}
