/** What is served, as clients find it out. */
export { contentHash } from "./digest.ts";
export { serveDiscovery } from "./serve.ts";
