import type { World } from "../../base/mod.ts";
import { formatTime } from "../../api/mod.ts";
import type { Store } from "../storage/mod.ts";
import type { ResourceTable } from "./resource_table.ts";
import type { ServedResource } from "./served.ts";

/** Who sends a request. */
export interface User {
  readonly username: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** What every request handler works on. */
export interface ServerState {
  readonly world: World;
  readonly store: Store;
  readonly resources: ResourceTable;
  readonly options: ServerOptions;
}

/** Settings that have a default. */
export interface ServerOptions {
  /** From which Services get their addresses. */
  readonly serviceCidr: string;
  /** Whether writers are recorded in `metadata.managedFields`. */
  readonly managedFields: boolean;
  /** Events that a watch may lag behind before it is closed. */
  readonly watchBufferEvents: number;
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

/** The present time as objects hold it, in whole seconds. */
export function nowText({ world }: Pick<ServerState, "world">): string {
  return formatTime(world.clock.wallMs());
}
