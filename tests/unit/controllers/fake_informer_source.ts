import type { KubeObject, Resource } from "../../../src/api/mod.ts";
import { FakeInformer } from "./garbage_collector/fake_informer.ts";

/** Where monitors get their informers: each is made when it is first asked for. */
export class FakeInformerSource {
  /** By the resource's name; a test may put others there. */
  readonly informers = new Map<string, FakeInformer<KubeObject>>();
  /** Names of resources for which there are none. */
  readonly broken = new Set<string>();
  readonly dropped: string[] = [];
  /** With which signals informers were started. */
  readonly startedBy: AbortSignal[] = [];

  informer({ plural }: Resource): FakeInformer<KubeObject> {
    if (this.broken.has(plural)) throw new Error("no informer");
    const informer = this.informers.get(plural) ?? new FakeInformer();
    this.informers.set(plural, informer);
    return informer;
  }

  start(signal: AbortSignal): void {
    this.startedBy.push(signal);
  }

  drop({ plural }: Resource): Promise<void> {
    this.dropped.push(plural);
    return Promise.resolve();
  }
}
