// docs/deployment.md: free ports, because the default ports may be in use.

export async function prepare(): Promise<Record<string, string>> {
  return { OPENTILL_PORT: '0', OPENTILL_OPERATOR_PORT: '0' };
}
