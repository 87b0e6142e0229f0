// docs/deployment.md: on a machine where the ports of the defaults may be in use.

export async function prepare(): Promise<Record<string, string>> {
  return { OPENTILL_PORT: '0', OPENTILL_OPERATOR_PORT: '0' };
}
