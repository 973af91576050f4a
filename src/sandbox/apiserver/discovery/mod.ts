/** Discovery: tells clients what is served. */
export { contentHash } from "./digest.ts";
export { serveDiscovery } from "./serve.ts";
