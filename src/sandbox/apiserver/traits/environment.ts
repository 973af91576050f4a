import { formatTime } from "../../../api/mod.ts";
import type { World } from "../../../base/mod.ts";
import type { Store } from "../../storage/mod.ts";
import type { FeatureGates } from "./feature_gates.ts";
import type { Authorizer } from "../access/mod.ts";

/** Options with defaults. */
export interface ServerOptions {
  /** The range of Services' addresses. */
  readonly serviceCidr: string;
  /** Whether writers are recorded in `metadata.managedFields`. */
  readonly managedFields: boolean;
  /** How many events a watch may lag behind before it is closed. */
  readonly watchBufferEvents: number;
}

/** The parts of the server's state that the rules of kinds may use. */
export interface Environment extends Authorizer {
  readonly world: World;
  readonly store: Store;
  readonly options: ServerOptions;
  readonly gates: FeatureGates;
}

/** The present time in objects' format, in whole seconds. */
export function nowText({ world }: Pick<Environment, "world">): string {
  return formatTime(world.clock.wallMs());
}
