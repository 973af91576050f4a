import type { Client } from "../../../../src/client/mod.ts";
import type { ControlPlane } from "../../../controlplane/control_plane.ts";

/** What a load has at hand: an API server of its own, and somebody who may do anything there. */
export interface LoadCluster {
  readonly plane: ControlPlane;
  readonly client: Client;
}

/** Something that a manager has to do, to be measured beside upstream's manager doing the same. */
export interface Load {
  readonly name: string;
  /** What is done, in a line, with its numbers. */
  readonly description: string;
  /** The controllers that take part: both managers run no others. */
  readonly controllers: readonly string[];
  readonly flags?: readonly string[];
  /** Makes what has to be there before the manager starts: nodes, objects that others own. */
  prepare?(cluster: LoadCluster): Promise<void>;
  /** What is not counted though the manager has to see it: its caches are filled by then. */
  warmUp?(cluster: LoadCluster): Promise<void>;
  /** Gives the manager its work and waits for the end of it. Counted. */
  run(cluster: LoadCluster): Promise<void>;
}
