/** The OpenAPI documents of the server. */
export { serveOpenApi } from "./serve.ts";
export { serveOpenApiV2 } from "./version_two.ts";
