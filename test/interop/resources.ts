// What the tests of a file share.

import { afterAll } from 'vitest';

/** Keeps a resource open until the tests of the file are done. */
export async function useForFile<Resource extends AsyncDisposable>(
  starting: Promise<Resource>,
): Promise<Resource> {
  const resource = await starting;
  afterAll(() => resource[Symbol.asyncDispose]());
  return resource;
}
