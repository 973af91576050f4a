/** A cloud provider that calls the user's endpoint. */
export { WEBHOOK_PROVIDER } from "./factory.ts";
