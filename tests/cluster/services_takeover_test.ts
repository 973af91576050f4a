/** Services change hands between upstream's manager and ours: no address is missing from their slices at any moment. */
import { assert, assertEquals } from "@std/assert";
import { ENDPOINTS, type EndpointSlice, ENDPOINTSLICES } from "../../src/api/mod.ts";
import { MemoryLogger, systemWorld } from "../../src/base/mod.ts";
import { finalStateOf, InformerFactory } from "../../src/cache/mod.ts";
import type { Client } from "../../src/client/mod.ts";
import { dropLease, type ManagerKind, PATIENT_WITH_NODES, startManager } from "../controlplane/manager.ts";
import type { Kit } from "../scenarios/kit.ts";
import {
  addEndpoints,
  addPods,
  addService,
  ensureNodes,
  numberedIp,
  SERVICE_NAME,
  untilEndpoints,
  untilSizes,
  untilSlices,
} from "../scenarios/slice_kit.ts";
import { Cluster, clusterTest } from "./cluster.ts";

/** So many that some are added while the manager that is there is killed. */
const PODS_AT_ONCE = 25;

/** Follows which addresses the slices of `web` hold, event by event. */
class Addresses implements AsyncDisposable {
  /** Those that were gone for a moment and should not have been. */
  readonly lost: string[] = [];
  readonly #informers: InformerFactory;
  readonly #slices = new Map<string, EndpointSlice>();
  readonly #wanted = new Set<string>();

  constructor(client: Client) {
    this.#informers = new InformerFactory({ world: systemWorld(new MemoryLogger()), client, name: "addresses" });
    const see = (slice: EndpointSlice, isInInitialList = false) => {
      if (slice.metadata?.labels?.[SERVICE_NAME] !== "web") return;
      this.#slices.set(slice.metadata.name!, slice);
      if (!isInInitialList) this.#check(`${slice.metadata.name} changed`);
    };
    this.#informers.informer(ENDPOINTSLICES).addEventHandler({
      onAdd: see,
      onUpdate: (_before, slice) => see(slice),
      onDelete: (gone) => {
        const slice = finalStateOf(gone);
        if (slice && this.#slices.delete(slice.metadata?.name ?? "")) this.#check(`${slice.metadata?.name} is gone`);
      },
    });
    this.#informers.start(new AbortController().signal);
  }

  /** From now on the addresses of so many pods are to be there. */
  want(pods: number): void {
    for (let i = 0; i < pods; i++) this.#wanted.add(numberedIp(i));
  }

  /** From now on whatever is there is to stay. @returns How much that is. */
  wantHeld(): number {
    for (const address of this.#held()) this.#wanted.add(address);
    return this.#wanted.size;
  }

  #held(): ReadonlySet<string> {
    const slices = [...this.#slices.values()];
    return new Set(slices.flatMap(({ endpoints }) => (endpoints ?? []).flatMap(({ addresses }) => addresses)));
  }

  #check(event: string): void {
    const held = this.#held();
    for (const address of this.#wanted) if (!held.has(address)) this.lost.push(`${address} when ${event}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#informers.shutdown();
  }
}

/** Waits until slices and Endpoints of `web` hold so many pods: two controllers write them. */
async function untilSettled(kit: Kit, pods: number): Promise<void> {
  await untilEndpoints(kit, pods);
  await kit.untilAll(ENDPOINTS, `Endpoints of ${pods} pods`, (all) => {
    const subsets = all.find(({ metadata }) => metadata?.name === "web")?.subsets ?? [];
    return subsets.flatMap(({ addresses = [] }) => addresses).length === pods;
  });
}

/** The versions of all slices and Endpoints of a namespace, but those that tell that a manager has begun. */
async function versions(kit: Kit): Promise<readonly string[]> {
  const found = [...await kit.list(ENDPOINTSLICES), ...await kit.list(ENDPOINTS)];
  return found.map(({ metadata }) => `${metadata?.name} ${metadata?.resourceVersion}`)
    .filter((version) => !version.startsWith("turn-")).sort();
}

clusterTest(
  "Services change hands in both directions: no address is missing, and nothing settled is written",
  async () => {
    await using cluster = await Cluster.start({ nodes: 0 });
    const turns: readonly ManagerKind[] = ["upstream", "kubeloop", "upstream", "kubeloop"];
    let manager = await startManager(cluster.plane, turns[0], { flags: PATIENT_WITH_NODES });
    const kit = await cluster.namespace("hands");
    await ensureNodes(kit);
    await addPods(kit, 150);
    await addService(kit);
    await addEndpoints(kit, [{ addresses: [{ ip: "192.0.2.7" }], ports: [{ port: 80 }] }]);
    await untilSizes(kit, [100, 50]);
    await untilEndpoints(kit, 1, 1, "db");
    await using addresses = new Addresses(cluster.client);
    let pods = 150;
    addresses.want(pods);
    for (const [turn, kind] of turns.entries()) {
      if (turn > 0) {
        await manager.process.stop({ signal: "SIGKILL" });
        await dropLease(cluster.plane);
        const before = await versions(kit);
        manager = await startManager(cluster.plane, kind, { flags: PATIENT_WITH_NODES });
        // It has looked at all Services once it has written for a new one.
        await addService(kit, { name: `turn-${turn}`, selector: { app: "none" } });
        await untilEndpoints(kit, 0, 0, `turn-${turn}`);
        assertEquals(await versions(kit), before, `${kind} wrote what was settled`);
      }
      // Slices are half filled, and filled, while the other one is gone and when it is there.
      await addPods(kit, 30, { from: pods });
      pods += 30;
      await untilSettled(kit, pods);
      addresses.want(pods);
    }
    await manager.process.stop();
    assertEquals(addresses.lost, []);
  },
);

clusterTest(
  "Services change hands in both directions while their slices are written: no address that was there goes",
  async () => {
    await using cluster = await Cluster.start({ nodes: 0 });
    const turns: readonly ManagerKind[] = ["upstream", "kubeloop", "upstream", "kubeloop"];
    let manager = await startManager(cluster.plane, turns[0], { flags: PATIENT_WITH_NODES });
    const kit = await cluster.namespace("hands");
    await ensureNodes(kit);
    await addService(kit);
    await using addresses = new Addresses(cluster.client);
    let pods = 0;
    for (const kind of turns.slice(1)) {
      const before = addresses.wantHeld();
      let isThere = true;
      const adding = (async () => {
        // The last of them come when it is gone.
        for (let isLast = false; !isLast; pods += PODS_AT_ONCE) {
          isLast = !isThere;
          await addPods(kit, PODS_AT_ONCE, { from: pods });
        }
      })();
      try {
        await untilSlices(kit, "some of the pods", () => addresses.wantHeld() > before + PODS_AT_ONCE);
        await manager.process.stop({ signal: "SIGKILL" });
      } finally {
        isThere = false;
      }
      await dropLease(cluster.plane);
      await adding;
      assert(addresses.wantHeld() < pods, "some came when it was gone");
      manager = await startManager(cluster.plane, kind, { flags: PATIENT_WITH_NODES });
      await untilEndpoints(kit, pods);
    }
    await manager.process.stop();
    assertEquals(addresses.wantHeld(), pods);
    assertEquals(addresses.lost, []);
  },
);
