/** A manager's HTTPS endpoint: authentication, authorization and pages. */
export { type Endpoint, type EndpointClients, type EndpointOptions, serveEndpoint } from "./endpoint.ts";
export { HealthRecord } from "./health_record.ts";
export { osReason } from "./file_text.ts";
