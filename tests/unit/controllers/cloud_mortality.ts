/** A process that dies at one of its writes, to the cluster or to the cloud: what it asks for afterwards is never answered. */
import type { Client } from "../../../src/client/mod.ts";
import { callCloud, type CloudProvider, describe, providerBehind } from "../../../src/cloud/mod.ts";

const CLUSTER_WRITES = ["create", "update", "updateStatus", "patch", "patchMetadata", "delete"] as const;
const CLOUD_WRITES: ReadonlySet<string> = new Set(["createRoute", "deleteRoute"]);

/** Whether the write at which it dies is made. */
export type Moment = "before" | "after";

/** What a process has of cluster and cloud while it lives. */
export class Mortal {
  readonly client: Client;
  readonly cloud: CloudProvider;
  /** Resolves when it dies. */
  readonly died: Promise<void>;
  /** The writes that were made. */
  writes = 0;
  isDead = false;
  readonly #end: { readonly atWrite: number; readonly moment: Moment };
  #die!: () => void;

  /** @param end.atWrite From 1; `Infinity` if it never dies. */
  constructor(client: object, cloud: CloudProvider, end: { readonly atWrite: number; readonly moment: Moment }) {
    this.#end = end;
    this.died = new Promise((resolve) => this.#die = resolve);
    this.client = new Proxy(client as Client, {
      get: (target, key: keyof Client & (typeof CLUSTER_WRITES)[number]) => {
        const method = target[key] as unknown;
        if (typeof method !== "function") return method;
        const isWrite = CLUSTER_WRITES.includes(key);
        return (...args: unknown[]) => this.#make(isWrite, () => method.apply(target, args));
      },
    });
    this.cloud = providerBehind(
      describe(cloud),
      (call, signal) => this.#make(CLOUD_WRITES.has(call.method), () => callCloud(cloud, call, signal)),
    );
  }

  async #make(isWrite: boolean, call: () => Promise<unknown>): Promise<unknown> {
    if (this.isDead) return await never();
    if (!isWrite) return await call();
    const isLast = ++this.writes === this.#end.atWrite;
    if (isLast) this.isDead = true;
    if (!isLast || this.#end.moment === "after") {
      const answer = await call();
      if (!isLast) return answer;
    }
    this.#die();
    return await never();
  }
}

function never(): Promise<never> {
  return new Promise(() => {});
}
