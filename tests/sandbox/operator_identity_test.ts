/** Who an operator built on the library is to the API server, to its log, and to whoever reads its events. */
import { assert, assertEquals, assertMatch, assertRejects, assertThrows } from "@std/assert";
import { Cluster, controllerFor, defineResource } from "kubeloop";
import { CONFIGMAPS, EVENTS, type KubeObject, LEASES } from "kubeloop/api";
import { userAgent } from "kubeloop/client";
import { startTestCluster, type TestCluster } from "kubeloop/testing";
import { FakeWorld, sleep } from "kubeloop/world";
import { WEBSITE_DEFINITION } from "./website_definition.ts";

interface Site extends KubeObject {
  status?: { ready: number };
}
const SITES = defineResource<Site>({ group: "example.com", version: "v1", kind: "WebSite" });
const SHOP = { namespace: "default", name: "shop" };

const sites = controllerFor(SITES).owns(CONFIGMAPS).reconcile(async (site, context) => {
  await context.apply(CONFIGMAPS, { metadata: { name: "applied" } });
  await context.client.create(CONFIGMAPS, { metadata: { namespace: "default", name: "created" }, data: { k: "v" } })
    .catch(() => {});
  await context.setStatus({ ready: 1 });
  context.event("Normal", "Published", `${site.metadata?.name} is up`);
});

async function createShop({ client }: TestCluster): Promise<void> {
  await client.create<Site>(SITES, {
    apiVersion: "example.com/v1",
    kind: "WebSite",
    metadata: SHOP,
    spec: { image: "nginx:1", replicas: 1 },
  } as Site);
}

/** Who wrote what, by managedFields; and who an event says it is from. */
async function writersOf(cluster: TestCluster, without = "test"): Promise<Record<string, string[]>> {
  const { client } = cluster;
  const managers = ({ metadata }: KubeObject) =>
    (metadata?.managedFields ?? []).map(({ manager, operation, subresource }) =>
      `${manager} ${operation}${subresource ? ` ${subresource}` : ""}`
    ).filter((text) => !text.startsWith(without));
  const event = await cluster.eventually("the event is written", async () => {
    const { items } = await client.list(EVENTS, { namespace: "default" });
    return items.find(({ reason }) => reason === "Published");
  });
  return {
    applied: managers(await client.get(CONFIGMAPS, { namespace: "default", name: "applied" })),
    created: managers(await client.get(CONFIGMAPS, { namespace: "default", name: "created" })),
    site: managers(await client.get(SITES, SHOP)),
    event: [...managers(event), event.reportingComponent ?? "", event.source?.component ?? ""],
  };
}

/** Runs `sites` against a test cluster, as an operator in a process of its own; gives the User-Agents that were seen. */
async function operate(
  { name, look }: { readonly name?: string; readonly look: (cluster: TestCluster) => Promise<void> },
): Promise<string[]> {
  await using cluster = await startTestCluster({ manifests: [WEBSITE_DEFINITION], nodes: 0 });
  const agents = new Set<string>();
  const connection = Cluster.of((request) => {
    agents.add(request.headers.get("user-agent") ?? "");
    return cluster.apiServer.fetch(request);
  }, { world: cluster.world, name });
  const stop = new AbortController();
  let hasEnded = false;
  const lease = { namespace: "default", name: "sites" };
  const running = connection.run([sites], { signal: stop.signal, leaderElection: lease })
    .finally(() => hasEnded = true);
  await createShop(cluster);
  await look(cluster);
  stop.abort();
  await cluster.eventually("the operator has ended", () => hasEnded);
  await running;
  return [...agents].map((agent) => agent.replace(/ \(.*\) kubernetes\/unknown\//, " ")).sort();
}

Deno.test("an operator's controller writes, applies and reports under its own name", async () => {
  const agents = await operate({
    look: async (cluster) =>
      assertEquals(await writersOf(cluster), {
        applied: ["website-controller Apply"],
        created: ["website-controller Update"],
        site: ["website-controller Update status"],
        event: ["website-controller Update", "website-controller", "website-controller"],
      }),
  });
  assertEquals(agents, [
    "kubeloop/unknown leader-election",
    "kubeloop/unknown shared-informers",
    "website-controller/unknown website-controller",
  ]);
});

Deno.test("an operator with a name is that to the API server, in all it sends and in its lease", async () => {
  const agents = await operate({
    name: "site-operator",
    look: async (cluster) => {
      const { created, applied, site } = await writersOf(cluster);
      assertEquals(created, ["site-operator Update"], "by its User-Agent");
      assertEquals([...applied, ...site], ["website-controller Apply", "website-controller Update status"]);
      const { spec, metadata } = await cluster.client.get(LEASES, { namespace: "default", name: "sites" });
      assertMatch(spec?.holderIdentity ?? "", /^site-operator_[0-9a-f-]{36}$/);
      assertEquals(metadata?.managedFields?.map(({ manager }) => manager), ["site-operator"]);
    },
  });
  assertEquals(agents.filter((agent) => !agent.startsWith("site-operator/unknown ")), []);
});

Deno.test("in a test cluster a controller of one's own has the name that it has in production", async () => {
  await using cluster = await startTestCluster({ controllers: [sites], manifests: [WEBSITE_DEFINITION] });
  await createShop(cluster);
  assertEquals((await writersOf(cluster)).created, ["website-controller Update"]);
  const root = await cluster.client.get(CONFIGMAPS, { namespace: "default", name: "kube-root-ca.crt" });
  assertEquals(root.metadata?.managedFields?.map(({ manager }) => manager), ["kube-controller-manager"]);
});

Deno.test("ControllerBuilder.named gives two controllers of one kind queues, logs and field managers of their own", async () => {
  const names: string[] = [];
  const controllerNamed = (name: string) =>
    controllerFor(SITES).owns(CONFIGMAPS).named(name).reconcile(async (_, context) => {
      names.push(context.name);
      await context.apply(CONFIGMAPS, { metadata: { name }, data: { k: "v" } });
    });
  await using cluster = await startTestCluster({
    controllers: [controllerNamed("frontend"), controllerNamed("backend")],
    manifests: [WEBSITE_DEFINITION],
  });
  await createShop(cluster);
  await cluster.settle();
  for (const name of ["frontend", "backend"]) {
    const { metadata } = await cluster.client.get(CONFIGMAPS, { namespace: "default", name });
    assertEquals(metadata?.managedFields?.map(({ manager }) => manager), [name]);
    assert(names.includes(name));
  }
});

Deno.test("the test's clock moves a reconciler that looks at the time, and one that waits", async () => {
  const seen: string[] = [];
  const ageing = controllerFor(SITES).reconcile(async (site, { clock, signal }) => {
    const ageMs = () => clock.wallMs() - Date.parse(site.metadata!.creationTimestamp!);
    const before = Math.round(ageMs() / 60_000);
    const isOver = await sleep(clock, 30_000, signal);
    seen.push(isOver ? `${before} to ${Math.round(ageMs() / 30_000) / 2} min` : "ended");
    return { requeueAfterMs: 30_000 };
  });
  await using cluster = await startTestCluster({ controllers: [ageing], manifests: [WEBSITE_DEFINITION], nodes: 0 });
  await createShop(cluster);
  await cluster.advance(2 * 60_000 + 1000);
  assertEquals(seen, ["0 to 0.5 min", "1 to 1.5 min"]);
});

Deno.test("a reconcile that waits ends when its controller does", async () => {
  const seen: boolean[] = [];
  const waiting = controllerFor(SITES).reconcile(async (_, { clock, signal }) => {
    seen.push(await sleep(clock, 3_600_000, signal));
  });
  {
    await using cluster = await startTestCluster({ controllers: [waiting], manifests: [WEBSITE_DEFINITION], nodes: 0 });
    await createShop(cluster);
    await cluster.advance(1000);
    assertEquals(seen, []);
  }
  assertEquals(seen, [false], "cut short");
});

Deno.test("two controllers of one name are refused", async () => {
  await using cluster = await startTestCluster({ nodes: 0 });
  const run = Cluster.of(cluster.apiServer.fetch, { world: cluster.world });
  await assertRejects(
    () => run.run([sites, sites], { signal: new AbortController().signal }),
    TypeError,
    'Cannot run two controllers called "website-controller": give one a name with .named()',
  );
});

Deno.test("a name that cannot stand in a User-Agent is refused before anything is sent", async () => {
  for (const name of ["", "a/b", "two words", "line\nbreak", "ü", "x".repeat(129)]) {
    assertThrows(() => userAgent("x", { program: name }), TypeError, `Cannot call a program ${JSON.stringify(name)}`);
    const connect = () => Cluster.of(() => Promise.reject(new Error("sent")), { world: new FakeWorld(), name });
    assertThrows(connect, TypeError, "Cannot call a program");
  }
  await using cluster = await startTestCluster({ nodes: 0 });
  const odd = controllerFor(SITES).named("a/b").reconcile(() => {});
  const run = Cluster.of(cluster.apiServer.fetch, { world: cluster.world });
  await assertRejects(() => run.run([odd], { signal: new AbortController().signal }), TypeError, '"a/b"');
});
