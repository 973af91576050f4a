// deno-lint-ignore-file no-console -- who wants the same history again needs its seed
/**
 * A random history of claims, volumes and pods on a real API server, while managers are killed, ours and upstream's in turn: no data
 * is ever lost. `KUBELOOP_STORAGE_SEED=N` plays another one.
 */
import { assertEquals } from "@std/assert";
import {
  NODES,
  type PersistentVolumeClaim,
  PERSISTENTVOLUMECLAIMS,
  PERSISTENTVOLUMES,
  PODS,
  VOLUMEATTACHMENTS,
} from "../../src/api/mod.ts";
import { SeededRandom } from "../../src/base/mod.ts";
import { isNotFound } from "../../src/client/mod.ts";
import {
  dropLease,
  type Manager,
  type ManagerKind,
  PATIENT_WITH_NODES,
  startManager,
} from "../controlplane/manager.ts";
import { makeVolume, ownClass } from "../scenarios/binding_kit.ts";
import type { Kit } from "../scenarios/kit.ts";
import { claimOf, simulatedClass } from "../scenarios/storage_kit.ts";
import { Cluster, clusterTest } from "./cluster.ts";
import { StorageHistory } from "./storage_history.ts";

const SEED = Number(Deno.env.get("KUBELOOP_STORAGE_SEED") ?? 1);
const STEPS = 36;
/** A manager is killed at each step of that many. */
const STEPS_OF_A_REIGN = 6;
const LONGEST_PAUSE_MS = 600;
/** Volumes that are there from the start, fewer than claims come to want, and are not to be given to two. */
const VOLUMES = 4;
const NODE_NAMES = ["node-0", "node-1"];

/** What people do with storage, one thing after the other. */
class People {
  readonly #kit: Kit;
  readonly #random = new SeededRandom(SEED);
  readonly #classes: readonly string[];
  #made = 0;

  constructor(kit: Kit, classes: readonly string[]) {
    this.#kit = kit;
    this.#classes = classes;
  }

  async step(): Promise<void> {
    const deeds = [
      () => this.#claim(),
      () => this.#claim(),
      () => this.#use(),
      () => this.#use(),
      () => this.#moveOn(),
      () => this.#letGo(),
      () => this.#grow(),
    ];
    await this.#pick(deeds)!();
    await new Promise((resolve) => setTimeout(resolve, this.#random.float() * LONGEST_PAUSE_MS));
  }

  #pick<T>(items: readonly T[]): T | undefined {
    return items[Math.floor(this.#random.float() * items.length)];
  }

  async #claim(): Promise<void> {
    const annotations = {
      "kubeloop.dev/provision": this.#pick(["0s", "1s", "fail,1s"])!,
      "kubeloop.dev/attach": this.#pick(["0s", "1s", "fail,0s"])!,
      "kubeloop.dev/detach": this.#pick(["0s", "1s", "fail,0s"])!,
    };
    const claim = claimOf(this.#pick(this.#classes)!, `c${this.#made++}`, { metadata: { annotations } });
    await this.#kit.create(PERSISTENTVOLUMECLAIMS, claim);
  }

  async #someClaim(): Promise<PersistentVolumeClaim | undefined> {
    const claims = await this.#kit.list(PERSISTENTVOLUMECLAIMS);
    return this.#pick(claims.filter(({ metadata }) => !metadata?.deletionTimestamp));
  }

  async #use(): Promise<void> {
    const claimName = (await this.#someClaim())?.metadata?.name;
    if (claimName === undefined) return await this.#claim();
    await this.#kit.create(PODS, {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: `p${this.#made++}` },
      spec: {
        nodeName: this.#pick(NODE_NAMES)!,
        containers: [{ name: "c", image: "nginx:1" }],
        terminationGracePeriodSeconds: 1,
        volumes: [{ name: "data", persistentVolumeClaim: { claimName } }],
      },
    });
  }

  async #moveOn(): Promise<void> {
    const pod = this.#pick(await this.#kit.list(PODS));
    if (pod) await unlessGone(this.#kit.delete(PODS, pod.metadata!.name!));
  }

  async #letGo(): Promise<void> {
    const claim = await this.#someClaim();
    if (claim) await unlessGone(this.#kit.delete(PERSISTENTVOLUMECLAIMS, claim.metadata!.name!));
  }

  async #grow(): Promise<void> {
    const claims = await this.#kit.list(PERSISTENTVOLUMECLAIMS);
    const canGrow = ({ spec, status }: PersistentVolumeClaim) =>
      status?.phase === "Bound" && spec?.storageClassName !== ownClass(this.#kit);
    const claim = this.#pick(claims.filter(canGrow));
    if (!claim) return;
    const body = { spec: { resources: { requests: { storage: `${2 + this.#made++}Gi` } } } };
    await unlessGone(this.#kit.merge(PERSISTENTVOLUMECLAIMS, claim.metadata!.name!, body));
  }
}

async function unlessGone(asked: Promise<unknown>): Promise<void> {
  await asked.catch((error) => {
    if (!isNotFound(error)) throw error;
  });
}

/**
 * Has all nodes seen anew, as the reports of kubelets do every five minutes: a manager that has found an attachment which no node was
 * told of takes it to be in use until then, upstream's too.
 */
async function reportNodes({ client }: Kit): Promise<void> {
  const body = { metadata: { annotations: { "example.com/reported": `${performance.now()}` } } };
  for (const name of NODE_NAMES) await client.patch(NODES, { name }, { type: "merge", body });
}

/** Pods go, and in the end everything is in its place; claims for which no volume is left wait. */
async function comeToRest(kit: Kit): Promise<void> {
  for (const { metadata } of await kit.list(PODS)) await unlessGone(kit.delete(PODS, metadata!.name!));
  await kit.untilAll(PODS, "all are gone", (pods) => pods.length === 0);
  await kit.untilAll(VOLUMEATTACHMENTS, "all are detached", async (attachments) => {
    if (attachments.length > 0) await reportNodes(kit);
    return attachments.length === 0;
  });
  const isDone = ({ metadata, spec, status }: PersistentVolumeClaim) =>
    !metadata?.deletionTimestamp && (status?.phase === "Bound" || spec?.storageClassName === ownClass(kit));
  await kit.untilAll(PERSISTENTVOLUMECLAIMS, "each is bound", (claims) => claims.every(isDone));
  const claims = await kit.list(PERSISTENTVOLUMECLAIMS);
  const bound = new Set(claims.map(({ spec }) => spec?.volumeName));
  await kit.untilAll(
    PERSISTENTVOLUMES,
    "each is bound, or free, or kept as it is",
    (volumes) =>
      volumes.every(({ metadata, spec, status }) => {
        if (bound.has(metadata?.name)) return status?.phase === "Bound";
        return spec?.persistentVolumeReclaimPolicy === "Retain" &&
          status?.phase === (spec.claimRef ? "Released" : "Available");
      }),
  );
}

clusterTest(`Whatever is done and whoever is killed, no data is lost (seed ${SEED})`, async () => {
  await using cluster = await Cluster.start({ nodes: NODE_NAMES.length, storage: true });
  const kinds: readonly ManagerKind[] = ["kubeloop", "upstream"];
  const start = (kind: ManagerKind) => startManager(cluster.plane, kind, { flags: PATIENT_WITH_NODES });
  let manager: Manager = await start(kinds[0]);
  await using history = await StorageHistory.start(cluster.client);
  const kit = await cluster.namespace("histories");
  const classes = [
    await simulatedClass(kit, "deleting"),
    await simulatedClass(kit, "keeping", { reclaimPolicy: "Retain" }),
    ownClass(kit),
  ];
  for (let i = 0; i < VOLUMES; i++) await makeVolume(kit, `v${i}`);
  const people = new People(kit, classes);
  for (let step = 1; step <= STEPS; step++) {
    await people.step();
    if (step % STEPS_OF_A_REIGN > 0) continue;
    await manager.process.stop({ signal: "SIGKILL" });
    await dropLease(cluster.plane);
    for (let i = 0; i < 2; i++) await people.step();
    manager = await start(kinds[(step / STEPS_OF_A_REIGN) % kinds.length]);
    assertEquals(history.broken(), []);
  }
  await comeToRest(kit);
  await manager.process.stop();
  assertEquals(history.broken(), []);
  console.log(`${history.length} writes`);
});
