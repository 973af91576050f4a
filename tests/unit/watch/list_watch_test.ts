import { assertEquals } from "@std/assert";
import { DEPLOYMENTS, PODS, type Resource } from "../../../src/api/mod.ts";
import { FakeWorld } from "../../../src/base/mod.ts";
import { Client, type Transport } from "../../../src/client/mod.ts";
import { type ListWatch, listWatchOf, type ListWatchOptions } from "../../../src/watch/mod.ts";

/** The request that `ask` sends, as it goes over the wire. */
async function sent(
  ask: (listWatch: ListWatch, signal: AbortSignal) => Promise<unknown>,
  { resource = PODS, ...options }: ListWatchOptions & { resource?: Resource } = {},
): Promise<Request> {
  const requests: Request[] = [];
  const transport: Transport = (request) => {
    requests.push(request);
    return Promise.resolve(new Response(""));
  };
  const client = new Client({ world: new FakeWorld(), transport, server: "https://k8s.test", userAgent: "test" });
  await ask(listWatchOf(client, resource, options), new AbortController().signal);
  assertEquals(requests.length, 1);
  return requests[0];
}

const rows: [string, Promise<Request>, string][] = [
  [
    "a streaming list",
    sent((lw, signal) => lw.watch({ timeoutSeconds: 342, sendInitialEvents: true }, signal)),
    "/api/v1/pods?allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan&sendInitialEvents=true&timeout=5m42s&timeoutSeconds=342&watch=true",
  ],
  [
    "a streaming list at a resourceVersion",
    sent((lw, signal) => lw.watch({ resourceVersion: "7", timeoutSeconds: 342, sendInitialEvents: true }, signal)),
    "/api/v1/pods?allowWatchBookmarks=true&resourceVersion=7&resourceVersionMatch=NotOlderThan&sendInitialEvents=true&timeout=5m42s&timeoutSeconds=342&watch=true",
  ],
  [
    "the first page of a list",
    sent((lw, signal) => lw.list({ limit: 500, resourceVersion: "0" }, signal)),
    "/api/v1/pods?limit=500&resourceVersion=0",
  ],
  [
    "a list of a namespace",
    sent((lw, signal) => lw.list({ resourceVersion: "7" }, signal), { namespace: "shop" }),
    "/api/v1/namespaces/shop/pods?resourceVersion=7",
  ],
  [
    "a next page",
    sent((lw, signal) => lw.list({ limit: 500, continue: "TOKEN" }, signal)),
    "/api/v1/pods?continue=TOKEN&limit=500",
  ],
  [
    "a watch",
    sent((lw, signal) => lw.watch({ resourceVersion: "9", timeoutSeconds: 540 }, signal), { resource: DEPLOYMENTS }),
    "/apis/apps/v1/deployments?allowWatchBookmarks=true&resourceVersion=9&timeout=9m0s&timeoutSeconds=540&watch=true",
  ],
  [
    "a watch with selectors",
    sent((lw, signal) => lw.watch({ timeoutSeconds: 540 }, signal), {
      labelSelector: "a=b",
      fieldSelector: "spec.x!=y",
    }),
    "/api/v1/pods?allowWatchBookmarks=true&fieldSelector=spec.x!%3Dy&labelSelector=a%3Db&timeout=9m0s&timeoutSeconds=540&watch=true",
  ],
];

for (const [what, request, expected] of rows) {
  Deno.test(`listWatchOf() asks for ${what} as upstream does`, async () => {
    const { url, method, headers } = await request;
    assertEquals([method, url.slice("https://k8s.test".length)], ["GET", expected]);
    assertEquals(headers.get("accept"), "application/json");
  });
}

Deno.test("listWatchOf() asks for metadata in the form that lists and watches have it", async () => {
  const list = await sent((lw, signal) => lw.list({}, signal), { metadataOnly: true });
  const watch = await sent((lw, signal) => lw.watch({ timeoutSeconds: 300 }, signal), { metadataOnly: true });
  const metadata = (kind: string) => `application/json;as=${kind};g=meta.k8s.io;v=v1,application/json`;
  assertEquals(list.headers.get("accept"), metadata("PartialObjectMetadataList"));
  assertEquals(watch.headers.get("accept"), metadata("PartialObjectMetadata"));
});
