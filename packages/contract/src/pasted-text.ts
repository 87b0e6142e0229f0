// Ids that a person has pasted, or that come in a link or an argument: mails, chats and spreadsheets surround them with
// characters that nobody sees. This file has no schemas, like limits.ts.

/** Spaces, controls, and characters without a width. */
const unseen = /[\s\p{Cc}\p{Default_Ignorable_Code_Point}]/u;

/** Also without the apostrophe that begins an id in a CSV file of the server. */
export function withoutSurroundings(text: string): string {
  const characters = [...text];
  const isSeen = (character: string) => !unseen.test(character);
  const end = characters.findLastIndex(isSeen) + 1;
  const start = end === 0 ? 0 : characters.findIndex(isSeen);
  return characters.slice(start, end).join('').replace(/^'\s*/, '');
}

/** The texts to look for, in this order: the given one, because order and buyer ids may contain spaces, and the id in it. */
export function spellingsOf(text: string): readonly string[] {
  const id = withoutSurroundings(text);
  return id === text || id === '' ? [text] : [text, id];
}

/** The values without what surrounds the ids among them; undefined if nothing does. */
export function idsIn<Values extends object>(values: Values): Values | undefined {
  const entries = Object.entries(values);
  const ids = entries.map(([name, value]) => [
    name,
    typeof value === 'string' ? spellingsOf(value).at(-1) : value,
  ]);
  return ids.some(([, id], index) => id !== entries[index]?.[1]) ? Object.fromEntries(ids) : undefined;
}
