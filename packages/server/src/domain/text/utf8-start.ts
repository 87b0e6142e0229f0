// Cuts UTF-8 text to a number of bytes.

/** The text of the first `bytesMax` bytes, without a character that the limit cuts through. */
export function utf8Start(bytes: Uint8Array, bytesMax: number): { text: string; isCut: boolean } {
  const text = new TextDecoder().decode(bytes.subarray(0, bytesMax), { stream: true });
  return { text, isCut: bytes.length > bytesMax };
}
