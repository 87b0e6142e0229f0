// Writes the calls that packages/client/src/operation-calls.ts derives from the contract as plain values, so that a
// bundle or a package of the client contains neither the contract nor the schema library.

/** The contract is loaded on use, because most builds find that nothing has changed. */
export async function clientCalls(): Promise<string> {
  return Object.entries(await import('../packages/client/src/operation-calls.ts'))
    .map(([name, value]) => `export const ${name} = ${JSON.stringify(value)};\n`)
    .join('');
}

/** The plugin of a bundler, Vite or Rolldown. */
export const plainClientCalls = {
  name: 'plain-client-calls',
  load: (id: string): Promise<string> | undefined =>
    /client\/src\/operation-calls\.ts$/.test(id) ? clientCalls() : undefined,
};
