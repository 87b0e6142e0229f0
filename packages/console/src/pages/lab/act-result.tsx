// The latest act: its call as code, and the response of the server.

import { Button, Code, Collapse, Group, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { ClockAdvance } from '@opentill/client/operator';
import { actionText } from '../../parts/action-words.tsx';
import { curlOf, typescriptOf } from '../../parts/call-code.ts';
import { Instant } from '../../parts/instant.tsx';
import { Problem } from '../../parts/problem.tsx';
import { Sentence } from '../../parts/sentence.tsx';
import { CopyMenu } from './copy-menu.tsx';
import { type Act, useLab } from './lab-context.ts';

export function ActResult({ act }: { readonly act: Act }) {
  const { start, isBusy } = useLab();
  const [isOpen, { toggle }] = useDisclosure();
  const { call, sent, state, result, error } = act;
  return (
    <Stack gap="xs">
      <div role="status">
        <Sentence name={call.operation}>{textOf(act)}</Sentence>
      </div>
      {state === 'done' && call.operation === 'advanceClock' && <Advanced advance={result as ClockAdvance} />}
      {state === 'failed' && <Problem error={error} {...(!isBusy && { onRetry: () => start(call) })} />}
      <Group gap="xs">
        <CopyMenu
          codes={{ ...(sent !== undefined && { curl: curlOf(sent) }), TypeScript: typescriptOf(call) }}
        />
        {state === 'done' && result !== undefined && (
          <Button size="compact-xs" variant="default" aria-expanded={isOpen} onClick={toggle}>
            Response
          </Button>
        )}
      </Group>
      <Collapse expanded={isOpen && state === 'done'}>
        <JsonText value={result} />
      </Collapse>
    </Stack>
  );
}

function textOf({ call, state }: Act): string {
  if (state === 'done') return actionText(call.operation);
  return state === 'pending' ? 'Running' : 'Failed';
}

function Advanced({ advance: { now, count } }: { readonly advance: ClockAdvance }) {
  return (
    <Text size="sm" role="status">
      The clock is at <Instant ms={now} />. {count === 1 ? '1 event' : `${count} events`} happened.
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
