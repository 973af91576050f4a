/** Nodes whose signs of life come and go, on any server and under either manager. */
import { LEASES, NODES, PODS } from "../../src/api/mod.ts";
import type { Kit } from "./kit.ts";
import {
  addNode,
  addPod,
  nodeName,
  passTime,
  readyOf,
  silence,
  taintsOf,
  untilEvicted,
  untilNode,
  untilTainted,
  untilUnready,
  wake,
} from "./node_kit.ts";
import { nodeScenario, patience } from "./node_lifecycle_scenarios.ts";
import type { Scenario } from "./scenario.ts";

const UNREACHABLE = "unreachable:NoExecute unreachable:NoSchedule";
const TIMES = 3;

async function noneIsDeleted(kit: Kit): Promise<void> {
  await kit.untilAll(
    PODS,
    "none is being deleted",
    (pods) => pods.every(({ metadata }) => !metadata?.deletionTimestamp),
  );
}

export const NODE_FLAP_SCENARIOS: readonly Scenario[] = [
  nodeScenario("lease-flaps", async (kit) => {
    await addNode(kit, "a");
    await untilTainted(kit, "a", "");
    await addPod(kit, "patient", { node: "a", tolerations: patience(3600) });
    for (let time = 0; time < TIMES; time++) {
      silence(kit, "a");
      await untilTainted(kit, "a", UNREACHABLE);
      await untilUnready(kit, "patient");
      await wake(kit, "a");
      await untilTainted(kit, "a", "");
    }
    await noneIsDeleted(kit);
  }),
  nodeScenario("lease-flaps-until-patience-ends", async (kit) => {
    await addNode(kit, "a");
    await untilTainted(kit, "a", "");
    await addPod(kit, "patient", { node: "a", tolerations: patience(3600) });
    silence(kit, "a");
    await untilTainted(kit, "a", UNREACHABLE);
    await wake(kit, "a");
    await untilTainted(kit, "a", "");
    await addPod(kit, "brief", { node: "a", tolerations: patience(2) });
    silence(kit, "a");
    await untilTainted(kit, "a", UNREACHABLE);
    await untilEvicted(kit, "brief");
    await untilUnready(kit, "patient");
  }),
  nodeScenario("lease-returns-but-no-status", async (kit) => {
    await addNode(kit, "a");
    await untilTainted(kit, "a", "");
    silence(kit, "a");
    await untilTainted(kit, "a", UNREACHABLE);
    const lease = { namespace: "kube-node-lease", name: nodeName(kit, "a") };
    for (let second = 1; second <= TIMES; second++) {
      const body = { spec: { renewTime: `2027-01-01T00:00:0${second}.000000Z` } };
      await kit.client.patch(LEASES, lease, { type: "merge", body });
      await passTime(kit);
    }
    await untilNode(kit, "a", "is unknown still", (node) => readyOf(node) === "Unknown");
    await untilTainted(kit, "a", UNREACHABLE);
  }),
  nodeScenario("nodes-of-a-zone-flap-in-turn", async (kit) => {
    const names = ["a", "b", "c"];
    for (const name of names) await addNode(kit, name);
    for (const name of names) await untilTainted(kit, name, "");
    for (const name of names) await addPod(kit, `on-${name}`, { node: name, tolerations: patience(3600) });
    for (const name of names) {
      silence(kit, name);
      await untilTainted(kit, name, UNREACHABLE);
      await wake(kit, name);
    }
    for (const name of names) await untilTainted(kit, name, "");
    await noneIsDeleted(kit);
  }),
  nodeScenario("lease-is-deleted", async (kit) => {
    await addNode(kit, "a");
    await untilTainted(kit, "a", "");
    await kit.client.delete(LEASES, { namespace: "kube-node-lease", name: nodeName(kit, "a") });
    silence(kit, "a");
    await untilTainted(kit, "a", UNREACHABLE);
  }),
  nodeScenario("node-flaps-while-cordoned", async (kit) => {
    await addNode(kit, "a");
    await untilTainted(kit, "a", "");
    await kit.client.patch(NODES, { name: nodeName(kit, "a") }, {
      type: "merge",
      body: { spec: { unschedulable: true } },
    });
    await untilTainted(kit, "a", "unschedulable:NoSchedule");
    silence(kit, "a");
    await untilNode(
      kit,
      "a",
      "is unreachable, too",
      (node) => taintsOf(node) === `${UNREACHABLE} unschedulable:NoSchedule`,
    );
    await wake(kit, "a");
    await untilTainted(kit, "a", "unschedulable:NoSchedule");
  }),
];
