<?php

// The backend of an app in PHP 8, with curl. In a terminal: php -S 127.0.0.1:9000 backend.php (../README.md).

declare(strict_types=1);

const ATTEMPTS_MAX = 4;
const PAUSE_MAX = 5;

/** The caller of this backend has to repeat its call later. */
class Unavailable extends Exception
{
}

/** The seconds to wait: Retry-After is a number or a date, and anything else is ignored. */
function pauseOf(string $retryAfter): float
{
    $seconds = is_numeric($retryAfter) ? (float) $retryAfter : (int) strtotime($retryAfter) - time();
    return max(0, min($seconds, PAUSE_MAX));
}

/** Sends a request; status 0 is no response. */
function send(string $method, string $path, array $headers, string $body = ''): array
{
    $retryAfter = '';
    $curl = curl_init(getenv('STORE_URL') . $path);
    curl_setopt_array($curl, [
        CURLOPT_CUSTOMREQUEST => $method,
        CURLOPT_HTTPHEADER => $headers,
        CURLOPT_POSTFIELDS => $method === 'POST' ? $body : null,
        CURLOPT_RETURNTRANSFER => true,
        CURLOPT_TIMEOUT => 10,
        CURLOPT_HEADERFUNCTION => function ($_, string $line) use (&$retryAfter) {
            if (stripos($line, 'retry-after:') === 0) {
                $retryAfter = trim(substr($line, strlen('retry-after:')));
            }
            return strlen($line);
        },
    ]);
    $text = curl_exec($curl);
    $status = $text === false ? 0 : curl_getinfo($curl, CURLINFO_RESPONSE_CODE);
    return [$status, json_decode((string) $text, true), $status === 0 ? 1 : pauseOf($retryAfter)];
}

/** The token is in a file, because each request is a new run of this program. */
function token(bool $isRejected): string
{
    $file = getenv('LEDGER') . '.token';
    [$token, $end] = is_file($file) && !$isRejected ? explode(' ', file_get_contents($file)) : ['', 0];
    if (time() < (int) $end) {
        return $token;
    }
    [$status, $body] = send('POST', '/v2/oauth/token', [], http_build_query([
        'grant_type' => 'client_credentials',
        'client_id' => getenv('CLIENT_ID'),
        'client_secret' => getenv('CLIENT_SECRET'),
    ]));
    if ($status !== 200) {
        throw new Unavailable("no token: $status");
    }
    file_put_contents($file, $body['access_token'] . ' ' . (time() + $body['expires_in']), LOCK_EX);
    return $body['access_token'];
}

/** Calls the store, and retries what may succeed later. A call without a response may have been executed. */
function call(string $method, string $path): array
{
    $status = 0;
    for ($attempt = 0; $attempt < ATTEMPTS_MAX; $attempt++) {
        $headers = ['Authorization: Bearer ' . token($status === 401), 'Content-Type: application/json'];
        [$status, $body, $pause] = send($method, $path, $headers);
        if ($status < 500 && !in_array($status, [0, 401, 429], true)) {
            return [$status, $body];
        }
        usleep((int) (1_000_000 * $pause));
    }
    throw new Unavailable("$path: $status");
}

function isWritten(string $line): bool
{
    return in_array($line, is_file(getenv('LEDGER')) ? file(getenv('LEDGER'), FILE_IGNORE_NEW_LINES) : [], true);
}

function write(string $line): void
{
    $file = fopen(getenv('LEDGER'), 'a');
    flock($file, LOCK_EX);
    if (!isWritten($line)) {
        fwrite($file, "$line\n");
        fsync($file);
    }
    fclose($file);
}

/** Only an id of this form has one spelling and stays one segment of a path. */
function isId(mixed $value, int $lengthMax): bool
{
    return is_string($value) && preg_match("/^[A-Za-z0-9._-]{1,$lengthMax}$/D", $value) === 1
        && !in_array($value, ['.', '..'], true);
}

function pathOf(string ...$segments): string
{
    return '/v2/purchase/' . implode('/', array_map('rawurlencode', $segments));
}

function refuse(mixed $id, string $reason): array
{
    error_log('refused ' . json_encode($id) . ": $reason");
    http_response_code(409);
    return ['reason' => $reason];
}

function deliver(mixed $id, mixed $product, mixed $order): array|int
{
    if (!isId($id, 20) || !isId($product, 150)) {
        return refuse($id, 'notFound');
    }
    $app = getenv('PACKAGE_NAME');
    [$status, $purchase] = call('GET', pathOf('details-by-productid', $id, $app, $product));
    $reason = match (true) {
        $status !== 200 => 'notFound',
        $purchase['purchaseState'] !== 0 => 'voided',
        $purchase['developerPayload'] !== $order => 'otherPayload',
        $purchase['consumptionState'] === 1 && !isWritten("delivered $id") => 'consumed',
        default => null,
    };
    if ($reason !== null) {
        return refuse($id, $reason);
    }
    write("delivered $id");
    [$status, $consumed] = call('POST', pathOf('consume', $id, $app));
    if ($status !== 200 && $consumed['error']['code'] !== 9201) {
        throw new Unavailable("consume: $status");
    }
    return 200;
}

/** The app's own time in a sandbox, whose clock can be moved. */
function now(): float
{
    return getenv('ENVIRONMENT') === 'sandbox' ? call('GET', '/developer/v1/clock')[1]['now'] : microtime(true) * 1000;
}

/** Returns 404 if the app has no such subscription. */
function accessTo(string $firstPurchaseId): array|int
{
    if (!isId($firstPurchaseId, 20)) {
        return 404;
    }
    [$status, $details] = call('GET', pathOf('last-recurring-details', $firstPurchaseId, getenv('PACKAGE_NAME')));
    if ($status !== 200) {
        return 404;
    }
    $hasAccess = now() < $details['expiryTime'];
    return [
        'hasAccess' => $hasAccess,
        'isPaymentOutstanding' => isset($details['nextPaymentTime']) && !$hasAccess,
        'until' => $details['expiryTime'],
        'willRenew' => $details['autoRenewing'],
    ];
}

function takeBackVoided(): int
{
    $query = '';
    do {
        [$status, $page] = call('GET', pathOf('voided-purchases', getenv('PACKAGE_NAME')) . $query);
        if ($status !== 200) {
            throw new Unavailable("voided-purchases: $status");
        }
        foreach ($page['voidedPurchaseList'] as ['purchaseId' => $id]) {
            if (isWritten("delivered $id")) {
                write("taken-back $id");
            }
        }
        $query = '?continuationKey=' . rawurlencode($page['continuationKey'] ?? '');
    } while (isset($page['continuationKey']));
    return 200;
}

function isSigned(string $body): bool
{
    $time = (int) ($_SERVER['HTTP_WEBHOOK_TIMESTAMP'] ?? 0);
    $key = base64_decode(str_replace('whsec_', '', getenv('WEBHOOK_SECRET')));
    $signed = ($_SERVER['HTTP_WEBHOOK_ID'] ?? '') . ".$time.$body";
    $expected = 'v1,' . base64_encode(hash_hmac('sha256', $signed, $key, true));
    $signatures = explode(' ', $_SERVER['HTTP_WEBHOOK_SIGNATURE'] ?? '');
    return abs(time() - $time) < 300 && array_filter($signatures, fn ($one) => hash_equals($expected, $one)) !== [];
}

/** Returns a status, or what is sent as JSON. */
function respond(string $path, string $body): array|int
{
    if (str_starts_with($path, '/access/')) {
        return accessTo(substr($path, strlen('/access/')));
    }
    $sent = json_decode($body, true);
    if ($path === '/voided') {
        return takeBackVoided();
    }
    if ($path === '/purchases') {
        return deliver($sent['purchaseId'] ?? null, $sent['productId'] ?? null, $sent['order'] ?? null);
    }
    if (!isSigned($body)) {
        return 401;
    }
    match ($sent['type']) {
        'purchase.completed' => deliver($sent['purchaseId'], $sent['productId'], $sent['record']['developerPayload']),
        'purchase.voided' => takeBackVoided(),
        default => null,
    };
    return 204;
}

try {
    $response = respond($_SERVER['REQUEST_URI'], file_get_contents('php://input'));
    if (is_int($response)) {
        http_response_code($response);
    } else {
        header('Content-Type: application/json');
        echo json_encode($response);
    }
} catch (Unavailable $problem) {
    error_log($problem->getMessage());
    http_response_code(503);
}
