/** Hetzner Cloud. */
export { HCLOUD } from "./provider.ts";
