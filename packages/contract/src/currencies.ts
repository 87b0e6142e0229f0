// The currencies of ISO 4217 (docs/decisions/purchases.md). This file has no schemas, like limits.ts.

/**
 * Codes with a minor unit in table A.1 of the maintenance agency (SIX, six-group.com), as of 2026-02-01: without metals,
 * units of account, and codes for tests.
 */
const current = new Set(
  (
    'AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BHD BIF BMD BND BOB BOV BRL BSD BTN BWP BYN BZD CAD CDF ' +
    'CHE CHF CHW CLF CLP CNY COP COU CRC CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP ' +
    'GMD GNF GTQ GYD HKD HNL HTG HUF IDR ILS INR IQD IRR ISK JMD JOD JPY KES KGS KHR KMF KPW KRW KWD KYD KZT ' +
    'LAK LBP LKR LRD LSL LYD MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MXV MYR MZN NAD NGN NIO NOK NPR ' +
    'NZD OMR PAB PEN PGK PHP PKR PLN PYG QAR RON RSD RUB RWF SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN ' +
    'SVC SYP SZL THB TJS TMT TND TOP TRY TTD TWD TZS UAH UGX USD USN UYI UYU UYW UZS VED VES VND VUV WST XAD ' +
    'XAF XCD XCG XOF XPF YER ZAR ZMW ZWG'
  ).split(' '),
);

/** Table A.3 of the same date: withdrawn codes. */
const withdrawn = new Set(
  (
    'ADP AFA ALK ANG AOK AON AOR ARA ARP ARY ATS AYM AZM BAD BEC BEF BEL BGJ BGK BGL BGN BOP BRB BRC BRE BRN ' +
    'BRR BUK BYB BYR CHC CSD CSJ CSK CUC CYP DDM DEM ECS ECV EEK ESA ESB ESP FIM FRF GEK GHC GHP GNE GNS GQE ' +
    'GRD GWE GWP HRD HRK IEP ILP ILR ISJ ITL LAJ LSM LTL LTT LUC LUF LUL LVL LVR MGF MLF MRO MTL MTP MVQ MXP ' +
    'MZE MZM NIC NLG PEH PEI PES PLZ PTE RHD ROK ROL RUR SDD SDP SIT SKK SLL SRG STD SUR TJR TMM TPE TRL UAK ' +
    'UGS UGW USS UYN UYP VEB VEF VNC XEU XFO XFU XRE YDD YUD YUM YUN ZAL ZMK ZRN ZRZ ZWC ZWD ZWL ZWN ZWR'
  ).split(' '),
);

/** Codes that are often taken for those of ISO 4217, and withdrawn ones that still occur. */
const meant = new Map(
  (
    [
      ['CNY', 'RMB CNH YUA'],
      ['GBP', 'UKP STG'],
      ['JPY', 'YEN JPN'],
      ['KRW', 'WON KOR'],
      ['TWD', 'NTD'],
      ['USD', 'DOL USA'],
      ['EUR', 'ATS BEF BGN DEM EEK ESP FIM FRF GRD HRK IEP ITL LTL LUF LVL NLG PTE SIT SKK'],
      ...[
        ['BYN', 'BYR'],
        ['CUP', 'CUC'],
        ['MRU', 'MRO'],
        ['RON', 'ROL'],
        ['RUB', 'RUR'],
        ['SLE', 'SLL'],
        ['STN', 'STD'],
        ['TRY', 'TRL'],
        ['VES', 'VEF'],
        ['XCG', 'ANG'],
        ['ZMW', 'ZMK'],
        ['ZWG', 'ZWL'],
      ],
    ] as [string, string][]
  ).flatMap(([currency, codes]) => codes.split(' ').map((code) => [code, currency] as const)),
);

/** Why a new price cannot have this currency; undefined: it can. */
export function problemOfNewCurrency(code: string): string | undefined {
  if (current.has(code)) return undefined;
  return withdrawn.has(code)
    ? `expected a currency of ISO 4217 that is in use, got ${code}, which was withdrawn${advice(code)}`
    : problemOfPastCurrency(code);
}

/** Why nothing was ever sold in this currency; undefined: it may have been. */
export function problemOfPastCurrency(code: string): string | undefined {
  if (current.has(code) || withdrawn.has(code)) return undefined;
  return `expected a currency of ISO 4217, got ${code}${advice(code)}`;
}

function advice(code: string): string {
  const currency = meant.get(code);
  return currency === undefined ? '' : `: did you mean ${currency}?`;
}
