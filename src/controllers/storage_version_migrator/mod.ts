import { defineController } from "../running/mod.ts";
import { buildStorageVersionMigrator, NAME, QUEUES } from "./controller.ts";

const GATE = "StorageVersionMigrator";

/** Rewrites objects in the current storage version. Upstream: `pkg/controller/storageversionmigrator`. */
export const STORAGE_VERSION_MIGRATOR_CONTROLLER = defineController({
  name: NAME,
  aliases: ["svm"],
  gates: [GATE, "InformerResourceVersion"],
  queues: Object.values(QUEUES),
  objections: (_, { values, gates }) =>
    gates.has(GATE) && values["garbage-collector-controller"]?.isEnabled === false
      ? [
        `storage version migrator requires garbage collector: --feature-gates=${GATE}=true needs --enable-garbage-collector`,
      ]
      : [],
  build: buildStorageVersionMigrator,
});
