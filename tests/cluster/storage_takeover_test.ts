/** Storage changes hands between upstream's manager and ours while everything is half done: no data is lost, nobody loses a volume. */
import { assertEquals } from "@std/assert";
import {
  NODES,
  type PersistentVolume,
  type PersistentVolumeClaim,
  PERSISTENTVOLUMECLAIMS,
  PERSISTENTVOLUMES,
  PODS,
  VOLUMEATTACHMENTS,
} from "../../src/api/mod.ts";
import { dropLease, type ManagerKind, PATIENT_WITH_NODES, startManager } from "../controlplane/manager.ts";
import { attach, boundClaim, createNode, podOn, setInUse } from "../scenarios/attachment_kit.ts";
import { areBound, makeClaim, makeVolume, refTo, removeClaim, volumeIs } from "../scenarios/binding_kit.ts";
import type { Kit } from "../scenarios/kit.ts";
import { claimOf, simulatedClass, untilBound } from "../scenarios/storage_kit.ts";
import { clusterName, patchCluster, removeAtOnce } from "../scenarios/volume_kit.ts";
import { Cluster, clusterTest } from "./cluster.ts";
import { settledVersions } from "./settled_versions.ts";
import { StorageHistory } from "./storage_history.ts";

const BY_CONTROLLER = { "pv.kubernetes.io/bound-by-controller": "yes" };
const COMPLETED = { ...BY_CONTROLLER, "pv.kubernetes.io/bind-completed": "yes" };
/** Of the four writes of a bind. */
const WRITES_MADE = [1, 2, 3];
const SLOWLY = "6s";
const CLAIM_NAMES = ["attaching", "detaching", "unreported", "moving", "resized"];

/** A pod that uses the claim of its name, on a simulated node. */
async function run(kit: Kit, claimName: string, { name = claimName, node = "node-0" } = {}): Promise<void> {
  await kit.create(PODS, {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name },
    spec: {
      nodeName: node,
      containers: [{ name: "c", image: "nginx:1" }],
      terminationGracePeriodSeconds: 0,
      volumes: [{ name: "data", persistentVolumeClaim: { claimName } }],
    },
  });
}

async function runs(kit: Kit, name: string): Promise<void> {
  await kit.until(PODS, name, "runs", ({ status }) => status?.phase === "Running");
}

async function attachments(kit: Kit, claimName: string) {
  const { spec } = await kit.get(PERSISTENTVOLUMECLAIMS, claimName);
  const { items } = await kit.client.list(VOLUMEATTACHMENTS, {});
  return items.filter((each) => each.spec.source.persistentVolumeName === spec?.volumeName);
}

/** Waits until something is true of where a claim's volume is attached. */
async function untilAttachments(
  kit: Kit,
  claimName: string,
  holds: (found: Awaited<ReturnType<typeof attachments>>) => unknown,
): Promise<void> {
  await kit.untilAll(PODS, `${claimName} is attached as it should be`, async () => {
    return holds(await attachments(kit, claimName));
  });
}

/** Claims with volumes, used by pods or not, of which the next steps are begun in {@link begin}. */
async function prepare(kit: Kit): Promise<void> {
  const deleting = await simulatedClass(kit, "deleting");
  const keeping = await simulatedClass(kit, "keeping", { reclaimPolicy: "Retain" });
  const slow = Object.fromEntries(
    ["attach", "detach", "expand"].map((operation) => [`kubeloop.dev/${operation}`, SLOWLY]),
  );
  const annotations: Record<string, Record<string, string>> = {
    attaching: { "kubeloop.dev/attach": slow["kubeloop.dev/attach"] },
    detaching: { "kubeloop.dev/detach": slow["kubeloop.dev/detach"] },
    resized: { "kubeloop.dev/expand": slow["kubeloop.dev/expand"] },
    "let-go": { "kubeloop.dev/delete-volume": SLOWLY },
  };
  const names = [...CLAIM_NAMES, "let-go", "let-go-alone", "kept", "kept-alone"];
  await Promise.all(names.map(async (name) => {
    const className = name.startsWith("kept") ? keeping : deleting;
    const metadata = { annotations: annotations[name] };
    await kit.create(PERSISTENTVOLUMECLAIMS, claimOf(className, name, { metadata }));
    await untilBound(kit, name);
  }));
  const used = CLAIM_NAMES.filter((name) => name !== "attaching");
  await Promise.all(used.map(async (name) => {
    await run(kit, name);
    await runs(kit, name);
  }));
  await createNode(kit, "lonely");
  await boundClaim(kit, "orphan");
  await podOn(kit, "orphan", { node: "lonely", claims: ["orphan"] });
  await attach(kit, { volume: "orphan", node: "lonely" });
  await setInUse(kit, "lonely", ["orphan"]);
}

/** Has the manager begin what it will not see the end of. */
async function begin(kit: Kit): Promise<void> {
  const asked = "volume.kubernetes.io/storage-provisioner";
  const provisioning = claimOf(clusterName(kit, "deleting"), "provisioning", {
    metadata: { annotations: { "kubeloop.dev/provision": SLOWLY } },
  });
  await Promise.all([
    kit.create(PERSISTENTVOLUMECLAIMS, provisioning),
    kit.merge(PERSISTENTVOLUMECLAIMS, "resized", { spec: { resources: { requests: { storage: "2Gi" } } } }),
    run(kit, "attaching"),
    kit.delete(PODS, "detaching"),
    removeAtOnce(kit, "orphan"),
    ...["let-go", "kept"].map((name) => kit.delete(PERSISTENTVOLUMECLAIMS, name)),
  ]);
  await Promise.all([
    kit.until(PERSISTENTVOLUMECLAIMS, "provisioning", "is asked for", (c) => c.metadata?.annotations?.[asked]),
    untilAttachments(kit, "attaching", (found) => found.length === 1),
    untilAttachments(kit, "detaching", (found) => found.some(({ metadata }) => metadata?.deletionTimestamp)),
    kit.untilGone(PERSISTENTVOLUMECLAIMS, "let-go"),
  ]);
}

/** What happens while nobody leads, and what a manager leaves behind that is killed between its writes. */
async function disturb(kit: Kit): Promise<void> {
  for (const made of WRITES_MADE) await bindPartly(kit, made);
  for (const name of ["let-go-alone", "kept-alone"]) await removeClaim(kit, name);
  await kit.client.patch(NODES, { name: "node-0" }, {
    type: "merge",
    body: { status: { volumesAttached: null } },
    subresource: "status",
  });
  await removeAtOnce(kit, "moving");
  await run(kit, "moving", { name: "moved", node: "node-1" });
}

/** A claim and its volume after so many of the four writes that bind them; another volume would suit the claim better. */
async function bindPartly(kit: Kit, made: number): Promise<void> {
  const name = `half${made}`;
  const storageClassName = clusterName(kit, name);
  const { metadata } = await makeClaim(kit, name, { storageClassName });
  const volume: PersistentVolume["metadata"] = { annotations: BY_CONTROLLER };
  const claimRef = refTo(kit, name, metadata?.uid);
  await makeVolume(kit, name, { storageClassName, storage: "3Gi", claimRef, metadata: volume });
  await makeVolume(kit, `${name}-other`, { storageClassName });
  await patchCluster(kit, PERSISTENTVOLUMES, `${name}-other`, { status: { phase: "Available" } }, "status");
  if (made >= 2) await patchCluster(kit, PERSISTENTVOLUMES, name, { status: { phase: "Bound" } }, "status");
  if (made < 3) return;
  const body = { metadata: { annotations: COMPLETED }, spec: { volumeName: clusterName(kit, name) } };
  await kit.merge(PERSISTENTVOLUMECLAIMS, name, body);
}

/** Waits until all that was half done is done, by whoever leads now. */
async function finish(kit: Kit, volumes: Volumes): Promise<void> {
  for (const made of WRITES_MADE) {
    await areBound(kit, `half${made}`, `half${made}`);
    await volumeIs(kit, `half${made}-other`, "Available");
  }
  const { metadata, spec } = await untilBound(kit, "provisioning");
  assertEquals(spec?.volumeName, `pvc-${metadata?.uid}`);
  for (const name of ["attaching", "moved", "unreported", "resized"]) await runs(kit, name);
  await untilAttachments(kit, "detaching", (found) => found.length === 0);
  await untilAttachments(kit, "moving", (found) => String(found.map(({ spec }) => spec.nodeName)) === "node-1");
  const hasGrown = ({ status }: PersistentVolumeClaim) => status?.capacity?.storage === "2Gi";
  await kit.until(PERSISTENTVOLUMECLAIMS, "resized", "has grown", hasGrown);
  for (const name of ["let-go", "let-go-alone"]) await untilVolume(kit, volumes[name], (found) => !found);
  for (const name of ["kept", "kept-alone"]) {
    await untilVolume(kit, volumes[name], (found) => found?.status?.phase === "Released");
  }
  for (const name of ["unreported", "attaching", "resized"]) {
    await kit.untilAll(PODS, `node-0 is told of ${name}`, async () => {
      const { status } = await kit.client.get(NODES, { name: "node-0" });
      return status?.volumesAttached?.some((attached) => attached.name.endsWith(`^${volumes[name]}`));
    });
  }
  for (const name of [...CLAIM_NAMES, "orphan"]) {
    const claim = await kit.get(PERSISTENTVOLUMECLAIMS, name);
    assertEquals([claim.status?.phase, claim.spec?.volumeName], ["Bound", volumes[name]], name);
  }
}

/** Which volume each claim has. */
type Volumes = Readonly<Record<string, string>>;

async function volumesOf(kit: Kit): Promise<Volumes> {
  const claims = await kit.list(PERSISTENTVOLUMECLAIMS);
  return Object.fromEntries(claims.map(({ metadata, spec }) => [metadata!.name!, spec?.volumeName ?? ""]));
}

async function untilVolume(
  kit: Kit,
  name: string,
  holds: (found: PersistentVolume | undefined) => boolean,
): Promise<void> {
  await kit.untilAll(PODS, `volume ${name} is as it should be`, async () => {
    const { items } = await kit.client.list(PERSISTENTVOLUMES, { fieldSelector: `metadata.name=${name}` });
    return holds(items[0]);
  });
}

clusterTest(
  "Storage changes hands in both directions in mid-flight: nothing in use is detached, no claim gets another volume",
  async () => {
    await using cluster = await Cluster.start({ nodes: 2, storage: true });
    const turns: readonly ManagerKind[] = ["upstream", "kubeloop", "upstream", "kubeloop"];
    await using history = await StorageHistory.start(cluster.client);
    const settled = () => settledVersions(cluster, PERSISTENTVOLUMES, PERSISTENTVOLUMECLAIMS, VOLUMEATTACHMENTS);
    let manager = await startManager(cluster.plane, turns[0], { flags: PATIENT_WITH_NODES });
    let before: ReadonlyMap<string, string> = new Map();
    for (const [turn, next] of turns.slice(1).entries()) {
      const kit = await cluster.namespace(`turn${turn}`);
      await prepare(kit);
      const volumes = await volumesOf(kit);
      await begin(kit);
      await manager.process.stop({ signal: "SIGKILL" });
      await dropLease(cluster.plane);
      await disturb(kit);
      manager = await startManager(cluster.plane, next, { flags: PATIENT_WITH_NODES });
      await finish(kit, volumes);
      const after = await settled();
      const rewritten = [...before].filter(([key, version]) => after.get(key) !== version);
      assertEquals(rewritten, [], `${next} wrote what was settled`);
      before = after;
      assertEquals(history.broken(), []);
    }
    await manager.process.stop();
    assertEquals(history.broken(), []);
  },
);
