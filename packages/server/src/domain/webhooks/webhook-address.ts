// Rules for the URLs and addresses of webhooks. A developer chooses the URL and can read the responses, so addresses that
// are not public are forbidden (docs/decisions/events.md). It does not resolve names.

import ipaddr from 'ipaddr.js';
import { type Address, type AddressRange, isInRange, parseRange } from '../address-range.ts';

export interface WebhookRules {
  /** In addition to https. */
  readonly allowsHttp: boolean;
  /** 127.0.0.0/8 and ::1. */
  readonly allowsLoopback: boolean;
  /** Ranges that are not public, but allowed by the operator. */
  readonly allowedRanges: readonly AddressRange[];
}

/** Ranges that no setting can allow: they have no receivers, or only internal ones. */
const neverAllowed: ReadonlySet<string> = new Set(['linkLocal', 'unspecified', 'multicast', 'broadcast']);

/**
 * Metadata services of clouds that are not link-local, which no setting can allow either: Azure, whose address is in a
 * public range, Amazon, Google and Alibaba.
 */
const cloudAddresses: ReadonlySet<string> = new Set([
  '168.63.129.16',
  'fd00:ec2::254',
  'fd20:ce::254',
  '100.100.100.200',
]);

/** The only IPv6 range from which public addresses are assigned. */
const globalUnicast: [ipaddr.IPv6, number] = [ipaddr.IPv6.parse('2000::'), 3];

/** RFC 6052: IPv4 addresses embedded in IPv6 addresses, for hosts without IPv4. */
const translated: [ipaddr.IPv6, number] = [ipaddr.IPv6.parse('64:ff9b::'), 96];
const embeddedAt = 12;

/** The address that receives the packets: an IPv4 address is extracted from an IPv6 address that embeds it. */
function innermost(address: Address): Address {
  if (!(address instanceof ipaddr.IPv6)) return address;
  if (address.isIPv4MappedAddress()) return address.toIPv4Address();
  if (address.match(translated)) return new ipaddr.IPv4(address.toByteArray().slice(embeddedAt));
  return address;
}

function withoutZone(address: Address): string {
  return address.toString().replace(/%.*$/, '');
}

function isPublic(address: Address): boolean {
  if (address.range() !== 'unicast') return false;
  return !(address instanceof ipaddr.IPv6) || address.match(globalUnicast);
}

/** Whether a webhook may be sent to this IP address; false for a text that is not an IP address. */
export function isAllowedAddress(text: string, rules: WebhookRules): boolean {
  if (!ipaddr.isValid(text)) return false;
  const address = innermost(ipaddr.parse(text));
  const range = address.range();
  if (range === 'loopback') return rules.allowsLoopback;
  if (neverAllowed.has(range) || cloudAddresses.has(withoutZone(address))) return false;
  return isPublic(address) || rules.allowedRanges.some((allowed) => isInRange(address, allowed));
}

/** Ranges that OPENTILL_WEBHOOK_ALLOW cannot contain: they have other rules, or embed addresses that are checked instead. */
const neverInSetting: ReadonlySet<string> = new Set([
  ...['loopback', 'linkLocal', 'multicast', 'broadcast'],
  ...['ipv4Mapped', 'rfc6052'],
]);

/** The entry of OPENTILL_WEBHOOK_ALLOW that allows this machine. */
const loopbackWord = 'loopback';

/** Reads comma-separated addresses and ranges such as `10.0.0.0/8`, and the word `loopback`. */
export function parseAllowedAddresses(
  text: string,
): Pick<WebhookRules, 'allowedRanges' | 'allowsLoopback'> | { readonly problem: string } {
  const all = text.split(',').map((entry) => entry.trim());
  const entries = all.filter((entry) => entry !== '' && entry !== loopbackWord);
  const ranges = entries.map(parseAllowedRange);
  const invalid = entries[ranges.indexOf(undefined)];
  if (invalid === undefined) {
    const allowedRanges = ranges.filter((range) => range !== undefined);
    return { allowedRanges, allowsLoopback: all.includes(loopbackWord) };
  }
  const expected = `expected the word ${loopbackWord}, and comma-separated addresses and ranges such as 10.0.0.0/8 or fd00::/8`;
  const others = 'none of them loopback or link-local';
  return { problem: `${expected}, ${others}; entry ${all.indexOf(invalid) + 1} is invalid` };
}

function parseAllowedRange(entry: string): AddressRange | undefined {
  const range = parseRange(entry);
  return range === undefined || neverInSetting.has(range[0].range()) ? undefined : range;
}

/** Below this port, only the two ports of HTTP are allowed, because other system services listen there. */
const firstFreePort = 1024;
const httpPorts: ReadonlySet<string> = new Set(['', '80', '443']);

export interface UrlProblem {
  readonly problem: string;
  /** The settings of the server forbid the address, and may allow it. */
  readonly isOfAddress?: true;
}

/**
 * Reads the URL of a webhook and normalizes it; numeric hosts become IP addresses. The problem contains no part of the URL,
 * which may have a secret in it.
 */
export function parseWebhookUrl(text: string, rules: WebhookRules): URL | UrlProblem {
  const url = URL.parse(text);
  const scheme = rules.allowsHttp ? 'http(s)' : 'https';
  const isScheme = url?.protocol === 'https:' || (rules.allowsHttp && url?.protocol === 'http:');
  if (url === null || !isScheme) return { problem: `expected ${scheme}://host/path` };
  if (url.username !== '' || url.password !== '')
    return { problem: 'expected a URL without user and password' };
  if (text.includes('#')) return { problem: 'expected a URL without a fragment (#...)' };
  if (!httpPorts.has(url.port) && Number(url.port) < firstFreePort) {
    return { problem: `expected port 80, 443, or ${firstFreePort} and above` };
  }
  const address = addressOfHost(url);
  const isAllowed = address === undefined ? isAllowedName(url, rules) : isAllowedAddress(address, rules);
  return isAllowed ? url : { problem: 'expected a public address', isOfAddress: true };
}

/** The IP address of a URL; undefined if its host is a name. */
export function addressOfHost({ hostname }: URL): string | undefined {
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  return ipaddr.isValid(host) ? host : undefined;
}

/** Names that always mean this machine (RFC 6761). */
export function isLoopbackName(name: string): boolean {
  return /(?:^|\.)localhost\.?$/i.test(name);
}

function isAllowedName({ hostname }: URL, rules: WebhookRules): boolean {
  return rules.allowsLoopback || !isLoopbackName(hostname);
}
