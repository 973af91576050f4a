/** From frames to a store that everybody reads, and handlers that hear of each change. */
export * from "./consistency_store.ts";
export type * from "./delta.ts";
export { type DeltaConsumer, DeltaFifo, type ReplaceOptions } from "./delta_fifo.ts";
export * from "./event_handler.ts";
export type * from "./frame_source.ts";
export type { HandlerOptions, HandlerRegistration } from "./handler_registration.ts";
export type { IndexErrorHandler, Indexers, IndexFunction } from "./index_table.ts";
export * from "./indexer.ts";
export * from "./informer_factory.ts";
export * from "./lister.ts";
export * from "./mutation_cache.ts";
export * from "./projection.ts";
export * from "./shared_indexes.ts";
export * from "./shared_informer.ts";
export type { StoreContent } from "./store_content.ts";
export * from "./tombstone.ts";
export { waitForCacheSync, waitForNamedCacheSync } from "./wait_for_cache_sync.ts";
export type { NamedWait, Syncing } from "./wait_for_cache_sync.ts";
