import type { KubeObject, Resource } from "../../api/mod.ts";
import type { EventHandler, HandlerOptions, HandlerRegistration } from "../../cache/mod.ts";

/** The part of a shared informer that a monitor uses. */
export interface MonitoredInformer {
  addEventHandler(handler: EventHandler<KubeObject>, options?: HandlerOptions): HandlerRegistration;
  removeEventHandler(registration: HandlerRegistration): Promise<void>;
}

/** Where informers come from: the process's shared ones. */
export interface InformerSource<I extends MonitoredInformer> {
  informer(resource: Resource): I;
  /** Starts those that do not run yet; they end when `signal` aborts. */
  start(signal: AbortSignal): void;
  /** Ends the informer of a resource that is served no more, if nobody else listens to it. */
  drop(resource: Resource): Promise<void>;
}

/** Gives full informers where the process has them anyway, and of everything else only metadata. */
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
