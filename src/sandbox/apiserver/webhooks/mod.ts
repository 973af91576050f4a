/** Webhooks: which are called for a write, how, and what their answers do. */
export { withWebhooks } from "./asking.ts";
export { askAboutPosted } from "./posted.ts";
