import { assertEquals, assertStringIncludes } from "@std/assert";
import { LEASES, PODS } from "../../../src/api/mod.ts";
import { Deferred, FakeWorld, MetricsRegistry } from "../../../src/base/mod.ts";
import { clientsOf } from "../../../src/cli/process_clients.ts";
import { managerFlags, managerOptions } from "../../../src/manager/mod.ts";

Deno.test("clientsOf: lines of groups go to stderr whole, and one that cannot be written throws nothing", () => {
  const options = managerOptions(managerFlags([]));
  const world = new FakeWorld();
  const { log } = clientsOf(world, { config: { server: "http://127.0.0.1" }, options })(
    () => true,
    new MetricsRegistry(),
  );
  const written: string[] = [];
  const { writeSync } = Deno.stderr;
  let isBroken = false;
  Deno.stderr.writeSync = (bytes) => {
    if (isBroken) throw new Deno.errors.BrokenPipe("nobody reads");
    written.push(new TextDecoder().decode(bytes));
    return bytes.length;
  };
  try {
    log("a line\n");
    isBroken = true;
    log("nobody reads this\n");
    isBroken = false;
    log("another\n");
  } finally {
    Deno.stderr.writeSync = writeSync;
  }
  assertEquals(written, ["a line\n", "another\n"]);
});

Deno.test("clientsOf: the lease's requests wait behind no others, however many are in flight", async () => {
  let held = 0;
  const inFlight = new Deferred();
  const answer = new Deferred();
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, async ({ url }) => {
    if (url.includes("/leases/")) return Response.json({ metadata: { namespace: "kube-system", name: "it" } });
    if (++held === 40) inFlight.resolve();
    await answer.promise;
    return new Response();
  });
  const metrics = new MetricsRegistry();
  const config = { server: `http://127.0.0.1:${server.addr.port}` };
  const options = managerOptions(managerFlags(["--kube-api-burst=100"]));
  const { controllers, election } = clientsOf(new FakeWorld(), { config, options })(() => true, metrics);
  const stop = new AbortController();
  const client = controllers.client("busy");
  const others = Array.from(
    { length: 46 },
    (_, i) => client.get(PODS, { namespace: "default", name: `web-${i}` }, { signal: stop.signal }),
  );
  await inFlight.promise;
  assertStringIncludes(metrics.render(), "\nkubeloop_api_server_requests_waiting 6\n");
  const lease = await election.get(LEASES, { namespace: "kube-system", name: "it" });
  assertEquals([lease.metadata?.name, held], ["it", 40]);
  stop.abort();
  await Promise.allSettled(others);
  answer.resolve();
  await server.shutdown();
});
