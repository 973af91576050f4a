import { assertEquals, assertRejects } from "@std/assert";
import { FakeWorld } from "../../../../src/base/mod.ts";
import {
  basicCredentials,
  impersonationHeaders,
  tokenCredentials,
  withCredentials,
  withImpersonation,
} from "../../../../src/client/credentials/credentials.ts";
import { TokenFile } from "../../../../src/client/credentials/token_file.ts";
import type { Exchange, WireRequest, WireResponse } from "../../../../src/client/mod.ts";

/** An exchange that keeps what it was sent, and answers with `status`. */
function recording(status = 200): { exchange: Exchange; sent: WireRequest[] } {
  const sent: WireRequest[] = [];
  const response: WireResponse = {
    status,
    bodyBytes: 0,
    isCut: false,
    header: () => undefined,
    text: () => Promise.resolve(""),
    stream: () => new ReadableStream(),
    discard: () => {},
  };
  return { exchange: (request) => (sent.push(request), Promise.resolve(response)), sent };
}

const request: WireRequest = { method: "GET", url: "https://h/", headers: { accept: "x" } };

Deno.test("withCredentials adds a token, or user and password", async () => {
  const { exchange, sent } = recording();
  await withCredentials(exchange, tokenCredentials("abc"))(request);
  await withCredentials(exchange, basicCredentials({ username: "u", password: "p\u00e9" }))(request);
  assertEquals(sent.map(({ headers }) => headers), [
    { accept: "x", authorization: "Bearer abc" },
    { accept: "x", authorization: "Basic dTpww6k=" },
  ]);
});

Deno.test("withCredentials leaves a request alone that brings its own", async () => {
  const { exchange, sent } = recording();
  const own = { ...request, headers: { authorization: "Bearer own" } };
  await withCredentials(exchange, tokenCredentials("abc"))(own);
  assertEquals(sent[0].headers, { authorization: "Bearer own" });
});

Deno.test("withCredentials reports a 401 to the credentials and returns it", async () => {
  const { exchange, sent } = recording(401);
  const refused: unknown[] = [];
  const credentials = { authorization: () => "Bearer a", refused: (value: unknown) => void refused.push(value) };
  const { status } = await withCredentials(exchange, credentials)(request);
  assertEquals([status, sent.length, refused], [401, 1, ["Bearer a"]]);
});

Deno.test("withImpersonation says whom to act as, unless the request does", async () => {
  const { exchange, sent } = recording();
  const extra = new Map([["example.org/Scopes%", ["a", "b"]]]);
  const acting = withImpersonation(exchange, { user: "jane", uid: "u", groups: ["g1", "g2"], extra });
  await acting(request);
  await acting({ ...request, headers: { "impersonate-user": "joe" } });
  assertEquals(sent.map(({ headers }) => headers), [{
    accept: "x",
    "impersonate-user": "jane",
    "impersonate-uid": "u",
    "impersonate-group": ["g1", "g2"],
    "impersonate-extra-example.org%2Fscopes%25": ["a", "b"],
  }, { "impersonate-user": "joe" }]);
});

Deno.test("impersonationHeaders has no more than is asked for", () => {
  assertEquals(impersonationHeaders({ user: "jane", groups: [] }), { "impersonate-user": "jane" });
});

Deno.test("TokenFile: a rotated token is used within a minute", async () => {
  const world = new FakeWorld({ files: { "/token": " one\n" } });
  const token = new TokenFile(world, { path: "/token" });
  assertEquals(await token.authorization(), "Bearer one");
  world.fileContents.set("/token", "two");
  await world.clock.advance(50_000);
  assertEquals(await token.authorization(), "Bearer one");
  await world.clock.advance(1);
  assertEquals(await token.authorization(), "Bearer two");
});

Deno.test("TokenFile: while the file is empty or cannot be read, the last good token stays in use", async () => {
  const world = new FakeWorld({ files: { "/token": "one" } });
  const token = new TokenFile(world, { path: "/token" });
  await token.authorization();
  for (const change of [() => world.fileContents.delete("/token"), () => world.fileContents.set("/token", " \n")]) {
    change();
    await world.clock.advance(60_000);
    assertEquals(await token.authorization(), "Bearer one");
  }
  assertEquals(world.log.lines.map(({ severity }) => severity), ["error", "error"]);
});

Deno.test("TokenFile: while the file is empty or cannot be read, the last good token stays in use, and before the first the fallback", async () => {
  const world = new FakeWorld();
  const token = new TokenFile(world, { path: "/token", fallback: "fallback" });
  assertEquals(await token.authorization(), "Bearer fallback");
  world.fileContents.set("/token", "file");
  await world.clock.advance(60_000);
  assertEquals(await token.authorization(), "Bearer file");
});

Deno.test("TokenFile without a token so far fails the request, naming the file", async () => {
  const token = new TokenFile(new FakeWorld(), { path: "/token" });
  await assertRejects(() => token.authorization(), Error, "no token in /token so far");
});

Deno.test("TokenFile: while the file is empty or cannot be read, the last good token stays in use, and before the first the fallback; without either the file is read again for each request", async () => {
  const world = new FakeWorld();
  const token = new TokenFile(world, { path: "/token" });
  await assertRejects(() => token.authorization(), Error, "no token in /token so far");
  world.fileContents.set("/token", "");
  await assertRejects(() => token.authorization(), Error, "no token in /token so far");
  world.fileContents.set("/token", "one");
  assertEquals(await token.authorization(), "Bearer one");
});

Deno.test("TokenFile reads the file once for requests at the same time", async () => {
  const world = new FakeWorld({ files: { "/token": "one" } });
  let reads = 0;
  const files = { ...world.files, readText: (path: string) => (reads++, world.files.readText(path)) };
  const token = new TokenFile({ clock: world.clock, random: world.random, log: world.log, files }, { path: "/token" });
  await Promise.all([token.authorization(), token.authorization(), token.authorization()]);
  assertEquals(reads, 1);
});

Deno.test("TokenFile: after a 401 the file is read again for the next request, at most once a second", async () => {
  const world = new FakeWorld({ files: { "/token": "old" } });
  const file = new TokenFile(world, { path: "/token" });
  await file.authorization();
  world.fileContents.set("/token", "new");
  file.refused("Bearer old");
  assertEquals(await file.authorization(), "Bearer old", "it has just been read");
  await world.clock.advance(1000);
  file.refused("Bearer older");
  assertEquals(await file.authorization(), "Bearer old", "another token was refused");
  file.refused("Bearer old");
  assertEquals(await file.authorization(), "Bearer new");
});
