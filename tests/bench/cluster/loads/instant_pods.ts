import { type Pod, PODS } from "../../../../src/api/mod.ts";
import { MemoryLogger, systemWorld } from "../../../../src/base/mod.ts";
import { InformerFactory } from "../../../../src/cache/mod.ts";
import { type Client, isNotFound } from "../../../../src/client/mod.ts";

/** What a kubelet would say of a container that did its work in no time. */
const SUCCEEDED = {
  phase: "Succeeded",
  containerStatuses: [{
    name: "c",
    image: "busybox:1",
    imageID: "",
    ready: false,
    restartCount: 0,
    state: { terminated: { exitCode: 0, reason: "Completed" } },
  }],
};

/**
 * Has every pod of a namespace succeed as soon as it exists: all kubelets in one, with no node, and for one request a pod.
 * Pods have the one container `c`.
 */
export class InstantPods implements AsyncDisposable {
  readonly #client: Client;
  readonly #informers: InformerFactory;
  readonly #patches = new Set<Promise<void>>();

  private constructor(client: Client, namespace: string) {
    const world = systemWorld(new MemoryLogger());
    const pending = { namespace, fieldSelector: "status.phase=Pending", metadataOnly: true };
    this.#client = client;
    this.#informers = new InformerFactory({ world, client, ...pending });
    this.#informers.informer(PODS).addEventHandler({ onAdd: (pod) => this.#finish(pod) });
  }

  static start(client: Client, namespace: string): InstantPods {
    const pods = new InstantPods(client, namespace);
    pods.#informers.start(new AbortController().signal);
    return pods;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#informers.shutdown();
    await Promise.all(this.#patches);
  }

  #finish(pod: Pod): void {
    const patch = this.#succeed(pod).finally(() => this.#patches.delete(patch));
    this.#patches.add(patch);
  }

  async #succeed({ metadata }: Pod): Promise<void> {
    const { namespace, name = "" } = metadata ?? {};
    const patch = { type: "strategic", subresource: "status", body: { status: SUCCEEDED } } as const;
    try {
      await this.#client.patchMetadata(PODS, { namespace, name }, patch);
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }
}
