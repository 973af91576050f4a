import { assertEquals } from "@std/assert";
import {
  addressText,
  contains,
  overlap,
  parseAddress,
  parsePrefix,
  type Prefix,
  prefixText,
} from "../../../src/ip/mod.ts";

const ADDRESSES: readonly (readonly [text: string, canonical: string | undefined])[] = [
  ["10.0.0.1", "10.0.0.1"],
  ["FD00:0::5", "fd00::5"],
  ["::ffff:1.2.3.4", "::ffff:102:304"],
  ["::1.2.3.4", "::102:304"],
  ["::010.2.3.4", undefined],
  ["::0x1.2.3.4", undefined],
  ["010.0.0.1", undefined],
  ["10.1", undefined],
  ["0x7f.0.0.1", undefined],
  ["fe80::1%eth0", undefined],
  [":::", undefined],
  ["", undefined],
  ["1".repeat(10_000), undefined],
];
for (const [text, canonical] of ADDRESSES) {
  Deno.test(`parseAddress reads ${text.slice(0, 20)} as ${canonical}`, () => {
    const address = parseAddress(text);
    assertEquals(address && addressText(address), canonical);
  });
}

const RANGES: readonly (readonly [text: string, canonical: string | undefined])[] = [
  ["10.244.3.7/16", "10.244.0.0/16"],
  ["0.0.0.0/0", "0.0.0.0/0"],
  ["2001:DB8::1/48", "2001:db8::/48"],
  ["10.0.0.0/33", undefined],
  ["10.0.0.0/08", undefined],
  ["10.0.0.0/", undefined],
  ["10.0.0.0", undefined],
  ["/8", undefined],
  ["10.0.0.0/8/8", undefined],
];
for (const [text, canonical] of RANGES) {
  Deno.test(`parsePrefix reads ${text} as ${canonical}`, () => {
    const range = parsePrefix(text);
    assertEquals(range && prefixText(range), canonical);
  });
}

const PAIRS: readonly (readonly [outer: string, inner: string, contained: boolean, common: boolean])[] = [
  ["10.0.0.0/8", "10.1.0.0/16", true, true],
  ["10.1.0.0/16", "10.0.0.0/8", false, true],
  ["10.0.0.0/8", "10.0.0.0/8", true, true],
  ["10.0.0.0/8", "11.0.0.0/8", false, false],
  ["0.0.0.0/0", "::/0", false, false],
];
for (const [outer, inner, contained, common] of PAIRS) {
  Deno.test(`contains and overlap compare ${outer} with ${inner}`, () => {
    const ranges = [outer, inner].map(parsePrefix) as [Prefix, Prefix];
    assertEquals([contains(...ranges), overlap(...ranges)], [contained, common]);
  });
}
