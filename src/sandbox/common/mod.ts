/** What simulated nodes, storage and the scheduler share: capacity, ports, events, delayed work. */
export { DelayedActions } from "./delayed_actions.ts";
export * from "./host_ports.ts";
export * from "./node_room.ts";
export * from "./plain_events.ts";
export * from "./series_events.ts";
