import { assertEquals, assertThrows } from "@std/assert";
import { MemoryLogger } from "../../../../src/base/mod.ts";
import { cidrText } from "../../../../src/controllers/address_ranges/mod.ts";
import { type IpamOptions, ipamSettings } from "../../../../src/controllers/node_ipam/settings.ts";

const OPTIONS: IpamOptions = {
  allocates: true,
  allocator: "RangeAllocator",
  clusterRanges: "10.0.0.0/8",
  serviceRanges: "",
  nodeCidrMaskSize: 0,
  nodeCidrMaskSizeIpv4: 0,
  nodeCidrMaskSizeIpv6: 0,
};

function settings(options: Partial<IpamOptions>, log = new MemoryLogger()): [string[], string[]] {
  const { clusterRanges, serviceRanges } = ipamSettings({ ...OPTIONS, ...options }, log);
  return [
    clusterRanges.map(({ whole, blockPrefix }) => `${cidrText(whole)} in /${blockPrefix}`),
    serviceRanges.map(cidrText),
  ];
}

const GOOD: readonly [Partial<IpamOptions>, string[]][] = [
  [{}, ["10.0.0.0/8 in /24"]],
  [{ clusterRanges: " fd00::/56\n" }, ["fd00::/56 in /64"]],
  [{ clusterRanges: "127.123.234.0/8,ace:cab:deca::/48" }, ["127.0.0.0/8 in /24", "ace:cab:deca::/48 in /64"]],
  [{ clusterRanges: "ace:cab:deca::/48,127.123.234.0/8" }, ["ace:cab:deca::/48 in /64", "127.0.0.0/8 in /24"]],
  [{ clusterRanges: "10.0.0.0/8,fd00::/84", nodeCidrMaskSizeIpv4: 26, nodeCidrMaskSizeIpv6: 98 }, [
    "10.0.0.0/8 in /26",
    "fd00::/84 in /98",
  ]],
  [{ nodeCidrMaskSize: 30 }, ["10.0.0.0/8 in /30"]],
  [{ nodeCidrMaskSizeIpv4: 30 }, ["10.0.0.0/8 in /30"]],
  [{ clusterRanges: "fd00::/56", nodeCidrMaskSizeIpv6: 60 }, ["fd00::/56 in /60"]],
  [{ clusterRanges: "fd00::/56", nodeCidrMaskSize: 60 }, ["fd00::/56 in /60"]],
  [{ clusterRanges: "10.0.0.0/24" }, ["10.0.0.0/24 in /24"]],
];

for (const [options, ranges] of GOOD) {
  Deno.test(`ipamSettings: ${JSON.stringify(options)} gives ${ranges}`, () => {
    assertEquals(settings(options)[0], ranges);
  });
}

const TOO_LARGE = "Controller: Invalid --cluster-cidr, mask size of cluster CIDR must be less than or equal to";
const BAD: readonly [Partial<IpamOptions>, string][] = [
  [{ allocator: "" }, "invalid CIDR allocator type: "],
  [{ clusterRanges: "" }, "invalid CIDR[] in --cluster-cidr: give the range of the cluster"],
  [{ clusterRanges: "10.0.0.0/8," }, "invalid CIDR[] in --cluster-cidr"],
  [{ clusterRanges: "10.0.0.0/8,11.0.0.0/8" }, "len of ClusterCIDRs==2 and they are not configured as dual stack"],
  [{ clusterRanges: "10.0.0.0/8,11.0.0.0/8,fd00::/56" }, "length of clusterCIDRs is:3 more than max allowed of 2"],
  [{ clusterRanges: "10.0.0.0/25" }, TOO_LARGE],
  [{ clusterRanges: "10.0.0.0/8,fd00::/65" }, TOO_LARGE],
  [{ clusterRanges: "fd00::/47" }, "New CIDR set failed; the node CIDR size is too big"],
  [
    { clusterRanges: "10.0.0.0/8,fd00::/56", nodeCidrMaskSize: 24 },
    "usage of --node-cidr-mask-size is not allowed with",
  ],
  [
    { nodeCidrMaskSize: 24, nodeCidrMaskSizeIpv4: 24 },
    "usage of --node-cidr-mask-size-ipv4 and --node-cidr-mask-size-ipv6 is not",
  ],
  [{ nodeCidrMaskSizeIpv6: 64 }, "usage of --node-cidr-mask-size-ipv6 is not allowed for a single-stack IPv4 cluster"],
  [
    { clusterRanges: "fd00::/56", nodeCidrMaskSizeIpv4: 24 },
    "usage of --node-cidr-mask-size-ipv4 is not allowed for a single-stack IPv6 cluster",
  ],
  [{ nodeCidrMaskSize: 33 }, "Cannot divide 10.0.0.0/8 into blocks of /33"],
  [{ serviceRanges: "10.0.0.0/8,11.0.0.0/8" }, "serviceCIDR and secondaryServiceCIDR are not dualstack"],
];

for (const [options, message] of BAD) {
  Deno.test(`ipamSettings: ${JSON.stringify(options)} is refused: ${message}`, () => {
    assertThrows(() => settings(options), Error, message);
  });
}

Deno.test("ipamSettings: a Service range that cannot be read is left out, and the log says so", () => {
  const log = new MemoryLogger();
  assertEquals(settings({ serviceRanges: "x,fd00::/112" }, log)[1], ["fd00::/112"]);
  assertEquals(settings({ serviceRanges: " , " }, log)[1], []);
  assertEquals(log.lines.map(({ message }) => message), ["Warning: unsuccessful parsing of service CIDR"]);
});
