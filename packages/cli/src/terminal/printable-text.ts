// Formats values for a person. Text from other parties must not move the cursor or change colors.

// Control characters, C1 included, and the marks that turn the direction of writing.
const unprintable = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu;

/** Escapes every character that a terminal would act on. */
function escapeUnprintable(text: string): string {
  return text.replace(unprintable, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return `\\u${code.toString(16).padStart(4, '0')}`;
  });
}

/** Fields that are instants, in ms since 1970. */
const instantField = /(?:Time|At|^now|^time|Until)$/;

const minutes = 'yyyy-mm-ddThh:mm:ss'.length;

/** 2026-03-15 12:00:00Z, with the ms unless they are 0. */
function formatInstant(ms: number): string {
  const text = new Date(ms).toISOString().replace('T', ' ');
  return ms % 1_000 === 0 ? `${text.slice(0, minutes)}Z` : text;
}

/** The sentence of a cause. */
function sentenceOf(value: object): string | undefined {
  return 'text' in value && typeof value.text === 'string' ? value.text : undefined;
}

/** Formats the value of a response field; an absent value is empty. */
export function printableValue(field: string, value: unknown): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'number' && instantField.test(field)) return formatInstant(value);
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'object') return escapeUnprintable(sentenceOf(value) ?? JSON.stringify(value));
  return escapeUnprintable(String(value));
}
