/**
 * Nodes whose provider IDs and ranges make no sense, on any server and under either manager. One after the other: all take from the
 * same ranges, which are /16 in blocks of /24 and /48 in blocks of /64.
 */
import { NODES, type NodeSpec } from "../../src/api/mod.ts";
import type { Kit } from "./kit.ts";
import { conclude, named, register, registerInTurn, remove, untilNodeEvent, untilRanged } from "./node_ipam_kit.ts";
import type { Scenario } from "./scenario.ts";

async function registerOdd(kit: Kit, name: string, spec: NodeSpec): Promise<void> {
  await kit.create(NODES, { apiVersion: "v1", kind: "Node", metadata: { name: named(kit, name) }, spec });
}

const PROVIDERS = ["", "x", "://", "aws:///", "/../..", "constructor", "\u0000\u2028\ud83d\ude00", "p".repeat(5_000)];

/** Ranges that the API server takes, and that are none of the cluster's. */
const STRANGE: Readonly<Record<string, readonly string[]>> = {
  elsewhere: ["192.168.0.0/24"],
  host: ["172.16.3.4/32"],
  "six-alone": ["2001:db8:5::/64"],
  pair: ["192.168.1.0/24", "2001:db8:1::/64"],
};

export const ODD_NODE_SCENARIOS: readonly Scenario[] = [
  {
    name: "odd-providers",
    run: async (kit) => {
      for (const [i, providerID] of PROVIDERS.entries()) await registerOdd(kit, `n${i}`, { providerID });
      for (const i of PROVIDERS.keys()) await untilRanged(kit, `n${i}`);
      await remove(kit, ...PROVIDERS.map((_, i) => `n${i}`));
      await registerInTurn(kit, "z");
      await conclude(kit);
    },
  },
  {
    name: "odd-ranges-of-their-own",
    run: async (kit) => {
      await registerInTurn(kit, "a");
      for (const [name, ranges] of Object.entries(STRANGE)) {
        await register(kit, name, ranges);
        await registerInTurn(kit, `after-${name}`);
      }
      await remove(kit, ...Object.keys(STRANGE));
      await registerInTurn(kit, "z");
      await conclude(kit);
    },
  },
  {
    name: "odd-range-of-everything",
    run: async (kit) => {
      await registerInTurn(kit, "a");
      await register(kit, "all", ["0.0.0.0/0"]);
      await kit.merge(NODES, named(kit, "all"), { metadata: { labels: { seen: "true" } } });
      await register(kit, "b");
      await untilNodeEvent(kit, "b", "CIDRNotAvailable");
      await remove(kit, "all");
      await untilRanged(kit, "b");
      await conclude(kit);
    },
  },
];
