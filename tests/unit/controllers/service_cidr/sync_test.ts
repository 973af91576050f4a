import { assertEquals } from "@std/assert";
import type { IPAddress, ServiceCIDR } from "../../../../src/api/mod.ts";
import { statusError } from "../status_errors.ts";
import { address, adds, BLOCKED, cidr, LONG_AGO, READY, removes, says, setUp } from "./fixtures.ts";

const DUAL = ["192.168.0.0/24", "2001:db2::/64"];
const GONE_FOR_LONG = { deletingFor: 11 };

Deno.test("ServiceCidrController gives a new ServiceCIDR its finalizer and its condition", async () => {
  const { settled, end } = setUp([cidr("a", DUAL, { bare: true })]);
  assertEquals(await settled(), [adds("a"), says("a", READY)]);
  await end();
});

Deno.test("ServiceCidrController leaves a ServiceCIDR alone that has both", async () => {
  const without: ServiceCIDR = cidr("b", ["10.0.0.0/8"]);
  delete (without.status!.conditions![0] as { reason?: string }).reason;
  const { settled, end } = setUp([cidr("a", DUAL), without]);
  assertEquals(await settled(), []);
  await end();
});

Deno.test("ServiceCidrController replaces the message that API servers write, with a new time", async () => {
  const written = cidr("kubernetes", ["10.0.0.0/24"]);
  const message = "Kubernetes default Service CIDR is ready";
  written.status = { conditions: [{ ...READY, message, lastTransitionTime: LONG_AGO }] };
  const { settled, end } = setUp([written]);
  assertEquals(await settled(), [says("kubernetes", READY)]);
  await end();
});

/** Whether `a` may go: the finalizer goes, or the condition says why not. */
const DELETIONS: readonly (readonly [title: string, goes: boolean, a: string[], IPAddress[], others: ServiceCIDR[]])[] =
  [
    ["no address", true, DUAL, [], []],
    ["an address only in it", false, DUAL, [address("192.168.0.1")], []],
    ["an address of IPv6 only in it", false, DUAL, [address("2001:db2::5")], []],
    ["an address elsewhere", true, DUAL, [address("192.168.1.1"), address("2001:db3::1")], []],
    ["an address, another with the same ranges", true, DUAL, [address("192.168.0.1")], [cidr("b", DUAL)]],
    ["an address, another with the same ranges that is to go too", true, DUAL, [address("192.168.0.1")], [
      cidr("b", DUAL, { deletingFor: 1 }),
    ]],
    ["an address, another with larger ranges", true, DUAL, [address("192.168.0.1")], [
      cidr("b", ["192.168.0.0/16", "2001:db2::/64"]),
    ]],
    ["an address, two others with larger ranges", true, DUAL, [address("192.168.0.1")], [
      cidr("b", ["192.168.0.0/16"]),
      cidr("c", ["2001:db2::/48"]),
    ]],
    ["an address of IPv6, another with a larger range of IPv4 only", false, DUAL, [address("2001:db2::1")], [
      cidr("b", ["192.168.0.0/16"]),
    ]],
    ["an address of IPv4, another with a larger range of IPv4 only", true, DUAL, [address("192.168.0.1")], [
      cidr("b", ["192.168.0.0/16"]),
    ]],
    ["an address, another elsewhere", false, DUAL, [address("192.168.0.1")], [cidr("b", ["192.168.255.0/26"])]],
    ["an address of IPv6, another with a larger range", true, ["192.168.0.0/24", "2001:db2::/64"], [
      address("2001:db2::1"),
    ], [cidr("b", ["192.168.0.0/16", "2001:db2::/48"])]],
    ["the first and the last address", true, DUAL, [address("192.168.0.0"), address("192.168.0.255")], []],
    ["the first address of IPv6", true, DUAL, [address("2001:db2::")], []],
    ["the last address of IPv6", false, DUAL, [address("2001:db2::ffff:ffff:ffff:ffff")], []],
    ["an address that is in a smaller other too", true, ["192.168.0.0/24"], [address("192.168.0.23")], [
      cidr("b", ["192.168.0.0/26"]),
    ]],
    ["an address that a smaller other has not", false, ["192.168.0.0/24"], [address("192.168.0.23")], [
      cidr("b", ["192.168.0.0/28"]),
    ]],
    ["an address that is a smaller other's first", false, ["192.168.0.0/24"], [address("192.168.0.16")], [
      cidr("b", ["192.168.0.16/28"]),
    ]],
    ["an address that a user has made", true, DUAL, [address("192.168.0.1", "me")], []],
    ["an address of no family", true, DUAL, [{
      ...address("192.168.0.1"),
      metadata: { name: "192.168.0.1", labels: { "ipaddress.kubernetes.io/managed-by": "ipallocator.k8s.io" } },
    }], []],
    ["a name that is no address", true, DUAL, [address("192.168.0"), address("::g"), address("fe80::1%x")], []],
    ["one address only, which it cannot give", true, ["192.168.0.7/32"], [address("192.168.0.7")], []],
  ];

for (const [title, goes, ranges, addresses, others] of DELETIONS) {
  Deno.test(`ServiceCidrController ${goes ? "lets" : "does not let"} a ServiceCIDR go that has ${title}`, async () => {
    const { settled, end } = setUp([cidr("a", ranges, GONE_FOR_LONG), ...others], addresses);
    const about = (await settled()).filter((text) => / a |"name":"a"/.test(text));
    assertEquals(about, [goes ? removes("a") : says("a", BLOCKED)]);
    await end();
  });
}

Deno.test("ServiceCidrController lets a ServiceCIDR go ten seconds after its deletion", async () => {
  const { world, settled, end } = setUp([cidr("a", DUAL, { deletingFor: 5 })]);
  assertEquals(await settled(4_999), []);
  await world.clock.advance(10);
  assertEquals(await settled(), [removes("a")]);
  await end();
});

Deno.test("ServiceCidrController writes nothing about a ServiceCIDR that has no finalizer any more, or says already why not", async () => {
  const blocked = cidr("b", ["10.0.0.0/8"], GONE_FOR_LONG);
  blocked.status = { conditions: [{ ...BLOCKED, lastTransitionTime: LONG_AGO }] };
  const { settled, end } = setUp([cidr("a", DUAL, { ...GONE_FOR_LONG, bare: true }), blocked], [address("10.0.0.1")]);
  assertEquals(await settled(), []);
  await end();
});

Deno.test("ServiceCidrController is content with a ServiceCIDR that is gone when it patches", async () => {
  const { failures, settled, end } = setUp([
    cidr("a", DUAL, GONE_FOR_LONG),
    { ...cidr("b", ["10.0.0.0/8"]), metadata: { name: "b" } },
  ]);
  failures.set("strategic", [statusError(404, "NotFound"), statusError(404, "NotFound")]);
  assertEquals((await settled(60_000)).sort(), [removes("a"), adds("b")]);
  await end();
});

Deno.test("ServiceCidrController tells of a condition that cannot be written, and tries 15 times more", async () => {
  const { failures, recorder, settled, end } = setUp([{ ...cidr("a", DUAL), status: {} }]);
  failures.set("apply", Array.from({ length: 99 }, () => statusError(500, "InternalError")));
  assertEquals((await settled(600_000)).length, 16);
  assertEquals([...new Set(recorder.lines)], [
    "Warning KubernetesServiceCIDRError a The ServiceCIDR Status can not be set to Ready=True",
  ]);
  await end();
});

Deno.test("ServiceCidrController tells nothing of a condition of what is to go", async () => {
  const { failures, recorder, settled, end } = setUp([cidr("a", DUAL, GONE_FOR_LONG)], [address("192.168.0.1")]);
  failures.set("apply", [statusError(500, "InternalError")]);
  assertEquals((await settled(60_000)).length, 2);
  assertEquals(recorder.lines, []);
  await end();
});
