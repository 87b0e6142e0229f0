// simple-oauth2 as the client of a backend.

import { ClientCredentials } from 'simple-oauth2';

const { STORE_URL, CLIENT_ID, CLIENT_SECRET, PURCHASE_ID, PACKAGE_NAME } = process.env;

const client = new ClientCredentials({
  client: { id: CLIENT_ID, secret: CLIENT_SECRET },
  auth: { tokenHost: STORE_URL, tokenPath: '/v2/oauth/token' },
  options: { authorizationMethod: 'body' },
});
const { token } = await client.getToken({});
console.log(token.token_type, token.expires_in);

const headers = { authorization: `Bearer ${token.access_token}`, 'content-type': 'application/json' };
for (const [method, call] of [
  ['GET', 'details'],
  ['POST', 'consume'],
]) {
  const url = `${STORE_URL}/v2/purchase/${call}/${PURCHASE_ID}/${PACKAGE_NAME}`;
  const response = await fetch(url, { method, headers });
  console.log(await response.text());
}
