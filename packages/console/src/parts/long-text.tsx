// A text by others, such as a package name: it may break anywhere, and does not change the direction of its line.

export function LongText({ text }: { readonly text: string }) {
  return <bdi style={{ overflowWrap: 'anywhere' }}>{text}</bdi>;
}
