// The request of a delivery as sent, without its signature, and a receiver that verifies it.

import { Stack, Text, Title } from '@mantine/core';
import type { ShownDelivery } from '../../api/app.ts';
import { CopiedCode } from '../../parts/copied-code.tsx';
import { Empty } from '../../parts/empty.tsx';

const receiver = `import { verifyWebhook } from '@opentill/client';
import express from 'express';

const secrets = process.env.WEBHOOK_SECRET;

express()
  .post('/hooks', express.text({ type: 'application/json' }), async (request, response) => {
    const { body, headers } = request;
    const event = await verifyWebhook({ body, headers, secrets }).catch(() => undefined);
    if (event === undefined) return response.status(401).end();
    // An event may arrive twice: skip those whose id is known.
    await handle(event);
    response.status(204).end();
  })
  .listen(3000);`;

export function DeliveryRequest({ request }: { readonly request: ShownDelivery['request'] }) {
  return (
    <Stack gap="md">
      {request === undefined ? (
        <Empty text="The event is no longer retained, so that its body is not known." />
      ) : (
        <CopiedCode
          what="the request"
          code={[
            ...Object.entries(request.headers).map(([name, value]) => `${name}: ${value}`),
            '',
            request.body,
          ].join('\n')}
        />
      )}
      <Text size="sm">
        The header <bdi>webhook-signature</bdi> is left out. A receiver with the secret of the webhook
        verifies it:
      </Text>
      <Title order={3}>Sample receiver</Title>
      <CopiedCode what="the receiver" code={receiver} />
    </Stack>
  );
}
