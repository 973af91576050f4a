/** What becomes of nodes' ranges, on any server and under either manager. One after the other: all take from the same ranges. */
import { NODES } from "../../src/api/mod.ts";
import type { Kit } from "./kit.ts";
import {
  conclude,
  further,
  named,
  register,
  registerInTurn,
  remove,
  untilNodeEvent,
  untilRanged,
} from "./node_ipam_kit.ts";
import type { Scenario } from "./scenario.ts";

/** Has a node ask for a range when the manager has surely seen what was done before. */
async function afterwards(kit: Kit, name = "z"): Promise<void> {
  await registerInTurn(kit, name);
}

/** With two ranges, /16 in blocks of /24 and /48 in blocks of /64, of which Services have the beginning of the first. */
export const NODE_IPAM_SCENARIOS: readonly Scenario[] = [
  {
    name: "ipam-one-range-of-each-family",
    run: async (kit) => {
      await registerInTurn(kit, "a", "b", "c");
      await conclude(kit);
    },
  },
  {
    name: "ipam-ranges-of-its-own",
    run: async (kit) => {
      const [ranges] = await registerInTurn(kit, "a");
      await register(kit, "own", ranges.map((cidr) => further(cidr, 50)));
      await afterwards(kit);
      await conclude(kit);
    },
  },
  {
    name: "ipam-one-family-of-its-own",
    run: async (kit) => {
      const [[first]] = await registerInTurn(kit, "a");
      await register(kit, "own", [further(first, 50)]);
      await afterwards(kit);
      await conclude(kit);
    },
  },
  {
    name: "ipam-next-block-is-somebodys",
    run: async (kit) => {
      const [ranges] = await registerInTurn(kit, "a");
      await register(kit, "own", ranges.map((cidr) => further(cidr, 1)));
      await kit.merge(NODES, named(kit, "own"), { metadata: { labels: { seen: "true" } } });
      await afterwards(kit, "other");
      await afterwards(kit);
      await conclude(kit);
    },
  },
  {
    name: "ipam-foreign-range",
    run: async (kit) => {
      await registerInTurn(kit, "a");
      await register(kit, "own", ["192.168.9.0/24"]);
      await afterwards(kit, "other");
      await remove(kit, "own");
      await afterwards(kit);
      await conclude(kit);
    },
  },
  {
    name: "ipam-families-in-another-order",
    run: async (kit) => {
      const [ranges] = await registerInTurn(kit, "a");
      await register(kit, "own", ranges.toReversed());
      await afterwards(kit);
      await conclude(kit);
    },
  },
  {
    name: "ipam-replaced-node",
    run: async (kit) => {
      await registerInTurn(kit, "a", "b");
      await remove(kit, "b");
      await registerInTurn(kit, "b");
      await afterwards(kit);
      await conclude(kit);
    },
  },
  {
    name: "ipam-labels-change-nothing",
    run: async (kit) => {
      await registerInTurn(kit, "a", "b");
      for (const label of ["x", "y", "z"]) await kit.merge(NODES, named(kit, "a"), { metadata: { labels: { label } } });
      await afterwards(kit);
      await conclude(kit);
    },
  },
  {
    name: "ipam-many-at-once",
    run: async (kit) => {
      const names = Array.from({ length: 20 }, (_, i) => `n${i}`);
      await registerInTurn(kit, "a");
      await Promise.all(names.map((name) => register(kit, name)));
      const ranges = await Promise.all(names.map((name) => untilRanged(kit, name)));
      const distinct = new Set(ranges.flat());
      if (distinct.size !== 40) throw new Error(`20 nodes have ${distinct.size} ranges: ${[...distinct]}`);
      await remove(kit, ...names);
      await afterwards(kit);
      await conclude(kit);
    },
  },
  {
    name: "ipam-finalizer-holds-the-node",
    run: async (kit) => {
      await registerInTurn(kit, "a", "b");
      await kit.merge(NODES, named(kit, "b"), { metadata: { finalizers: ["example.com/hold"] } });
      await kit.client.delete(NODES, { name: named(kit, "b") });
      await afterwards(kit);
      await kit.merge(NODES, named(kit, "b"), { metadata: { finalizers: null } });
      await kit.untilGone(NODES, named(kit, "b"));
      await conclude(kit);
    },
  },
];

/** With four blocks, one of which Services have. */
export const SMALL_RANGE_SCENARIOS: readonly Scenario[] = [
  {
    name: "ipam-all-but-what-services-have",
    run: async (kit) => {
      await registerInTurn(kit, "a", "b", "c");
      await register(kit, "d");
      await untilNodeEvent(kit, "d", "CIDRNotAvailable");
      await conclude(kit, { absolute: true });
    },
  },
  {
    name: "ipam-room-for-who-waits",
    run: async (kit) => {
      const [, ranges] = await registerInTurn(kit, "a", "b", "c");
      await register(kit, "d");
      await untilNodeEvent(kit, "d", "CIDRNotAvailable");
      await remove(kit, "b");
      const isReused = String(await untilRanged(kit, "d")) === String(ranges);
      await conclude(kit, { absolute: true, notes: { isReused: String(isReused) } });
    },
  },
  {
    name: "ipam-freed-blocks-come-last",
    run: async (kit) => {
      const [ranges] = await registerInTurn(kit, "a", "b");
      await remove(kit, "a");
      const reused = (await registerInTurn(kit, "c", "d")).map((each) => String(each) === String(ranges));
      await conclude(kit, { absolute: true, notes: { reused: String(reused) } });
    },
  },
  {
    name: "ipam-range-within-a-block",
    run: async (kit) => {
      await register(kit, "own", ["10.9.0.9/32"]);
      await kit.merge(NODES, named(kit, "own"), { metadata: { labels: { seen: "true" } } });
      await registerInTurn(kit, "a", "b");
      await register(kit, "c");
      await untilNodeEvent(kit, "c", "CIDRNotAvailable");
      await remove(kit, "own");
      await untilRanged(kit, "c");
      await conclude(kit, { absolute: true });
    },
  },
];

/** With one IPv6 range whose blocks differ behind the 64th bit. */
export const IPV6_RANGE_SCENARIOS: readonly Scenario[] = [
  {
    name: "ipam-blocks-behind-the-64th-bit",
    run: async (kit) => {
      await registerInTurn(kit, "a", "b", "c");
      await register(kit, "own", ["fd00:1:2:3:7::/80"]);
      await afterwards(kit);
      await conclude(kit, { absolute: true });
    },
  },
];
