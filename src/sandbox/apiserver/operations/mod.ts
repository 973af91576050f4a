/** A write: its parameters and its object. */
export { type Admission, type Commit, EVERY_KIND, EVERY_MOMENT, type Moment, refusal, type Rule } from "./plugin.ts";
export { canonicalise, decodeObject, decodeRequest, targetOf, toStored } from "./decode.ts";
export * from "./operation.ts";
export { type WebhookHandler, type WebhookPeer, WebhookRoutes, type WebhookTransport } from "./transport.ts";
