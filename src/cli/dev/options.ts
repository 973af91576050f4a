import type { World } from "../../base/mod.ts";
import type { Flags } from "../../manager/mod.ts";
import type { Board } from "./board.ts";
import type { ManifestFile } from "./manifests.ts";
import type { Place } from "./place.ts";
import type { View } from "./views.ts";

/** Options of `dev`. */
export interface DevOptions {
  readonly world: World;
  readonly flags: Flags;
  readonly place: Place;
  /** The manifests to apply; an example if there are none. */
  readonly manifests: readonly ManifestFile[];
  readonly board: Board;
  readonly view: View;
  /** Aborted to end everything: by a signal of the operating system, or by a part that fails. */
  readonly ended: AbortController;
}
