import { assertEquals, assertThrows } from "@std/assert";
import { readIpPoolConfig } from "../../../../src/cloud/ippool/config.ts";
import { poolsText } from "./stage.ts";

const GOOD = "[{name: a, addresses: [10.0.0.0/30]}]";

/** The configuration, and what is said of it. */
const FAULTS: readonly (readonly [text: string, why: string])[] = [
  ["", "there is no configuration: write a IpPoolProviderConfiguration of kubeloop.dev/v1alpha1"],
  ["a: [", "not valid YAML: "],
  [
    "kind: Other",
    'it must be a IpPoolProviderConfiguration of kubeloop.dev/v1alpha1, by its fields "apiVersion" and "kind"',
  ],
  [poolsText("[]"), "pools must not be empty"],
  [poolsText("3"), "pools must be a list, not a number"],
  [poolsText(GOOD, "pool: x"), "pool is an unknown field: there are pools, nodes"],
  [poolsText("[{name: a, addresses: [10.0.0.0/30], auto: true}]"), "pools[0].auto is an unknown field"],
  [poolsText("[{name: '', addresses: [10.0.0.0/30]}]"), "pools[0].name must not be empty"],
  [poolsText("[{addresses: [10.0.0.0/30]}]"), "pools[0].name is missing"],
  [poolsText("[{name: A b, addresses: [10.0.0.0/30]}]"), 'pools[0].name: "A b" must be lower case'],
  [
    poolsText("[{name: a, addresses: [10.0.0.0/30]}, {name: a, addresses: [10.1.0.0/30]}]"),
    'pools[1].name: there is another one called "a"',
  ],
  [
    poolsText("[{name: a, addresses: [10.0.0.0/30]}, {name: b, addresses: [10.9.9.9/32, 10.0.0.3-10.0.0.9]}]"),
    'pools[1].addresses[1]: 10.0.0.3-10.0.0.9 overlaps 10.0.0.0/30 of pool "a" (pools[0].addresses[0])',
  ],
  [
    poolsText("[{name: a, addresses: [10.0.0.0/8, 10.2.3.4/32]}]"),
    "pools[0].addresses[1]: 10.2.3.4/32 overlaps 10.0.0.0/8",
  ],
  [poolsText("[{name: a, addresses: [10.0.0.9-10.0.0.1]}]"), "it is reversed: write 10.0.0.1-10.0.0.9"],
  [poolsText("[{name: a, addresses: [10.0.0.1/30]}]"), "the range begins with 10.0.0.0: write 10.0.0.0/30"],
  [poolsText("[{name: a, addresses: ['fd00::1/64']}]"), "the range begins with fd00::: write fd00::/64"],
  [poolsText("[{name: a, addresses: ['fe80::%eth0/64']}]"), "an address of a pool cannot be limited to one link (%)"],
  [poolsText("[{name: a, addresses: ['10.0.0.1-fd00::1']}]"), "its first and last address must be of one family"],
  [poolsText("[{name: a, addresses: [10.0.0.0/33]}]"), "it is not a range such as 192.0.2.0/28"],
  [poolsText("[{name: a, addresses: [10.0.0.1]}]"), "it is neither a CIDR such as"],
  [poolsText("[{name: a, addresses: ['::ffff:10.0.0.0/120']}]"), "it is not a range such as"],
  [poolsText("[{name: a, addresses: []}]"), "pools[0].addresses must not be empty"],
  [poolsText("[{name: a, addresses: [10.0.0.0/30], namespaces: []}]"), "pools[0].namespaces must not be empty"],
  [
    poolsText("[{name: a, addresses: [10.0.0.0/30], namespaces: [A]}]"),
    'pools[0].namespaces[0]: "A" names no namespace',
  ],
  [poolsText("[{name: a, addresses: [10.0.0.0/30], sharing: yes}]"), "pools[0].sharing must be"],
  [
    poolsText("[{name: a, addresses: [10.0.0.0/30], serviceSelector: {matchExpressions: [{key: a, operator: Is}]}}]"),
    "pools[0].serviceSelector: ",
  ],
  [poolsText(GOOD, "nodes: []"), "nodes must not be empty"],
  [poolsText(GOOD, "nodes: [{name: a}, {name: a}]"), 'nodes[1].name: there is another one called "a"'],
  [poolsText(GOOD, "nodes: [{name: A_}]"), 'nodes[0].name: "A_" is not a valid name for a Node'],
  [
    poolsText(GOOD, "nodes: [{name: a, addresses: [{type: InternalIP, address: 10.0.0.1}]}]"),
    'nodes[0].addresses[0].address: 10.0.0.1 is an address of pool "a"',
  ],
  [
    poolsText(GOOD, "nodes: [{name: a, addresses: [{type: InternalIP, address: x}]}]"),
    'nodes[0].addresses[0].address: "x" is not an IP address',
  ],
  [
    poolsText(
      GOOD,
      "nodes: [{name: a, addresses: [{type: InternalIP, address: 1.1.1.1}]}, {name: b, addresses: [{type: ExternalIP, address: 1.1.1.1}]}]",
    ),
    "nodes[1].addresses[0].address: 1.1.1.1 is the address of another node, too",
  ],
  [poolsText(GOOD, "nodes: [{name: a, zone: 'a b'}]"), 'nodes[0].zone: "a b": '],
  [poolsText(GOOD, "nodes: [{name: a, labels: {'a b': x}}]"), 'nodes[0].labels: "a b": '],
];

for (const [i, [text, why]] of FAULTS.entries()) {
  Deno.test(`a wrong configuration is told in one line that says where: ${i + 1}. ${why.slice(0, 60)}`, () => {
    const error = assertThrows(() => readIpPoolConfig({ path: "/etc/p", text }), Error, why);
    assertEquals([error.message.startsWith("/etc/p: "), error.message.includes("\n")], [true, false], error.message);
  });
}

Deno.test("ranges that touch do not overlap, and families have nothing in common", () => {
  const text = poolsText(
    "[{name: a, addresses: [10.0.0.0/30, 10.0.0.4-10.0.0.4, '::/0']}, {name: b, addresses: [10.0.0.5/32]}]",
  );
  assertEquals(readIpPoolConfig({ path: "f", text }).pools.length, 2);
});
