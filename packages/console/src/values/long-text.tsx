// Texts by others, such as package names, which do not change the direction of their line.

/** May break anywhere. */
export function LongText({ text }: { readonly text: string }) {
  return <bdi style={{ overflowWrap: 'anywhere' }}>{text}</bdi>;
}

const shortMax = 28;
const endLength = 14;

/** A package name in one line, cut in the middle: its start and its end tell it from others. */
export function ShortName({ text }: { readonly text: string }) {
  const isLong = text.length > shortMax;
  const shown = isLong ? `${text.slice(0, shortMax - endLength - 1)}…${text.slice(-endLength)}` : text;
  return (
    <bdi {...(isLong && { title: text })} style={{ whiteSpace: 'nowrap' }}>
      {shown}
    </bdi>
  );
}

/** For a sentence that is one text. */
export function isolated(text: string): string {
  return `\u2068${text}\u2069`;
}
