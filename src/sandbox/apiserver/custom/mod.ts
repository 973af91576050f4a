/** Custom resources: the compiled schemas of their definitions. */
export { Findings, reportFindings } from "./checks.ts";
export { compileSchema } from "./compile.ts";
export { EmbeddedError, readEmbedded, validateEmbedded } from "./embedded.ts";
export { isKnownFormat } from "./formats.ts";
export { PatternError } from "./pattern_error.ts";
export { compilePattern } from "./patterns.ts";
export { prune } from "./prune.ts";
export { replicasAt, type ScalePaths, setReplicas, textAt } from "./scale_paths.ts";
export { isSchema, type Structural, structuralOf } from "./structural.ts";
export { CustomVersion } from "./version.ts";
