import { assertEquals } from "@std/assert";
import { sourceOf } from "../../../src/https/mod.ts";

Deno.test("sourceOf takes IPv4 addresses as they are, and of IPv6 addresses the network of 64 bits", () => {
  const cases: [address: string, source: string][] = [
    ["10.0.0.1", "10.0.0.1"],
    ["::ffff:10.0.0.1", "10.0.0.1"],
    ["::1", "0:0:0:0"],
    ["fe80::1%eth0", "fe80:0:0:0"],
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2"],
    ["2001:db8:1:2::6", "2001:db8:1:2"],
    ["2001:db8::3:4:5:6", "2001:db8:0:0"],
    ["1::3:4:5:6:7:8", "1:0:3:4"],
    ["", ""],
  ];
  for (const [address, source] of cases) assertEquals(sourceOf(address), source, address);
});
