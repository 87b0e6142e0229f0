// How programs in the field write their requests: the order and case of headers, and the bytes of bodies. In a request,
// $ID and $PACKAGE name the purchase, $PRODUCT its product, $CLIENT, $SECRET and $TOKEN are the app's credentials, and
// $ENCODED_SECRET is percent-encoded.

interface Expected {
  readonly status: number;
  /** The error code of a failed call. */
  readonly code?: number;
}

export interface RequestShape {
  /** Language and library, and what the request is for. */
  readonly name: string;
  readonly head: readonly string[];
  readonly body?: string;
  /** With the default settings. */
  readonly expected: Expected;
  /** With OPENTILL_REQUIRE_CONTENT_TYPE=false, if that makes a difference. */
  readonly expectedWithoutContentType?: Expected;
}

const success = { status: 200 };
const read = 'GET /v2/purchase/details-by-productid/$ID/$PACKAGE/$PRODUCT HTTP/1.1';
const token = 'POST /v2/oauth/token HTTP/1.1';
const length = 'Content-Length: $LENGTH';
const javaAccept = 'Accept: text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2';

export const requestShapes: readonly RequestShape[] = [
  {
    name: 'Java, HttpURLConnection through a proxy: token with an unencoded secret',
    head: [
      token,
      'Proxy-Connection: Keep-Alive',
      'content-type: application/x-www-form-urlencoded',
      'User-Agent: Java/1.8.0_202',
      'Host: $HOST',
      javaAccept,
      'Connection: keep-alive',
      length,
    ],
    body: 'grant_type=client_credentials&client_id=$CLIENT&client_secret=$SECRET',
    expected: success,
  },
  {
    name: 'Java, HttpURLConnection through a proxy: read',
    head: [
      read,
      'Proxy-Connection: Keep-Alive',
      'Content-Type: application/json',
      'Authorization: Bearer $TOKEN',
      'User-Agent: Java/1.8.0_202',
      'Host: $HOST',
      javaAccept,
      'Connection: keep-alive',
    ],
    expected: success,
  },
  {
    name: 'C++, libcurl: token with an unencoded secret and no space after colons',
    head: [
      token,
      'Host: $HOST',
      'Accept: */*',
      'Content-Type:application/x-www-form-urlencoded',
      'Content-Length:$LENGTH',
    ],
    body: 'client_id=$CLIENT&client_secret=$SECRET&grant_type=client_credentials',
    expected: success,
  },
  {
    name: 'C++, libcurl: read without Content-Type',
    head: [read, 'Host: $HOST', 'Accept: */*', 'Authorization:Bearer $TOKEN'],
    expected: { status: 400, code: 9000 },
    expectedWithoutContentType: success,
  },
  {
    name: 'Java, HttpsURLConnection: token with a charset and an unencoded secret',
    head: [
      token,
      'Content-Type: application/x-www-form-urlencoded;charset=UTF-8',
      'User-Agent: Java/1.8.0_291',
      'Host: $HOST',
      javaAccept,
      'Connection: keep-alive',
      length,
    ],
    body: 'client_id=$CLIENT&client_secret=$SECRET&grant_type=client_credentials',
    expected: success,
  },
  {
    name: 'Java, HttpsURLConnection: read with the bare token',
    head: [
      'GET /v2/purchase/details/$ID/$PACKAGE HTTP/1.1',
      'Authorization: $TOKEN',
      'Content-Type: application/json',
      'User-Agent: Java/1.8.0_291',
      'Host: $HOST',
      javaAccept,
      'Connection: keep-alive',
    ],
    expected: { status: 401, code: 401 },
  },
  {
    name: 'Node.js, request: token',
    head: [
      token,
      'host: $HOST',
      'content-type: application/x-www-form-urlencoded',
      'content-length: $LENGTH',
      'Connection: close',
    ],
    body: 'grant_type=client_credentials&client_id=$CLIENT&client_secret=$ENCODED_SECRET',
    expected: success,
  },
  {
    name: 'Node.js, request: read',
    head: [
      read,
      'Authorization: Bearer $TOKEN',
      'Content-Type: application/json',
      'host: $HOST',
      'Connection: close',
    ],
    expected: success,
  },
  {
    name: 'Python, requests: token with an Accept of JSON',
    head: [
      token,
      'Host: $HOST',
      'User-Agent: python-requests/2.31.0',
      'Accept-Encoding: gzip, deflate',
      'Accept: application/json',
      'Connection: keep-alive',
      'Content-Type: application/x-www-form-urlencoded',
      length,
    ],
    body: 'client_id=$CLIENT&client_secret=$ENCODED_SECRET&grant_type=client_credentials',
    expected: success,
  },
  {
    name: 'Java, Apache HttpClient: token',
    head: [
      token,
      'Content-Type: application/x-www-form-urlencoded',
      length,
      'Host: $HOST',
      'Connection: Keep-Alive',
      'User-Agent: Apache-HttpClient/4.5.13 (Java/1.8.0_291)',
      'Accept-Encoding: gzip,deflate',
    ],
    body: 'client_id=$CLIENT&client_secret=$ENCODED_SECRET&grant_type=client_credentials',
    expected: success,
  },
  {
    name: 'Java, Spring RestTemplate: token with the secret first',
    head: [
      token,
      'Accept: application/json, application/*+json',
      'Content-Type: application/x-www-form-urlencoded;charset=UTF-8',
      'User-Agent: Java/17.0.2',
      'Host: $HOST',
      'Connection: keep-alive',
      length,
    ],
    body: 'client_secret=$ENCODED_SECRET&client_id=$CLIENT&grant_type=client_credentials',
    expected: success,
  },
  {
    name: 'C#, HttpClient: token',
    head: [token, 'Host: $HOST', 'Content-Type: application/x-www-form-urlencoded', length],
    body: 'grant_type=client_credentials&client_id=$CLIENT&client_secret=$ENCODED_SECRET',
    expected: success,
  },
  {
    name: 'Python, requests: read without Content-Type',
    head: [
      'GET /v2/purchase/details/$ID/$PACKAGE HTTP/1.1',
      'Host: $HOST',
      'User-Agent: python-requests/2.32.3',
      'Accept-Encoding: gzip, deflate',
      'Accept: */*',
      'Connection: keep-alive',
      'Authorization: Bearer $TOKEN',
    ],
    expected: { status: 400, code: 9000 },
    expectedWithoutContentType: success,
  },
  {
    name: 'Node.js, axios: token with its parameters in the query',
    head: [
      'POST /v2/oauth/token?client_id=$CLIENT&client_secret=$SECRET&grant_type=client_credentials HTTP/1.1',
      'Accept: application/json, text/plain, */*',
      'Content-Type: application/x-www-form-urlencoded',
      'User-Agent: axios/1.6.2',
      length,
      'Accept-Encoding: gzip, compress, deflate, br',
      'Host: $HOST',
      'Connection: close',
    ],
    body: '',
    expected: { status: 400, code: 400 },
  },
  {
    name: 'Python, requests: token with its parameters in the query and no body',
    head: [
      'POST /v2/oauth/token?grant_type=client_credentials&client_id=$CLIENT&client_secret=$ENCODED_SECRET HTTP/1.1',
      'Host: $HOST',
      'User-Agent: python-requests/2.28.1',
      'Accept-Encoding: gzip, deflate',
      'Accept: */*',
      'Connection: keep-alive',
      'Content-Type: application/x-www-form-urlencoded',
      'Content-Length: 0',
    ],
    expected: { status: 400, code: 400 },
  },
];
