import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { FakeClock, MetricsRegistry, TurnBudget } from "../../../../src/base/mod.ts";
import { parseCidr } from "../../../../src/controllers/address_ranges/mod.ts";
import { filled, node, rangesOf, samplesOf } from "./fixtures.ts";

const SMALL = "127.123.234.0/24 in /30";

Deno.test("NodeRanges: a block that a node has, that is proposed for one, or that Services have is proposed for no other node", async () => {
  const ranges = rangesOf([SMALL]);
  ranges.reserve(parseCidr("127.123.234.0/26"));
  await filled(ranges, node("a", ["127.123.234.64/30"]), node("b", ["127.123.234.68/30"]));
  ranges.occupy(node("c", ["127.123.234.72/30"]));
  ranges.occupy(node("d", ["127.123.234.80/30"]));
  assertEquals(ranges.propose(node("e")), ["127.123.234.76/30"]);
  assertEquals(ranges.propose(node("f")), ["127.123.234.84/30"]);
});

Deno.test("NodeRanges: what a node has counts once, however often it is seen", async () => {
  const metrics = new MetricsRegistry();
  const ranges = rangesOf(["10.10.0.0/16 in /24"], metrics);
  const a = node("a", ["10.10.0.0/24"]);
  await filled(ranges, a, a);
  ranges.occupy(a);
  assertEquals(samplesOf(metrics), {
    cidrset_cidrs_allocations_total: 1,
    cidrset_cidrs_releases_total: 0,
    cirdset_max_cidrs: 256,
    cidrset_usage_cidrs: 1 / 256,
  });
  ranges.forget(a);
  ranges.forget(a);
  assertEquals(samplesOf(metrics).cidrset_cidrs_releases_total, 1);
  assertEquals(ranges.size, 0);
});

Deno.test("NodeRanges: a node that goes frees what nobody else has", async () => {
  const ranges = rangesOf(["10.9.0.0/28 in /30"]);
  ranges.reserve(parseCidr("10.9.0.0/30"));
  const [own, all] = [node("own", ["10.9.0.4/30"]), node("all", ["10.0.0.0/8"])];
  await filled(ranges, own, node("same", ["10.9.0.4/30"]), all, node("services", ["10.9.0.0/30"]));
  assertThrows(() => ranges.propose(node("x")), Error, "no remaining CIDRs left");
  ranges.forget(node("services"));
  ranges.forget(own);
  assertThrows(() => ranges.propose(node("x")), Error, "no remaining CIDRs left");
  ranges.forget(all);
  assertEquals(ranges.propose(node("x")), ["10.9.0.8/30"]);
  assertEquals(ranges.propose(node("y")), ["10.9.0.12/30"]);
  assertThrows(() => ranges.propose(node("z")), Error, "no remaining CIDRs left");
  ranges.forget(node("same"));
  assertEquals(ranges.propose(node("z")), ["10.9.0.4/30"]);
});

Deno.test("NodeRanges: the proposal for a node stays the same until the node shows its ranges, the proposal is withdrawn, or the node goes", () => {
  const ranges = rangesOf(["10.9.0.0/28 in /30"]);
  const a = node("a");
  assertEquals([ranges.propose(a), ranges.propose(a)], [["10.9.0.0/30"], ["10.9.0.0/30"]]);
  ranges.withdraw(a);
  assertEquals([ranges.propose(a), ranges.propose(a)], [["10.9.0.4/30"], ["10.9.0.4/30"]]);
  ranges.forget(a);
  const again = node("a", undefined, { uid: "another" });
  assertEquals(ranges.propose(again), ["10.9.0.8/30"]);
  ranges.occupy(node("a", ["10.9.0.0/30"], { uid: "another" }));
  ranges.withdraw(again);
  assertEquals(["b", "c", "d"].map((name) => ranges.propose(node(name))[0]), [
    "10.9.0.12/30",
    "10.9.0.4/30",
    "10.9.0.8/30",
  ]);
});

Deno.test("NodeRanges: if one range has no block left, a proposal takes none of the others", () => {
  const metrics = new MetricsRegistry();
  const ranges = rangesOf(["10.9.0.0/28 in /30", "fd00::/127 in /128"], metrics);
  for (const name of ["a", "b"]) ranges.propose(node(name));
  const message =
    "failed to allocate cidr from cluster cidr at idx:1: CIDR allocation failed; there are no remaining " +
    "CIDRs left to allocate in the accepted range";
  for (let tries = 0; tries < 3; tries++) assertThrows(() => ranges.propose(node("c")), Error, message);
  ranges.forget(node("a"));
  assertEquals(ranges.propose(node("c"))[1], "fd00::/128");
  assertEquals(ranges.size, 2);
});

Deno.test("NodeRanges: a node's ranges count up to the first invalid one", () => {
  const ranges = rangesOf(["10.9.0.0/28 in /30"]);
  const bad: readonly [string[], string][] = [
    [["10.9.0.0/30", "fd00::/64"], "node:a has an allocated cidr: fd00::/64 at index:1 that does not exist in cluster"],
    [["10.9.0.0/30", "x"], "failed to parse node a, CIDR x"],
    [
      ["192.168.0.0/24"],
      "failed to mark cidr[192.168.0.0/24] at idx [0] as occupied for node: a: cidr 192.168.0.0/24 is out the range of " +
      "cluster cidr 10.9.0.0/28",
    ],
  ];
  for (const [cidrs, message] of bad) assertThrows(() => ranges.occupy(node("a", cidrs)), Error, message);
  assertEquals(ranges.size, 0);
  assertThrows(() => ranges.occupy(node("a", ["10.9.0.0/30", "fd00::/64"])));
  assertEquals(ranges.propose(node("b")), ["10.9.0.4/30"]);
});

Deno.test("NodeRanges: a node that goes while the nodes are being listed has nothing afterwards, even if the list shows it", async () => {
  const ranges = rangesOf(["10.9.0.0/28 in /30"]);
  const a = node("a", ["10.9.0.0/30"]);
  ranges.forget(a); // long before, as a standby
  await ranges.fill(() => {
    ranges.forget(a);
    return Promise.resolve([a, node("b", ["10.9.0.4/30"])]);
  }, new TurnBudget(new FakeClock()));
  assertEquals(ranges.size, 1);
  await filled(ranges, a);
  assertEquals(ranges.size, 2);
});

Deno.test("NodeRanges cannot be filled with what lies elsewhere", async () => {
  for (const cidrs of [["11.0.0.0/24"], ["10.9.0.0/30", "10.9.0.4/30"], ["fd00::/64"]]) {
    await assertRejects(() => filled(rangesOf(["10.9.0.0/28 in /30"]), node("a", cidrs)), Error, "a");
  }
});

Deno.test("NodeRanges: a freed block is given again when all others were", () => {
  const ranges = rangesOf(["10.9.0.0/28 in /30"]);
  const next = (name: string) => ranges.propose(node(name))[0];
  assertEquals([next("a"), next("b")], ["10.9.0.0/30", "10.9.0.4/30"]);
  ranges.forget(node("a"));
  assertEquals([next("c"), next("d"), next("e")], ["10.9.0.8/30", "10.9.0.12/30", "10.9.0.0/30"]);
});

Deno.test("NodeRanges: metrics count held and freed blocks, and those passed over", () => {
  const metrics = new MetricsRegistry();
  const ranges = rangesOf(["10.9.0.0/28 in /30"], metrics);
  ranges.reserve(parseCidr("10.9.0.0/29"));
  ranges.propose(node("a"));
  ranges.forget(node("a"));
  assertEquals(samplesOf(metrics), {
    cidrset_cidrs_allocations_total: 3,
    cidrset_cidrs_releases_total: 1,
    cirdset_max_cidrs: 4,
    cidrset_usage_cidrs: 0.5,
    cidrset_allocation_tries_per_request_sum: 2,
    cidrset_allocation_tries_per_request_count: 1,
  });
});

Deno.test("NodeRanges: nothing is kept for each of a large range's blocks", () => {
  const ranges = rangesOf(["10.0.0.0/8 in /32", "fd00::/48 in /64"]);
  ranges.reserve(parseCidr("10.0.0.0/9"));
  for (let i = 0; i < 1000; i++) ranges.propose(node(`n${i}`));
  ranges.occupy(node("large", ["10.0.0.0/8", "fd00::/47"]));
  assertThrows(() => ranges.propose(node("x")), Error, "idx:0");
  ranges.forget(node("large"));
  assertEquals(ranges.propose(node("x")), ["10.128.3.232/32", "fd00:0:0:3e8::/64"]);
  assert(ranges.size === 1001);
});
