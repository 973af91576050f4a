import { assertEquals, assertThrows } from "@std/assert";
import { cidrText, isDualStack, overlap, parseCidr } from "../../../../src/controllers/address_ranges/mod.ts";

/** As Go's ParseCIDRSloppy reads them and IPNet prints them. */
const READ: Readonly<Record<string, string>> = {
  "10.244.0.0/16": "10.244.0.0/16",
  "127.123.3.0/16": "127.123.0.0/16",
  "010.001.0.0/08": "10.0.0.0/8",
  "0.0.0.0/0": "0.0.0.0/0",
  "255.255.255.255/32": "255.255.255.255/32",
  "2001:DB8:0:0::/48": "2001:db8::/48",
  "2001:db8:0:0:1::/80": "2001:db8:0:0:1::/80",
  "2001:db8:0:1:1:1:1:1/128": "2001:db8:0:1:1:1:1:1/128",
  "::/0": "::/0",
  "::1/128": "::1/128",
  "::ffff:10.1.2.3/120": "10.1.2.0/24",
  "fd00::1.2.3.4/128": "fd00::102:304/128",
};

for (const [text, printed] of Object.entries(READ)) {
  Deno.test(`parseCidr reads ${text} as ${printed}`, () => assertEquals(cidrText(parseCidr(text)), printed));
}

for (
  const text of [
    "",
    "10.0.0.0",
    "10.0.0.0/",
    "10.0.0.0/33",
    "10.0.0.0/-1",
    "10.0.0.0/8/8",
    "10.0.0/8",
    "10.0.0.256/8",
    "0x10.0.0.0/8",
    " 10.0.0.0/8",
    "10.0.0.0/8 ",
    "1.2.3.4.5/8",
    "fe80::1%eth0/64",
    "::/129",
    ":::/64",
    "g::/64",
    "10.0.0.0/１",
  ]
) {
  Deno.test(`parseCidr refuses ${JSON.stringify(text)}`, () => {
    assertThrows(() => parseCidr(text), TypeError, `invalid CIDR address: ${text}`);
  });
}

Deno.test("overlap holds for ranges of one family of which one holds the other", () => {
  const table: readonly [string, string, boolean][] = [
    ["10.0.0.0/8", "10.9.0.0/16", true],
    ["10.9.0.0/16", "10.0.0.0/8", true],
    ["10.9.0.0/16", "10.9.0.0/16", true],
    ["10.9.0.0/16", "10.10.0.0/16", false],
    ["0.0.0.0/0", "::/0", false],
    ["fd00::/64", "fd00:0:0:1::/64", false],
  ];
  for (const [a, b, expected] of table) assertEquals(overlap(parseCidr(a), parseCidr(b)), expected, `${a} and ${b}`);
});

Deno.test("isDualStack holds for ranges of both families", () => {
  const table: readonly [string[], boolean][] = [
    [[], false],
    [["10.0.0.0/8"], false],
    [["10.0.0.0/8", "11.0.0.0/8"], false],
    [["10.0.0.0/8", "fd00::/64"], true],
    [["fd00::/64", "fd01::/64", "10.0.0.0/8"], true],
  ];
  for (const [cidrs, expected] of table) assertEquals(isDualStack(cidrs.map(parseCidr)), expected, cidrs.join());
});
