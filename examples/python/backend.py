# The backend of an app in Python 3, with requests-oauthlib (../README.md).

import base64
import hmac
import json
import os
import re
import sys
import time
from email.utils import parsedate_to_datetime
from http.server import BaseHTTPRequestHandler, HTTPServer
from urllib.parse import quote

from oauthlib.oauth2 import BackendApplicationClient, OAuth2Error
from requests import RequestException
from requests_oauthlib import OAuth2Session

ENV = os.environ
API = ENV["STORE_URL"]
PACKAGE = ENV["PACKAGE_NAME"]
ATTEMPTS_MAX = 4
PAUSE_MAX = 5
if API.startswith("http://127.0.0.1"):
    os.environ["OAUTHLIB_INSECURE_TRANSPORT"] = "1"

session = OAuth2Session(client=BackendApplicationClient(client_id=ENV["CLIENT_ID"]))
session.headers["Content-Type"] = "application/json"
credentials = {"client_secret": ENV["CLIENT_SECRET"], "include_client_id": True}


class Unavailable(Exception):
    """The caller of this backend has to repeat its call later."""


def pause_of(retry_after):
    """The seconds to wait: Retry-After is a number or a date, and anything else is ignored."""
    try:
        seconds = parsedate_to_datetime(retry_after).timestamp() - time.time()
    except (TypeError, ValueError):
        seconds = float(retry_after) if re.fullmatch(r"[0-9]+(\.[0-9]+)?", retry_after) else 0
    return min(max(seconds, 0), PAUSE_MAX)


def call(method, path, query=None):
    for _ in range(ATTEMPTS_MAX):
        pause = 1
        try:
            if not session.token:
                session.fetch_token(API + "/v2/oauth/token", timeout=10, **credentials)
            response = session.request(method, API + path, params=query, timeout=10)
            if response.status_code < 500 and response.status_code not in (401, 429):
                return response.status_code, response.json()
            pause = pause_of(response.headers.get("Retry-After", ""))
            if response.status_code == 401:
                session.token = {}
        except OAuth2Error:  # The token has expired.
            session.token = {}
        except RequestException:
            pass  # Without a response the store may have done it: the next attempt finds out.
        time.sleep(pause)
    raise Unavailable(path)


with open(ENV["LEDGER"], "a+") as file:
    file.seek(0)
    ledger = set(file.read().splitlines())


def write(line):
    if line in ledger:
        return
    with open(ENV["LEDGER"], "a") as file:
        print(line, file=file, flush=True)
        os.fsync(file.fileno())
    ledger.add(line)


def is_id(value, length_max):
    """Only an id of this form has one spelling and stays one segment of a path."""
    form = rf"[A-Za-z0-9._-]{{1,{length_max}}}"
    return isinstance(value, str) and re.fullmatch(form, value) is not None and value not in (".", "..")


def path_of(*segments):
    return "/v2/purchase/" + "/".join(quote(segment, safe="") for segment in segments)


def refuse(purchaseId, reason):
    print(f"refused {purchaseId!a}: {reason}", file=sys.stderr)
    return 409, {"reason": reason}


def deliver(purchaseId, productId, order):
    if not is_id(purchaseId, 20) or not is_id(productId, 150):
        return refuse(purchaseId, "notFound")
    status, purchase = call("GET", path_of("details-by-productid", purchaseId, PACKAGE, productId))
    if status != 200:
        return refuse(purchaseId, "notFound")
    if purchase["purchaseState"] != 0:
        return refuse(purchaseId, "voided")
    if purchase["developerPayload"] != order:
        return refuse(purchaseId, "otherPayload")
    if purchase["consumptionState"] == 1:
        return 200 if f"delivered {purchaseId}" in ledger else refuse(purchaseId, "consumed")
    write(f"delivered {purchaseId}")
    status, consumed = call("POST", path_of("consume", purchaseId, PACKAGE))
    if status != 200 and consumed["error"]["code"] != 9201:
        raise Unavailable(consumed)
    return 200


def now():
    """The app's own time in a sandbox, whose clock can be moved."""
    return call("GET", "/developer/v1/clock")[1]["now"] if ENV.get("ENVIRONMENT") == "sandbox" else time.time() * 1000


def access_to(firstPurchaseId):
    """None if the app has no such subscription."""
    if not is_id(firstPurchaseId, 20):
        return None
    status, details = call("GET", path_of("last-recurring-details", firstPurchaseId, PACKAGE))
    if status != 200:
        return None
    has_access = now() < details["expiryTime"]
    return {
        "hasAccess": has_access,
        "isPaymentOutstanding": "nextPaymentTime" in details and not has_access,
        "until": details["expiryTime"],
        "willRenew": details["autoRenewing"],
    }


def take_back_voided():
    key = None
    while True:
        status, page = call("GET", path_of("voided-purchases", PACKAGE), {"continuationKey": key})
        if status != 200:
            raise Unavailable(page)
        for entry in page["voidedPurchaseList"]:
            if f"delivered {entry['purchaseId']}" in ledger:
                write(f"taken-back {entry['purchaseId']}")
        key = page.get("continuationKey")
        if key is None:
            return 200


def is_signed(headers, body):
    key = base64.b64decode(ENV["WEBHOOK_SECRET"].removeprefix("whsec_"))
    signed = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
    expected = "v1," + base64.b64encode(hmac.digest(key, signed, "sha256")).decode()
    is_recent = abs(time.time() - int(headers["webhook-timestamp"] or 0)) < 300
    signatures = (headers["webhook-signature"] or "").split()
    return is_recent and any(hmac.compare_digest(expected, signature) for signature in signatures)


def receive(headers, body):
    if not is_signed(headers, body):
        return 401
    event = json.loads(body)
    if event["type"] == "purchase.completed":
        deliver(event["purchaseId"], event["productId"], event["record"]["developerPayload"])
    if event["type"] == "purchase.voided":
        take_back_voided()
    return 204


def respond(path, headers, body):
    """A status, or one with what is sent as JSON."""
    if path.startswith("/access/"):
        access = access_to(path.removeprefix("/access/"))
        return (200, access) if access else 404
    if path == "/voided":
        return take_back_voided()
    if path == "/hooks":
        return receive(headers, body)
    sent = json.loads(body)
    return deliver(sent.get("purchaseId"), sent.get("productId"), sent.get("order"))


class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"] or 0))
        try:
            response = respond(self.path, self.headers, body)
        except Unavailable as problem:
            self.log_error("%s", problem)
            response = 503
        status, sent = response if isinstance(response, tuple) else (response, None)
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        self.wfile.write(json.dumps(sent).encode() if sent else b"")

    do_GET = do_POST


HTTPServer(("127.0.0.1", int(ENV["PORT"])), Handler).serve_forever()
