/** Volumes that a driver attaches and detaches, slowly and not always; kubelets are played by hand. */
import { CSINODES, EVENTS, PERSISTENTVOLUMECLAIMS, PERSISTENTVOLUMES } from "../../src/api/mod.ts";
import { SIMULATED_STORAGE_DRIVER } from "../../src/rules/mod.ts";
import {
  boundClaim,
  createNode,
  handleOf,
  looked,
  noteAttachments,
  podOn,
  setInUse,
  takeOutOfService,
  untilAttachment,
  untilReported,
} from "./attachment_kit.ts";
import type { Kit } from "./kit.ts";
import type { Scenario } from "./scenario.ts";
import { clusterName, deleteCluster, patchCluster, removeAtOnce, untilCluster } from "./volume_kit.ts";

const REPEATED = "how often an attacher is asked before it says more depends on timing";

/** What the cluster calls a volume of the driver. */
function drivenName(kit: Kit, volume: string): string {
  return `kubernetes.io/csi/${SIMULATED_STORAGE_DRIVER}^${handleOf(kit, volume)}`;
}

/** Tells the driver's sidecars that it runs on a node. */
async function registerDriver(kit: Kit, node: string): Promise<void> {
  await kit.create(CSINODES, {
    apiVersion: "storage.k8s.io/v1",
    kind: "CSINode",
    metadata: { name: clusterName(kit, node) },
    spec: { drivers: [{ name: SIMULATED_STORAGE_DRIVER, nodeID: node }] },
  });
}

/** A node that the driver runs on. */
async function drivenNode(kit: Kit, name: string): Promise<void> {
  await createNode(kit, name);
  await registerDriver(kit, name);
}

/** A claim with a volume of the driver, which does with it as the annotations say. */
async function drivenClaim(kit: Kit, name: string, annotations: Record<string, string> = {}): Promise<void> {
  await boundClaim(kit, name, { csi: { driver: SIMULATED_STORAGE_DRIVER, volumeHandle: handleOf(kit, name) } });
  await patchCluster(kit, PERSISTENTVOLUMES, name, { metadata: { annotations } });
}

/** A pod whose volume the driver has attached, and which is in use. */
async function running(kit: Kit, annotations?: Record<string, string>): Promise<void> {
  await drivenNode(kit, "a");
  await drivenClaim(kit, "c", annotations);
  await podOn(kit, "p", { node: "a", claims: ["c"] });
  await untilReported(kit, "a", [drivenName(kit, "c")]);
  await setInUse(kit, "a", [drivenName(kit, "c")]);
}

async function untilSaid(kit: Kit, pod: string, text: string): Promise<void> {
  await kit.untilAll(
    EVENTS,
    `${pod} is told: ${text}`,
    (events) => events.some(({ involvedObject, message }) => involvedObject?.name === pod && message?.includes(text)),
  );
}

/** Waits until a volume is attached to a node no more. */
async function untilDetached(kit: Kit, node: string): Promise<void> {
  const place = { volume: "c", node, driver: SIMULATED_STORAGE_DRIVER };
  await untilAttachment(kit, place, (found) => !found);
  await untilReported(kit, node, []);
}

export const DRIVEN_ATTACHMENT_SCENARIOS: readonly Scenario[] = [
  {
    name: "driver-moves-a-volume",
    run: async (kit) => {
      await running(kit, { "kubeloop.dev/attach": "1s", "kubeloop.dev/detach": "1s" });
      await untilSaid(kit, "p", "succeeded");
      await drivenNode(kit, "b");
      await podOn(kit, "q", { node: "b", claims: ["c"] });
      await untilSaid(kit, "q", "Multi-Attach error");
      await removeAtOnce(kit, "p");
      await setInUse(kit, "a", []);
      await untilReported(kit, "b", [drivenName(kit, "c")]);
      await untilSaid(kit, "q", "succeeded");
      await untilDetached(kit, "a");
      await noteAttachments(kit, ["a", "b"]);
    },
  },
  {
    name: "driver-fails-both-ways",
    eventsDiffer: REPEATED,
    run: async (kit) => {
      await running(kit, {
        "kubeloop.dev/attach": "fail:no such disk,ok",
        "kubeloop.dev/detach": "fail:stuck,fail,ok",
      });
      await untilSaid(kit, "p", "no such disk");
      await untilSaid(kit, "p", "succeeded");
      await removeAtOnce(kit, "p");
      await setInUse(kit, "a", []);
      await untilDetached(kit, "a");
      await noteAttachments(kit, ["a"]);
    },
  },
  {
    name: "driver-comes-to-a-node-late",
    eventsDiffer: REPEATED,
    run: async (kit) => {
      await createNode(kit, "a");
      await drivenClaim(kit, "c");
      await podOn(kit, "p", { node: "a", claims: ["c"] });
      await untilSaid(kit, "p", "AttachVolume.Attach failed");
      await registerDriver(kit, "a");
      await untilReported(kit, "a", [drivenName(kit, "c")]);
      await untilSaid(kit, "p", "succeeded");
      await noteAttachments(kit, ["a"]);
    },
  },
  {
    name: "driver-lets-go-of-a-node-out-of-service",
    run: async (kit) => {
      await running(kit, { "kubeloop.dev/detach": "1s" });
      await untilSaid(kit, "p", "succeeded");
      await removeAtOnce(kit, "p");
      await takeOutOfService(kit, "a");
      await untilDetached(kit, "a");
      await drivenNode(kit, "b");
      await podOn(kit, "q", { node: "b", claims: ["c"] });
      await untilReported(kit, "b", [drivenName(kit, "c")]);
      await untilSaid(kit, "q", "succeeded");
      await noteAttachments(kit, ["a", "b"]);
    },
  },
  {
    name: "driver-keeps-a-deleted-volume-while-attached",
    run: async (kit) => {
      await running(kit);
      await untilSaid(kit, "p", "succeeded");
      await deleteCluster(kit, PERSISTENTVOLUMES, "c");
      await kit.delete(PERSISTENTVOLUMECLAIMS, "c");
      await looked(kit);
      await noteAttachments(kit, ["a"]);
      await removeAtOnce(kit, "p");
      await setInUse(kit, "a", []);
      await untilDetached(kit, "a");
      await untilCluster(kit, PERSISTENTVOLUMES, "c", (volume) => !volume);
      await kit.untilGone(PERSISTENTVOLUMECLAIMS, "c");
    },
  },
];
