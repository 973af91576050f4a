import { assertEquals, assertRejects } from "@std/assert";
import { type Secret, SECRETS } from "../../../../src/api/mod.ts";
import { tokenHandler } from "../../../../src/controllers/token_cleaner/handlers.ts";
import { syncToken } from "../../../../src/controllers/token_cleaner/sync.ts";
import { WorkQueue } from "../../../../src/workqueue/mod.ts";
import { base64, Rig } from "../token_secrets/rig.ts";

const KEY = "kube-system/bootstrap-token-abc123";
const DELETE = "DELETE secrets/bootstrap-token-abc123";
const HOUR_MS = 3_600_000;

function token(expiration: string | undefined): Secret {
  return {
    metadata: { namespace: "kube-system", name: "bootstrap-token-abc123", uid: "1" },
    type: "bootstrap.kubernetes.io/token",
    data: base64({ expiration }),
  };
}

async function setUp(secrets: readonly Secret[]) {
  const rig = new Rig();
  const queue = new WorkQueue({ world: rig.world });
  const lister = await rig.cached(SECRETS, secrets);
  const sync = () => syncToken(KEY, { world: rig.world, client: rig.client, secrets: lister, queue });
  return { rig, queue, sync };
}

Deno.test("syncToken deletes tokens that have expired, and looks again at those that will", async () => {
  const rows: readonly [string | undefined, "kept" | "deleted" | "waits"][] = [
    [undefined, "kept"],
    ["", "kept"],
    ["2025-12-31T23:00:00Z", "deleted"],
    ["0001-01-01T00:00:00Z", "deleted"],
    ["garbage", "deleted"],
    ["2030-01-01", "deleted"],
    ["2026-01-01T01:00:00Z", "waits"],
    ["2026-03-02T00:00:00Z", "waits"],
    ["9999-12-31T23:59:59Z", "waits"],
  ];
  for (const [expiration, fate] of rows) {
    const { rig, queue, sync } = await setUp([token(expiration)]);
    using _ = rig;
    await sync();
    assertEquals(rig.requests, fate === "deleted" ? [DELETE] : [], expiration);
    if (fate === "deleted") assertEquals((rig.bodies[0] as { preconditions: object }).preconditions, { uid: "1" });
    assertEquals([queue.length, queue.delayed], [0, fate === "waits" ? 1 : 0], expiration);
    queue.shutDown();
  }
});

Deno.test("syncToken: a token is looked at again when it expires", async () => {
  const { rig, queue, sync } = await setUp([token("2026-01-01T00:00:02Z")]);
  using _ = rig;
  await sync();
  await rig.world.clock.advance(1_999);
  assertEquals(queue.length, 0);
  await rig.world.clock.advance(1);
  assertEquals(queue.length, 1);
  await sync();
  assertEquals(rig.requests, [DELETE]);
  queue.shutDown();
});

Deno.test("syncToken: a token that expires far in the future is looked at once an hour, and not deleted", async () => {
  for (const expiration of ["2026-03-02T00:00:00Z", "9999-12-31T23:59:59Z"]) {
    const { rig, queue, sync } = await setUp([token(expiration)]);
    using _ = rig;
    await sync();
    for (let looks = 0; looks < 5; looks++) {
      await rig.world.clock.advance(HOUR_MS - 1);
      assertEquals(queue.length, 0);
      await rig.world.clock.advance(1);
      assertEquals((await queue.get())?.key, KEY);
      queue.done(KEY);
      await sync();
    }
    assertEquals(rig.requests, []);
    queue.shutDown();
    assertEquals(rig.world.clock.pendingTimers, 0);
  }
});

Deno.test("syncToken: a token that changed or is gone meanwhile is not a failure, any other refusal is", async () => {
  for (const [code, fails] of [[409, false], [404, false], [500, true]] as const) {
    const { rig, sync } = await setUp([token("garbage")]);
    using _ = rig;
    rig.server.faults.add({ verb: "delete", status: { code } });
    if (fails) await assertRejects(sync);
    else await sync();
  }
});

Deno.test("syncToken: a Secret of another type or namespace is left alone, even if a server sends it", async () => {
  const { type: _type, ...untyped } = token("garbage");
  const elsewhere = { ...token("garbage"), metadata: { ...token("").metadata, namespace: "default" } };
  for (const secret of [{ ...untyped, type: "Opaque" }, elsewhere]) {
    using rig = new Rig();
    const secrets = { get: () => secret };
    const queue = new WorkQueue({ world: rig.world });
    await syncToken(KEY, { world: rig.world, client: rig.client, secrets, queue });
    assertEquals([rig.requests, queue.delayed], [[], 0]);
  }
});

Deno.test("syncToken: a token that is gone from the cache is forgotten", async () => {
  const { rig, sync } = await setUp([]);
  using _ = rig;
  await sync();
  assertEquals(rig.requests, []);
});

Deno.test("tokenHandler of the cleaner: a token is queued when it comes and when it changes, not when it goes", () => {
  const keys: string[] = [];
  const handler = tokenHandler({ add: (key) => void keys.push(key) });
  handler.onAdd?.(token(""), true);
  handler.onUpdate?.(token(""), token(""));
  handler.onDelete?.(token(""));
  assertEquals(keys, [KEY, KEY]);
});
