import { assertEquals } from "@std/assert";
import { type KubeObject, PODS } from "../../../src/api/mod.ts";
import { FakeWorld } from "../../../src/base/mod.ts";
import { InformerFactory } from "../../../src/cache/mod.ts";
import { Client } from "../../../src/client/mod.ts";
import { contentOf, Journal, pod } from "./fixtures.ts";

/** An API server with one list of pods, whose watches are open streams that the test writes to. */
function apiServer(items: readonly KubeObject[], resourceVersion: string) {
  const requests: string[] = [];
  const encoder = new TextEncoder();
  let watch: ReadableStreamDefaultController<Uint8Array> | undefined;
  const transport = (request: Request): Promise<Response> => {
    const { searchParams, pathname } = new URL(request.url);
    const kind = searchParams.has("sendInitialEvents")
      ? "streaming list"
      : searchParams.has("watch")
      ? "watch"
      : "list";
    requests.push(`${kind} ${pathname} ${request.headers.get("accept")}`);
    if (kind === "streaming list") {
      const status = { kind: "Status", apiVersion: "v1", status: "Failure", reason: "Invalid", code: 422 };
      return Promise.resolve(Response.json(status, { status: 422 }));
    }
    if (kind === "list") {
      const stripped = items.map(({ kind: _kind, apiVersion: _apiVersion, ...rest }) => rest);
      return Promise.resolve(
        Response.json({ kind: "PodList", apiVersion: "v1", metadata: { resourceVersion }, items: stripped }),
      );
    }
    return Promise.resolve(
      new Response(
        new ReadableStream<Uint8Array>({
          start(controller) {
            watch = controller;
            request.signal.addEventListener("abort", () => controller.error(request.signal.reason));
          },
        }),
      ),
    );
  };
  const send = (type: string, object: KubeObject) =>
    watch!.enqueue(encoder.encode(JSON.stringify({ type, object }) + "\n"));
  return { requests, transport, send };
}

const managedFields = [{ manager: "m", operation: "Update" as const, fieldsV1: { "f:spec": {} } }];

Deno.test("InformerFactory: two who ask for pods share one list and one watch, and neither ever sees managedFields", async () => {
  const world = new FakeWorld();
  const server = apiServer([pod("a", 1, { managedFields }), pod("b", 2, { managedFields })], "5");
  const client = new Client({ world, transport: server.transport, server: "https://example.test", userAgent: "test" });
  const factory = new InformerFactory({ world, client });
  const journals = [new Journal(), new Journal()];
  for (const journal of journals) factory.informer(PODS).addEventHandler(journal);
  const stored = factory.informer(PODS).indexer;
  factory.start(new AbortController().signal);
  await world.clock.advanceUntil(() => factory.informer(PODS).hasSynced);
  assertEquals(stored.list(), [pod("a", 1), pod("b", 2)]);

  server.send("MODIFIED", pod("a", 6, { managedFields }));
  server.send("DELETED", pod("b", 7, { managedFields }));
  await world.clock.advance(0);
  assertEquals(stored.list(), [pod("a", 6)]);
  server.send("BOOKMARK", { kind: "Pod", apiVersion: "v1", metadata: { resourceVersion: "9" } });
  await world.clock.advance(0);
  assertEquals([stored.resourceVersion, factory.informer(PODS).stalenessMs], ["9", 0]);
  for (const journal of journals) assertEquals(journal.take(), ["add a@1*", "add b@2*", "update a@1>6", "delete b@7"]);

  await factory.shutdown();
  assertEquals(server.requests.map((request) => request.split(" /")[0]), ["streaming list", "list", "watch"]);
  assertEquals(world.clock.pendingTimers, 0);
});

Deno.test("InformerFactory for metadata only asks for metadata and keeps nothing else of what it gets", async () => {
  const world = new FakeWorld();
  const full = { ...pod("a", 1, { managedFields }), spec: { containers: [] } };
  const server = apiServer([full], "5");
  const client = new Client({ world, transport: server.transport, server: "https://example.test", userAgent: "test" });
  const factory = new InformerFactory({ world, client, metadataOnly: true });
  const informer = factory.informer<KubeObject>(PODS);
  factory.start(new AbortController().signal);
  await world.clock.advanceUntil(() => informer.hasSynced);
  const { metadata } = pod("a", 1);
  assertEquals(informer.lister.list(), [{ kind: "PartialObjectMetadata", apiVersion: "meta.k8s.io/v1", metadata }]);
  assertEquals(contentOf(informer.lister.list()), ["a@1"]);
  assertEquals(server.requests.every((request) => request.includes("as=PartialObjectMetadata")), true);
  await factory.shutdown();
});

Deno.test("SharedInformer: an object that cannot be read is set aside alone: its previous version stays, all others go on, and nothing is listed again", async () => {
  const world = new FakeWorld();
  const labels = ["a list"] as unknown as Record<string, string>;
  const server = apiServer([pod("a"), pod("b", 2, { labels }), pod("c", 3)], "5");
  const client = new Client({ world, transport: server.transport, server: "https://example.test", userAgent: "test" });
  const factory = new InformerFactory({ world, client });
  const stored = factory.informer(PODS).indexer;
  factory.start(new AbortController().signal);
  await world.clock.advanceUntil(() => factory.informer(PODS).hasSynced);
  assertEquals(contentOf(stored.list()), ["a@1", "c@3"]);

  server.send("MODIFIED", pod("a", 6, { labels }));
  server.send("MODIFIED", pod("c", 7));
  await world.clock.advance(0);
  assertEquals(contentOf(stored.list()), ["a@1", "c@7"]);
  await world.clock.advance(120_000);
  server.send("MODIFIED", pod("b", 8));
  server.send("DELETED", pod("a", 9, { labels }));
  await world.clock.advance(0);
  assertEquals(contentOf(stored.list()), ["b@8", "c@7"]);

  await factory.shutdown();
  assertEquals(server.requests.map((request) => request.split(" /")[0]), ["streaming list", "list", "watch"]);
});
