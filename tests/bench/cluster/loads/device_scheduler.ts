import { RESOURCECLAIMS, type ResourceV1ResourceClaim } from "../../../../src/api/mod.ts";
import { MemoryLogger, systemWorld } from "../../../../src/base/mod.ts";
import { InformerFactory } from "../../../../src/cache/mod.ts";
import { type Client, isNotFound } from "../../../../src/client/mod.ts";
import { KEEPER } from "../../../scenarios/resourceclaim_kit.ts";

/** What is written into a claim that has got a device. */
const ALLOCATION = { devices: { results: [{ request: "r", driver: "gpu.example.com", pool: "p", device: "d" }] } };

/**
 * The scheduler's part in claims that are each one pod's: gives every claim a device as soon as it exists, and reserves it for the
 * pod, which gets no node.
 */
export class DeviceScheduler implements AsyncDisposable {
  readonly #client: Client;
  readonly #informers: InformerFactory;
  readonly #working = new Set<Promise<void>>();

  constructor(client: Client) {
    this.#client = client;
    this.#informers = new InformerFactory({ world: systemWorld(new MemoryLogger()), client, name: "scheduler" });
    this.#informers.informer(RESOURCECLAIMS).addEventHandler({ onAdd: (claim) => this.#begin(this.#allocate(claim)) });
    this.#informers.start(new AbortController().signal);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#informers.shutdown();
    await Promise.all(this.#working);
  }

  #begin(work: Promise<void>): void {
    const working: Promise<void> = work.catch((error) => {
      if (!isNotFound(error)) throw error;
    }).finally(() => this.#working.delete(working));
    this.#working.add(working);
  }

  async #allocate({ metadata }: ResourceV1ResourceClaim): Promise<void> {
    const { namespace, name = "", ownerReferences: [pod] = [] } = metadata ?? {};
    const reservedFor = [{ resource: "pods", name: pod.name, uid: pod.uid }];
    const ref = { namespace, name };
    await this.#client.patchMetadata(RESOURCECLAIMS, ref, {
      type: "merge",
      body: { metadata: { finalizers: [KEEPER] } },
    });
    const body = { status: { allocation: ALLOCATION, reservedFor } };
    await this.#client.patchMetadata(RESOURCECLAIMS, ref, { type: "merge", body, subresource: "status" });
  }
}
