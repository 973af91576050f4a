import { assertEquals } from "@std/assert";
import { FakeWorld } from "../../../src/base/mod.ts";
import { type Lease, LEASES } from "../../../src/api/mod.ts";
import { Client } from "../../../src/client/mod.ts";
import { LeaseReleases } from "../../../src/election/mod.ts";
import { createApiServer } from "../../../src/sandbox/mod.ts";

const lease = (name: string, holderIdentity: string): Lease => ({
  apiVersion: "coordination.k8s.io/v1",
  kind: "Lease",
  metadata: { namespace: "kube-system", name },
  spec: { holderIdentity, leaseDurationSeconds: 15 },
});

Deno.test("LeaseReleases.next resolves when the Lease is seen to lose its holder, or to be deleted, after the call", async () => {
  const world = new FakeWorld();
  const apiServer = createApiServer({ world });
  const client = new Client({
    world,
    transport: (r) => apiServer.fetch(r),
    server: "http://127.0.0.1",
    userAgent: "test",
  });
  await client.create(LEASES, lease("watched", "a"));
  await client.create(LEASES, lease("other", "a"));
  const releases = new LeaseReleases({ world, client, namespace: "kube-system", name: "watched" });
  const stop = new AbortController();
  const running = releases.run(stop.signal);
  await world.clock.advance(1_000);

  let released = 0;
  const expectNext = () => void releases.next().then(() => released++);
  const write = async (name: string, holderIdentity: string) => {
    await client.patch(LEASES, { namespace: "kube-system", name }, {
      type: "merge",
      body: { spec: { holderIdentity } },
    });
    await world.clock.advance(1_000);
  };
  expectNext();
  await write("watched", "b");
  assertEquals(released, 0, "another holder is no release");
  await write("other", "");
  assertEquals(released, 0, "another Lease is of no interest");
  await write("watched", "");
  assertEquals(released, 1);
  await write("watched", "c");
  expectNext();
  await client.delete(LEASES, { namespace: "kube-system", name: "watched" });
  await world.clock.advance(1_000);
  assertEquals(released, 2);

  stop.abort();
  await running;
  apiServer.close();
});

Deno.test("LeaseReleases: onSeen hears of the Lease as it is at first and after each change, and of its deletion", async () => {
  const world = new FakeWorld();
  const apiServer = createApiServer({ world });
  const client = new Client({
    world,
    transport: (r) => apiServer.fetch(r),
    server: "http://127.0.0.1",
    userAgent: "test",
  });
  const seen: (string | undefined)[] = [];
  await client.create(LEASES, lease("watched", "a"));
  const onSeen = (now: Lease | undefined) => seen.push(now ? now.spec?.holderIdentity : "gone");
  const releases = new LeaseReleases({ world, client, namespace: "kube-system", name: "watched", onSeen });
  const stop = new AbortController();
  const running = releases.run(stop.signal);
  await world.clock.advance(1000);
  assertEquals(seen, ["a"]);
  const ref = { namespace: "kube-system", name: "watched" };
  await client.patch(LEASES, ref, { type: "merge", body: { spec: { holderIdentity: "b" } } });
  await client.create(LEASES, lease("other", "c"));
  await client.delete(LEASES, ref);
  await world.clock.advance(1000);
  assertEquals(seen, ["a", "b", "gone"]);
  stop.abort();
  await running;
  apiServer.close();
});

Deno.test("LeaseReleases: it is a hint: without the right to watch it says nothing, and ends like any other", async () => {
  const world = new FakeWorld();
  const forbidden = { kind: "Status", apiVersion: "v1", status: "Failure", reason: "Forbidden", code: 403 };
  const transport = () => Promise.resolve(Response.json(forbidden, { status: 403 }));
  const client = new Client({ world, transport, server: "http://127.0.0.1", userAgent: "test" });
  const releases = new LeaseReleases({ world, client, namespace: "kube-system", name: "watched" });
  const stop = new AbortController();
  const running = releases.run(stop.signal);
  let isReleased = false;
  void releases.next().then(() => isReleased = true);
  await world.clock.advance(60_000);
  assertEquals(isReleased, false);
  stop.abort();
  await running;
});
