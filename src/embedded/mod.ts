/** A whole cluster in one process. */
export * from "./local_cluster.ts";
