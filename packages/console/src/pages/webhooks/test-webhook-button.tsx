// Sends a test event to the webhook of an app.

import { Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { client } from '../../api/client.ts';
import { ActionButton } from '../../parts/action-button.tsx';
import { linkTo, PageLink } from '../../parts/page-link.tsx';
import { Problem } from '../../parts/problem.tsx';

export function TestWebhookButton({ packageName }: { readonly packageName: string }) {
  const { mutate, isPending, data, error } = useMutation({
    mutationFn: () => client.testWebhook({ packageName }),
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
