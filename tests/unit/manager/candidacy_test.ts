import { assertEquals } from "@std/assert";
import { Deferred, FakeWorld } from "../../../src/base/mod.ts";
import { LEASES } from "../../../src/api/mod.ts";
import { Client } from "../../../src/client/mod.ts";
import { LeaseLock } from "../../../src/election/mod.ts";
import { Candidacy } from "../../../src/manager/candidacy.ts";
import { createApiServer } from "../../../src/sandbox/mod.ts";

const LEASE = { namespace: "default", name: "l" };

/** Candidates for one lease; the work of each ends as its test says. */
function setUp() {
  const world = new FakeWorld();
  const api = createApiServer({ world });
  const transport = (request: Request) => api.fetch(request);
  const client = new Client({ world, transport, server: "http://api", userAgent: "test" });
  const holder = async () => (await client.get(LEASES, LEASE)).spec?.holderIdentity;
  const candidate = (identity: string) => {
    const work = new Deferred<boolean>();
    const stop = new AbortController();
    const candidacy = new Candidacy({
      world,
      lock: new LeaseLock({ ...LEASE, client, identity }),
      leaseDurationMs: 15_000,
      renewDeadlineMs: 10_000,
      retryPeriodMs: 2000,
      releaseOnCancel: true,
      lead: () => work.promise,
    });
    let end: string | undefined;
    void candidacy.run(stop.signal).then((value) => end = value);
    return { candidacy, work, stop, end: () => end };
  };
  return { world, api, holder, candidate };
}

Deno.test("Candidacy: a waiting candidate ends when told to stop; a leader ends when its work has finished cleanly, and only then releases the lease", async () => {
  const { world, api, holder, candidate } = setUp();
  const leader = candidate("leader");
  await world.clock.advance(3000);
  const standby = candidate("standby");
  await world.clock.advance(3000);
  assertEquals([leader.candidacy.hasLed, standby.candidacy.hasLed, await holder()], [true, false, "leader"]);
  standby.stop.abort();
  leader.stop.abort();
  await world.clock.advance(30_000);
  assertEquals([leader.end(), standby.end(), await holder()], [undefined, "stopped", "leader"]);
  leader.work.resolve(true);
  await world.clock.advance(3000);
  assertEquals([leader.end(), await holder(), leader.candidacy.ended.aborted], ["stopped", "", true]);
  api.close();
  assertEquals(world.clock.pendingTimers, 0);
});

for (const how of ["work that did not end well", "fail"]) {
  Deno.test(`Candidacy: after work that did not end well, or fail, it ends at once and holds the lease: ${how}`, async () => {
    const { world, api, holder, candidate } = setUp();
    const leader = candidate("leader");
    await world.clock.advance(3000);
    if (how === "fail") leader.candidacy.fail();
    else leader.work.resolve(false);
    await world.clock.advance(0);
    assertEquals([leader.end(), await holder()], ["failed", "leader"]);
    leader.candidacy.end();
    await world.clock.advance(30_000);
    assertEquals(await holder(), "leader");
    api.close();
  });
}
