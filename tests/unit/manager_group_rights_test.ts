import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { webTransport } from "../../src/client/mod.ts";
import { rightsOf } from "../../src/manager/groups/group_rights.ts";

/** What a group of these controllers may send, and what went out. */
function setUp(controllers: readonly string[], server = "https://h:6443") {
  const sent: string[] = [];
  const transport = (client: string) =>
    webTransport(({ method, url }) => {
      sent.push(`${client} ${method} ${url}`);
      return Promise.reject(new Error("sent"));
    });
  const rights = rightsOf(controllers, { transport, server });
  const send = (client: string, method: string, url: string) => rights(client).exchange!({ method, url, headers: {} });
  return { rights, send, sent };
}

Deno.test("rightsOf lets a group send as the clients of its own controllers, and as no other", async () => {
  const { rights, send, sent } = setUp(["garbage-collector-controller", "namespace-controller"]);
  for (const client of ["generic-garbage-collector", "namespace-controller"]) {
    await assertRejects(() => send(client, "DELETE", "https://h:6443/api/v1/pods"), Error, "sent");
  }
  assertEquals(sent.length, 2);
  const others = [
    "garbage-collector-controller",
    "deployment-controller",
    "clusterrole-aggregation-controller",
    "shared-informers",
    "kube-controller-manager",
    "leader-election",
    "",
  ];
  for (const client of others) {
    assertThrows(() => rights(client), Error, "generic-garbage-collector, namespace-controller");
  }
});

/** What a thread may ask with the process's own credentials, and what not. */
const REQUESTS: readonly (readonly [method: string, path: string, isSent: boolean])[] = [
  ["GET", "/api", true],
  ["GET", "/apis?timeout=32s", true],
  ["GET", "/api/v1", true],
  ["GET", "/apis/apps", true],
  ["GET", "/apis/metrics.k8s.io/v1beta1", true],
  ["GET", "/api/v1/secrets", false],
  ["GET", "/apis/apps/v1/deployments", false],
  ["GET", "/apis/../metrics", false],
  ["GET", "/metrics", false],
  ["GET", "/metrics?/api", false],
  ["POST", "/api", false],
  ["DELETE", "/apis/apps/v1", false],
];

for (const server of ["https://h:6443", "https://h:6443/k8s/"]) {
  for (const [method, path, isSent] of REQUESTS) {
    Deno.test(`rightsOf ${isSent ? "sends" : "keeps back"} discovery's ${method} ${path} to ${server}`, async () => {
      const { send, sent } = setUp(["deployment-controller"], server);
      const url = server.replace(/\/$/, "") + path;
      await assertRejects(
        () => send("controller-discovery", method, url),
        Error,
        isSent ? "sent" : "it is no discovery",
      );
      assertEquals(sent, isSent ? [`controller-discovery ${method} ${url}`] : []);
    });
  }
}
