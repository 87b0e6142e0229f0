// Ranges of IP addresses, as in settings: `10.0.0.0/8`, `fd00::/8`, or a single address.

import ipaddr from 'ipaddr.js';

export type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** Addresses with the same first bits. */
export type AddressRange = readonly [base: Address, bits: number];

/** Returns undefined for what is neither an address nor a range. */
export function parseRange(entry: string): AddressRange | undefined {
  return ipaddr.isValidCIDR(entry) ? ipaddr.parseCIDR(entry) : wholeAddress(entry);
}

function wholeAddress(entry: string): AddressRange | undefined {
  if (!ipaddr.IPv4.isValidFourPartDecimal(entry) && !ipaddr.IPv6.isValid(entry)) return undefined;
  const address = ipaddr.parse(entry);
  return [address, address.toByteArray().length * 8];
}

export function isInRange(address: Address, [base, bits]: AddressRange): boolean {
  return address.kind() === base.kind() && (address as ipaddr.IPv6).match(base as ipaddr.IPv6, bits);
}
