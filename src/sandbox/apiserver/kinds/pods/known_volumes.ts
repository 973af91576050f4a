import type { Volume } from "../../../../api/mod.ts";

/** Volumes that mounts can refer to: those that are right. */
export type KnownVolumes = ReadonlyMap<string, Volume>;
