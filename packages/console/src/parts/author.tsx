// The author of a change in words: `operator:admin` is admin.

const words: Readonly<Record<string, (name: string) => string>> = {
  operator: (name) => name,
  job: (name) => `the ${name} job`,
  command: (name) => `${name}, command line`,
};

export function authorText(madeBy: string): string {
  const [, kind = '', name = ''] = /^(\w+):(.+)$/.exec(madeBy) ?? [];
  return words[kind]?.(name) ?? (madeBy === 'app' ? 'the app' : madeBy);
}

/** The meaning of a filter for an author: `admin`, as it is shown, or `job:renewals`. */
export function madeByOf(text: string): string {
  return text.includes(':') ? text : `operator:${text}`;
}

export function Author({ madeBy }: { readonly madeBy: string }) {
  return (
    <bdi title={madeBy} style={{ overflowWrap: 'break-word' }}>
      {authorText(madeBy)}
    </bdi>
  );
}
