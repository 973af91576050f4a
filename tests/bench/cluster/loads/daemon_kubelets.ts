import { formatTime, type Pod, PODS } from "../../../../src/api/mod.ts";
import { MemoryLogger, systemWorld } from "../../../../src/base/mod.ts";
import { InformerFactory } from "../../../../src/cache/mod.ts";
import { type Client, isNotFound } from "../../../../src/client/mod.ts";

/** Scheduler and kubelets in one, for pods that are for one node each: they run at once, and go when they are told. */
export class DaemonKubelets implements AsyncDisposable {
  readonly #client: Client;
  readonly #informers: InformerFactory;
  readonly #working = new Set<Promise<void>>();

  constructor(client: Client) {
    this.#client = client;
    this.#informers = new InformerFactory({ world: systemWorld(new MemoryLogger()), client, name: "kubelets" });
    const see = (pod: Pod) => {
      const working: Promise<void> = this.#see(pod).then(() => void this.#working.delete(working));
      this.#working.add(working);
    };
    this.#informers.informer(PODS).addEventHandler({ onAdd: see, onUpdate: (_before, pod) => see(pod) });
    this.#informers.start(new AbortController().signal);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#informers.shutdown();
    await Promise.all(this.#working);
  }

  /** @throws {Error} If a request fails, unless it comes too late. */
  async #see(pod: Pod): Promise<void> {
    const { namespace, name = "", deletionTimestamp, deletionGracePeriodSeconds } = pod.metadata ?? {};
    const ref = { namespace, name };
    try {
      if (deletionTimestamp) {
        if (deletionGracePeriodSeconds === 0) return; // it is going
        await this.#client.delete(PODS, ref, { gracePeriodSeconds: 0 });
      } else if (!pod.spec?.nodeName) {
        const body = { metadata: { name }, target: { kind: "Node", name: nodeFor(pod) } };
        await this.#client.createSubresource(PODS, ref, { subresource: "binding", body });
      } else if (pod.status?.phase === "Pending") {
        const at = formatTime(Date.now());
        const conditions = ["Ready", "ContainersReady"].map((type) => ({
          type,
          status: "True",
          lastTransitionTime: at,
        }));
        const body = { status: { phase: "Running", startTime: at, conditions } };
        await this.#client.patch(PODS, ref, { type: "strategic", body, subresource: "status" });
      }
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }
}

function nodeFor({ spec }: Pod): string {
  const { nodeSelectorTerms } = spec!.affinity!.nodeAffinity!.requiredDuringSchedulingIgnoredDuringExecution!;
  return nodeSelectorTerms[0].matchFields![0].values![0];
}
