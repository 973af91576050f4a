import { assertEquals, assertRejects, assertStrictEquals } from "@std/assert";
import { WebhookRoutes } from "../../../../../src/sandbox/apiserver/operations/transport.ts";

const PEER = { serverName: "policy.default.svc" };

Deno.test("WebhookRoutes: a handler answers for one origin, such as `https://policy.default.svc`, until it is removed", () => {
  const routes = new WebhookRoutes(undefined);
  const [first, second] = [() => new Response("first"), () => new Response("second")];
  const remove = routes.add("https://policy.default.svc", first);
  for (
    const url of ["https://policy.default.svc/a?b=c", "https://policy.default.svc:443/", "https://POLICY.default.svc"]
  ) {
    assertStrictEquals(routes.handler(url), first, url);
  }
  for (
    const url of ["https://policy.default.svc:8443", "http://policy.default.svc", "https://policy.default.svc.evil"]
  ) {
    assertEquals(routes.handler(url), undefined, url);
  }
  const removeSecond = routes.add("https://policy.default.svc", second);
  remove(); // the other one has taken its place
  assertStrictEquals(routes.handler("https://policy.default.svc/a"), second);
  removeSecond();
  assertEquals(routes.handler("https://policy.default.svc/a"), undefined);
});

Deno.test("WebhookRoutes: without a transport, an origin without a handler cannot be reached", async () => {
  const request = () => new Request("https://elsewhere.default.svc:8443/check", { method: "POST", body: "{}" });
  const alone = new WebhookRoutes(undefined);
  alone.add("https://policy.default.svc", () => new Response());
  await assertRejects(
    () => alone.send(request(), PEER),
    Error,
    "dial tcp elsewhere.default.svc:8443: this server reaches no webhooks but those that were added to it",
  );
  const carried: string[] = [];
  const connected = new WebhookRoutes(({ url }, { serverName }) => {
    carried.push(`${url} ${serverName}`);
    return Promise.resolve(new Response("ok"));
  });
  assertEquals(await (await connected.send(request(), PEER)).text(), "ok");
  assertEquals(carried, ["https://elsewhere.default.svc:8443/check policy.default.svc"]);
});
