import { defineController } from "../running/mod.ts";

/** Cleans StorageVersions of API servers that are gone. Not implemented yet. Upstream: `pkg/controller/storageversiongc`. */
export const STORAGEVERSION_GARBAGE_COLLECTOR_CONTROLLER = defineController({
  name: "storageversion-garbage-collector-controller",
  aliases: ["storage-version-gc"],
  clientName: "storage-version-garbage-collector",
  gates: ["APIServerIdentity", "StorageVersionAPI"],
});
