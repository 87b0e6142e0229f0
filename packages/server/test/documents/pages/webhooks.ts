// docs/webhooks.md: the secret that the receiver shares with the server.

export async function prepare(): Promise<Record<string, string>> {
  return { SECRET: `whsec_${Buffer.alloc(32, 6).toString('base64')}` };
}
