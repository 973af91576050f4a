/** One watch per resource for all controller groups of a process. */
export { HubClient } from "./hub_client.ts";
export type { HubMessage, Poster, SubscriberMessage, Topic } from "./messages.ts";
export { type HubConnection, WatchHub, type WatchHubOptions } from "./watch_hub.ts";
