/** An embedded API server: Kubernetes v1.36 in this process, for development and tests. */
export { type Fault, type FaultHandle, Faults } from "./faults/mod.ts";
export { answerError, answerJson } from "./requests/mod.ts";
export { type AggregatedService } from "./resources/mod.ts";
export { type ClientCertificate } from "./authentication/mod.ts";
export { ApiError, badRequest, methodNotAllowed, notFound, pathNotFound } from "./base/mod.ts";
export { isKnownGate } from "./traits/mod.ts";
export { ApiServer, type ApiServerOptions, createApiServer } from "./server.ts";
export { type WatchEnd, type WatchFilter } from "./reads/mod.ts";
export { type WebhookHandler, type WebhookPeer, type WebhookTransport } from "./operations/mod.ts";
export type { AnswerOptions, Verb } from "./requests/mod.ts";
export type { Backend, StoreEvent } from "../storage/mod.ts";
export type { BootstrapOptions } from "./bootstrap/mod.ts";
export type { GateOptions } from "./gate.ts";
export type { ServerOptions } from "./traits/mod.ts";
export type { Subject } from "./base/mod.ts";
export type { AuthenticatorOptions } from "./authentication/mod.ts";
export type { Entry, Facts, KeyRange, StoredObject } from "../storage/mod.ts";
