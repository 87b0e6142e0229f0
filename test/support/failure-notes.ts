// What a test has done until now, for the report of its failure (failure-report.ts).

const callsMax = 5;
const callLengthMax = 2_000;
const outputLengthMax = 8_000;

const calls: string[] = [];
/** The log of each server since the start of the test. */
const logs: { text: string }[] = [];
/** Read when a test fails. */
const outputs: (() => string)[] = [];

interface NotedCall {
  readonly method: string | undefined;
  readonly url: string;
  readonly body: unknown;
}

export function noteCall(
  { method = 'GET', url, body = '' }: NotedCall,
  { status, text }: { readonly status: number; readonly text: string },
): void {
  calls.push(`${method} ${url} ${body}\n${status} ${text}`.slice(0, callLengthMax));
  if (calls.length > callsMax) calls.shift();
}

/** The log of a server, which the test can collect in `lines`. */
export function notedLog(lines?: string[]): { readonly write: (line: string) => void } {
  const log = { text: '' };
  logs.push(log);
  return {
    write(line) {
      lines?.push(line);
      log.text = (log.text + line).slice(-outputLengthMax);
    },
  };
}

/** The output of a program. */
export function noteOutput(read: () => string): void {
  outputs.push(read);
}

export function startFile(): void {
  logs.length = 0;
  outputs.length = 0;
}

export function startTest(): void {
  calls.length = 0;
  for (const log of logs) log.text = '';
}

export function notes(): string {
  const parts = [
    ['the latest calls', calls.join('\n')],
    ...logs.map(({ text }) => ['the log of a server', text]),
    ...outputs.map((read) => ['the output of a program', read().slice(-outputLengthMax)]),
  ];
  return parts
    .filter(([, text]) => text !== '')
    .map(([title, text]) => `--- ${title}\n${text}`)
    .join('\n');
}
