import { unpackFrames } from "../../../../src/manager/hub/frame_batch.ts";
import type { HubMessage } from "../../../../src/manager/hub/mod.ts";
import { JsonFrameScanner, type WatchFrame } from "../../../../src/watch/mod.ts";

/** What a subscriber is sent, in words. */
export function inWords(message: HubMessage): string {
  switch (message.what) {
    case "frames": {
      const frames = unpackFrames(message.batch).map(({ type, resourceVersion }) => `${type}@${resourceVersion}`);
      return `${message.isReplacement ? "list" : "live"} ${frames.join(" ")}`;
    }
    case "commit":
    case "bookmark":
      return `${message.what} ${message.resourceVersion}`;
    case "begin":
      return "begin";
  }
}

/** An event of a watch. */
export function frame(type: string, resourceVersion: number, data?: string): WatchFrame {
  const frames: WatchFrame[] = [];
  const object = { metadata: { name: "a", resourceVersion: String(resourceVersion) }, data };
  new JsonFrameScanner({ resource: "pods" }).push(new TextEncoder().encode(JSON.stringify({ type, object })), frames);
  return frames[0];
}
