// The backend of an app in Java 17, with its HTTP client and Gson (../README.md).

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.google.gson.JsonPrimitive;
import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Base64;
import java.util.HashSet;
import java.util.Set;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

public class Backend {
  static final int ATTEMPTS_MAX = 4;
  static final long PAUSE_MAX_MS = 5_000;
  static final String STORE_URL = env("STORE_URL");
  static final String APP = env("PACKAGE_NAME");
  static final Path LEDGER = Path.of(env("LEDGER"));
  static final HttpClient http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  static final Set<String> ledger = new HashSet<>();
  static String token;

  record Response(int status, JsonObject body) {
    long number(String field) {
      return body.get(field).getAsLong();
    }
  }

  static String env(String name) {
    return System.getenv(name);
  }

  static HttpResponse<String> send(String path, String method, String type, String body) throws Exception {
    var request = HttpRequest.newBuilder(URI.create(STORE_URL + path)).timeout(Duration.ofSeconds(10));
    request.method(method, BodyPublishers.ofString(body)).header("Content-Type", type);
    if (token != null) request.header("Authorization", "Bearer " + token);
    return http.send(request.build(), HttpResponse.BodyHandlers.ofString());
  }

  static void fetchToken() throws Exception {
    var form = "grant_type=client_credentials&client_id=" + env("CLIENT_ID")
        + "&client_secret=" + URLEncoder.encode(env("CLIENT_SECRET"), StandardCharsets.UTF_8);
    var response = send("/v2/oauth/token", "POST", "application/x-www-form-urlencoded", form);
    if (response.statusCode() != 200) throw new IOException("no token: " + response.body());
    token = JsonParser.parseString(response.body()).getAsJsonObject().get("access_token").getAsString();
  }

  /** A Retry-After is a number of seconds or a date; anything else is ignored. */
  static long pauseMs(String retryAfter) {
    if (retryAfter.matches("[0-9]+(\\.[0-9]+)?"))
      return (long) Math.min(1_000 * Double.parseDouble(retryAfter), PAUSE_MAX_MS);
    try {
      var date = ZonedDateTime.parse(retryAfter, DateTimeFormatter.RFC_1123_DATE_TIME).toInstant();
      return Math.min(Math.max(Duration.between(Instant.now(), date).toMillis(), 0), PAUSE_MAX_MS);
    } catch (DateTimeException neither) {
      return 0;
    }
  }

  /** Calls the store with the token, which is used until the store rejects it. Status 503: it cannot be used now. */
  static Response call(String method, String path) throws Exception {
    for (int attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
      try {
        if (token == null) fetchToken();
        var response = send(path, method, "application/json", "");
        int status = response.statusCode();
        if (status == 401) token = null;
        else if (status != 429 && status < 500)
          return new Response(status, JsonParser.parseString(response.body()).getAsJsonObject());
        Thread.sleep(pauseMs(response.headers().firstValue("retry-after").orElse("")));
      } catch (IOException lost) { // The store may have done it: the next attempt finds out.
        Thread.sleep(1_000);
      }
    }
    return status(503);
  }

  static void write(String line) throws IOException {
    if (!ledger.add(line)) return;
    Files.writeString(LEDGER, line + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND, StandardOpenOption.SYNC);
  }

  /** Only an id of this form has one spelling and stays one segment of a path. */
  static boolean isId(String text, int lengthMax) {
    return text.matches("[A-Za-z0-9._-]{1," + lengthMax + "}") && !text.matches("\\.{1,2}");
  }

  static String path(String... segments) {
    var path = new StringBuilder("/v2/purchase");
    for (var segment : segments)
      path.append("/").append(URLEncoder.encode(segment, StandardCharsets.UTF_8).replace("+", "%20"));
    return path.toString();
  }

  static Response status(int status) {
    return new Response(status, new JsonObject());
  }

  static Response refuse(String id, String reason) {
    System.err.println("refused " + new JsonPrimitive(id) + ": " + reason);
    var body = new JsonObject();
    body.addProperty("reason", reason);
    return new Response(409, body);
  }

  static Response deliver(String id, String product, String order) throws Exception {
    if (!isId(id, 20) || !isId(product, 150)) return refuse(id, "notFound");
    var purchase = call("GET", path("details-by-productid", id, APP, product));
    if (purchase.status == 503) return status(503);
    if (purchase.status != 200) return refuse(id, "notFound");
    if (purchase.number("purchaseState") != 0) return refuse(id, "voided");
    if (!purchase.body.get("developerPayload").getAsString().equals(order)) return refuse(id, "otherPayload");
    if (purchase.number("consumptionState") == 1 && !ledger.contains("delivered " + id)) return refuse(id, "consumed");
    write("delivered " + id);
    var consumed = call("POST", path("consume", id, APP));
    if (consumed.status == 200) return status(200);
    var error = consumed.body.getAsJsonObject("error");
    return status(error != null && error.get("code").getAsInt() == 9201 ? 200 : 503);
  }

  /** Status 404: the app has no such subscription. */
  static Response accessTo(String firstPurchaseId) throws Exception {
    if (!isId(firstPurchaseId, 20)) return status(404);
    var details = call("GET", path("last-recurring-details", firstPurchaseId, APP));
    if (details.status != 200) return details;
    long now = System.currentTimeMillis();
    if ("sandbox".equals(env("ENVIRONMENT"))) { // The app's own clock, which can be moved.
      var clock = call("GET", "/developer/v1/clock");
      if (clock.status != 200) return clock;
      now = clock.number("now");
    }
    var access = new JsonObject();
    access.addProperty("hasAccess", now < details.number("expiryTime"));
    access.addProperty("isPaymentOutstanding", details.body.has("nextPaymentTime") && details.number("expiryTime") <= now);
    access.addProperty("until", details.number("expiryTime"));
    access.addProperty("willRenew", details.body.get("autoRenewing").getAsBoolean());
    return new Response(200, access);
  }

  static int takeBackVoided() throws Exception {
    for (var query = "";;) {
      var page = call("GET", path("voided-purchases", APP) + query);
      if (page.status != 200) return 503;
      for (var entry : page.body.getAsJsonArray("voidedPurchaseList")) {
        var id = entry.getAsJsonObject().get("purchaseId").getAsString();
        if (ledger.contains("delivered " + id)) write("taken-back " + id);
      }
      if (!page.body.has("continuationKey")) return 200;
      query = "?continuationKey=" + URLEncoder.encode(text(page.body, "continuationKey"), StandardCharsets.UTF_8);
    }
  }

  static boolean isSigned(Headers headers, byte[] body) throws Exception {
    var mac = Mac.getInstance("HmacSHA256");
    mac.init(new SecretKeySpec(Base64.getDecoder().decode(env("WEBHOOK_SECRET").replace("whsec_", "")), "HmacSHA256"));
    var time = headers.getFirst("webhook-timestamp");
    if (time == null || Math.abs(Instant.now().getEpochSecond() - Long.parseLong(time)) > 300) return false;
    mac.update((headers.getFirst("webhook-id") + "." + time + ".").getBytes());
    var expected = "v1," + Base64.getEncoder().encodeToString(mac.doFinal(body));
    for (var signature : headers.getFirst("webhook-signature").split(" "))
      if (MessageDigest.isEqual(expected.getBytes(), signature.getBytes())) return true;
    return false;
  }

  static Response respond(String path, Headers headers, byte[] body) throws Exception {
    if (path.startsWith("/access/")) return accessTo(path.substring("/access/".length()));
    if (path.equals("/voided")) return status(takeBackVoided());
    if (path.equals("/hooks") && !isSigned(headers, body)) return status(401);
    var sent = JsonParser.parseString(new String(body, StandardCharsets.UTF_8)).getAsJsonObject();
    if (path.equals("/purchases"))
      return deliver(text(sent, "purchaseId"), text(sent, "productId"), text(sent, "order"));
    int status = switch (text(sent, "type")) {
      case "purchase.completed" -> deliver(text(sent, "purchaseId"), text(sent, "productId"),
          text(sent.getAsJsonObject("record"), "developerPayload")).status;
      case "purchase.voided" -> takeBackVoided();
      default -> 204;
    };
    return status(status == 503 ? 503 : 204);
  }

  /** Returns "" for what is not a string. */
  static String text(JsonObject object, String field) {
    return object.get(field) instanceof JsonPrimitive value && value.isString() ? value.getAsString() : "";
  }

  /** The server handles requests one after another, so that each finds what the one before wrote. */
  public static void main(String[] arguments) throws Exception {
    if (Files.exists(LEDGER)) ledger.addAll(Files.readAllLines(LEDGER));
    var server = HttpServer.create(new InetSocketAddress("127.0.0.1", Integer.parseInt(env("PORT"))), 0);
    server.createContext("/", exchange -> {
      try (exchange) {
        var body = exchange.getRequestBody().readAllBytes();
        var response = respond(exchange.getRequestURI().getPath(), exchange.getRequestHeaders(), body);
        var json = response.body.toString().getBytes();
        exchange.getResponseHeaders().add("Content-Type", "application/json");
        exchange.sendResponseHeaders(response.status, response.status == 204 ? -1 : json.length);
        if (response.status != 204) exchange.getResponseBody().write(json);
      } catch (Exception problem) {
        throw new IOException(problem);
      }
    });
    server.start();
  }
}
