// Reads all pages of a list of the operator or developer API.

interface Page {
  readonly nextPageToken?: string;
}

/**
 * Yields the pages of a list, each read on demand:
 * `for await (const { apps } of eachPage((page) => operator.listApps(page))) ...`.
 * Add other parameters of the list to the page: `operator.listPurchases({ packageName, ...page })`.
 */
export async function* eachPage<Listed extends Page>(
  read: (page: { readonly pageToken?: string }) => Promise<Listed>,
): AsyncGenerator<Listed, void, undefined> {
  let response = await read({});
  yield response;
  while (response.nextPageToken !== undefined) {
    response = await read({ pageToken: response.nextPageToken });
    yield response;
  }
}
