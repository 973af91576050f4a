/** What becomes of DaemonSets when nodes change. */
import { type DaemonSet, DAEMONSETS, NODES, PODS } from "../../src/api/mod.ts";
import { daemonSet, daemonsRolledOut, nodesOf, rollOutDaemons } from "./daemon_kit.ts";
import { type Kit, podTemplate } from "./kit.ts";
import type { Scenario } from "./scenario.ts";

async function withTaint(kit: Kit, node: string, effect: string, run: () => Promise<void>): Promise<void> {
  const setTaints = (taints: unknown) =>
    kit.client.patch(NODES, { name: node }, { type: "merge", body: { spec: { taints } } });
  await setTaints([{ key: "example.com/special", value: "yes", effect }]);
  try {
    await run();
  } finally {
    await setTaints(null);
  }
}

/** Has the DaemonSet looked at until it has seen what became of a node: such changes alone make nobody look. */
async function lookAgain(kit: Kit, what: string, holds: (daemonSet: DaemonSet) => boolean): Promise<void> {
  const touch = (look: string | null) => kit.merge(DAEMONSETS, "a", { metadata: { annotations: { look } } });
  let looks = 0;
  await kit.until(DAEMONSETS, "a", what, async (daemonSet) => {
    if (holds(daemonSet)) return true;
    await touch(String(++looks));
  });
  await touch(null);
}

const EVENTS_DIFFER = "a pod on a tainted node is deleted by its own controller or by the taint's, whoever is first";

/** Those that change nodes, and so cannot run beside others. */
export const NODE_SCENARIOS: readonly Scenario[] = [
  {
    name: "ds-taint-no-schedule",
    eventsDiffer: EVENTS_DIFFER,
    run: async (kit) => {
      await rollOutDaemons(kit, {}, 3);
      await withTaint(kit, "node-0", "NoSchedule", async () => {
        await lookAgain(kit, "has a pod out of place", ({ status }) => status?.numberMisscheduled === 1);
        await kit.untilAll(PODS, "are kept", (pods) => pods.length === 3);
      });
      await daemonsRolledOut(kit, 3);
    },
  },
  {
    name: "ds-taint-no-execute",
    eventsDiffer: EVENTS_DIFFER,
    run: async (kit) => {
      await rollOutDaemons(kit, {}, 3);
      await withTaint(kit, "node-0", "NoExecute", async () => {
        await kit.untilAll(PODS, "have left node-0", (pods) => nodesOf(pods) === "node-1,node-2");
        await kit.until(
          DAEMONSETS,
          "a",
          "wants two",
          ({ status }) => status?.desiredNumberScheduled === 2 && status.currentNumberScheduled === 2,
        );
      });
      await daemonsRolledOut(kit, 3);
    },
  },
  {
    name: "ds-taint-before",
    eventsDiffer: EVENTS_DIFFER,
    run: async (kit) => {
      await withTaint(kit, "node-0", "NoSchedule", () => rollOutDaemons(kit, {}, 2));
      await daemonsRolledOut(kit, 3);
    },
  },
  {
    name: "ds-taint-tolerated",
    run: async (kit) => {
      const template = podTemplate("a");
      const spec = { ...template.spec!, tolerations: [{ operator: "Exists", effect: "NoExecute" }] };
      await withTaint(kit, "node-0", "NoExecute", () => rollOutDaemons(kit, { template: { ...template, spec } }, 3));
      await daemonsRolledOut(kit, 3);
    },
  },
  {
    name: "ds-cordon",
    run: async (kit) => {
      const cordon = (unschedulable: boolean | null) =>
        kit.client.patch(NODES, { name: "node-0" }, { type: "merge", body: { spec: { unschedulable } } });
      await cordon(true);
      await rollOutDaemons(kit, {}, 3);
      await cordon(null);
    },
  },
  {
    name: "ds-label",
    run: async (kit) => {
      const template = podTemplate("a");
      const label = (disk: string | null) =>
        kit.client.patch(NODES, { name: "node-2" }, { type: "merge", body: { metadata: { labels: { disk } } } });
      const spec = { ...template.spec!, nodeSelector: { disk: "ssd" } };
      await rollOutDaemons(kit, { template: { ...template, spec } }, 0);
      await label("ssd");
      await daemonsRolledOut(kit, 1);
      await label(null);
      await kit.untilAll(PODS, "are gone", (pods) => pods.length === 0);
      await daemonsRolledOut(kit, 0);
    },
  },
  {
    name: "ds-node-comes-and-goes",
    run: async (kit) => {
      const template = podTemplate("a");
      // Pods that nobody binds: those that are bound stay when their node goes. Other scenarios' DaemonSets must not notice it.
      const taint = { key: "extra", effect: "NoSchedule" };
      const spec = { ...template.spec!, schedulerName: "nobody", tolerations: [{ key: "extra", operator: "Exists" }] };
      const hasPods = (count: number) => ({ metadata, status }: DaemonSet) =>
        status?.observedGeneration === metadata?.generation && status?.desiredNumberScheduled === count &&
        status?.currentNumberScheduled === count;
      await kit.create(DAEMONSETS, daemonSet("a", { template: { ...template, spec } }));
      await kit.until(DAEMONSETS, "a", "has three pods", hasPods(3));
      await kit.create(NODES, { apiVersion: "v1", kind: "Node", metadata: { name: "extra" } });
      await kit.client.patch(NODES, { name: "extra" }, { type: "merge", body: { spec: { taints: [taint] } } });
      await kit.until(DAEMONSETS, "a", "has four pods", hasPods(4));
      await kit.client.delete(NODES, { name: "extra" });
      await lookAgain(kit, "has three pods again", ({ status }) => status?.currentNumberScheduled === 3);
      await kit.until(DAEMONSETS, "a", "has three pods again", hasPods(3));
    },
  },
];
