// docs/webhooks.md: the secret that the receiver shares with the server, and what replays events of the app.

import type { Site } from '../site.ts';

export async function prepare({ operator, clientSecret }: Site): Promise<Record<string, string>> {
  const { events } = await operator.listEvents({ packageName: 'com.example.demo', pageSize: 1 });
  return {
    SECRET: `whsec_${Buffer.alloc(32, 6).toString('base64')}`,
    LIVE_SECRET: clientSecret,
    FROM: String((events[0]?.order ?? 1) - 1),
  };
}
