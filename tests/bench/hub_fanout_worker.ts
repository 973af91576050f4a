/** A group of the fan-out bench: takes frames from the hub. */
/// <reference lib="deno.worker" />
import { createLogger } from "../../src/log/mod.ts";
import { systemWorld } from "../../src/base/mod.ts";
import { PODS } from "../../src/api/mod.ts";
import type { GroupCommand } from "../../src/manager/groups/group_messages.ts";
import { HubClient, type HubMessage } from "../../src/manager/hub/mod.ts";
import type { Replacement } from "../../src/watch/mod.ts";

const world = systemWorld(createLogger({ format: "text", verbosity: 0, pid: 0, write: () => {} }));
const hub = new HubClient(world, { postMessage: (message) => self.postMessage([message]) });
const replacement: Replacement = { events: () => {}, commit: () => {}, abort: () => {} };
void hub.source({ resource: PODS }).run({
  beginReplace: () => replacement,
  events: () => {},
  bookmark: () => {},
}, new AbortController().signal);

self.onmessage = ({ data }: MessageEvent<readonly GroupCommand[]>) => {
  for (const message of data) hub.receive(message as HubMessage);
};
