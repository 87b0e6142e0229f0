// Authors of changes as people read them. This file has no schemas, so that a client can import it without loading TypeBox.

const words: Readonly<Record<string, (name: string) => string>> = {
  operator: (name) => name,
  job: (name) => `the ${name} job`,
  command: (name) => `${name}, command line`,
};

/** `operator:admin` is admin. */
export function authorText(madeBy: string): string {
  const [, kind = '', name = ''] = /^(\w+):(.+)$/.exec(madeBy) ?? [];
  return words[kind]?.(name) ?? (madeBy === 'app' ? 'the app' : madeBy);
}
