// The backend of an app in C#, with the HTTP client and the JSON reader of .NET 8 (../README.md).

using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Net;
using System.Net.Http;
using System.Net.Http.Headers;
using System.Security.Cryptography;
using System.Text;
using System.Text.Json;
using System.Text.RegularExpressions;
using System.Threading.Tasks;

static class Backend
{
    const int AttemptsMax = 4;
    static readonly TimeSpan PauseMax = TimeSpan.FromSeconds(5);
    static readonly string App = Env("PACKAGE_NAME");
    static readonly HttpClient Http = new HttpClient { Timeout = TimeSpan.FromSeconds(10) };
    static readonly HashSet<string> Ledger = new HashSet<string>();
    static string token;

    /// The caller of this backend has to repeat its call later.
    class Unavailable : Exception
    {
        public Unavailable(string message) : base(message) { }
    }

    static string Env(string name) => Environment.GetEnvironmentVariable(name) ?? "";

    static async Task<HttpResponseMessage> Send(HttpMethod method, string path, HttpContent content)
    {
        var request = new HttpRequestMessage(method, Env("STORE_URL") + path) { Content = content };
        if (token != null) request.Headers.Authorization = new AuthenticationHeaderValue("Bearer", token);
        return await Http.SendAsync(request);
    }

    static async Task FetchToken()
    {
        var form = new Dictionary<string, string>
        {
            ["grant_type"] = "client_credentials",
            ["client_id"] = Env("CLIENT_ID"),
            ["client_secret"] = Env("CLIENT_SECRET"),
        };
        using (var response = await Send(HttpMethod.Post, "/v2/oauth/token", new FormUrlEncodedContent(form)))
        {
            var text = await response.Content.ReadAsStringAsync();
            if (!response.IsSuccessStatusCode) throw new HttpRequestException("no token: " + text);
            token = Text(Parse(text), "access_token");
        }
    }

    /// A Retry-After is a number of seconds or a date; anything else is ignored.
    static TimeSpan PauseOf(RetryConditionHeaderValue retryAfter)
    {
        var pause = retryAfter?.Delta ?? retryAfter?.Date - DateTimeOffset.UtcNow ?? TimeSpan.Zero;
        return pause < TimeSpan.Zero ? TimeSpan.Zero : pause > PauseMax ? PauseMax : pause;
    }

    /// Calls the store with the token, which is used until the store rejects it.
    static async Task<(int Status, JsonElement Body)> Call(HttpMethod method, string path)
    {
        for (var attempt = 0; attempt < AttemptsMax; attempt++)
        {
            var pause = TimeSpan.FromSeconds(1);
            try
            {
                if (token == null) await FetchToken();
                // Without a content, .NET sends no Content-Type, which every call needs.
                using (var response = await Send(method, path, new StringContent("", null, "application/json")))
                {
                    var status = (int)response.StatusCode;
                    var text = await response.Content.ReadAsStringAsync();
                    if (status != 401 && status != 429 && status < 500) return (status, Parse(text));
                    if (status == 401) token = null;
                    pause = PauseOf(response.Headers.RetryAfter);
                }
            }
            // Without a response the store may have done it: the next attempt finds out.
            catch (HttpRequestException) { }
            catch (OperationCanceledException) { }
            await Task.Delay(pause);
        }
        throw new Unavailable(path);
    }

    static JsonElement Parse(string json)
    {
        using (var document = JsonDocument.Parse(json)) return document.RootElement.Clone();
    }

    /// "" for what is not a string.
    static string Text(JsonElement element, string name)
    {
        if (element.ValueKind != JsonValueKind.Object || !element.TryGetProperty(name, out var value)) return "";
        try
        {
            return value.ValueKind == JsonValueKind.String ? value.GetString() : "";
        }
        catch (InvalidOperationException) // Half of a surrogate pair.
        {
            return "";
        }
    }

    static void Write(string line)
    {
        if (!Ledger.Add(line)) return;
        using (var file = new FileStream(Env("LEDGER"), FileMode.Append))
        {
            var bytes = Encoding.UTF8.GetBytes(line + "\n");
            file.Write(bytes, 0, bytes.Length);
            file.Flush(flushToDisk: true);
        }
    }

    /// Only an id of this form has one spelling and stays one segment of a path.
    static bool IsId(string text, int lengthMax) =>
        Regex.IsMatch(text, @"\A[A-Za-z0-9._-]{1," + lengthMax + @"}\z") && text != "." && text != "..";

    static string PathOf(params string[] segments) =>
        "/v2/purchase/" + string.Join("/", segments.Select(Uri.EscapeDataString));

    static (int Status, string Json) Refuse(string id, string reason)
    {
        Console.Error.WriteLine($"refused {JsonSerializer.Serialize(id)}: {reason}");
        return (409, JsonSerializer.Serialize(new { reason }));
    }

    static async Task<(int Status, string Json)> Deliver(string id, string product, string order)
    {
        if (!IsId(id, 20) || !IsId(product, 150)) return Refuse(id, "notFound");
        var (status, purchase) = await Call(HttpMethod.Get, PathOf("details-by-productid", id, App, product));
        if (status != 200) return Refuse(id, "notFound");
        if (purchase.GetProperty("purchaseState").GetInt32() != 0) return Refuse(id, "voided");
        if (Text(purchase, "developerPayload") != order) return Refuse(id, "otherPayload");
        if (purchase.GetProperty("consumptionState").GetInt32() == 1)
            return Ledger.Contains("delivered " + id) ? (200, "") : Refuse(id, "consumed");
        Write("delivered " + id);
        var (consumed, result) = await Call(HttpMethod.Post, PathOf("consume", id, App));
        if (consumed != 200 && result.GetProperty("error").GetProperty("code").GetInt32() != 9201)
            throw new Unavailable(result.ToString());
        return (200, "");
    }

    /// The app's own time in a sandbox, whose clock can be moved.
    static async Task<long> Now()
    {
        if (Env("ENVIRONMENT") != "sandbox") return DateTimeOffset.UtcNow.ToUnixTimeMilliseconds();
        var (status, clock) = await Call(HttpMethod.Get, "/developer/v1/clock");
        return status == 200 ? clock.GetProperty("now").GetInt64() : throw new Unavailable(clock.ToString());
    }

    /// null: the app has no such subscription.
    static async Task<string> AccessTo(string firstPurchaseId)
    {
        if (!IsId(firstPurchaseId, 20)) return null;
        var (status, details) = await Call(HttpMethod.Get, PathOf("last-recurring-details", firstPurchaseId, App));
        if (status != 200) return null;
        var until = details.GetProperty("expiryTime").GetInt64();
        var hasAccess = await Now() < until;
        var isPaymentOutstanding = !hasAccess && details.TryGetProperty("nextPaymentTime", out _);
        var willRenew = details.GetProperty("autoRenewing").GetBoolean();
        return JsonSerializer.Serialize(new { hasAccess, isPaymentOutstanding, until, willRenew });
    }

    static async Task<int> TakeBackVoided()
    {
        for (var query = ""; ;)
        {
            var (status, page) = await Call(HttpMethod.Get, PathOf("voided-purchases", App) + query);
            if (status != 200) throw new Unavailable(page.ToString());
            foreach (var entry in page.GetProperty("voidedPurchaseList").EnumerateArray())
            {
                var id = Text(entry, "purchaseId");
                if (Ledger.Contains("delivered " + id)) Write("taken-back " + id);
            }
            var key = Text(page, "continuationKey");
            if (key == "") return 200;
            query = "?continuationKey=" + Uri.EscapeDataString(key);
        }
    }

    static bool IsSigned(HttpListenerRequest request, byte[] body)
    {
        var time = request.Headers["webhook-timestamp"];
        if (!long.TryParse(time, out var seconds)) return false;
        if (Math.Abs(DateTimeOffset.UtcNow.ToUnixTimeSeconds() - seconds) > 300) return false;
        var signed = Encoding.UTF8.GetBytes($"{request.Headers["webhook-id"]}.{time}.").Concat(body).ToArray();
        using (var hmac = new HMACSHA256(Convert.FromBase64String(Env("WEBHOOK_SECRET").Replace("whsec_", ""))))
        {
            var expected = Encoding.UTF8.GetBytes("v1," + Convert.ToBase64String(hmac.ComputeHash(signed)));
            var signatures = (request.Headers["webhook-signature"] ?? "").Split(' ');
            return signatures.Any(one => CryptographicOperations.FixedTimeEquals(Encoding.UTF8.GetBytes(one), expected));
        }
    }

    static async Task<int> Receive(HttpListenerRequest request, byte[] body)
    {
        if (!IsSigned(request, body)) return 401;
        var sent = Parse(Encoding.UTF8.GetString(body));
        if (Text(sent, "type") == "purchase.completed")
            await Deliver(
                Text(sent, "purchaseId"), Text(sent, "productId"), Text(sent.GetProperty("record"), "developerPayload"));
        if (Text(sent, "type") == "purchase.voided") await TakeBackVoided();
        return 204;
    }

    static async Task<(int Status, string Json)> Respond(HttpListenerRequest request, byte[] body)
    {
        var path = request.RawUrl;
        if (path.StartsWith("/access/", StringComparison.Ordinal))
        {
            var access = await AccessTo(path.Substring("/access/".Length));
            return access == null ? (404, "") : (200, access);
        }
        if (path == "/voided") return (await TakeBackVoided(), "");
        if (path == "/hooks") return (await Receive(request, body), "");
        return await Report(Parse(Encoding.UTF8.GetString(body)));
    }

    static Task<(int Status, string Json)> Report(JsonElement sent) =>
        Deliver(Text(sent, "purchaseId"), Text(sent, "productId"), Text(sent, "order"));

    static async Task Handle(HttpListenerContext context)
    {
        var body = new MemoryStream();
        await context.Request.InputStream.CopyToAsync(body);
        var (status, json) = (500, "");
        try
        {
            (status, json) = await Respond(context.Request, body.ToArray());
        }
        catch (Exception problem)
        {
            Console.Error.WriteLine(problem);
            if (problem is Unavailable) status = 503;
        }
        context.Response.StatusCode = status;
        context.Response.ContentType = "application/json";
        context.Response.Close(Encoding.UTF8.GetBytes(json), willBlock: false);
    }

    /// Requests are handled one after another, so that each finds what the one before wrote.
    static async Task Main()
    {
        if (File.Exists(Env("LEDGER"))) Ledger.UnionWith(File.ReadAllLines(Env("LEDGER")));
        var listener = new HttpListener();
        listener.Prefixes.Add($"http://127.0.0.1:{Env("PORT")}/");
        listener.Start();
        for (; ; )
        {
            try
            {
                await Handle(await listener.GetContextAsync());
            }
            catch (Exception disconnected) when (disconnected is IOException || disconnected is HttpListenerException)
            {
                Console.Error.WriteLine(disconnected.Message);
            }
        }
    }
}
