// The scenarios: the calls of the chosen one, how far they are, and each as code.

import { Box, Button, Group, Loader, NativeSelect, Stack, Text } from '@mantine/core';
import { IconCheck } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { latestEventsQuery } from '../../api/live-events.ts';
import { ActionButton } from '../../parts/action-button.tsx';
import { typescriptOf } from '../../parts/call-code.ts';
import { Panel } from '../../parts/panel.tsx';
import { CopyAs } from './act-result.tsx';
import { useLab } from './lab-context.ts';
import { newPurchaseId } from './lab-ids.ts';
import { type BackendStep, type ScenarioStep, scenarios } from './scenarios.ts';
import { useScenario } from './use-scenario.ts';

/** For an app in which nothing has happened. */
const firstScenario = 'Void the second month';

const shown = { isPending: false, error: null, data: true, refetch: () => undefined };

export function ScenariosPanel() {
  const { packageName, products, isBusy } = useLab();
  const [name, setName] = useState(Object.keys(scenarios)[0] ?? '');
  const [purchaseId, setPurchaseId] = useState(newPurchaseId);
  const { states, isRunning, run, stop, clear } = useScenario();
  const productOf = (type: string) => products.find((product) => product.type === type)?.productId;
  const parts = {
    packageName,
    purchaseId,
    oneTimeId: productOf('one_time'),
    subscriptionId: productOf('subscription'),
  };
  // A product that the scenario creates must not change its steps while they run.
  const [running, setSteps] = useState<readonly ScenarioStep[]>([]);
  const steps = states.length > 0 ? running : (scenarios[name]?.(parts) ?? []);
  const start = (chosen: string): void => {
    const next = newPurchaseId();
    const fresh = scenarios[chosen]?.({ ...parts, purchaseId: next }) ?? [];
    setName(chosen);
    setPurchaseId(next);
    setSteps(fresh);
    void run(fresh);
  };
  const events = useQuery(latestEventsQuery(packageName));
  const isNew = events.data?.events.length === 0;
  return (
    <Panel title="Scenarios" state={shown}>
      <Stack gap="sm">
        {isNew && !isRunning && (
          <ActionButton
            operation="advanceClock"
            label="Play a purchase, a renewal and a void"
            disabled={isBusy}
            onAct={() => start(firstScenario)}
          />
        )}
        <Group gap="xs" align="flex-end">
          <NativeSelect
            size="xs"
            label="Scenario"
            style={{ flex: '1 1 12rem' }}
            disabled={isRunning}
            value={name}
            data={Object.keys(scenarios)}
            onChange={(event) => {
              setName(event.currentTarget.value);
              clear();
            }}
          />
          {isRunning ? (
            <Button size="xs" variant="default" onClick={stop}>
              Stop
            </Button>
          ) : (
            <ActionButton
              size="xs"
              operation="advanceClock"
              label="Run scenario"
              disabled={isBusy}
              onAct={() => start(name)}
            />
          )}
        </Group>
        <Stack gap={6} component="ol" aria-label="Steps" p={0} m={0}>
          {steps.map((step, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a step is identified by its place
            <Step key={index} number={index + 1} step={step} state={states[index]} />
          ))}
        </Stack>
      </Stack>
    </Panel>
  );
}

const stateTexts = { waiting: '', running: '', done: 'done', failed: 'failed', skipped: 'skipped' } as const;

interface StepProps {
  readonly number: number;
  readonly step: ScenarioStep;
  readonly state: keyof typeof stateTexts | undefined;
}

function Step({ number, step, state }: StepProps) {
  const operation = step.kind === 'call' ? step.call({}).operation : step.operation;
  return (
    <Group component="li" gap="xs" wrap="nowrap" align="flex-start" style={{ listStyle: 'none' }}>
      <Box w={20} pt={2} style={{ flexShrink: 0 }}>
        {state === 'done' && <IconCheck size={16} />}
        {state === 'running' && <Loader size={14} aria-label="Running" />}
      </Box>
      <Stack gap={4} style={{ minWidth: 0, flex: 1 }} align="flex-start">
        <Text size="sm">
          {number}. {step.says}
          {state !== undefined && stateTexts[state] !== '' && (
            <Text span size="xs" c={state === 'failed' ? 'red.9' : 'dimmed'}>
              {' '}
              {stateTexts[state]}
            </Text>
          )}
        </Text>
        {step.kind === 'backend' && (
          <Text size="xs" c="dimmed">
            {state === 'running'
              ? 'Waiting for this call of your backend, with its own token.'
              : 'Your backend makes this call, with its own token.'}
          </Text>
        )}
        <Group gap={6}>
          <Text size="xs" ff="monospace">
            {operation}
          </Text>
          {step.kind === 'call' ? (
            <CopyAs variant="subtle" language="TypeScript" code={typescriptOf(step.call({}))} />
          ) : (
            <>
              <CopyAs variant="subtle" language="curl" code={backendCurl(step)} />
              <CopyAs variant="subtle" language="TypeScript" code={backendTypescript(step)} />
            </>
          )}
        </Group>
      </Stack>
    </Group>
  );
}

/** The public listener has another origin, which a page of the operator listener does not know. */
function backendCurl({ method, path }: BackendStep): string {
  return [
    `curl -i ${method === 'GET' ? '' : `-X ${method} `}"$OPENTILL_URL${path}"`,
    `  -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json'`,
  ].join(' \\\n');
}

function backendTypescript({ operation, purchaseId }: BackendStep): string {
  return `await purchases.${operation}({ purchaseId: '${purchaseId}' });`;
}
