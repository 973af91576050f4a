/** Strangers who ask for health and metrics without credentials, as fast and as many as they can. */
import { assert, assertEquals } from "@std/assert";
import { connect as connectTcp } from "node:net";
import { connect as connectTls } from "node:tls";
import { eventually } from "../../controlplane/process.ts";
import { ManagerUnderAttack } from "./manager_under_attack.ts";

/** Of upstream, and of the manager without flags. */
const RENEW_DEADLINE_MS = 10_000;
const PATHS = ["/healthz", "/readyz", "/metrics"];
const CONNECTIONS = 5000;
/** What the flood may take in all. */
const LIMIT_MS = 60_000;

/** Opens a connection, and asks over it as fast as answers come; gives how many came until it was ended. */
function flood(
  port: number,
  { requests, signal }: { readonly requests: number; readonly signal: AbortSignal },
): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<number>();
  let answers = 0;
  const ask = () => void socket.write(`GET ${PATHS[answers % PATHS.length]} HTTP/1.1\r\nHost: x\r\n\r\n`);
  const socket = connectTls({ host: "127.0.0.1", port, rejectUnauthorized: false }, ask);
  socket.on("data", () => ++answers < requests ? ask() : socket.destroy());
  socket.on("error", () => {}).on("close", () => resolve(answers));
  signal.addEventListener("abort", () => socket.destroy(), { once: true });
  return promise;
}

Deno.test("5,000 connections that ask without credentials cost no renewal, and nobody else their answers", async () => {
  await using manager = await ManagerUnderAttack.start();
  const startMs = performance.now();
  const signal = AbortSignal.timeout(LIMIT_MS);
  let left = CONNECTIONS;
  let answers = 0;
  const floods = Array.from({ length: 500 }, async () => {
    while (left-- > 0 && !signal.aborted) answers += await flood(manager.port, { requests: 20, signal });
  });
  let isOver = false;
  const over = Promise.all(floods).then(() => isOver = true);
  // Somebody at another address, as long as the flood lasts.
  const seen: string[] = [];
  while (!isOver) {
    for (const path of ["/healthz", "/readyz"]) {
      seen.push((await manager.ask(path, { localAddress: "127.0.0.2" })).split("\r\n")[0]);
    }
  }
  await over;
  const gapMs = manager.longestGapMs(startMs);
  assertEquals(manager.process.exit, undefined, manager.process.output.slice(-2000));
  assert(gapMs < RENEW_DEADLINE_MS, `${gapMs} ms without a renewal`);
  assert(answers > 0, "the flood itself was answered, too");
  assertEquals([...new Set(seen)], ["HTTP/1.1 200 OK"], `${seen.length} answers`);
});

Deno.test("connections that say nothing keep nobody out, at their own address neither", async () => {
  await using manager = await ManagerUnderAttack.start();
  const sockets = Array.from({ length: 1000 }, () => {
    const socket = connectTcp({ host: "127.0.0.1", port: manager.port });
    socket.on("error", () => {});
    return socket;
  });
  try {
    for (const localAddress of ["127.0.0.1", "127.0.0.2"]) {
      // Those that got a place keep it for a second.
      await eventually(
        `somebody at ${localAddress} is answered`,
        async () => (await manager.ask("/healthz", { localAddress })).startsWith("HTTP/1.1 200 OK"),
      );
    }
  } finally {
    for (const socket of sockets) socket.destroy();
  }
});

Deno.test("800 bogus tokens at once keep nobody at another address waiting for a review", async () => {
  await using manager = await ManagerUnderAttack.start();
  let reviewed = 0;
  const bogus = Array.from({ length: 800 }, async (_, i) => {
    if ((await manager.ask("/metrics", { token: `bogus-${i}` })).startsWith("HTTP/1.1 401")) reviewed++;
  });
  // A review of its own decides this one, too.
  const answer = await manager.ask("/metrics", { token: "another", localAddress: "127.0.0.2" });
  assertEquals(answer.split("\r\n")[0], "HTTP/1.1 401 Unauthorized");
  assert(reviewed < 400, `${reviewed} were reviewed before it`);
  await Promise.all(bogus);
  assertEquals(manager.process.exit, undefined);
});
