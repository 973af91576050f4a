import { formatTime } from "../../../api/mod.ts";
import type { World } from "../../../base/mod.ts";
import type { Store } from "../../storage/mod.ts";
import type { Authorizer } from "../access/mod.ts";

/** Settings that have a default. */
export interface ServerOptions {
  /** From which Services get their addresses. */
  readonly serviceCidr: string;
  /** Whether writers are recorded in `metadata.managedFields`. */
  readonly managedFields: boolean;
  /** Events that a watch may lag behind before it is closed. */
  readonly watchBufferEvents: number;
}

/** What everything in the server works in: all of it that the rules of a kind may know. */
export interface Environment extends Authorizer {
  readonly world: World;
  readonly store: Store;
  readonly options: ServerOptions;
}

/** The present time as objects hold it, in whole seconds. */
export function nowText({ world }: Pick<Environment, "world">): string {
  return formatTime(world.clock.wallMs());
}
