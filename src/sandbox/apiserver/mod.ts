/** An embedded API server: Kubernetes v1.36 in this process, for development and tests. */
export { type Fault, type FaultHandle, Faults } from "./faults/mod.ts";
export { answerError, answerJson } from "./requests/mod.ts";
export { type AggregatedService } from "./resources/mod.ts";
export { type ClientCertificate } from "./authentication/mod.ts";
export { ApiError, badRequest, methodNotAllowed, notFound, pathNotFound } from "./base/mod.ts";
export { ApiServer, type ApiServerOptions, createApiServer } from "./server.ts";
export { type WatchEnd, type WatchFilter } from "./reads/mod.ts";
export { type WebhookHandler, type WebhookPeer, type WebhookTransport } from "./operations/mod.ts";
