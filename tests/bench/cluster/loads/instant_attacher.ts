import { type VolumeAttachment, VOLUMEATTACHMENTS } from "../../../../src/api/mod.ts";
import { MemoryLogger, systemWorld } from "../../../../src/base/mod.ts";
import { InformerFactory } from "../../../../src/cache/mod.ts";
import { type Client, isNotFound } from "../../../../src/client/mod.ts";

const ATTACHED = { status: { attached: true } };

/**
 * Attaches every volume as soon as it is asked to, for one request each, and keeps none that is to be detached. A driver's
 * attacher makes four requests, and what would be measured is the attacher.
 */
export class InstantAttacher implements AsyncDisposable {
  readonly #client: Client;
  readonly #informers: InformerFactory;
  readonly #patches = new Set<Promise<void>>();

  constructor(client: Client) {
    this.#client = client;
    this.#informers = new InformerFactory({ world: systemWorld(new MemoryLogger()), client, name: "attacher" });
    this.#informers.informer(VOLUMEATTACHMENTS).addEventHandler({ onAdd: (attachment) => this.#see(attachment) });
    this.#informers.start(new AbortController().signal);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#informers.shutdown();
    await Promise.all(this.#patches);
  }

  #see(attachment: VolumeAttachment): void {
    const patch = this.#attach(attachment).finally(() => this.#patches.delete(patch));
    this.#patches.add(patch);
  }

  async #attach({ metadata }: VolumeAttachment): Promise<void> {
    const patch = { type: "merge", body: ATTACHED, subresource: "status" } as const;
    try {
      await this.#client.patchMetadata(VOLUMEATTACHMENTS, { name: metadata?.name ?? "" }, patch);
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }
}
