import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { decodeBase64 } from "@std/encoding/base64";
import { connect } from "node:net";
import { setImmediate } from "node:timers";
import { kubeconfigText, serveApiServer } from "../../../../src/sandbox/mod.ts";
import type { Servable } from "../../../../src/sandbox/serving/node_server.ts";
import { DelayedActions } from "../../../../src/sandbox/common/delayed_actions.ts";
import { FakeWorld } from "../../../../src/base/mod.ts";
import { CONFIG_MAPS, Harness, PODS, WatchReader } from "../apiserver/harness.ts";

Deno.test("serveApiServer answers over HTTP and ends watches when closed", async () => {
  using api = new Harness();
  const served = await serveApiServer({ apiServer: api.server });
  const body = JSON.stringify({ metadata: { name: "a" } });
  const created = await fetch(served.url + CONFIG_MAPS, {
    method: "POST",
    body,
    headers: { "content-type": "application/json" },
  });
  assertEquals([created.status, (await created.json()).kind], [201, "ConfigMap"]);
  const watch = new WatchReader(await fetch(`${served.url}${CONFIG_MAPS}?watch=true`));
  assertEquals(await watch.texts(1), ["ADDED a"]);
  await served.close();
  assertEquals(await watch.next(), undefined);
  assertEquals(api.server.openWatches, 0);
});

Deno.test("serveApiServer breaks the connection off where a fault drops it", async () => {
  using api = new Harness();
  await using served = await serveApiServer({ apiServer: api.server });
  api.server.faults.add({ verb: "list", times: 1, drop: "before" });
  await assertRejects(async () => await (await fetch(served.url + CONFIG_MAPS)).text());
  assertEquals((await (await fetch(served.url + CONFIG_MAPS)).json()).kind, "ConfigMapList");
});

Deno.test("serveApiServer lets go of a watch whose reader has left", async () => {
  using api = new Harness();
  await using served = await serveApiServer({ apiServer: api.server });
  const watch = new WatchReader(await fetch(`${served.url}${CONFIG_MAPS}?watch=true&resourceVersion=1`));
  const first = watch.texts(1);
  await api.post(CONFIG_MAPS, { metadata: { name: "a" } });
  await first;
  await watch.cancel();
  // The server learns of it when it next writes, as soon as the network has told it.
  const giveUpAtMs = performance.now() + 60_000;
  for (let i = 0; api.server.openWatches > 0 && performance.now() < giveUpAtMs; i++) {
    await api.patch(`${CONFIG_MAPS}/a`, { data: { i: String(i) } });
    await api.world.clock.nextTurn();
  }
  assertEquals(api.server.openWatches, 0);
});

Deno.test("serveApiServer ends although a client left before its answer was made", async () => {
  using api = new Harness();
  const [asked, left] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const late: Servable = {
    closeWatches: () => api.server.closeWatches(),
    serviceAddress: api.server.serviceAddress,
    fetch: async () => {
      asked.resolve();
      await left.promise;
      return new Response("x".repeat(1 << 20));
    },
  };
  const served = await serveApiServer({ apiServer: late });
  const socket = connect(Number(new URL(served.url).port), "127.0.0.1");
  socket.write("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
  await asked.promise;
  const gone = new Promise((resolve) => socket.once("close", resolve));
  socket.resetAndDestroy();
  await gone;
  // Until the server has heard of it, too.
  for (let turns = 0; turns < 100; turns++) await new Promise((resolve) => setImmediate(resolve));
  left.resolve();
  await served.close();
});

Deno.test("serveApiServer says in its own words that it has no exec, also to who wants to upgrade a connection", async () => {
  using api = new Harness();
  await api.account("default");
  await api.post(PODS, { metadata: { name: "a" }, spec: { containers: [{ name: "c", image: "i:1" }] } });
  await using served = await serveApiServer({ apiServer: api.server });
  // As kubectl asks over SPDY; a message that is no request of fetch's.
  const head = ["Host: localhost", "Connection: Upgrade", "Upgrade: SPDY/3.1", "Content-Length: 0"].join("\r\n");
  using connection = await Deno.connect({ hostname: "127.0.0.1", port: Number(new URL(served.url).port) });
  await connection.write(new TextEncoder().encode(`POST ${PODS}/a/exec?command=ls HTTP/1.1\r\n${head}\r\n\r\n`));
  let answer = "";
  for await (const bytes of connection.readable) {
    answer += new TextDecoder().decode(bytes);
    if (answer.includes('"code":501')) break;
  }
  assertStringIncludes(answer, "HTTP/1.1 501 Not Implemented");
  assertStringIncludes(answer, String.raw`the subresource \"exec\" is not simulated by this server`);
});

Deno.test("serveApiServer refuses over HTTP what another site's web page may have sent", async () => {
  using api = new Harness();
  await using served = await serveApiServer({ apiServer: api.server });
  const { host, port } = new URL(served.url);
  const ask = async (headers: Record<string, string>) => {
    const body = JSON.stringify({ metadata: { generateName: "a-" } });
    const lines = Object.entries({ Connection: "close", ...headers }).map(([name, value]) => `${name}: ${value}`);
    const head = [`POST ${CONFIG_MAPS} HTTP/1.1`, ...lines, `Content-Length: ${body.length}`].join("\r\n");
    using connection = await Deno.connect({ hostname: "127.0.0.1", port: Number(port) });
    await connection.write(new TextEncoder().encode(`${head}\r\n\r\n${body}`));
    const answer = await new Response(connection.readable).text();
    return [answer.split(" ")[1], /"message":"([^:"]*)/.exec(answer)?.[1]];
  };
  for (const name of [host, "localhost", `LOCALHOST:${port}`, "[::1]:1", "127.1.2.3"]) {
    assertEquals((await ask({ Host: name }))[0], "201", name);
  }
  for (const origin of ["http://localhost:3000", `http://${host}`, "https://[::1]"]) {
    assertEquals((await ask({ Host: host, Origin: origin }))[0], "201", origin);
  }
  const hostSaid = "the Host header must name localhost or a loopback address";
  for (const name of ["evil.example", `evil.example:${port}`, "127.0.0.1.evil.example", "localhost@evil.example", ""]) {
    assertEquals(await ask({ Host: name }), ["403", hostSaid], name);
  }
  const originSaid = "the Origin header says that a web page of another site sent this";
  for (
    const origin of ["https://evil.example", "null", "http://localhost.evil.example", `http://${host}.evil.example`]
  ) {
    assertEquals(await ask({ Host: host, Origin: origin }), ["403", originSaid], origin);
  }
});

Deno.test("ApiServer takes protobuf bodies from kubectl", async () => {
  using api = new Harness();
  const secret = decodeBase64("azhzAAoMCgJ2MRIGU2VjcmV0Eh0KEQoBcxIAGgAiACoAMgA4AEIAEgYKAWESAWIaABoAIgA=");
  const post = (body: Uint8Array<ArrayBuffer>) =>
    api.server.fetch(
      new Request("http://server/api/v1/namespaces/default/secrets", {
        method: "POST",
        body,
        headers: { "content-type": "application/vnd.kubernetes.protobuf" },
      }),
    );
  const created = await post(secret);
  assertEquals([created.status, (await created.json()).data], [201, { a: "Yg==" }]);
  assertEquals((await post(secret.slice(5))).status, 400);
});

Deno.test("kubeconfigText names the server, and the token where there is one", () => {
  const text = kubeconfigText({ server: "http://127.0.0.1:1", token: "secret" });
  assertStringIncludes(text, "server: 'http://127.0.0.1:1'");
  assertStringIncludes(text, "token: secret");
});

Deno.test("ApiServer forgets events an hour after they were last written", async () => {
  using api = new Harness();
  const events = "/api/v1/namespaces/default/events";
  for (const name of ["a", "b"]) {
    await api.post(events, { metadata: { name }, involvedObject: { namespace: "default" } });
  }
  await api.world.clock.advance(30 * 60_000);
  await api.patch(`${events}/b`, { count: 2 });
  await api.world.clock.advance(30 * 60_000);
  assertEquals([(await api.get(`${events}/a`)).status, (await api.get(`${events}/b`)).status], [404, 200]);
  await api.world.clock.advance(30 * 60_000);
  assertEquals((await api.get(`${events}/b`)).status, 404);
  assertEquals(api.world.clock.pendingTimers, 0);
});

Deno.test("DelayedActions: a key runs once its delay has passed and a worker is free", async () => {
  const world = new FakeWorld();
  const started: string[] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  const actions = new DelayedActions({
    world,
    workers: 2,
    run: (key) => {
      started.push(key);
      return promise;
    },
  });
  for (const key of ["a", "b", "c", "a"]) actions.schedule(key, 10);
  await world.clock.advance(9);
  assertEquals(started, []);
  await world.clock.advance(1);
  assertEquals(started, ["a", "b"]);
  resolve();
  await world.clock.advance(0);
  assertEquals(started, ["a", "b", "c"]);
  await actions.close();
});

Deno.test("DelayedActions: a failed action runs again after a second, until it succeeds or its key is cancelled", async () => {
  const world = new FakeWorld();
  let runs = 0;
  const run = () => ++runs < 3 ? Promise.reject(new Error("not yet")) : Promise.resolve();
  const actions = new DelayedActions({ world, workers: 1, run });
  actions.schedule("a", 0);
  await world.clock.advance(5000);
  assertEquals(runs, 3);
  runs = 0;
  actions.schedule("b", 0);
  await world.clock.advance(500);
  actions.cancel("b");
  await world.clock.advance(5000);
  assertEquals(runs, 1);
  actions.schedule("c", 100);
  await actions.close();
  assertEquals(world.clock.pendingTimers, 0);
});
