/** An embedded API server: Kubernetes v1.36 in this process, for development and tests. */
export * from "./faults/mod.ts";
export { answerError, answerJson } from "./answers.ts";
export type { AggregatedService } from "./aggregation.ts";
export type { ClientCertificate } from "./authentication/mod.ts";
export { ApiError, badRequest, methodNotAllowed, notFound, pathNotFound } from "./errors.ts";
export * from "./server.ts";
export type { WatchEnd, WatchFilter } from "./watches.ts";
export type { WebhookHandler, WebhookPeer, WebhookTransport } from "./webhooks/mod.ts";
