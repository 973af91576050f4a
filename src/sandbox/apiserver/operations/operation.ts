import type { StoredObject } from "../../storage/mod.ts";
import type { Aggregation, ResourceTable, ServedResource } from "../resources/mod.ts";
import type { Strictness } from "../decoding/mod.ts";
import type { Environment } from "../traits/mod.ts";
import { MASTERS, type User } from "../access/mod.ts";
import type { JsonObject } from "../base/mod.ts";
import type { WebhookRoutes } from "./transport.ts";

/** The state that all request handlers share. */
export interface ServerState extends Environment {
  readonly resources: ResourceTable;
  /** Versions that other services serve. */
  readonly aggregation: Aggregation;
  readonly webhooks: WebhookRoutes;
}

/** The parameters of a write. */
export interface Operation extends Strictness {
  readonly state: ServerState;
  readonly served: ServedResource;
  /** Empty for cluster-scoped kinds. */
  readonly namespace: string;
  readonly user: User;
  /** Whether to do everything except storing. */
  readonly dryRun: boolean;
  readonly fieldManager: string;
  /** The request's options, as webhooks see them. */
  readonly options?: JsonObject;
  /** The answers of webhooks, if any must be called. */
  readonly webhooks?: AskedWebhooks;
}

/** A write, as webhooks see it. Upstream: `apiserver/pkg/admission/interfaces.go` (Attributes). */
export interface Attributes {
  readonly verb: "CREATE" | "UPDATE" | "DELETE";
  readonly operation: Operation;
  readonly subresource: string;
  readonly name: string;
  /** Absent for deletions. */
  readonly object?: StoredObject;
  readonly old?: StoredObject;
  readonly view: View;
}

/** How an object is shown to webhooks in a version of its kind, and how their changes are adopted. */
export interface View {
  kindIn(served: ServedResource): Pick<ServedResource, "group" | "version" | "kind">;
  show(served: ServedResource, object: StoredObject): JsonObject;
  /**
   * Decodes what a webhook has made of the object, and updates `object` in place.
   *
   * @throws {ApiError} If it does not fit its type.
   */
  take(served: ServedResource, object: StoredObject, patched: JsonObject): void;
}

export interface AskedWebhooks {
  readonly view: View;
  /** Whether plugins must run again, because webhooks changed the object. */
  readonly needsReinvocation: boolean;
  /** Applies the changes of mutating webhooks to the object. */
  mutate(attributes: Attributes): void;
  /** Lets validating webhooks refuse. */
  validate(attributes: Attributes): void;
}

const SYSTEM: User = { username: "system:apiserver", groups: [MASTERS] };

/** A write by the server itself to a collection. */
export function systemOperation(state: ServerState, collection: string, namespace = ""): Operation {
  return {
    state,
    served: state.resources.stored(collection)!,
    namespace,
    user: SYSTEM,
    dryRun: false,
    fieldManager: "kube-apiserver",
    fieldValidation: "Ignore",
    warnings: new Set(),
  };
}
