import { FOREGROUND_DELETION_FINALIZER, ORPHAN_FINALIZER } from "../../api/mod.ts";
import { defineController, notPositive } from "../running/mod.ts";
import { buildGarbageCollector, CLIENT_NAME, NAME } from "./controller.ts";

export { GarbageCollector, type GarbageCollectorOptions } from "./controller.ts";
export { Graph, type GraphView, type NodeView } from "./graph.ts";
export { GRAPHVIZ_CONTENT_TYPE, graphvizText } from "./graphviz.ts";

/** Deletes objects whose owners are gone. Upstream: `pkg/controller/garbagecollector`. */
export const GARBAGE_COLLECTOR_CONTROLLER = defineController({
  name: NAME,
  aliases: ["garbagecollector"],
  clientName: CLIENT_NAME,
  group: "garbage",
  queues: [
    "garbage_collector_attempt_to_delete",
    "garbage_collector_attempt_to_orphan",
    "garbage_collector_graph_changes",
  ],
  finalizers: {
    [FOREGROUND_DELETION_FINALIZER]: "no dependent with blockOwnerDeletion exists any more",
    [ORPHAN_FINALIZER]: "its dependents do not name it as their owner any more",
  },
  options: {
    isEnabled: {
      flag: "enable-garbage-collector",
      type: "bool",
      default: true,
      help: "Run the garbage collector; must have the same value as kube-apiserver's flag",
      configz: "GarbageCollectorController.EnableGarbageCollector",
    },
    workers: {
      flag: "concurrent-gc-syncs",
      type: "int32",
      default: 20,
      help: "Objects the garbage collector processes at the same time",
      configz: "GarbageCollectorController.ConcurrentGCSyncs",
      objection: notPositive,
    },
    ignored: {
      fixed: [{ Group: "", Resource: "events" }, { Group: "events.k8s.io", Resource: "events" }],
      configz: "GarbageCollectorController.GCIgnoredResources",
    },
  },
  metrics: ["garbagecollector_controller_resources_sync_error_total"],
  build: buildGarbageCollector,
});
