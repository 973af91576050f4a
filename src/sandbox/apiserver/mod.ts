/** An embedded API server: Kubernetes v1.36 in this process, for development and tests. */
export { type Fault, type FaultHandle, Faults } from "./faults/mod.ts";
export { answerError, answerJson, type AnswerOptions, type Verb } from "./requests/mod.ts";
export type { AggregatedService } from "./resources/mod.ts";
export type { AuthenticatorOptions, ClientCertificate } from "./authentication/mod.ts";
export { ApiError, badRequest, methodNotAllowed, notFound, pathNotFound, type Subject } from "./base/mod.ts";
export { isKnownGate, type ServerOptions } from "./traits/mod.ts";
export { ApiServer, type ApiServerOptions, createApiServer } from "./server.ts";
export type { WatchEnd, WatchFilter } from "./reads/mod.ts";
export type { WebhookHandler, WebhookPeer, WebhookTransport } from "./operations/mod.ts";
export type { Backend, Entry, Facts, KeyRange, StoredObject, StoreEvent } from "../storage/mod.ts";
export type { BootstrapOptions } from "./bootstrap/mod.ts";
export type { GateOptions } from "./gate.ts";
