import { defineController } from "../running/mod.ts";

/** Writes objects anew in the version that they are stored in. Not implemented yet. Upstream: `pkg/controller/storageversionmigrator`. */
export const STORAGE_VERSION_MIGRATOR_CONTROLLER = defineController({
  name: "storage-version-migrator-controller",
  aliases: ["svm"],
});
