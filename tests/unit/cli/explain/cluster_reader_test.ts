import { assertEquals, assertRejects } from "@std/assert";
import { FakeWorld } from "../../../../src/base/mod.ts";
import { CONFIGMAPS, SECRETS } from "../../../../src/api/mod.ts";
import { Client } from "../../../../src/client/mod.ts";
import { ClusterReader } from "../../../../src/cli/explain/cluster_reader.ts";

type Answer = { readonly status?: number; readonly body: Record<string, unknown> } | Error;

/** A reader of a server that answers by path and continue token, and what it was asked. */
function readerOf(answer: (path: string, token: string | null) => Answer) {
  const asked: string[] = [];
  const transport = (request: Request) => {
    const { pathname, searchParams } = new URL(request.url);
    asked.push(
      `${request.method} ${pathname}${searchParams.has("continue") ? ` ${searchParams.get("continue")}` : ""}`,
    );
    const found = answer(pathname, searchParams.get("continue"));
    if (found instanceof Error) return Promise.reject(found);
    return Promise.resolve(Response.json(found.body, { status: found.status ?? 200 }));
  };
  const client = new Client({ world: new FakeWorld(), transport, server: "https://example.test", userAgent: "test" });
  return { reader: new ClusterReader(client), asked };
}

const failure = (code: number, reason: string, message = reason): Answer => ({
  status: code,
  body: { kind: "Status", apiVersion: "v1", status: "Failure", code, reason, message },
});

function page(from: number, to: number, metadata: Record<string, unknown> = {}): Answer {
  const items = Array.from(
    { length: to - from },
    (_, i) => ({ metadata: { name: `o${from + i}`, uid: `${from + i}` } }),
  );
  return { body: { kind: "PartialObjectMetadataList", apiVersion: "meta.k8s.io/v1", metadata, items } };
}

Deno.test("ClusterReader: only GET requests are sent; each object and each page is requested once", async () => {
  const { reader, asked } = readerOf((path) =>
    path.endsWith("/a") ? { body: { metadata: { name: "a" } } } : page(0, 1)
  );
  const ref = { namespace: "x", name: "a" };
  const [first, second] = await Promise.all([reader.get(CONFIGMAPS, ref), reader.get(CONFIGMAPS, ref)]);
  assertEquals([first.type, second.type], ["found", "found"]);
  await Promise.all([1, 2].map(() => reader.listMetadata(CONFIGMAPS, { namespace: "x" })));
  assertEquals((await reader.listMetadata(CONFIGMAPS, { namespace: "x", whole: true })).count, 1);
  assertEquals(asked, ["GET /api/v1/namespaces/x/configmaps/a", "GET /api/v1/namespaces/x/configmaps"]);
});

Deno.test("ClusterReader: a failed read is noted in unread, once, and does not stop the others", async () => {
  const { reader } = readerOf((path) =>
    path.includes("secrets") ? failure(403, "Forbidden", "no secrets") : failure(500, "InternalError", "webhook")
  );
  for (let i = 0; i < 2; i++) {
    const secrets = await reader.listMetadata(SECRETS, { namespace: "x" });
    assertEquals([secrets.count, secrets.error], [0, undefined], "missing rights are no failure of the server");
    assertEquals((await reader.listMetadata(CONFIGMAPS, { namespace: "x" })).error, "webhook");
    assertEquals(await reader.get(SECRETS, { namespace: "x", name: "a" }), { type: "unread" });
    assertEquals(await reader.list(SECRETS), undefined);
  }
  assertEquals(reader.unread, [
    { what: "configmaps in namespace x", why: "webhook" },
    { what: "secrets", why: "no secrets" },
    { what: 'secrets "a" in namespace x', why: "no secrets" },
    { what: "secrets in namespace x", why: "no secrets" },
  ]);
});

Deno.test("ClusterReader: a kind or an object that the server does not have is not an error", async () => {
  const { reader } = readerOf((path) =>
    path.includes("secrets") ? failure(405, "MethodNotAllowed") : failure(404, "NotFound")
  );
  assertEquals(await reader.get(CONFIGMAPS, { namespace: "x", name: "a" }), { type: "absent" });
  assertEquals((await reader.listMetadata(CONFIGMAPS)).count, 0);
  assertEquals((await reader.listMetadata(SECRETS)).count, 0);
  assertEquals(await reader.list(CONFIGMAPS), []);
  assertEquals(reader.unread, []);
});

Deno.test("ClusterReader: the first page says how many there are, and more pages are read where all matter", async () => {
  const { reader, asked } = readerOf((_, token) =>
    token === null ? page(0, 500, { continue: "t", remainingItemCount: 100 }) : page(500, 600)
  );
  const first = await reader.listMetadata(CONFIGMAPS);
  assertEquals([first.items.length, first.count, first.isAtLeast, first.isComplete], [500, 600, false, false]);
  const whole = await reader.listMetadata(CONFIGMAPS, { whole: true });
  assertEquals([whole.items.length, whole.count, whole.isAtLeast, whole.isComplete], [600, 600, false, true]);
  assertEquals(asked, ["GET /api/v1/configmaps", "GET /api/v1/configmaps t"]);
});

Deno.test("ClusterReader: at most ten thousand objects are read of one kind in one place", async () => {
  const { reader, asked } = readerOf((_, token) => {
    const from = Number(token ?? 0);
    return page(from, from + 500, { continue: `${from + 500}` });
  });
  const { items, count, isAtLeast, isComplete } = await reader.listMetadata(CONFIGMAPS, { whole: true });
  assertEquals([items.length, count, isAtLeast, isComplete, asked.length], [10_000, 10_000, true, false, 20]);
});

Deno.test("ClusterReader: a later page that fails leaves what was read, and is noted", async () => {
  const { reader } = readerOf((_, token) => token === null ? page(0, 500, { continue: "t" }) : failure(410, "Expired"));
  const { items, isComplete } = await reader.listMetadata(CONFIGMAPS, { whole: true });
  assertEquals([items.length, isComplete], [500, false]);
  assertEquals(reader.unread, [{ what: "configmaps", why: "Expired" }]);
});

Deno.test("ClusterReader passes on errors that are not a server's answer", async () => {
  const { reader } = readerOf(() => new TypeError("a mistake"));
  await assertRejects(() => reader.listMetadata(CONFIGMAPS));
});
