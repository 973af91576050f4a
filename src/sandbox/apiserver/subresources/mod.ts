/** Subresources other than views of their object. */
export { handleBinding } from "./binding.ts";
export { handleEviction } from "./eviction.ts";
export { handleLog } from "./log.ts";
export { handleScale } from "./scale.ts";
export { handleToken } from "./token_request.ts";
