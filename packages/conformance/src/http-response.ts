// The response to a call and how to read it. An error is recognized by its body, because the specification defines no
// HTTP status for errors ("Errors").

export interface HttpResponse {
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
export function fieldsOf({ body }: HttpResponse): Readonly<Record<string, unknown>> {
  return isObject(body) ? body : {};
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether the response has a success status and a JSON object that is not an error. */
export function isSuccess({ status, body }: HttpResponse): boolean {
  return status >= 200 && status < 300 && isObject(body) && !Object.hasOwn(body, 'error');
}

/** Describes the response for the report, which later masks secrets and truncates long texts. */
export function responseText({ call, status, text }: HttpResponse): string {
  return `The response to ${call} was ${status} ${text === '' ? 'without a body' : text}.`;
}
