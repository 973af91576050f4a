import type { World } from "../../base/mod.ts";
import type { Flags } from "../../manager/mod.ts";
import type { Board } from "./board.ts";
import type { ManifestFile } from "./manifests.ts";
import type { Place } from "./place.ts";
import type { View } from "./views.ts";

/** What `dev` runs with. */
export interface DevOptions {
  readonly world: World;
  readonly flags: Flags;
  readonly place: Place;
  /** What to apply; an example if there is none. */
  readonly manifests: readonly ManifestFile[];
  readonly board: Board;
  readonly view: View;
  /** Aborted by whoever ends it: a signal of the operating system, or what runs. */
  readonly ended: AbortController;
}
