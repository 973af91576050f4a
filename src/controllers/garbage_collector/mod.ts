/** The garbage-collector-controller: deletes objects whose owners are gone. */
export { GARBAGE_COLLECTOR_CONTROLLER, GarbageCollector, type GarbageCollectorOptions } from "./controller.ts";
export { Graph, type GraphView, type NodeView } from "./graph.ts";
export { GRAPHVIZ_CONTENT_TYPE, graphvizText } from "./graphviz.ts";
