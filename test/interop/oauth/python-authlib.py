# Authlib as the client of a backend.

import os

from authlib.integrations.requests_client import OAuth2Session

# The server of the test is on loopback without TLS.
os.environ["AUTHLIB_INSECURE_TRANSPORT"] = "1"

env = os.environ
api = env["STORE_URL"] + "/v2"
purchase = f"{env['PURCHASE_ID']}/{env['PACKAGE_NAME']}"

session = OAuth2Session(
    env["CLIENT_ID"],
    env["CLIENT_SECRET"],
    token_endpoint=api + "/oauth/token",
    token_endpoint_auth_method="client_secret_post",
    grant_type="client_credentials",
)
token = session.fetch_token()
print(token["token_type"], token["expires_in"])
headers = {"Content-Type": "application/json"}
print(session.get(f"{api}/purchase/details/{purchase}", headers=headers).text)
print(session.post(f"{api}/purchase/consume/{purchase}", headers=headers).text)
