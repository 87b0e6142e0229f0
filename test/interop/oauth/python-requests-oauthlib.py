# requests-oauthlib as the client of a backend.

import os

from oauthlib.oauth2 import BackendApplicationClient
from requests_oauthlib import OAuth2Session

# The server of the test is on loopback without TLS.
os.environ["OAUTHLIB_INSECURE_TRANSPORT"] = "1"

env = os.environ
api = env["STORE_URL"] + "/v2"
purchase = f"{env['PURCHASE_ID']}/{env['PACKAGE_NAME']}"

session = OAuth2Session(client=BackendApplicationClient(client_id=env["CLIENT_ID"]))
session.headers["Content-Type"] = "application/json"
token = session.fetch_token(
    api + "/oauth/token",
    client_secret=env["CLIENT_SECRET"],
    # Without it, the credentials are sent in a header instead of the body.
    include_client_id=True,
    headers={"Content-Type": "application/x-www-form-urlencoded"},
)
print(token["token_type"], token["expires_in"])
print(session.get(f"{api}/purchase/details/{purchase}").text)
print(session.post(f"{api}/purchase/consume/{purchase}").text)
