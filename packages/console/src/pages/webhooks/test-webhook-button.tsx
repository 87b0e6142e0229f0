// Sends a test event to the webhook of an app.

import { Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { client } from '../../api/client.ts';
import { ActionButton } from '../../parts/action-button.tsx';
import { linkTo, PageLink } from '../../parts/page-link.tsx';
import { Problem } from '../../parts/problem.tsx';

interface TestWebhookButtonProps {
  readonly packageName: string;
  readonly onDone: () => void;
}

export function TestWebhookButton({ packageName, onDone }: TestWebhookButtonProps) {
  const { mutate, isPending, data, error } = useMutation({
    mutationFn: () => client.testWebhook({ packageName }),
    onSuccess: onDone,
  });
  return (
    <>
      <ActionButton
        operation="testWebhook"
        label="Send a test event"
        variant="default"
        loading={isPending}
        onAct={mutate}
      />
      {data !== undefined && (
        <Text size="sm" role="status">
          Event {data.order} was created and is being delivered:{' '}
          <PageLink {...linkTo.delivery(packageName, data.id)} inherit underline="always">
            show its delivery
          </PageLink>
        </Text>
      )}
      {error !== null && <Problem error={error} />}
    </>
  );
}
