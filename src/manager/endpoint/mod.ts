/** The HTTPS endpoint of a manager: who may ask, and what is answered. */
export { type Endpoint, type EndpointClients, type EndpointOptions, serveEndpoint } from "./endpoint.ts";
export { HealthRecord } from "./health_record.ts";
export { osReason } from "./file_text.ts";
