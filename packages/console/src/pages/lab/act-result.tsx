// The latest act: its call as code, and the response of the server.

import { Button, Code, Collapse, CopyButton, Group, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { curlOf, typescriptOf } from '../../parts/call-code.ts';
import { Problem } from '../../parts/problem.tsx';
import { type Act, useLab } from './lab-context.ts';

const stateTexts = { pending: 'is running', done: 'is done', failed: 'failed' } as const;

export function ActResult({ act }: { readonly act: Act }) {
  const { start, isBusy } = useLab();
  const [isOpen, { toggle }] = useDisclosure();
  const { call, sent, state, result, error } = act;
  return (
    <Stack gap="xs">
      <Text size="sm" role="status">
        {call.operation} {stateTexts[state]}
      </Text>
      {state === 'failed' && <Problem error={error} {...(!isBusy && { onRetry: () => start(call) })} />}
      <Group gap="xs">
        {sent !== undefined && <CopyAs language="curl" code={curlOf(sent)} />}
        <CopyAs language="TypeScript" code={typescriptOf(call)} />
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

/** A button that copies code. */
export function CopyAs({
  language,
  code,
  variant = 'default',
}: {
  readonly language: string;
  readonly code: string;
  readonly variant?: 'default' | 'subtle';
}) {
  return (
    <CopyButton value={code}>
      {({ copied, copy }) => (
        <Button size="compact-xs" variant={variant} onClick={copy}>
          {copied ? 'Copied' : `Copy as ${language}`}
        </Button>
      )}
    </CopyButton>
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
