// What a text of a stranger becomes before it is stored.

/** PostgreSQL keeps every character but NUL. */
export function storableText(text: string): string {
  return text.replaceAll('\0', '\ufffd');
}
