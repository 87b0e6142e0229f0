// Reads all pages of a list of the operator or developer API.

interface Page {
  readonly nextPageToken?: string;
}

/**
 * Yields the pages of a list, each read on demand:
 * `for await (const { apps } of eachPage((page) => operator.listApps(page))) ...`.
 * Add other parameters of the list to the page: `operator.listPurchases({ packageName, ...page })`.
 */
export async function* eachPage<Answer extends Page>(
  read: (page: { readonly pageToken?: string }) => Promise<Answer>,
): AsyncGenerator<Answer, void, undefined> {
  let answer = await read({});
  yield answer;
  while (answer.nextPageToken !== undefined) {
    answer = await read({ pageToken: answer.nextPageToken });
    yield answer;
  }
}
