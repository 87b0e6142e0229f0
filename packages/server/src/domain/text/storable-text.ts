// Makes text from outside storable.

/** PostgreSQL stores every character except NUL. */
export function storableText(text: string): string {
  return text.replaceAll('\0', '\ufffd');
}
