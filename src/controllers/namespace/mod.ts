import { KUBERNETES_FINALIZER } from "../../api/mod.ts";
import { defineController, notPositive } from "../running/mod.ts";
import { buildNamespaceController, NAME } from "./controller.ts";

/**
 * Empties and finalizes namespaces that are being deleted. Upstream:
 * `pkg/controller/namespace/namespace_controller.go`.
 */
export const NAMESPACE_CONTROLLER = defineController({
  name: NAME,
  aliases: ["namespace"],
  group: "garbage",
  queues: ["namespace"],
  finalizers: { [KUBERNETES_FINALIZER]: "the namespace is empty and every API group could be asked" },
  options: {
    syncPeriodMs: {
      flag: "namespace-sync-period",
      type: "duration",
      default: "5m0s",
      help: "How often to check all namespaces again",
      configz: "NamespaceController.NamespaceSyncPeriod",
      objection: notPositive,
    },
    workers: {
      flag: "concurrent-namespace-syncs",
      type: "int32",
      default: 10,
      help: "Namespaces to empty at the same time",
      configz: "NamespaceController.ConcurrentNamespaceSyncs",
      objection: notPositive,
    },
  },
  build: buildNamespaceController,
});
