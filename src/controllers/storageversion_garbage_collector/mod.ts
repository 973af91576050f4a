import { defineController } from "../running/mod.ts";
import { buildStorageVersionCollector, CLIENT_NAME, NAME, QUEUES } from "./controller.ts";

/** Removes the entries of deleted API servers from StorageVersions. Upstream: `pkg/controller/storageversiongc`. */
export const STORAGEVERSION_GARBAGE_COLLECTOR_CONTROLLER = defineController({
  name: NAME,
  aliases: ["storage-version-gc"],
  clientName: CLIENT_NAME,
  gates: ["APIServerIdentity", "StorageVersionAPI"],
  queues: Object.values(QUEUES),
  build: buildStorageVersionCollector,
});
