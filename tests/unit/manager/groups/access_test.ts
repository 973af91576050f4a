import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { DEPLOYMENTS, PODS, type Resource, SECRETS } from "../../../../src/api/mod.ts";
import { ACCEPT_METADATA, ACCEPT_METADATA_LIST, type AccountToken, webTransport } from "../../../../src/client/mod.ts";
import { needsOf, UndeclaredNeedError } from "../../../../src/controllers/mod.ts";
import { mayWatch, restricted } from "../../../../src/manager/groups/group_access.ts";

const NONE = needsOf([]);

/** What a group of these controllers may send, and what went out. */
function setUp(controllers: readonly string[], server = "https://h:6443", needs = NONE) {
  const sent: string[] = [];
  const transport = (client: string) =>
    webTransport(({ method, url }) => {
      sent.push(`${client} ${method} ${url}`);
      return Promise.reject(new Error("sent"));
    });
  const direct = {
    address: "h:6443",
    token: (client: string) => ({ client }) as unknown as AccountToken,
    tls: () => ({ ca: "CA" }),
  };
  const access = restricted({ transport, direct }, { controllers, needs, server });
  const send = (client: string, method: string, url: string, headers = {}) =>
    access.transport(client).exchange!({ method, url, headers });
  return { access, send, sent };
}

Deno.test("restricted lets a group send as the clients of its own controllers, and as no other", async () => {
  const { access, send, sent } = setUp(["garbage-collector-controller", "namespace-controller"]);
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
    assertThrows(() => access.transport(client), Error, "generic-garbage-collector, namespace-controller");
  }
});

Deno.test("restricted gives a group the tokens of its own controllers' accounts, and of nobody else", () => {
  const { access } = setUp(["namespace-controller", "serviceaccount-token-controller"]);
  const { token, tls } = access.direct!;
  assertEquals(token("namespace-controller"), { client: "namespace-controller" } as unknown as AccountToken);
  for (
    const client of ["deployment-controller", "controller-discovery", "tokens-controller", "kube-controller-manager"]
  ) {
    assertThrows(() => token(client), Error, `Cannot send as client "${client}"`);
  }
  assertEquals(tls(), { ca: "CA" });
  assertEquals(
    restricted({ transport: access.transport }, { controllers: [], needs: NONE, server: "https://h" }).direct,
    undefined,
  );
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
    Deno.test(`restricted ${isSent ? "sends" : "keeps back"} discovery's ${method} ${path} to ${server}`, async () => {
      const { send, sent } = setUp(["deployment-controller"], server);
      const url = server.replace(/\/$/, "") + path;
      await assertRejects(
        () => send("controller-discovery", method, url),
        Error,
        isSent ? "sent" : "it is not a discovery request",
      );
      assertEquals(sent, isSent ? [`controller-discovery ${method} ${url}`] : []);
    });
  }
}

/** Requests of a controller's own client with the process's credentials, and whether they are sent where no row needs Secrets. */
const OWN_REQUESTS: readonly (readonly [method: string, path: string, accept: string, isSent: boolean])[] = [
  ["GET", "/api/v1/namespaces/secrets", "application/json", true],
  ["GET", "/api/v1/namespaces/x/configmaps/secrets", "application/json", true],
  ["GET", "/apis/example.com/v1/secrets", "application/json", true],
  ["DELETE", "/api/v1/namespaces/x/secrets/y", ACCEPT_METADATA, true],
  ["GET", "/api/v1/namespaces/x/secrets?limit=500", ACCEPT_METADATA_LIST, true],
  ["GET", "/api/v1/namespaces/x/secrets/y", "application/json", false],
  ["GET", "/api/v1/secrets", `${ACCEPT_METADATA},application/yaml`, false],
  ["GET", "/api/v1/secrets?watch=true", "application/json", false],
  ["GET", "/api/v1/watch/secrets", "application/json", false],
  ["GET", "/api/v1/watch/namespaces/x/secrets", "application/json", false],
  ["GET", "/api/v1/%73ecrets", "application/json", false],
  ["GET", "/api//v1/secrets", "application/json", false],
  ["GET", "/api/v1/namespaces/x%2Fsecrets", "application/json", false],
  ["GET", "/apis/../api/v1/secrets", "application/json", false],
  ["GET", "/api/v1/%zz", "application/json", false],
  ["PATCH", "/api/v1/namespaces/x/secrets/y", "application/json", false],
];

for (const [method, path, accept, isSent] of OWN_REQUESTS) {
  Deno.test(`restricted ${isSent ? "sends" : "keeps back"} ${method} ${path} for ${accept}`, async () => {
    const secrets = { ...NONE, informers: [{ resource: SECRETS }] };
    for (const [needs, goesOut] of [[NONE, isSent], [secrets, true]] as const) {
      const { send, sent } = setUp(["namespace-controller"], "https://h:6443", needs);
      const sending = send("namespace-controller", method, `https://h:6443${path}`, { accept });
      if (goesOut) await assertRejects(() => sending, Error, "sent");
      else await assertRejects(() => sending, UndeclaredNeedError, `the answer to ${method} https://h:6443${path}`);
      assertEquals(sent.length, goesOut ? 1 : 0);
    }
  });
}

/** What a thread may have watched with the process's own credentials, and what not. */
const TOPICS: readonly (readonly [what: string, resource: Resource, metadataOnly: boolean, mayWatch: boolean])[] = [
  ["pods", PODS, false, true],
  ["deployments", DEPLOYMENTS, false, true],
  ["a custom resource", { ...PODS, group: "stable.example.com", version: "v1beta2", plural: "crontabs" }, true, true],
  ["the metadata of Secrets", SECRETS, true, true],
  ["Secrets", SECRETS, false, false],
  ["Secrets in an array", { ...SECRETS, plural: ["secrets"] as unknown as string }, false, false],
  ["another path", { ...PODS, plural: "pods/../secrets" }, false, false],
  ["another path by its version", { ...PODS, version: ".." }, false, false],
  ["a query", { ...PODS, plural: "secrets?" }, false, false],
  ["nothing", { ...PODS, plural: "" }, false, false],
];

for (const [what, resource, metadataOnly, expected] of TOPICS) {
  Deno.test(`mayWatch says ${expected} of ${what}`, () =>
    assertEquals(mayWatch({ resource, metadataOnly }, NONE), expected));
}
