// A self-signed test certificate for localhost and 127.0.0.1, valid for a hundred years.

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

export const testCertificate = {
  cert: `-----BEGIN CERTIFICATE-----
MIIBmzCCAUGgAwIBAgIUD5WMH30i6cLZiCZmJ1cp9gbq5kQwCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyMDEyMTYyMloYDzIxMjYxMDI3
MTIxNjIyWjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAARvO8AAsxqQI1JSqG/EWps2W3CGp6ok/Z/kM+xiRX9CSwEwaID9pJFK
DYFvvSEBShO34z4BQ1O3uis38vyaHDcOo28wbTAdBgNVHQ4EFgQUWp8G1aW6St44
k0DaNbh8BWQROT8wHwYDVR0jBBgwFoAUWp8G1aW6St44k0DaNbh8BWQROT8wDwYD
VR0TAQH/BAUwAwEB/zAaBgNVHREEEzARhwR/AAABgglsb2NhbGhvc3QwCgYIKoZI
zj0EAwIDSAAwRQIgNKOCA5RsZon5SCCWTsDg1+ahK/neLlfvGQntQWp5eOkCIQCl
W6EHFjPiTlE31RoBy5iEMIaYskdlQsLgLc9OIJ+2vw==
-----END CERTIFICATE-----
`,
  key: `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgAiO3kdQtFCL9HcfB
lSE+1W26BGWEyFHreQoMo9BhAeKhRANCAARvO8AAsxqQI1JSqG/EWps2W3CGp6ok
/Z/kM+xiRX9CSwEwaID9pJFKDYFvvSEBShO34z4BQ1O3uis38vyaHDcO
-----END PRIVATE KEY-----
`,
} as const;

/** The same for another key. */
export const secondCertificate = {
  cert: `-----BEGIN CERTIFICATE-----
MIIBnDCCAUGgAwIBAgIUFVFZ4ebDih7kMbkjJ9x+ykTRvDMwCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyMzAyNTgxM1oYDzIxMjYxMDMw
MDI1ODEzWjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAAQd5JVJUDr4sThaZSP+ZewBuFLavk428V5ATUaMrGaYXyxEihjcyKk6
pVVjuLQp9sN9sQVTJf7v3fOaGlWT6Jd6o28wbTAdBgNVHQ4EFgQUu4NqUexGvll6
iNPt++K7YACM8wAwHwYDVR0jBBgwFoAUu4NqUexGvll6iNPt++K7YACM8wAwDwYD
VR0TAQH/BAUwAwEB/zAaBgNVHREEEzARhwR/AAABgglsb2NhbGhvc3QwCgYIKoZI
zj0EAwIDSQAwRgIhAN4KA//4L4IMMdMpizIRiJ9Xc8mlM4qB9AdcStdyuiHXAiEA
0oG1IWmq7I0iwXqEolrF6ib/51PBtJ1dsvjEFa+dNZI=
-----END CERTIFICATE-----
`,
  key: `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgHgKRAfuFeM7SgvJH
m94I4osz9AWwpZybNs1/IAcEDcShRANCAAQd5JVJUDr4sThaZSP+ZewBuFLavk42
8V5ATUaMrGaYXyxEihjcyKk6pVVjuLQp9sN9sQVTJf7v3fOaGlWT6Jd6
-----END PRIVATE KEY-----
`,
} as const;

/** Writes the files of the settings for TLS. */
export async function writeTlsFiles(
  folder: string,
  { cert, key }: { readonly cert?: string | undefined; readonly key: string } = testCertificate,
) {
  const files = { OPENTILL_TLS_CERT: join(folder, 'cert.pem'), OPENTILL_TLS_KEY: join(folder, 'key.pem') };
  if (cert !== undefined) await writeFile(files.OPENTILL_TLS_CERT, cert);
  await writeFile(files.OPENTILL_TLS_KEY, key);
  return files;
}
