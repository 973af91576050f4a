import type { KubeObject, Resource } from "../../api/mod.ts";
import type { EventHandler, HandlerOptions, HandlerRegistration } from "../../cache/mod.ts";

/** The part of a shared informer that a monitor uses. */
export interface MonitoredInformer {
  addEventHandler(handler: EventHandler<KubeObject>, options?: HandlerOptions): HandlerRegistration;
  removeEventHandler(registration: HandlerRegistration): Promise<void>;
}

/** The process's shared informers. */
export interface InformerSource<I extends MonitoredInformer> {
  informer(resource: Resource): I;
  /** Starts those that do not run yet; they end when `signal` aborts. */
  start(signal: AbortSignal): void;
  /** Ends the informer of a resource that is no longer served, unless somebody else listens to it. */
  drop(resource: Resource): Promise<void>;
}

/** Provides full informers where the process has them anyway, and metadata-only informers for everything else. */
export function informerSource<I extends MonitoredInformer>(
  { informers, metadataInformers }: {
    informers: { existing(resource: Resource): I | undefined };
    metadataInformers: InformerSource<I>;
  },
): InformerSource<I> {
  return {
    informer: (resource) => informers.existing(resource) ?? metadataInformers.informer(resource),
    start: (signal) => metadataInformers.start(signal),
    drop: (resource) => metadataInformers.drop(resource),
  };
}
