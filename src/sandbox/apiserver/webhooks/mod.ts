/** Webhooks: who asks them about a write, how they are asked, and what becomes of their answers. */
export { withWebhooks } from "./asking.ts";
export { askAboutPosted } from "./posted.ts";
