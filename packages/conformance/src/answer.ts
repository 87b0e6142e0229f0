// The response to a call and how to read it. An error is recognized by its body, because the specification defines no
// HTTP status for errors ("Errors").

export interface Answer {
  /** Method and path, for the report. */
  readonly call: string;
  readonly status: number;
  readonly contentType: string | undefined;
  readonly retryAfter: string | undefined;
  readonly text: string;
  /** The parsed text; undefined if it is not valid JSON. */
  readonly body: unknown;
}

/** Returns the body if it is an object, otherwise an empty object. */
export function fieldsOf({ body }: Answer): Readonly<Record<string, unknown>> {
  return isObject(body) ? body : {};
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns the object `error` of an error response. */
export function errorOf(answer: Answer): Readonly<Record<string, unknown>> | undefined {
  const { error } = fieldsOf(answer);
  return isObject(error) ? error : undefined;
}

/** Returns the error code or NaN; a separate check tests that it is an integer. */
export function errorCodeOf(answer: Answer): number {
  const code = errorOf(answer)?.['code'];
  return typeof code === 'string' || typeof code === 'number' ? Number(code) : Number.NaN;
}

/** Whether the response has a success status and a JSON object that is not an error. */
export function isSuccess(answer: Answer): boolean {
  const isGood = answer.status >= 200 && answer.status < 300;
  return isGood && isObject(answer.body) && !Object.hasOwn(answer.body, 'error');
}

/** Describes the response for the report, which later masks secrets and truncates long texts. */
export function responseText({ call, status, text }: Answer): string {
  return `The response to ${call} was ${status} ${text === '' ? 'without a body' : text}.`;
}
