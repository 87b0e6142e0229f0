// The media types that calls come with.

/** A media type of JSON, with any parameters: `application/json; charset=utf-8`. */
const jsonMediaType = /^application\/json[\t ]*(?:;.*)?$/i;

const formMediaType = /^application\/x-www-form-urlencoded[\t ]*(?:;.*)?$/i;

export function isJson(contentType: string | undefined): boolean {
  return contentType === 'application/json' || jsonMediaType.test(contentType ?? '');
}

export function isForm(contentType: string | undefined): boolean {
  return formMediaType.test(contentType ?? '');
}
