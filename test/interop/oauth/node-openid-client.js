// openid-client as the client of a backend.

import * as oauth from 'openid-client';

const { STORE_URL, CLIENT_ID, CLIENT_SECRET, PURCHASE_ID, PACKAGE_NAME } = process.env;
const api = `${STORE_URL}/v2`;

const issuer = { issuer: STORE_URL, token_endpoint: `${api}/oauth/token` };
const config = new oauth.Configuration(issuer, CLIENT_ID, undefined, oauth.ClientSecretPost(CLIENT_SECRET));
// The server of the test is on loopback without TLS.
oauth.allowInsecureRequests(config);
const token = await oauth.clientCredentialsGrant(config);
console.log(token.token_type, token.expires_in);

for (const [method, call] of [
  ['GET', 'details'],
  ['POST', 'consume'],
]) {
  const url = new URL(`${api}/purchase/${call}/${PURCHASE_ID}/${PACKAGE_NAME}`);
  const headers = new Headers({ 'content-type': 'application/json' });
  const response = await oauth.fetchProtectedResource(
    config,
    token.access_token,
    url,
    method,
    undefined,
    headers,
  );
  console.log(await response.text());
}
