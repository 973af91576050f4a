/** A cloud provider that the user runs beside. */
export { WEBHOOK_PROVIDER } from "./factory.ts";
