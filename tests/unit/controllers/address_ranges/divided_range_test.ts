import { assertEquals, assertThrows } from "@std/assert";
import { cidrText, DividedRange, parseCidr } from "../../../../src/controllers/address_ranges/mod.ts";

const BLOCKS: readonly [whole: string, prefix: number, index: number, block: string][] = [
  ["127.123.3.0/16", 24, 0, "127.123.0.0/24"],
  ["127.123.0.0/16", 24, 15, "127.123.15.0/24"],
  ["192.168.5.219/28", 32, 5, "192.168.5.213/32"],
  ["2001:0db8:1234:3::/48", 64, 6425, "2001:db8:1234:1919::/64"],
  ["2001:0db8:85a3::8a2e:0370:7334/50", 63, 6425, "2001:db8:85a3:3232::/63"],
  ["2001:0db8::/32", 47, 0, "2001:db8::/47"],
  ["2001:0db8:1234:ff00::/56", 72, 6425, "2001:db8:1234:ff19:1900::/72"],
  ["2001:0db8:1234:ff00::0000/80", 96, 6425, "2001:db8:1234:ff00:0:1919::/96"],
  ["2001:beef:1234:369b::/60", 64, 0, "2001:beef:1234:3690::/64"],
  ["2001:beef:1234:369b::/60", 64, 1, "2001:beef:1234:3691::/64"],
  ["10.0.0.0/8", 32, 2 ** 24 - 1, "10.255.255.255/32"],
  ["0.0.0.0/0", 32, 2 ** 32 - 1, "255.255.255.255/32"],
];

for (const [whole, prefix, index, block] of BLOCKS) {
  Deno.test(`DividedRange: block ${index} of ${whole} in /${prefix} is ${block}`, () => {
    assertEquals(cidrText(new DividedRange(parseCidr(whole), prefix).block(index)), block);
  });
}

const TAKEN: readonly [cidr: string, whole: string, prefix: number, first: number, last: number][] = [
  ["127.0.0.0/15", "127.0.0.0/7", 16, 256, 257],
  ["127.0.0.0/15", "127.0.0.0/7", 15, 128, 128],
  ["127.0.0.0/15", "127.0.0.0/7", 18, 1024, 1031],
  ["127.0.0.0/2", "127.0.0.0/8", 16, 0, 255],
  ["127.0.0.0/8", "127.0.0.0/8", 16, 0, 255],
  ["127.4.9.1/32", "127.0.0.0/8", 16, 4, 4],
  ["2001:beef:1200::/40", "2001:beef:1200::/40", 48, 0, 255],
  ["2001:beef:1234::/48", "2001:beef:1200::/40", 48, 52, 52],
  ["2001:beef:1234:7::/64", "2001:beef:1200::/40", 48, 52, 52],
  ["fd00:1:2:3:7::/80", "fd00:1:2:3::/64", 80, 7, 7],
];

for (const [cidr, whole, prefix, first, last] of TAKEN) {
  Deno.test(`DividedRange: ${cidr} has blocks ${first} to ${last} of ${whole} in /${prefix}`, () => {
    assertEquals(new DividedRange(parseCidr(whole), prefix).blocksOf(parseCidr(cidr)), { first, last });
  });
}

Deno.test("DividedRange: what lies elsewhere, or is of another family, has no blocks", () => {
  const range = new DividedRange(parseCidr("127.0.0.0/8"), 16);
  const out = (cidr: string) => `cidr ${cidr} is out the range of cluster cidr 127.0.0.0/8`;
  for (const cidr of ["128.0.0.0/8", "fd00::/64", "::/0"]) {
    assertThrows(() => range.blocksOf(parseCidr(cidr)), TypeError, out(cidr));
  }
});

Deno.test("DividedRange: an IPv6 range has at most 2^16 blocks, an IPv4 range as many as it has addresses", () => {
  assertThrows(
    () => new DividedRange(parseCidr("beef:1234::/32"), 49),
    TypeError,
    "New CIDR set failed; the node CIDR size is too big",
  );
  assertEquals(new DividedRange(parseCidr("beef:1234::/32"), 48).count, 65_536);
  assertEquals(new DividedRange(parseCidr("10.0.0.0/8"), 32).count, 16_777_216);
});

Deno.test("DividedRange: blocks are neither larger than the range nor smaller than an address", () => {
  for (const prefix of [7, 33, -1]) {
    assertThrows(
      () => new DividedRange(parseCidr("10.0.0.0/8"), prefix),
      TypeError,
      `Cannot divide 10.0.0.0/8 into blocks of /${prefix}: give a size from 8 to 32`,
    );
  }
});
