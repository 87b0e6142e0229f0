// docs/payment-gateway.md: the secret that the program shares with the store.

export async function prepare(): Promise<Record<string, string>> {
  return { SECRET: `whsec_${Buffer.alloc(32, 5).toString('base64')}` };
}
