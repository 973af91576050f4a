/** What simulated nodes and the scheduler have to agree on: room, ports, and how events are written. */
export * from "./host_ports.ts";
export * from "./node_room.ts";
export * from "./plain_events.ts";
export * from "./series_events.ts";
