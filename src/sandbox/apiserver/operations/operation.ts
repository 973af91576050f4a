import type { StoredObject } from "../../storage/mod.ts";
import type { Aggregation, ResourceTable, ServedResource } from "../resources/mod.ts";
import type { Strictness } from "../decoding/mod.ts";
import type { Environment } from "../traits/mod.ts";
import type { User } from "../access/mod.ts";
import type { JsonObject } from "../base/mod.ts";
import type { WebhookRoutes } from "./transport.ts";

/** What every request handler works on. */
export interface ServerState extends Environment {
  readonly resources: ResourceTable;
  /** What is served besides, by others. */
  readonly aggregation: Aggregation;
  readonly webhooks: WebhookRoutes;
}

/** The circumstances of one write. */
export interface Operation extends Strictness {
  readonly state: ServerState;
  readonly served: ServedResource;
  /** Empty for cluster-scoped kinds. */
  readonly namespace: string;
  readonly user: User;
  /** Everything is done but the storing. */
  readonly dryRun: boolean;
  readonly fieldManager: string;
  /** What the request asks for besides, as webhooks are told. */
  readonly options?: JsonObject;
  /** The answers of webhooks, where they are to be asked. */
  readonly webhooks?: AskedWebhooks;
}

/** What a write is about, as webhooks are told. Upstream: `apiserver/pkg/admission/interfaces.go` (Attributes). */
export interface Attributes {
  readonly verb: "CREATE" | "UPDATE" | "DELETE";
  readonly operation: Operation;
  readonly subresource: string;
  readonly name: string;
  /** Absent for deletions. */
  readonly object?: StoredObject;
  /** What it replaces. */
  readonly old?: StoredObject;
  readonly view: View;
}

/** How a webhook is shown an object, through one version of its kind, and how its changes are taken over. */
export interface View {
  kindIn(served: ServedResource): Pick<ServedResource, "group" | "version" | "kind">;
  show(served: ServedResource, object: StoredObject): JsonObject;
  /**
   * Turns what a webhook has made of it into the object again, in `object` itself.
   *
   * @throws {ApiError} If it does not fit the type.
   */
  take(served: ServedResource, object: StoredObject, patched: JsonObject): void;
}

/** Webhooks that are asked about a write. */
export interface AskedWebhooks {
  readonly view: View;
  /** Whether what has filled the object in is to do so once more, since webhooks changed it. */
  readonly needsReinvocation: boolean;
  /** Turns the object into what mutating webhooks have made of it. */
  mutate(attributes: Attributes): void;
  /** Lets validating webhooks refuse. */
  validate(attributes: Attributes): void;
}

const SYSTEM: User = { username: "system:apiserver", groups: ["system:masters"] };

/** A write by the server itself to objects of `collection`. */
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
