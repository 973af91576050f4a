/** The OpenAPI documents of what is served. */
export { serveOpenApi } from "./serve.ts";
export { serveOpenApiV2 } from "./version_two.ts";
