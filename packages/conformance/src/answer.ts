// What came back for a call, and what can be read out of it before anybody judges it. An error is told by its
// body: the specification names no HTTP status for it ("Errors").

export interface Answer {
  /** Method and path, for the report. */
  readonly call: string;
  readonly status: number;
  readonly contentType: string | undefined;
  readonly retryAfter: string | undefined;
  readonly text: string;
  /** Undefined where the text is no JSON. */
  readonly body: unknown;
}

/** The body as an object; no fields where it is none. */
export function fieldsOf({ body }: Answer): Readonly<Record<string, unknown>> {
  return isObject(body) ? body : {};
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The object `error` of an error answer, or undefined. */
export function errorOf(answer: Answer): Readonly<Record<string, unknown>> | undefined {
  const { error } = fieldsOf(answer);
  return isObject(error) ? error : undefined;
}

/** The code of an error answer; NaN for an answer without one. That it is an integer is for a check of its own. */
export function errorCodeOf(answer: Answer): number {
  const code = errorOf(answer)?.['code'];
  return typeof code === 'string' || typeof code === 'number' ? Number(code) : Number.NaN;
}

/** A JSON object that is no error, with a status of success. */
export function isSuccess(answer: Answer): boolean {
  const isGood = answer.status >= 200 && answer.status < 300;
  return isGood && isObject(answer.body) && !Object.hasOwn(answer.body, 'error');
}

/** The answer as a report repeats it; secrets are taken out, and what is too long is cut, as the report is made. */
export function shown({ call, status, text }: Answer): string {
  return `${call} was answered ${status} ${text === '' ? 'without a body' : text}.`;
}
