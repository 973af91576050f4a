import { assertEquals } from "@std/assert";
import { FakeWorld, MemoryLogger } from "../../../../src/base/mod.ts";
import type { EndpointSlice } from "../../../../src/api/mod.ts";
import { DeletedFinalStateUnknown } from "../../../../src/cache/mod.ts";
import {
  MANAGED_BY_LABEL,
  SERVICE_NAME_LABEL,
  sliceHandler,
  WrittenSlices,
} from "../../../../src/controllers/endpoint_slices/mod.ts";
import { WorkQueue } from "../../../../src/workqueue/mod.ts";
import { takeKeys } from "../../workqueue/queue_contents.ts";

function slice(
  { service = "web", manager = "me", generation = 1 }: { service?: string; manager?: string; generation?: number } = {},
): EndpointSlice {
  const labels = { ...service && { [SERVICE_NAME_LABEL]: service }, [MANAGED_BY_LABEL]: manager };
  return { metadata: { namespace: "a", name: "x", uid: "u", generation, labels }, addressType: "IPv4" };
}

class Rig {
  readonly world = new FakeWorld();
  readonly log = new MemoryLogger();
  readonly queue = new WorkQueue({ world: this.world });
  readonly written = new WrittenSlices(this.world.clock);
  readonly handler = sliceHandler({ ...this, manager: "me", delayMs: 1000 });

  async queued(): Promise<string> {
    assertEquals(this.queue.length, 0, "not yet");
    await this.world.clock.advance(1000);
    return (await takeKeys(this.queue)).sort().join();
  }
}

Deno.test("sliceHandler: a slice of the controller's that is news to it queues its Service", async () => {
  const rig = new Rig();
  rig.handler.onAdd?.(slice(), false);
  assertEquals(await rig.queued(), "a/web");
  rig.handler.onUpdate?.(slice(), slice({ generation: 2 }));
  assertEquals(await rig.queued(), "a/web");
  rig.handler.onAdd?.(slice({ manager: "somebody" }), false);
  assertEquals(await rig.queued(), "");
});

Deno.test("sliceHandler: a slice that was given to another Service, or to or by another manager, queues the Services", async () => {
  const rig = new Rig();
  rig.written.wrote(slice());
  rig.handler.onUpdate?.(slice(), slice({ service: "other" }));
  assertEquals(await rig.queued(), "a/other,a/web");
  rig.handler.onUpdate?.(slice({ manager: "somebody" }), slice());
  assertEquals(await rig.queued(), "a/web");
  rig.handler.onUpdate?.(slice(), slice({ manager: "somebody" }));
  assertEquals(await rig.queued(), "a/web");
});

Deno.test("sliceHandler: a slice that something else deleted queues its Service", async () => {
  const rig = new Rig();
  rig.written.wrote(slice());
  rig.handler.onDelete?.(new DeletedFinalStateUnknown("a/x", slice()));
  assertEquals(await rig.queued(), "a/web");
});

Deno.test("sliceHandler: what the controller wrote itself queues nothing", async () => {
  const rig = new Rig();
  rig.written.wrote(slice({ generation: 2 }));
  rig.handler.onAdd?.(slice(), false);
  rig.handler.onUpdate?.(slice(), slice({ generation: 2 }));
  rig.written.deleted(slice());
  rig.handler.onDelete?.(slice());
  rig.handler.onDelete?.(new DeletedFinalStateUnknown<EndpointSlice>("a/x", undefined));
  assertEquals(await rig.queued(), "");
});

Deno.test("sliceHandler: a slice of no Service is logged and queues nothing", async () => {
  const rig = new Rig();
  rig.handler.onAdd?.(slice({ service: "" }), false);
  assertEquals(await rig.queued(), "");
  assertEquals(rig.log.lines.length, 1);
});
