/** Keeps the server's own objects current: definitions, APIServices, events. */
export { Aggregator } from "./aggregator.ts";
export { serveApiServices } from "./api_services.ts";
export { DefinitionController } from "./definition_controller.ts";
export { expireEvents } from "./event_expiry.ts";
