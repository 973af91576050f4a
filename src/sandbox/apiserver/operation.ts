import type { Aggregation } from "./aggregation.ts";
import type { Environment, User } from "./environment.ts";
import type { ResourceTable } from "./resource_table.ts";
import type { ServedResource } from "./served.ts";

/** What every request handler works on. */
export interface ServerState extends Environment {
  readonly resources: ResourceTable;
  /** What is served besides, by others. */
  readonly aggregation: Aggregation;
}

/** The circumstances of one write. */
export interface Operation {
  readonly state: ServerState;
  readonly served: ServedResource;
  /** Empty for cluster-scoped kinds. */
  readonly namespace: string;
  readonly user: User;
  /** Everything is done but the storing. */
  readonly dryRun: boolean;
  readonly fieldManager: string;
  /** What to do about fields that the type does not have. */
  readonly fieldValidation: "Ignore" | "Warn" | "Strict";
  /** Texts for `Warning` headers. */
  readonly warnings: Set<string>;
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
