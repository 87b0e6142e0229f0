// Lists of the operator API and the sandbox API, page after page.

interface Page {
  readonly nextPageToken?: string;
}

/**
 * Every page of a list, read as they are asked for:
 * `for await (const { apps } of eachPage((page) => operator.listApps(page))) ...`.
 * Other parameters of the list go beside: `operator.listPurchases({ packageName, ...page })`.
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
