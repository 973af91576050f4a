import type { KubeObject } from "../../api/mod.ts";
import type { Identity } from "./identity.ts";

/** The kind that a monitor watches; metadata-only objects do not carry their own. */
export interface MonitoredKind {
  readonly apiVersion: string;
  readonly kind: string;
}

/** One entry of the queue `garbage_collector_graph_changes`. */
export type GraphChange =
  | { readonly type: "add"; readonly of: MonitoredKind; readonly object: KubeObject }
  | { readonly type: "update"; readonly of: MonitoredKind; readonly old: KubeObject; readonly object: KubeObject }
  | { readonly type: "delete"; readonly of: MonitoredKind; readonly object: KubeObject }
  /** Not seen by an informer: a live GET found no object with this identity. */
  | { readonly type: "virtualDelete"; readonly identity: Identity }
  /** Not a change: signals that all changes queued before have been processed. */
  | { readonly type: "barrier"; readonly reached: () => void };

/** The identity of an object that a monitor showed. */
export function identityOfObject({ apiVersion, kind }: MonitoredKind, { metadata }: KubeObject): Identity {
  return {
    apiVersion,
    kind,
    name: metadata?.name ?? "",
    uid: metadata?.uid ?? "",
    namespace: metadata?.namespace ?? "",
  };
}
