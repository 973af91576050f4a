/** Where Services want their traffic: hints to zones and nodes. */
import { SERVICES } from "../../src/api/mod.ts";
import type { Kit } from "./kit.ts";
import type { Scenario } from "./scenario.ts";
import {
  addPods,
  addService,
  ensureNodes,
  removePod,
  setPod,
  tellSlices,
  untilEndpoints,
  untilSlices,
} from "./slice_kit.ts";

const MODE = "service.kubernetes.io/topology-mode";
const DEPRECATED = "service.kubernetes.io/topology-aware-hints";

/** Waits until so many endpoints have a hint. */
async function untilHinted(kit: Kit, count: number): Promise<void> {
  await untilSlices(
    kit,
    `${count} with hints`,
    (slices) => slices.flatMap(({ endpoints }) => endpoints ?? []).filter(({ hints }) => hints).length === count,
  );
}

function annotate(kit: Kit, annotations: Readonly<Record<string, string | null>>): Promise<unknown> {
  return kit.merge(SERVICES, "web", { metadata: { annotations } });
}

export const SLICE_HINT_SCENARIOS: readonly Scenario[] = [
  ...["PreferClose", "PreferSameZone", "PreferSameNode"].map((trafficDistribution): Scenario => ({
    name: `slices-${trafficDistribution.toLowerCase()}`,
    async run(kit) {
      await ensureNodes(kit);
      await addPods(kit, 5);
      await setPod(kit, "p1", { ip: "10.20.0.1", ready: false });
      await addService(kit, { trafficDistribution });
      await untilEndpoints(kit, 5, 4);
      await untilHinted(kit, 4);
      await tellSlices(kit);
      await kit.merge(SERVICES, "web", { spec: { trafficDistribution: null } });
      await untilHinted(kit, 0);
      await tellSlices(kit);
    },
  })),
  {
    name: "slices-distribution-changes",
    async run(kit) {
      await ensureNodes(kit);
      await addPods(kit, 3);
      await addService(kit);
      await untilEndpoints(kit, 3);
      await kit.merge(SERVICES, "web", { spec: { trafficDistribution: "PreferSameNode" } });
      await untilHinted(kit, 3);
      await tellSlices(kit);
      await kit.merge(SERVICES, "web", { spec: { trafficDistribution: "PreferSameZone" } });
      await untilSlices(
        kit,
        "no node hints",
        (slices) => slices.every(({ endpoints }) => endpoints?.every(({ hints }) => !hints?.forNodes)),
      );
      await tellSlices(kit);
    },
  },
  {
    name: "slices-topology-auto",
    async run(kit) {
      await ensureNodes(kit);
      await addPods(kit, 6);
      await addService(kit, { trafficDistribution: "PreferSameNode" });
      await untilEndpoints(kit, 6);
      await untilHinted(kit, 6);
      await annotate(kit, { [MODE]: "Auto" });
      await kit.untilEvent("TopologyAwareHintsEnabled");
      await tellSlices(kit);
      await annotate(kit, { [MODE]: null });
      await untilSlices(
        kit,
        "node hints",
        (slices) => slices.every(({ endpoints }) => endpoints?.every(({ hints }) => hints?.forNodes)),
      );
      await kit.untilEvent("TopologyAwareHintsDisabled");
      await tellSlices(kit);
    },
  },
  {
    name: "slices-topology-moves-hints",
    async run(kit) {
      await ensureNodes(kit);
      await addPods(kit, 6, { node: "slice-a" });
      await addService(kit);
      await untilEndpoints(kit, 6);
      await annotate(kit, { [DEPRECATED]: "auto" });
      await untilHinted(kit, 6);
      const counts = new Map<string, number>();
      await untilSlices(kit, "two in each zone", (slices) => {
        counts.clear();
        for (const { hints } of slices.flatMap(({ endpoints }) => endpoints ?? [])) {
          const zone = hints?.forZones?.[0].name ?? "";
          counts.set(zone, (counts.get(zone) ?? 0) + 1);
        }
        return counts.size === 3 && [...counts.values()].every((count) => count === 2);
      });
      await kit.untilEvent("TopologyAwareHintsEnabled");
    },
  },
  {
    name: "slices-topology-too-few",
    async run(kit) {
      await ensureNodes(kit);
      await addPods(kit, 3);
      await addService(kit, { metadata: { annotations: { [MODE]: "Auto" } } });
      await untilHinted(kit, 3);
      await tellSlices(kit);
      await removePod(kit, "p2");
      await untilEndpoints(kit, 2);
      await untilHinted(kit, 0);
      await kit.untilEvent("TopologyAwareHintsDisabled");
      await tellSlices(kit);
    },
    eventsDiffer: "how many endpoints there are at the first look is left open",
  },
];
